//! Every recorded case of a matcher, in our own language.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::event::{Event, EventKind, Scene};
use becket_core::matcher::Fit;
use becket_core::world::{Lost, Terrain, plain};
use serde_json::{Map, Value, json};

use crate::hooks::{load, native};

const CASES: &str = include_str!("../../../../fixtures/safety/matcher_cases.jsonl");

/// A disk without links, where somebody lives.
#[derive(Debug)]
struct Home(PathBuf);

impl Terrain for Home {
    fn home(&self) -> Option<&Path> {
        Some(&self.0)
    }
    fn real(&self, path: &Path) -> Result<PathBuf, Lost> {
        Ok(plain(path))
    }
    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        one == other
    }
}

fn fires(case: &Value) -> Value {
    let text = |field: &str| case.get(field).and_then(Value::as_str).unwrap().to_owned();
    let hook = native(json!({ "matcher": text("matcher") }));
    let Ok(spec) = load(&hook) else { return json!("load_error") };
    let fields: Map<String, Value> = ["tool_name", "tool_input", "cwd"]
        .map(|field| (field.to_owned(), case.get(field).unwrap().clone()))
        .into_iter()
        .collect();
    let scene = Scene {
        root: Arc::new(PathBuf::from(text("cwd"))),
        terrain: Arc::new(Home(PathBuf::from(text("home")))),
    };
    let event = Event::new(EventKind::PreToolUse, fields).set_in(scene);
    json!(spec.compile().fit(&event) == Fit::Yes)
}

#[test]
fn a_matcher_fires_exactly_when_the_recorded_case_says() {
    let cases: Vec<Value> = CASES.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(cases.len(), 38);
    let id = |case: &Value| case.get("id").and_then(Value::as_str).unwrap().to_owned();
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| case.get("fires") != Some(&fires(case)))
        .map(|case| format!("{}: fires {}: {case}", id(case), fires(case)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

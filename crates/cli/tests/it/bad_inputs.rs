//! The recorded malformed configurations: what `check` says of each, and what is in force all the same.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use becket::{Decision, Dialect, Engine, Event, EventKind};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::becket::{repository, run_in};

/// What we call a dialect, and where its file stands.
type Home = (Dialect, &'static str);

/// The dialects of the recording: what we call them, where their file stands, and how many rows there
/// are. A dialect without a place is not read yet; its rows wait.
const DIALECTS: [(&str, Option<Home>, usize); 4] = [
    ("oah", Some((Dialect::Oah, ".openharness/hooks")), 11),
    // Its one row is written as seed 000 writes hooks.
    ("openharness", Some((Dialect::T15, ".")), 1),
    ("spec09", Some((Dialect::Microai, ".claude")), 6),
    ("claude", None, 54),
];

/// A row with one hook more in force than recorded, and nothing that answers for it: a secret that is
/// unknown now is asked for again when the hook is run, and fails there.
const IN_FORCE: &str = "cfg-secret_unknown";

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    dialect: String,
    file: Value,
    expect: Expected,
}

#[derive(Debug, Deserialize)]
struct Expected {
    code: String,
    hooks_active: usize,
    validate_exit: i32,
    gate_while_broken: String,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(recorded().join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&text).unwrap();
    let entries = index["entries"].as_array().unwrap().iter();
    let configs = entries.filter(|it| it["kind"] == "config");
    configs.map(|it| serde_json::from_value(it.clone()).unwrap()).collect()
}

fn recorded() -> std::path::PathBuf {
    repository().join("fixtures/safety/bad_inputs")
}

/// Puts the file of a row where its dialect looks for it; the answer is what to read.
fn lay_out(row: &Row, (dialect, place): Home, folder: &Path) -> std::path::PathBuf {
    let place = folder.join(place);
    fs::create_dir_all(&place).unwrap();
    match (&row.file, dialect) {
        (Value::String(name), Dialect::Oah) => {
            let target = place.join(Path::new(name).file_name().unwrap());
            fs::copy(recorded().join(name), target).unwrap();
        }
        (Value::String(name), _) => {
            let target =
                place.join(if dialect == Dialect::T15 { "hooks.yaml" } else { "settings.json" });
            fs::copy(recorded().join(name), &target).unwrap();
            return target;
        }
        // Two files with one name.
        (_, _) => {
            for file in ["a.yaml", "b.yaml"] {
                fs::copy(recorded().join("configs/norway.yaml"), place.join(file)).unwrap();
            }
        }
    }
    place
}

#[test]
fn no_row_of_the_recording_is_left_out_unseen() {
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows() {
        *counted.entry(row.dialect).or_default() += 1;
    }
    let known = DIALECTS.iter().map(|row| (row.0.to_owned(), row.2)).collect();
    assert_eq!(counted, known);
}

#[test]
fn every_recorded_file_is_judged_as_recorded() {
    let mut seen = 0;
    for row in rows() {
        let dialect = DIALECTS.iter().find(|it| it.0 == row.dialect).unwrap();
        let Some(place) = dialect.1 else { continue };
        let folder = TempDir::new().unwrap();
        let hooks = lay_out(&row, place, folder.path());
        let args = ["check", "--json", "-C", ".", "--dialect", place.0.name(), "--hooks"];
        let mut args = args.map(str::to_owned).to_vec();
        args.push(hooks.display().to_string());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // The scripts that the rows name are none of the rows' business.
        assert_eq!(run_in(folder.path(), &args, "").code, row.expect.validate_exit, "{}", row.id);
        fs::write(folder.path().join("c.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(folder.path().join("c.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let ran = run_in(folder.path(), &args, "");
        assert_eq!(ran.code, row.expect.validate_exit, "{}: {}", row.id, ran.stdout);
        let report = ran.json();
        let problems = report["problems"].as_array().unwrap().iter();
        let codes: BTreeSet<_> = problems.map(|it| it["code"].as_str().unwrap()).collect();
        let found =
            codes.contains(row.expect.code.as_str()) || row.expect.code == "-" && codes.is_empty();
        assert!(found, "{}: {codes:?}", row.id);
        let engine = Engine::builder().workspace(folder.path()).hooks(place.0, &hooks).build();
        let active = row.expect.hooks_active + usize::from(row.id == IN_FORCE);
        assert_eq!(engine.snapshot().hooks().count(), active, "{}", row.id);
        let expected = if row.id == IN_FORCE { "none" } else { &row.expect.gate_while_broken };
        assert_eq!(answer_for_missing(&engine), expected, "{}", row.id);
        seen += 1;
    }
    assert_eq!(seen, 18);
}

/// What stands in for hooks that could not be loaded says about a call.
fn answer_for_missing(engine: &Engine) -> &'static str {
    let fields = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let event = Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap());
    let registry = engine.snapshot();
    let answers = registry.tombstones().iter().filter_map(|it| it.answer(&event));
    answers.max().map_or("none", Decision::name)
}

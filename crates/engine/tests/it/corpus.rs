//! The corpus of attacks and look-alikes, through the engine.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails loudly")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket::core::diagnostic::Origin;
use becket::core::hook::Layer;
use becket::core::rule::Rule;
use becket::core::rules::{Guard, RuleSpec};
use becket::terrain::Disk;
use becket::{Decision, Engine, Event, EventKind};
use serde_json::{Value, json};

/// A project and a home with the links that the rows are about.
struct Layout {
    folder: tempfile::TempDir,
}

impl Layout {
    fn new() -> Self {
        let layout = Self { folder: tempfile::tempdir().unwrap() };
        let text = fs::read_to_string(fixture("path_layout.json")).unwrap();
        let rows: Value = serde_json::from_str(&layout.at_home(&text)).unwrap();
        for file in rows["files"].as_array().unwrap() {
            let path = layout.path(file.as_str().unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        for (link, target) in rows["links"].as_object().unwrap() {
            symlink(target.as_str().unwrap(), layout.path(link)).unwrap();
        }
        for (link, target) in rows["hardlinks"].as_object().unwrap() {
            let target = layout.path(target.as_str().unwrap());
            fs::hard_link(target, layout.path(link)).unwrap();
        }
        layout
    }

    fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.base().join("home").join(rest),
            None => self.base().join("proj").join(path),
        }
    }

    /// A text with the placeholders of the corpus filled in.
    fn at_home(&self, text: &str) -> String {
        text.replace("/tmp", self.base().to_str().unwrap())
    }

    fn engine(&self, rules: &Value) -> Engine {
        let mut specs = Vec::new();
        for (word, decision) in
            [("allow", Decision::Allow), ("ask", Decision::Ask), ("deny", Decision::Deny)]
        {
            specs.extend(rules[word].as_array().unwrap().iter().map(|text| RuleSpec {
                rule: Rule::parse(text.as_str().unwrap()).unwrap(),
                decision,
                reason: None,
                layer: Layer::CommandLine,
                origin: Origin::default(),
            }));
        }
        let default = decision(rules["default"].as_str().unwrap());
        let builder = if rules["builtin_guard"] == true {
            Engine::builder().guard(Guard::Catastrophic)
        } else {
            Engine::builder()
        };
        builder
            .workspace(self.base().join("proj"))
            .terrain(Arc::new(Disk::with_home(self.base().join("home"))))
            .rules(specs)
            .default_decision(Layer::CommandLine, default)
            .build()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/safety").join(name)
}

fn decision(word: &str) -> Decision {
    Decision::ALL.into_iter().find(|it| it.name() == word).unwrap()
}

#[tokio::test]
async fn every_row_is_answered_as_it_must_be() {
    let layout = Layout::new();
    let text = fs::read_to_string(fixture("bypass_corpus.jsonl")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let row: Value = serde_json::from_str(&layout.at_home(line)).unwrap();
        // Races are played out in tests of their own; limits are what text cannot tell.
        if row["kind"] == "race" || row["kind"] == "limit" {
            continue;
        }
        count += 1;
        let fields = json!({ "tool_name": row["tool"], "tool_input": row["input"] });
        let event = Event::new(EventKind::PreToolUse, fields.as_object().unwrap().clone());
        let outcome = layout.engine(&row["rules"]).fire(event).await;
        let accepted = row["accept"].as_array().unwrap();
        if !accepted.iter().any(|it| it == outcome.decision.name()) {
            wrong.push(format!("{}: {:?}, {}", row["id"], outcome.decision, row["why"]));
        }
    }
    assert!(count > 400, "{count} rows");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

//! What stands where a hook could not be loaded.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;

use becket::{Builder, Compat, Decision, Dialect, Engine, Event, EventKind, Outcome, Trust};
use serde_json::json;
use tempfile::TempDir;

/// What tombstones say about a call of `Bash`.
pub(crate) fn answer_for_missing(engine: &Engine) -> &'static str {
    let registry = engine.snapshot();
    let answers = registry.tombstones().iter().filter_map(|it| it.answer(&call("Bash")));
    answers.max().map_or("none", Decision::name)
}

fn call(tool: &str) -> Event {
    let fields = json!({ "tool_name": tool, "tool_input": { "command": "ls" } });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap())
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn builder(folder: &Path) -> Builder {
    let home = folder.join("home");
    Engine::builder().workspace(folder).home(home).machine(folder).discover(Trust::Given)
}

fn reasons(outcome: &Outcome) -> Vec<(&str, bool)> {
    let named = outcome.reasons.iter();
    named.map(|it| (it.by.name(), it.text.contains("could not be loaded"))).collect()
}

const BROKEN: &str =
    "name: guard\nevents: [before_tool_dispatch]\nmatcher: Bash\nhandler: { type: command }\n";
const FINE: &str =
    "name: fine\nevents: [before_tool_dispatch]\nhandler: { type: command, command: touch ran }\n";

#[tokio::test]
async fn a_hook_that_cannot_be_loaded_asks_in_its_place_and_its_neighbours_run() {
    let files = [(".openharness/hooks/a.yaml", BROKEN), (".openharness/hooks/b.yaml", FINE)];
    let folder = folder(&files);
    let engine = builder(folder.path()).build();
    let outcome = engine.fire(call("Bash")).await;
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Ask, false));
    assert_eq!(reasons(&outcome), [("guard", true)]);
    let reason = &outcome.reasons[0].text;
    assert!(reason.contains("a.yaml:4") && reason.contains("`command`"), "{reason}");
    assert!(folder.path().join("ran").exists());
    assert_eq!(engine.fire(call("Read")).await.decision, Decision::Pass);
}

#[tokio::test]
async fn without_a_person_asking_is_refusing() {
    let folder = folder(&[(".openharness/hooks/a.yaml", BROKEN)]);
    let engine = builder(folder.path()).headless(true).build();
    let outcome = engine.fire(call("Bash")).await;
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Deny, true));
}

#[tokio::test]
async fn what_an_administrator_wrote_is_refused_until_it_is_mended() {
    let broken = BROKEN.replace("before_tool_dispatch", "PreToolUse");
    let folder = folder(&[("etc/becket/hooks/a.yaml", &broken)]);
    let outcome = builder(folder.path()).build().fire(call("Bash")).await;
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Deny, true));
    assert_eq!(reasons(&outcome), [("guard", true)]);
}

#[tokio::test]
async fn a_file_of_which_nothing_can_be_read_may_have_guarded_everything() {
    let folder = folder(&[(".openharness/hooks/a.yaml", "name: [")]);
    let engine = builder(folder.path()).build();
    for tool in ["Bash", "Read", "mcp__git__push"] {
        let outcome = engine.fire(call(tool)).await;
        assert_eq!(outcome.decision, Decision::Ask, "{tool}");
        assert_eq!(reasons(&outcome), [("a.yaml", true)], "{tool}");
    }
    let after = Event::new(EventKind::PostToolUse, call("Bash").fields().clone());
    assert_eq!(engine.fire(after).await.decision, Decision::Pass);
}

#[tokio::test]
async fn a_hook_that_only_watched_leaves_nothing_to_ask_about() {
    let text = BROKEN.replace("before_tool_dispatch", "after_tool_dispatch");
    let folder = folder(&[(".openharness/hooks/a.yaml", &text)]);
    let outcome = builder(folder.path()).build().fire(call("Bash")).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert!(outcome.notes.iter().any(|it| it.code() == "not_in_force"));
}

#[tokio::test]
async fn of_two_hooks_with_one_name_neither_runs() {
    let files = [
        (".openharness/hooks/a.yaml", FINE),
        (".openharness/hooks/b.yaml", FINE),
        (".openharness/hooks/c.yaml", FINE),
    ];
    let folder = folder(&files);
    let engine = builder(folder.path()).build();
    assert_eq!(engine.snapshot().hooks().count(), 0);
    assert_eq!(engine.fire(call("Bash")).await.decision, Decision::Ask);
    assert!(!folder.path().join("ran").exists());
}

#[tokio::test]
async fn a_project_that_nobody_approved_cannot_make_every_call_ask() {
    let folder = folder(&[(".openharness/hooks/a.yaml", "name: [")]);
    let engine = builder(folder.path()).discover(Trust::Withheld).build();
    let outcome = engine.fire(call("Bash")).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert!(outcome.notes.iter().any(|it| it.code() == "not_in_force"));
}

#[tokio::test]
async fn settings_that_cannot_be_read_may_have_held_rules() {
    let folder = folder(&[("home/.config/becket/settings.yaml/inside", "")]);
    let outcome = builder(folder.path()).build().fire(call("Bash")).await;
    assert_eq!(outcome.decision, Decision::Ask);
    assert_eq!(reasons(&outcome), [("settings.yaml", true)]);
}

#[tokio::test]
async fn in_exact_the_original_decides_what_is_left_of_a_broken_file() {
    let folder = folder(&[(".hooks.json", "{")]);
    let path = folder.path().join(".hooks.json");
    for (compat, decision) in [(Compat::Safe, Decision::Ask), (Compat::Exact, Decision::Pass)] {
        let engine = Engine::builder().workspace(folder.path()).compat(compat);
        let engine = engine.hooks(Dialect::LccS08, &path).build();
        assert_eq!(engine.fire(call("Bash")).await.decision, decision, "{}", compat.name());
    }
}

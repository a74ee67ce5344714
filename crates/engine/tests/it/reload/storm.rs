//! Files that are rewritten all the time.

use std::collections::BTreeSet;
use std::process::{Child, Command};

use becket::{Event, EventKind, Outcome};

use super::{Workspace, call};

/// Two versions with three hooks each; no hook of one is in the other.
fn version(mark: &str) -> String {
    let hook = |at: u8| format!("  - events: [PRE_TOOL_USE]\n    command: 'true {mark}{at}'\n");
    format!("hooks:\n{}{}{}", hook(1), hook(2), hook(3))
}

fn writer(workspace: &Workspace, script: &str) -> Child {
    Command::new("bash").args(["-c", script]).current_dir(workspace.path()).spawn().unwrap()
}

fn hooks(outcome: &Outcome) -> String {
    let marks = outcome.registry().hooks().map(|hook| {
        let text = format!("{:?}", hook.spec().handler);
        let at = text.find("true ").unwrap() + "true ".len();
        text[at..at + 2].to_owned()
    });
    marks.collect::<Vec<_>>().concat()
}

async fn watch(script: &str, least: usize) -> BTreeSet<String> {
    let workspace = Workspace::new(&[
        ("hooks.yaml", &version("a")),
        ("versions/a", &version("a")),
        ("versions/b", &version("b")),
    ]);
    let engine = workspace.engine();
    let mut writer = writer(&workspace, script);
    let (mut seen, mut events, mut running) = (BTreeSet::new(), 0, true);
    while running || events < least {
        running = running && writer.try_wait().unwrap().is_none();
        // Every tenth is a gate with processes; what the others see is the same.
        let quiet = Event::new(EventKind::Notification, serde_json::Map::new());
        let outcome = engine.fire(if events % 10 == 0 { call() } else { quiet }).await;
        assert_eq!(outcome.decision, becket::Decision::Pass);
        seen.insert(hooks(&outcome));
        events += 1;
    }
    assert!(writer.wait().unwrap().success());
    // Whoever writes last wrote this.
    while hooks(&engine.fire(call()).await) != "b1b2b3" {}
    seen
}

fn allowed() -> BTreeSet<String> {
    ["a1a2a3".to_owned(), "b1b2b3".to_owned()].into()
}

#[tokio::test]
async fn a_thousand_events_during_a_thousand_renames_see_one_version_or_the_other() {
    let script = "for i in $(seq 500); do for v in a b; do
        cp versions/$v next && mv next hooks.yaml || exit 1; done; done";
    let seen = watch(script, 1000).await;
    assert!(seen.is_subset(&allowed()), "{seen:?}");
}

#[tokio::test]
async fn a_thousand_events_during_a_thousand_rewrites_in_place_see_no_mixture() {
    // In two writes each, as a program does whose buffer is full; the first is a valid file of one hook.
    let script = "for i in $(seq 500); do for v in a b; do
        { head -c 58 versions/$v; tail -c +59 versions/$v; } > hooks.yaml || exit 1; done; done";
    let seen = watch(script, 1000).await;
    assert!(seen.is_subset(&allowed()), "{seen:?}");
}

#[tokio::test]
async fn an_editor_that_moves_the_file_away_before_it_writes_disarms_nothing() {
    let script = "for i in $(seq 250); do for v in a b; do
        mv hooks.yaml hooks.yaml~; cp versions/$v hooks.yaml || exit 1; done; done";
    let seen = watch(script, 1000).await;
    assert!(seen.is_subset(&allowed()), "{seen:?}");
}

#[tokio::test]
async fn a_storm_of_rewrites_is_no_error_and_the_last_version_counts_in_the_end() {
    let script = "a=$(cat versions/a); b=$(cat versions/b)
        for i in $(seq 5000); do printf '%s\\n' \"$a\" > hooks.yaml; printf '%s\\n' \"$b\" > hooks.yaml; done";
    let workspace = Workspace::new(&[
        ("hooks.yaml", &version("a")),
        ("versions/a", &version("a")),
        ("versions/b", &version("b")),
    ]);
    let engine = workspace.engine();
    let mut writer = writer(&workspace, script);
    while writer.try_wait().unwrap().is_none() {
        let quiet = Event::new(EventKind::Notification, serde_json::Map::new());
        assert!(allowed().contains(&hooks(&engine.fire(quiet).await)));
    }
    while hooks(&engine.fire(call()).await) != "b1b2b3" {}
    assert!(engine.problems().is_empty());
}

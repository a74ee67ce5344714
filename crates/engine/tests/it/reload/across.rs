//! What is remembered across processes, and what is noticed at all.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use becket::{Decision, Event, EventKind, Trust};

use super::{Workspace, call, codes, edited, notes, t15};

const GUARD: &str =
    "name: guard\nevents: [PreToolUse]\nhandler: { type: command, command: exit 2 }\n";
const HOOK: &str = ".becket/hooks/guard.yaml";

#[tokio::test]
async fn an_engine_that_starts_while_a_file_is_broken_has_its_guards() {
    let workspace = Workspace::new(&[(HOOK, GUARD)]);
    let engine = || workspace.builder().cache(workspace.file("state")).build();
    assert_eq!(engine().fire(call()).await.decision, Decision::Deny);
    for cut in ["", "name: gu", &GUARD[..GUARD.len() - 10]] {
        workspace.write(HOOK, cut);
        let outcome = engine().fire(call()).await;
        assert_eq!(outcome.decision, Decision::Deny, "{cut:?}");
        assert_eq!(codes(&outcome), ["kept_last_good"], "{cut:?}");
    }
    // A file that can be read counts, whatever was there before; so does one that is gone.
    workspace.write(HOOK, GUARD.replace("exit 2", "exit 0"));
    assert_eq!(engine().fire(call()).await.decision, Decision::Pass);
    workspace.write(HOOK, GUARD);
    assert_eq!(engine().fire(call()).await.decision, Decision::Deny);
    fs::remove_file(workspace.file(HOOK)).unwrap();
    assert_eq!(engine().fire(call()).await.decision, Decision::Pass);
}

#[tokio::test]
async fn what_is_remembered_is_private_and_counts_only_if_it_is() {
    let workspace = Workspace::new(&[(HOOK, GUARD)]);
    let engine = || workspace.builder().cache(workspace.file("state")).build();
    drop(engine());
    let cache = workspace.file("state/cache");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let kept = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&cache), mode(&kept)), (0o700, 0o600));
    workspace.write(HOOK, "name: [");
    assert_eq!(engine().fire(call()).await.decision, Decision::Deny);
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o644)).unwrap();
    // Without it nobody knows what the hook would have said.
    assert_eq!(engine().fire(call()).await.decision, Decision::Ask);
}

#[tokio::test]
async fn nothing_is_remembered_of_what_nobody_approved() {
    let workspace = Workspace::new(&[(HOOK, GUARD)]);
    let builder = || workspace.builder().cache(workspace.file("state"));
    let outcome = builder().discover(Trust::Withheld).build().fire(call()).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert!(!workspace.file("state/cache").exists());
    drop(builder().build());
    workspace.write(HOOK, "name: [");
    // And what was approved once does not run for a project that is not.
    let outcome = builder().discover(Trust::Withheld).build().fire(call()).await;
    assert_eq!(outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn files_that_appear_later_are_found() {
    let workspace = Workspace::new(&[]);
    let engine = workspace.engine();
    assert_eq!(engine.fire(call()).await.decision, Decision::Pass);
    for (name, text) in [
        (HOOK, GUARD.to_owned()),
        (".becket/hooks/other.yaml", GUARD.replace("guard", "other")),
        ("home/.config/becket/hooks/mine.yaml", GUARD.replace("guard", "mine")),
        ("etc/becket/hooks/managed.yaml", GUARD.replace("guard", "managed")),
        ("hooks.yaml", t15(1, ": t15")),
        (
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}"#
                .to_owned(),
        ),
    ] {
        let before = engine.snapshot().hooks().count();
        workspace.write(name, &text);
        edited(&engine, &workspace.file(name)).await;
        let outcome = engine.fire(call()).await;
        assert_eq!(outcome.decision, Decision::Deny, "{name}");
        assert_eq!(outcome.registry().hooks().count(), before + 1, "{name}: {:?}", outcome.notes);
    }
}

#[tokio::test]
async fn what_editors_lay_beside_a_file_is_not_read() {
    let workspace = Workspace::new(&[(HOOK, GUARD)]);
    let engine = workspace.engine();
    for name in [
        ".becket/hooks/guard.yaml~",
        ".becket/hooks/.guard.yaml.swp",
        ".becket/hooks/#guard.yaml#",
        ".becket/hooks/.#guard.yaml",
    ] {
        workspace.write(name, "name: [");
    }
    edited(&engine, &workspace.file(HOOK)).await;
    let outcome = engine.fire(call()).await;
    assert_eq!((outcome.decision, outcome.generation), (Decision::Deny, 1), "{:?}", outcome.notes);
}

#[tokio::test]
async fn what_is_no_plain_file_is_never_waited_for() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": a"))]);
    let engine = workspace.engine();
    fs::remove_file(workspace.file("hooks.yaml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(workspace.file("hooks.yaml")).status();
    assert!(made.unwrap().success());
    let outcome = engine.fire(call()).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(
        notes(&outcome, "kept_last_good")[0].contains("not a plain file"),
        "{:?}",
        outcome.notes
    );
    fs::remove_file(workspace.file("hooks.yaml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", workspace.file("hooks.yaml")).unwrap();
    assert_eq!(engine.fire(call()).await.decision, Decision::Deny);
}

#[tokio::test]
async fn an_event_in_flight_keeps_what_was_in_force_when_it_began() {
    let slow = "hooks:\n  - events: [PRE_TOOL_USE]\n    command: 'touch started; while [ ! -e go ]; do sleep 0.01; done; exit 1'\n    can_block: true\n";
    let workspace = Workspace::new(&[("hooks.yaml", slow)]);
    let engine = std::sync::Arc::new(workspace.engine());
    let first = tokio::spawn({
        let engine = std::sync::Arc::clone(&engine);
        async move { engine.fire(call()).await }
    });
    while !workspace.file("started").exists() {
        tokio::task::yield_now().await;
    }
    workspace.write("hooks.yaml", t15(0, ": new"));
    assert_eq!(engine.fire(call()).await.decision, Decision::Pass);
    workspace.write("go", "");
    let first = first.await.unwrap();
    assert_eq!((first.decision, first.generation), (Decision::Deny, 1));
}

#[tokio::test]
async fn closures_and_answers_outlive_a_reload() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(0, ": a"))]);
    let engine = workspace.engine();
    engine.on::<becket::point::PreToolUse>(|_| becket::point::ToolAction::deny("by the host"));
    workspace.write("hooks.yaml", t15(0, ": b"));
    let outcome = engine.fire(call()).await;
    assert_eq!((outcome.decision, outcome.generation), (Decision::Deny, 3));
    assert_eq!(outcome.registry().hooks().count(), 2);
    let again = engine.fire(Event::new(EventKind::Notification, serde_json::Map::new())).await;
    assert_eq!(again.generation, 3);
}

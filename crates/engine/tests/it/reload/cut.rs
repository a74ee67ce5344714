//! A valid file, cut at every length, under an engine that fires all the while.

use std::fs;
use std::os::unix::fs::MetadataExt;

use becket::{Decision, Event, EventKind};

use super::{Workspace, call, edited, notes};

const T15: &str = "# Guards.
hooks:
  - events: [PRE_TOOL_USE]
    command: exit 1
    can_block: true
  - events: [PRE_TOOL_USE, POST_TOOL_USE]
    command: 'true'
    can_block: true
";

#[tokio::test]
async fn no_event_sees_fewer_guards_than_the_last_good_version_had() {
    let workspace = Workspace::new(&[("hooks.yaml", T15)]);
    let engine = workspace.engine();
    let inode = fs::metadata(workspace.file("hooks.yaml")).unwrap().ino();
    for length in (0..T15.len()).chain((0..T15.len()).rev()) {
        // In place, as an editor does that truncates first.
        workspace.write("hooks.yaml", &T15[..length]);
        let outcome = engine.fire(call()).await;
        assert_eq!(outcome.decision, Decision::Deny, "{length}: {:?}", outcome.notes);
        assert_eq!(outcome.registry().hooks().count(), 2, "{length}");
        assert_eq!(notes(&outcome, "kept_last_good").len(), 1, "{length}");
    }
    assert_eq!(fs::metadata(workspace.file("hooks.yaml")).unwrap().ino(), inode);
}

const FILES: [(&str, &str); 7] = [
    (
        "hooks.json",
        r#"{"hooks": [{"events": ["PRE_TOOL_USE"], "command": "exit 1", "can_block": true}]}"#,
    ),
    (".hooks.json", r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "exit 1"}]}}"#),
    (
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]},
            {"matcher": "Bash", "command": "exit 2"}]}, "permissions": {"deny": ["Bash(rm *)"]}}"#,
    ),
    (
        ".openharness/hooks/guard.yaml",
        "name: guard\nevents: [before_tool_dispatch]\nmatcher: Bash\nhandler:\n  type: command\n  command: ./guard.sh --all\non_failure: deny\n",
    ),
    (
        ".becket/hooks/guard.yaml",
        "name: ours\nevents: [PreToolUse]\nmatcher: Bash\nrole: guard\nhandler:\n  type: command\n  command: ./guard.sh --all\ncapabilities: []\n",
    ),
    (
        ".becket/hooks/guard.local.yaml",
        "name: mine\nevents: [PreToolUse]\nhandler: { type: command, command: exit 2 }\ntimeout: 5s\nrole: guard\n",
    ),
    (
        ".becket/settings.yaml",
        "permissions:\n  deny:\n    - Bash(rm *)\n    - Bash(git push *)\n  ask:\n    - Bash(curl *)\n  default: ask\n",
    ),
];

#[tokio::test]
async fn files_of_all_dialects_keep_all_that_they_guard() {
    let workspace = Workspace::new(&FILES);
    let engine = workspace.engine();
    let in_force = || {
        let registry = engine.snapshot();
        let hooks = registry.hooks().map(|it| {
            let spec = it.spec();
            format!("{} {:?} {:?} {:?}", spec.name, spec.handler, spec.matcher, spec.on_failure)
        });
        let rules = registry.rules().specs().iter().filter(|it| it.origin.line > 0);
        let rules = rules.map(|it| format!("{} {}", it.decision.name(), it.rule));
        (hooks.collect::<Vec<_>>(), rules.collect::<Vec<_>>())
    };
    let whole = in_force();
    assert_eq!((whole.0.len(), whole.1.len()), (7, 4), "{whole:?}");
    let quiet = || Event::new(EventKind::Notification, serde_json::Map::new());
    let longest = FILES.iter().map(|it| it.1.len()).max().unwrap();
    for length in 0..longest {
        for (name, text) in FILES {
            // What stands between the last byte and the last line is the same hook.
            if length + 1 < text.trim_end().len() {
                workspace.write(name, &text[..length]);
            }
        }
        edited(&engine, &workspace.file("hooks.json")).await;
        let outcome = engine.fire(quiet()).await;
        assert_eq!(in_force(), whole, "{length}: {:?}", outcome.notes);
    }
}

#[tokio::test]
async fn an_empty_file_is_being_written_and_no_wish_for_no_hooks() {
    let workspace = Workspace::new(&[("hooks.yaml", T15)]);
    let engine = workspace.engine();
    workspace.write("hooks.yaml", "\n \n");
    assert_eq!(engine.fire(call()).await.decision, Decision::Deny);
    // Also not for somebody who takes everything as it is.
    engine.reload_now();
    assert_eq!(engine.fire(call()).await.decision, Decision::Deny);
    workspace.write("hooks.yaml", "hooks: []\n");
    engine.reload_now();
    assert_eq!(engine.fire(call()).await.decision, Decision::Pass);
}

#[tokio::test]
async fn a_hook_that_is_taken_out_on_purpose_goes_when_the_file_has_been_left_alone() {
    let workspace = Workspace::new(&[("hooks.yaml", T15)]);
    let engine = workspace.engine();
    let less = "hooks:\n  - events: [PRE_TOOL_USE, POST_TOOL_USE]\n    command: 'true'\n    can_block: true\n";
    workspace.write("hooks.yaml", less);
    let outcome = engine.fire(call()).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(notes(&outcome, "kept_last_good")[0].contains("less in it"), "{:?}", outcome.notes);
    // By its own clock, so that a slow machine only makes this longer.
    let outcome = loop {
        let outcome = engine.fire(call()).await;
        if outcome.decision == Decision::Pass {
            break outcome;
        }
    };
    let told = notes(&outcome, "reloaded");
    assert!(told.len() == 1 && told[0].contains("gone: `hooks[1]`"), "{told:?}");
    assert!(notes(&engine.fire(call()).await, "reloaded").is_empty());
}

//! Hooks after a run: they watch.

use becket::core::verdict::FailureKind;
use becket::{Decision, EffectKind, Note};
use serde_json::{Value, json};

use super::row::{LifecycleHook, LifecycleRow, golden};
use super::seen::ran;
use super::workspace::{Workspace, patch};

const NOTHING: [&str; 0] = [];

fn workspace(hook: &LifecycleHook) -> Workspace {
    let workspace = Workspace::new();
    let command = match (&hook.command, &hook.emits) {
        (Some(command), None) => command.clone(),
        (None, Some(answer)) => {
            workspace.write("answer.json", &answer.to_string());
            "cat >/dev/null; cat answer.json".to_owned()
        }
        other => panic!("{other:?}"),
    };
    let mut definition = json!({
        "name": "a",
        "events": hook.events,
        "handler": { "type": "command", "command": command },
    });
    if let Some(matcher) = &hook.matcher {
        definition["matcher"] = matcher.as_str().into();
    }
    workspace.add_hook(&definition);
    workspace
}

#[tokio::test]
async fn every_recorded_run_ends_as_it_ended() {
    for case in golden().lifecycle {
        let LifecycleRow { label, hook, trigger_type } = &case.given;
        let workspace = workspace(hook);
        for event in &hook.events {
            let outcome = workspace.fire(event, json!({ "trigger_type": trigger_type })).await;
            case.seen.check_hooks(label, &outcome);
            // Nothing was thrown, so no effect is looked for.
            case.seen.check_end(label, &outcome, EffectKind::FailRun);
            assert_eq!(case.seen.value, None, "{label}");
            assert!(outcome.patched.is_empty(), "{label}");
        }
    }
}

#[tokio::test]
async fn nothing_that_a_hook_says_changes_a_run_that_is_over() {
    let every = [
        "rewrite_context",
        "rewrite_model_request",
        "rewrite_model_response",
        "rewrite_tool_request",
        "rewrite_tool_response",
        "suppress_output",
    ];
    for event in ["run_completed", "run_failed"] {
        for answer in [
            json!({ "continue": false, "stopReason": "x" }),
            json!({ "decision": "block" }),
            json!({ "systemMessage": "S", "suppressOutput": true }),
            json!({ "hookSpecificOutput": { "additionalContext": "C" } }),
            patch("tool_output", &json!("x")),
            patch("context", &json!({ "messages": [] })),
        ] {
            let outcome = Workspace::answering(event, &every, &answer).fire(event, json!({})).await;
            assert_eq!(outcome.decision, Decision::Pass, "{event} {answer}");
            assert!(!outcome.is_blocked() && outcome.patched.is_empty(), "{event} {answer}");
            assert_eq!(
                (&outcome.context[..], &outcome.messages[..]),
                (&[][..], &[][..]),
                "{event} {answer}"
            );
        }
    }
}

#[tokio::test]
async fn a_block_after_a_run_is_noted_and_later_hooks_still_run() {
    let workspace = Workspace::new();
    workspace.add_command("a", "run_failed", &NOTHING, "echo why >&2; exit 2");
    workspace.add_command("b", "run_failed", &NOTHING, "exit 3");
    workspace.add_command("c", "run_failed", &NOTHING, "cat >/dev/null");
    let outcome = workspace.fire("run_failed", json!({ "run_status": "timed_out" })).await;
    let names: Vec<_> = ran(&outcome).iter().map(|(hook, _)| hook.name()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let notes: Vec<_> =
        outcome.notes.iter().map(|note| (note.hook().unwrap(), note.code())).collect();
    assert_eq!(notes, [("a", "cannot_block"), ("b", "failed")]);
    assert!(matches!(&outcome.notes[1], Note::Failed { kind: FailureKind::BadExit, .. }));
}

#[tokio::test]
async fn a_matcher_is_tried_on_what_triggered_the_run() {
    for (trigger, runs) in
        [("api_action", 1), ("manual_action", 1), ("message", 0), ("hook", 0), ("system", 0)]
    {
        let workspace = Workspace::with_hook(&json!({
            "name": "a",
            "events": ["run_completed", "run_failed"],
            "matcher": "action$",
            "handler": { "type": "command", "command": "cat >/dev/null" },
        }));
        for event in ["run_completed", "run_failed"] {
            let fields: Value = json!({ "trigger_type": trigger });
            let outcome = workspace.fire(event, fields).await;
            assert_eq!(outcome.runs().count(), runs, "{event} {trigger}");
        }
    }
}

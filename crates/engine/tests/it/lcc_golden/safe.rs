//! What `safe` mends, where a case of `spec/` cannot look closely enough.

use std::fs;

use becket::core::verdict::FailureKind;
use becket::{Compat, Decision, Outcome};
use serde_json::json;

use super::workspace::{Workspace, failures, fire};

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.notes.iter().map(becket::Note::code).collect()
}

#[tokio::test]
async fn a_long_input_is_in_a_file_of_its_own_that_is_gone_afterwards() {
    let command = "stat -c %a \"$HOOK_TOOL_INPUT_FILE\" >mode; echo \"$HOOK_TOOL_INPUT_FILE\" >path; \
        wc -c <\"$HOOK_TOOL_INPUT_FILE\" >size; printf %s \"$HOOK_TOOL_INPUT\" | wc -c >cut";
    let workspace = Workspace::with_commands(&[command]);
    let engine = workspace.builder().compat(Compat::Safe).build();
    let context = json!({ "tool_name": "bash", "tool_input": { "command": "x".repeat(200_000) } });
    let outcome = fire(&engine, "PreToolUse", context).await;
    let seen =
        |name: &str| fs::read_to_string(workspace.path().join(name)).unwrap().trim().to_owned();
    let whole = "{\"command\": \"\"}".len() + 200_000;
    assert_eq!(
        (seen("mode"), seen("size"), seen("cut")),
        ("600".into(), whole.to_string(), "10000".into())
    );
    assert!(!fs::exists(seen("path")).unwrap());
    assert_eq!(codes(&outcome), ["compat"]);
}

#[tokio::test]
async fn a_hook_that_fails_is_noted_and_the_event_goes_on() {
    for (command, kind) in [
        ("exit 3", FailureKind::BadExit),
        ("kill -9 $$", FailureKind::Signalled),
        ("no_such_zz", FailureKind::NotStarted),
        ("echo '{\"additionalContext\":5}'", FailureKind::BadOutput),
        ("echo '{\"updatedInput\":[]}'", FailureKind::BadOutput),
        ("echo '{\"permissionDecision\":\"no\"}'", FailureKind::BadOutput),
        ("echo 'log {\"additionalContext\":\"x\"}'", FailureKind::BadOutput),
    ] {
        let outcome = Workspace::with_commands(&[command]).ls_safely().await;
        assert_eq!(
            (outcome.decision, failures(&outcome)),
            (Decision::Pass, vec![Some(kind)]),
            "{command}"
        );
        assert_eq!((codes(&outcome), outcome.context.len()), (vec!["failed"], 0), "{command}");
    }
}

#[tokio::test]
async fn a_refusal_that_arrives_is_never_lost() {
    for command in [
        "echo '{\"permissionDecision\":\"deny\"}'",
        "echo 'log {\"permissionDecision\":\"deny\"} more'",
        "echo '{\"permissionDecision\":\"deny\"}'; exit 2",
        "echo '{\"permissionDecision\":\"deny\"}'; exit 3",
        "echo '{\"permissionDecision\":\"deny\",\"additionalContext\":5}'",
        "echo '{\"permissionDecision\":\"deny\"}'; kill -9 $$",
    ] {
        let outcome = Workspace::with_commands(&[command]).ls_safely().await;
        assert_eq!(outcome.decision, Decision::Deny, "{command}");
        assert!(codes(&outcome).contains(&"compat"), "{command}");
        let exact = Workspace::with_commands(&[command]).ls().await;
        assert_eq!(exact.decision, Decision::Pass, "{command}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_followed_by_a_hang_is_a_refusal() {
    let command = "echo '{\"permissionDecision\":\"ask\"}'; touch said; exec sleep 60";
    let workspace = Workspace::with_commands(&[command]);
    let said = workspace.path().join("said");
    // The clock stands still until the hook has spoken, and then runs to the limit at once.
    let speaking = tokio::task::spawn_blocking(move || {
        while !said.exists() {
            std::thread::yield_now();
        }
    });
    let (outcome, spoken) = tokio::join!(workspace.ls_safely(), speaking);
    spoken.unwrap();
    assert_eq!(outcome.decision, Decision::Ask);
    assert!(codes(&outcome).contains(&"objection_kept"));
}

#[tokio::test]
async fn a_name_that_no_variable_can_hold_still_reaches_the_guard() {
    let workspace = Workspace::with_commands(&["test \"$HOOK_TOOL_NAME\" = bash || exit 1"]);
    let engine = workspace.builder().compat(Compat::Safe).build();
    let outcome =
        fire(&engine, "PreToolUse", json!({ "tool_name": "ba\0sh", "tool_input": {} })).await;
    assert_eq!(outcome.decision, Decision::Deny);
}

//! Command hooks, and what several of them come to.

use becket::core::verdict::{FailureKind, Reach};
use becket::{Decision, Dialect, Outcome};
use serde_json::{Map, Value, json};

use super::row::{Case, CommandRow, golden, output};
use super::workspace::{Workspace, fire, hook, tool_call};

fn workspace(row: &CommandRow) -> Workspace {
    Workspace::new("pre_tool_use", &[hook("command", ("command", &row.command), &row.opts)])
}

#[tokio::test]
async fn every_recorded_command_does_what_it_did() {
    for Case { given: row, seen } in golden().command {
        let workspace = workspace(&row);
        if let Some(raised) = &seen.raised {
            let outcome = raise(&row, &workspace).await;
            assert_raised(raised, &outcome, FailureKind::NotStarted);
            continue;
        }
        assert_eq!((&row.payload, &row.cwd), (&None, &None));
        let outcome = workspace.fire("pre_tool_use", tool_call()).await;
        seen.check(&row.command, &outcome);
    }
}

async fn raise(row: &CommandRow, workspace: &Workspace) -> Outcome {
    match (row.payload.as_deref(), row.cwd.as_deref()) {
        (Some("tool_input.content = 200000 x"), None) => {
            let fields =
                json!({ "tool_name": "bash", "tool_input": { "content": "x".repeat(200_000) } });
            workspace.fire("pre_tool_use", fields).await
        }
        (None, Some("nonexistent")) => {
            let engine = workspace.builder().workspace("/nonexistent-dir-zz").build();
            fire(&engine, "pre_tool_use", tool_call()).await
        }
        other => panic!("an unknown circumstance: {other:?}"),
    }
}

/// What the original lets escape makes the tool call fail, whatever the hook says.
pub(super) fn assert_raised(label: &str, outcome: &Outcome, kind: FailureKind) {
    let run = outcome.runs().next().unwrap();
    let failure = run.settled.failure.as_ref().unwrap();
    assert_eq!((failure.kind, failure.reach), (kind, Reach::Event), "{label}: {failure:?}");
    assert_eq!(outcome.decision, Decision::Deny, "{label}");
    assert_eq!(outcome.effects[0].kind.name(), "deny_tool", "{label}");
}

#[tokio::test]
async fn what_escapes_where_nothing_can_be_blocked_ends_the_run() {
    let no = Map::from_iter([("block_on_failure".to_owned(), false.into())]);
    for (event, effect) in [
        ("session_start", "stop_loop"),
        ("pre_compact", "skip_compaction"),
        ("pre_tool_use", "deny_tool"),
    ] {
        let workspace = Workspace::new(event, &[hook("command", ("command", "true"), &no)]);
        let engine = workspace.builder().workspace("/nonexistent-dir-zz").build();
        let outcome = fire(&engine, event, tool_call()).await;
        assert_eq!(outcome.effects.iter().map(|it| it.kind.name()).collect::<Vec<_>>(), [effect]);
    }
}

#[tokio::test]
async fn every_recorded_chain_runs_to_its_end() {
    for row in golden().aggregate {
        let workspace = Workspace::new("pre_tool_use", &row.hooks);
        let outcome = workspace.fire("pre_tool_use", tool_call()).await;
        assert_eq!(outcome.runs().count(), row.ran, "{}", row.name);
        let outputs: Vec<String> = outcome.runs().map(|run| output(&run.reply)).collect();
        assert_eq!(outputs, row.outputs, "{}", row.name);
        assert_eq!(outcome.is_blocked(), row.blocked, "{}", row.name);
        let first = outcome.reasons.first().map_or("", |it| it.text.as_str());
        assert_eq!(first, row.reason, "{}", row.name);
    }
}

#[tokio::test]
async fn only_two_events_can_be_blocked() {
    let yes = Map::from_iter([("block_on_failure".to_owned(), true.into())]);
    for kind in becket::EventKind::KNOWN {
        let Some(name) = kind.name_in(Dialect::OpenHarness) else { continue };
        let workspace =
            Workspace::new(name, &[hook("command", ("command", "echo no; exit 1"), &yes)]);
        let outcome = workspace.fire(name, tool_call()).await;
        let expected = match name {
            "pre_tool_use" => Some("deny_tool"),
            "pre_compact" => Some("skip_compaction"),
            _ => None,
        };
        assert_eq!(outcome.effects.first().map(|it| it.kind.name()), expected, "{name}");
        assert_eq!(outcome.runs().count(), 1, "{name}");
        let told = outcome.notes.iter().any(|it| it.code() == "cannot_block");
        assert_eq!(told, expected.is_none(), "{name}");
    }
}

#[tokio::test]
async fn each_event_tells_its_own_fields_in_their_order() {
    let all = json!({
        "cwd": "/w", "prompt": "p", "tool_name": "t", "tool_input": {}, "tool_output": "o", "tool_is_error": false,
        "notification_type": "permission_prompt", "reason": "r", "stop_reason": "tool_uses_empty", "session_id": "s",
        "agent_id": "a", "task_id": "k", "trigger": "auto", "model": "m", "message_count": 1, "token_count": 2,
    });
    for (name, payload) in [
        ("session_start", r#"{"cwd": "/w", "event": "session_start"}"#),
        ("user_prompt_submit", r#"{"event": "user_prompt_submit", "prompt": "p"}"#),
        ("pre_tool_use", r#"{"tool_name": "t", "tool_input": {}, "event": "pre_tool_use"}"#),
        (
            "post_tool_use",
            r#"{"tool_name": "t", "tool_input": {}, "tool_output": "o", "tool_is_error": false, "event": "post_tool_use"}"#,
        ),
        (
            "notification",
            r#"{"event": "notification", "notification_type": "permission_prompt", "tool_name": "t", "reason": "r"}"#,
        ),
        ("stop", r#"{"event": "stop", "stop_reason": "tool_uses_empty"}"#),
        ("subagent_stop", r#"{"event": "subagent_stop", "agent_id": "a", "task_id": "k"}"#),
    ] {
        let command = "printf '%s %s' \"$OPENHARNESS_HOOK_EVENT\" $ARGUMENTS";
        let workspace = Workspace::new(name, &[json!({ "command": command })]);
        let outcome = workspace.fire(name, all.clone()).await;
        let told = output(&outcome.runs().next().unwrap().reply);
        assert_eq!(told, format!("{name} {payload}"));
    }
}

#[tokio::test]
async fn a_shell_is_a_login_shell_and_reads_nothing() {
    let command = "shopt -q login_shell && echo login; cat";
    let workspace = Workspace::new("stop", &[json!({ "command": command })]);
    let outcome = workspace.fire("stop", json!({})).await;
    assert_eq!(output(&outcome.runs().next().unwrap().reply), "login");
}

#[tokio::test]
async fn what_hooks_print_after_a_compaction_is_told_to_the_model() {
    let hooks: [Value; 2] = [json!({ "command": "echo note" }), json!({ "command": "true" })];
    let workspace = Workspace::new("post_compact", &hooks);
    assert_eq!(workspace.fire("post_compact", json!({})).await.context, ["note"]);
    let workspace = Workspace::new("pre_compact", &hooks);
    assert_eq!(workspace.fire("pre_compact", json!({})).await.context, [""; 0]);
}

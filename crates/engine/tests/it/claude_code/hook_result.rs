//! The fields of `HookResult` in seed 001's appendix, as a hook of Claude Code says them.

use becket::core::decision::Effect;
use becket::core::verdict::FailureKind;
use becket::{Decision, EffectKind, Outcome};
use serde_json::{Value, json};

use super::workspace::Workspace;

async fn answer(event: &str, answer: Value) -> Outcome {
    let workspace = Workspace::command(event, "cat answer.json");
    workspace.write("answer.json", answer.to_string().as_bytes());
    let fields = json!({ "tool_name": "mcp__db__query", "tool_input": { "sql": "x" },
        "tool_response": "rows", "prompt": "hi" });
    workspace.fire(event, fields).await
}

fn specific(event: &str, mut fields: Value) -> Value {
    fields["hookEventName"] = event.into();
    json!({ "hookSpecificOutput": fields })
}

#[tokio::test]
async fn message_is_for_the_person() {
    let outcome = answer("SessionStart", json!({ "systemMessage": "welcome" })).await;
    assert_eq!((outcome.messages, outcome.decision), (vec!["welcome".to_owned()], Decision::Pass));
}

#[tokio::test]
async fn blocking_error_is_a_refusal_whose_reason_the_model_is_told() {
    let outcome = answer("PreToolUse", json!({ "decision": "block", "reason": "no" })).await;
    assert_eq!(outcome.effects, [Effect::of(EffectKind::DenyTool)]);
    assert_eq!(outcome.reasons[0].text, "no");
}

#[tokio::test]
async fn outcome_has_its_four_words() {
    let success = answer("PreToolUse", json!({})).await;
    assert_eq!(success.runs().next().unwrap().settled.failure, None);
    let blocking = Workspace::command("PreToolUse", "exit 2");
    let fields = || json!({ "tool_name": "Bash", "tool_input": {} });
    assert!(blocking.fire("PreToolUse", fields()).await.is_blocked());
    let broken = Workspace::command("PreToolUse", "exit 1").fire("PreToolUse", fields()).await;
    let failure = broken.runs().next().unwrap().settled.failure.clone().unwrap();
    assert_eq!((failure.kind, broken.decision), (FailureKind::BadExit, Decision::Pass));
    let late = json!({ "type": "command", "command": "sleep 20", "timeout": 0.1 });
    let late = Workspace::hook("PreToolUse", &late).fire("PreToolUse", fields()).await;
    let failure = late.runs().next().unwrap().settled.failure.clone().unwrap();
    assert_eq!((failure.kind, late.decision), (FailureKind::TimedOut, Decision::Pass));
}

#[tokio::test]
async fn prevent_continuation_and_its_reason_end_the_loop() {
    for event in ["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"] {
        let outcome = answer(event, json!({ "continue": false, "stopReason": "enough" })).await;
        let text = Some("enough".to_owned());
        assert_eq!(outcome.effects, [Effect { kind: EffectKind::StopLoop, text }], "{event}");
        assert_eq!(outcome.decision, Decision::Pass, "{event}");
    }
}

#[tokio::test]
async fn prevent_continuation_stands_above_a_block() {
    let both = json!({ "continue": false, "decision": "block", "reason": "more" });
    let outcome = answer("Stop", both).await;
    assert_eq!(outcome.effects[0].kind, EffectKind::StopLoop);
}

#[tokio::test]
async fn permission_behavior_has_its_four_words() {
    for (word, decision) in
        [("allow", Decision::Allow), ("ask", Decision::Ask), ("deny", Decision::Deny)]
    {
        let said = specific("PreToolUse", json!({ "permissionDecision": word }));
        assert_eq!(answer("PreToolUse", said).await.decision, decision);
    }
    assert_eq!(answer("PreToolUse", json!({})).await.decision, Decision::Pass);
}

#[tokio::test]
async fn updated_input_is_what_the_tool_runs_with() {
    let said = specific("PreToolUse", json!({ "updatedInput": { "sql": "y" } }));
    let outcome = answer("PreToolUse", said).await;
    assert_eq!(outcome.event.field("tool_input"), Some(&json!({ "sql": "y" })));
}

#[tokio::test]
async fn additional_context_is_for_the_model() {
    let said = specific("PostToolUse", json!({ "additionalContext": "in UTC" }));
    assert_eq!(answer("PostToolUse", said).await.context, ["in UTC"]);
}

#[tokio::test]
async fn updated_mcp_tool_output_is_what_the_model_sees() {
    let said = specific("PostToolUse", json!({ "updatedMCPToolOutput": ["hidden"] }));
    let outcome = answer("PostToolUse", said).await;
    assert_eq!(outcome.event.field("tool_output"), Some(&json!(["hidden"])));
}

#[tokio::test]
async fn stop_hook_active_is_passed_on() {
    let workspace = Workspace::command("Stop", "grep -q '\"stop_hook_active\":true' || exit 2");
    let calm = workspace.fire("Stop", json!({ "stop_hook_active": true })).await;
    let first = workspace.fire("Stop", json!({ "stop_hook_active": false })).await;
    assert_eq!((calm.is_blocked(), first.is_blocked()), (false, true));
}

//! Hooks around a tool call: what they may do to its input and to its output.

use becket::core::diagnostic::Code;
use becket::core::patch::Scope;
use becket::{Decision, Effect, EffectKind, Note, Outcome};
use serde_json::{Value, json};

use super::row::{Case, NamedHook, RewriteRow, ToolBeforeRow, golden};
use super::seen::ran;
use super::workspace::{Workspace, patch};

const BEFORE: &str = "before_tool_dispatch";
const AFTER: &str = "after_tool_dispatch";
const NOTHING: [&str; 0] = [];

/// Takes the command it is told and adds to it, so it must have seen what was written before.
const ADDS_TWO: &str = r#"told=$(sed -n 's/.*"tool_input":{"command":"\([^"]*\)"}.*/\1/p')
printf '{"hookSpecificOutput":{"patch":{"tool_input":{"command":"%s+two"}}}}' "$told""#;

#[tokio::test]
async fn every_recorded_tool_input_becomes_what_it_became() {
    let golden = golden();
    for case in golden.tool_before {
        let ToolBeforeRow { label, hooks, .. } = &case.given;
        let undocumented = hooks.iter().any(|hook| hook.capabilities == ["patch_tool_input"]);
        let workspace = Workspace::new();
        for hook in hooks {
            add(&workspace, hook, &case.given);
        }
        if undocumented {
            refused_for_its_capability(label, &workspace);
            check_without_capability(&case).await;
            continue;
        }
        let outcome = workspace.fire(BEFORE, call(&case.given.input)).await;
        check_before(&case, &outcome);
        let b_ran = workspace.path().join("b-ran").exists();
        assert_eq!(b_ran, golden.tool_before_b_ran, "{label}");
    }
}

fn add(workspace: &Workspace, hook: &NamedHook, row: &ToolBeforeRow) {
    let NamedHook { name, capabilities } = hook;
    match row.emits.get(name) {
        Some(_) if row.label == "chain sees previous patch" && name == "b" => {
            workspace.add_command(name, BEFORE, capabilities, ADDS_TWO);
        }
        Some(failed) if failed.get("errorMessage").is_some() => {
            workspace.add_command(name, BEFORE, capabilities, "cat >/dev/null; exit 1");
        }
        Some(answer) => workspace.add_answering(name, BEFORE, capabilities, answer),
        // It did not run in the recording; here it would leave a trace.
        None => workspace.add_command(name, BEFORE, capabilities, "touch b-ran"),
    }
}

fn check_before(case: &Case<ToolBeforeRow>, outcome: &Outcome) {
    let label = &case.given.label;
    case.seen.check_hooks(label, outcome);
    case.seen.check_end(label, outcome, EffectKind::DenyTool);
    let after = case.seen.value.as_ref().unwrap_or(&case.given.input);
    assert_eq!(outcome.event.field("tool_input"), Some(after), "{label}");
    let changed = Some(after).filter(|it| **it != case.given.input);
    assert_eq!(outcome.patched.get(&Scope::ToolInput), changed, "{label}");
}

/// The name stands in the documentation only: through a file it is a load error.
fn refused_for_its_capability(label: &str, workspace: &Workspace) {
    let engine = workspace.builder().build();
    assert!(engine.is_refused(), "{label}");
    assert_eq!(engine.snapshot().hooks().count(), 0, "{label}");
    let [problem] = engine.diagnostics() else { panic!("{label}: {:?}", engine.diagnostics()) };
    assert_eq!((problem.code, problem.origin.line), (Code::Capability, 3), "{label}");
}

/// Below the loader, where the row was recorded, an unknown capability is none.
async fn check_without_capability(case: &Case<ToolBeforeRow>) {
    let workspace = Workspace::answering(BEFORE, &NOTHING, &case.given.emits["a"]);
    let outcome = workspace.fire(BEFORE, call(&case.given.input)).await;
    check_before(case, &outcome);
    let note = Note::PatchUndeclared { hook: "a".to_owned(), scope: Scope::ToolInput };
    assert_eq!(outcome.notes, [note], "{}", case.given.label);
}

#[tokio::test]
async fn every_recorded_tool_output_becomes_what_it_became() {
    for case in golden().tool_after {
        let RewriteRow { label, emit, capabilities, found: current, .. } = &case.given;
        let workspace = Workspace::answering(AFTER, capabilities, emit);
        let outcome = workspace.fire(AFTER, result(current)).await;
        case.seen.check_hooks(label, &outcome);
        case.seen.check_end(label, &outcome, EffectKind::FailTool);
        assert_eq!(outcome.event.field("tool_output"), case.seen.value.as_ref(), "{label}");
        assert_eq!(&workspace.told("a")["tool_output"], current, "{label}");
    }
}

fn call(input: &Value) -> Value {
    json!({ "tool_name": "Bash", "tool_input": input })
}

fn result(output: &Value) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_output": output })
}

async fn input_after(answer: &Value, capabilities: &[&str], input: &Value) -> Value {
    let workspace = Workspace::answering(BEFORE, capabilities, answer);
    let outcome = workspace.fire(BEFORE, call(input)).await;
    assert!(!outcome.is_blocked(), "{answer}");
    outcome.event.field("tool_input").cloned().unwrap()
}

async fn output_after(answer: &Value, capabilities: &[&str], output: &Value) -> Value {
    let workspace = Workspace::answering(AFTER, capabilities, answer);
    let outcome = workspace.fire(AFTER, result(output)).await;
    assert!(!outcome.is_blocked(), "{answer}");
    outcome.event.field("tool_output").cloned().unwrap()
}

#[tokio::test]
async fn only_two_objects_merge_and_everything_else_replaces() {
    let input = json!({ "a": 1, "b": { "c": 2 } });
    for (patched, expected) in [
        (json!({ "b": null }), json!({ "a": 1, "b": null })),
        (json!({}), input.clone()),
        (json!(5), json!(5)),
        (json!(false), json!(false)),
        (json!(""), json!("")),
        (json!([]), json!([])),
    ] {
        let after =
            input_after(&patch("tool_input", &patched), &["rewrite_tool_request"], &input).await;
        assert_eq!(after, expected, "{patched}");
    }
    for current in [json!("text"), json!([1]), json!(null), json!(3)] {
        let answer = patch("tool_output", &json!({ "b": 2 }));
        let after = output_after(&answer, &["rewrite_tool_response"], &current).await;
        assert_eq!(after, json!({ "b": 2 }), "{current}");
    }
    let answer = patch("tool_output", &Value::Null);
    assert_eq!(output_after(&answer, &["rewrite_tool_response"], &json!("x")).await, Value::Null);
}

#[tokio::test]
async fn a_patch_of_something_else_changes_nothing() {
    let input = json!({ "k": 1 });
    let every = [
        "rewrite_context",
        "rewrite_model_request",
        "rewrite_model_response",
        "rewrite_tool_request",
        "rewrite_tool_response",
        "suppress_output",
    ];
    for scope in ["tool_output", "model_request", "context", "toolInput", "input", "prompt"] {
        assert_eq!(
            input_after(&patch(scope, &json!({ "k": 2 })), &every, &input).await,
            input,
            "{scope}"
        );
    }
    for answer in [
        json!({ "patch": { "tool_input": { "k": 2 } } }),
        json!({ "tool_input": { "k": 2 } }),
        json!({ "hookSpecificOutput": { "tool_input": { "k": 2 } } }),
        json!({ "hookSpecificOutput": { "patch": [{ "tool_input": { "k": 2 } }] } }),
        json!({ "hookSpecificOutput": { "patch": null } }),
        json!({ "hookSpecificOutput": null }),
        json!({ "hookSpecificOutput": { "updatedInput": { "k": 2 } } }),
    ] {
        assert_eq!(input_after(&answer, &every, &input).await, input, "{answer}");
    }
}

#[tokio::test]
async fn only_the_capability_of_the_scope_lets_a_patch_through() {
    let input = json!({ "k": 1 });
    let answer = patch("tool_input", &json!({ "k": 2 }));
    for capability in ["rewrite_tool_response", "rewrite_model_request", "suppress_output"] {
        assert_eq!(input_after(&answer, &[capability], &input).await, input, "{capability}");
    }
    let answer = patch("tool_output", &json!("new"));
    for capability in ["rewrite_tool_request", "suppress_output"] {
        assert_eq!(
            output_after(&answer, &[capability], &json!("old")).await,
            "old",
            "{capability}"
        );
    }
}

#[tokio::test]
async fn texts_for_the_model_are_ignored_before_a_tool() {
    let answer =
        json!({ "systemMessage": "S", "hookSpecificOutput": { "additionalContext": "C" } });
    let workspace = Workspace::answering(BEFORE, &["rewrite_tool_request"], &answer);
    let outcome = workspace.fire(BEFORE, call(&json!({ "k": 1 }))).await;
    assert_eq!(outcome.event.field("tool_input"), Some(&json!({ "k": 1 })));
    assert_eq!((outcome.context, outcome.messages), (vec![], vec![]));
}

#[tokio::test]
async fn the_reason_to_stop_comes_before_the_reason_to_block_also_when_it_is_empty() {
    for (answer, reason) in [
        (json!({ "continue": false, "stopReason": "s", "reason": "r" }), "s"),
        (json!({ "decision": "block", "stopReason": "s", "reason": "r" }), "s"),
        (json!({ "continue": false, "reason": "r" }), "r"),
        (json!({ "continue": false, "stopReason": null, "reason": "r" }), "r"),
        (json!({ "continue": false, "stopReason": "", "reason": "r" }), ""),
        (json!({ "continue": true, "decision": "block", "reason": "r" }), "r"),
        (json!({ "decision": "block", "reason": " r\n" }), " r\n"),
        (json!({ "decision": "block" }), "blocked by hook `a`"),
    ] {
        let workspace = Workspace::answering(BEFORE, &NOTHING, &answer);
        let outcome = workspace.fire(BEFORE, call(&json!({}))).await;
        assert_eq!(outcome.decision, Decision::Deny, "{answer}");
        assert_eq!(outcome.effects, [Effect::of(EffectKind::DenyTool)], "{answer}");
        assert_eq!(outcome.reasons[0].text, reason, "{answer}");
    }
}

#[tokio::test]
async fn nothing_else_blocks() {
    for answer in [
        json!({ "continue": 0 }),
        json!({ "continue": null }),
        json!({ "continue": "no", "stopReason": "s" }),
        json!({ "stopReason": "s" }),
        json!({ "reason": "r" }),
        json!({ "decision": "BLOCK" }),
        json!({ "decision": "deny", "reason": "r" }),
        json!({ "decision": "ask" }),
        json!({ "decision": ["block"] }),
        json!({ "decision": true }),
        json!({ "ok": false }),
        json!({ "hookSpecificOutput": { "decision": "block", "continue": false } }),
        json!({ "hookSpecificOutput": { "permissionDecision": "ask" } }),
    ] {
        let after = input_after(&answer, &["rewrite_tool_request"], &json!({ "k": 1 })).await;
        assert_eq!(after, json!({ "k": 1 }), "{answer}");
    }
}

#[tokio::test]
async fn a_block_throws_away_the_patch_that_came_with_it() {
    let answer = json!({
        "decision": "block", "reason": "r",
        "hookSpecificOutput": { "patch": { "tool_input": { "k": 2 } } },
    });
    let workspace = Workspace::answering(BEFORE, &["rewrite_tool_request"], &answer);
    let outcome = workspace.fire(BEFORE, call(&json!({ "k": 1 }))).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.event.field("tool_input"), Some(&json!({ "k": 1 })));
    assert!(outcome.patched.is_empty());
}

#[tokio::test]
async fn exit_code_2_stops_later_hooks_like_any_block() {
    let workspace = Workspace::new();
    workspace.add_command("a", BEFORE, &NOTHING, "echo A >&2; exit 2");
    workspace.add_command("b", BEFORE, &NOTHING, "touch b-ran");
    let outcome = workspace.fire(BEFORE, call(&json!({}))).await;
    assert_eq!(outcome.reasons[0].text, "A");
    assert_eq!(ran(&outcome).len(), 1);
    assert!(!workspace.path().join("b-ran").exists());
}

#[tokio::test]
async fn names_that_look_like_numbers_run_first_in_their_order() {
    let workspace = Workspace::new();
    for name in ["b", "10", "01", "2", "1.5", "-1", "a"] {
        workspace.add_command(name, BEFORE, &NOTHING, "cat >/dev/null");
    }
    let outcome = workspace.fire(BEFORE, call(&json!({}))).await;
    let names: Vec<_> = ran(&outcome).iter().map(|(hook, _)| hook.name()).collect();
    assert_eq!(names, ["2", "10", "b", "01", "1.5", "-1", "a"]);
}

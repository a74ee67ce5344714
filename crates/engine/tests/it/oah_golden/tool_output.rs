//! What lies next to the recorded rows about the output of a tool.

use becket::{Decision, Effect, EffectKind};
use serde_json::{Value, json};

use super::workspace::{Workspace, patch, patch_and_say};

const EVENT: &str = "after_tool_dispatch";

async fn after(answer: &Value, capabilities: &[&str], output: &Value) -> Value {
    let workspace = Workspace::answering(EVENT, capabilities, answer);
    let outcome = workspace.fire(EVENT, result(output)).await;
    assert!(!outcome.is_blocked(), "{answer}");
    assert_eq!((outcome.context, outcome.messages), (vec![], vec![]), "{answer}");
    outcome.event.field("tool_output").cloned().unwrap()
}

fn result(output: &Value) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_output": output })
}

#[tokio::test]
async fn texts_are_appended_to_text_listed_in_an_object_and_replace_the_rest() {
    let both = json!({ "systemMessage": "S", "hookSpecificOutput": { "additionalContext": "C" } });
    for (output, expected) in [
        (json!("out"), json!("out\n\nS\n\nC")),
        (json!({ "r": 1 }), json!({ "r": 1, "hookNotes": ["S", "C"] })),
        (json!({}), json!({ "hookNotes": ["S", "C"] })),
        (json!({ "hookNotes": "x" }), json!({ "hookNotes": ["S", "C"] })),
        (json!({ "hookNotes": [] }), json!({ "hookNotes": ["S", "C"] })),
        (json!([1, 2]), json!("S\n\nC")),
        (json!([]), json!("S\n\nC")),
        (json!(7), json!("S\n\nC")),
        (json!(true), json!("S\n\nC")),
        (json!(null), json!("S\n\nC")),
    ] {
        assert_eq!(after(&both, &[], &output).await, expected, "{output}");
    }
}

#[tokio::test]
async fn a_text_that_is_empty_or_no_text_is_none() {
    for answer in [
        json!({ "systemMessage": "" }),
        json!({ "systemMessage": 5 }),
        json!({ "systemMessage": null, "hookSpecificOutput": { "additionalContext": "" } }),
        json!({ "hookSpecificOutput": { "additionalContext": ["C"] } }),
        json!({ "additionalContext": "C" }),
    ] {
        assert_eq!(after(&answer, &[], &json!([1])).await, json!([1]), "{answer}");
    }
    let only_context =
        json!({ "systemMessage": "", "hookSpecificOutput": { "additionalContext": "C" } });
    assert_eq!(after(&only_context, &[], &json!("out")).await, "out\n\nC");
}

#[tokio::test]
async fn suppressing_comes_after_the_patch_and_before_the_texts() {
    let both = ["rewrite_tool_response", "suppress_output"];
    let mut answer = patch("tool_output", &json!("new"));
    answer["suppressOutput"] = true.into();
    assert_eq!(after(&answer, &both, &json!("secret")).await, "");
    assert_eq!(after(&answer, &both[..1], &json!("secret")).await, "new");
    assert_eq!(after(&answer, &both[1..], &json!("secret")).await, "");
    answer["systemMessage"] = "N".into();
    assert_eq!(after(&answer, &both, &json!({ "secret": 1 })).await, "N");
    assert_eq!(after(&answer, &both[..1], &json!({ "secret": 1 })).await, "new\n\nN");
}

#[tokio::test]
async fn output_is_suppressed_by_whatever_javascript_takes_for_true() {
    for (flag, expected) in [
        (json!(true), ""),
        (json!("yes"), ""),
        (json!(1), ""),
        (json!([]), ""),
        (json!(false), "secret"),
        (json!(0), "secret"),
        (json!(""), "secret"),
        (json!(null), "secret"),
    ] {
        let answer = json!({ "suppressOutput": flag });
        assert_eq!(
            after(&answer, &["suppress_output"], &json!("secret")).await,
            expected,
            "{flag}"
        );
    }
}

#[tokio::test]
async fn a_patch_and_texts_of_one_answer_both_count() {
    let answer = patch_and_say("tool_output", &json!({ "b": 2 }), "N");
    let patched = after(&answer, &["rewrite_tool_response"], &json!({ "a": 1 })).await;
    assert_eq!(patched, json!({ "a": 1, "b": 2, "hookNotes": ["N"] }));
    assert_eq!(after(&answer, &[], &json!("old")).await, "old\n\nN");
}

#[tokio::test]
async fn each_hook_sees_what_the_ones_before_it_wrote() {
    let workspace = Workspace::new();
    workspace.add_answering("a", EVENT, &["suppress_output"], &json!({ "suppressOutput": true }));
    workspace.add_answering("b", EVENT, &[""; 0], &json!({ "systemMessage": "B" }));
    workspace.add_answering("c", EVENT, &[""; 0], &json!({ "systemMessage": "C" }));
    let outcome = workspace.fire(EVENT, result(&json!("secret"))).await;
    assert_eq!(workspace.told("b")["tool_output"], "");
    assert_eq!(workspace.told("c")["tool_output"], "B");
    assert_eq!(outcome.event.field("tool_output"), Some(&json!("B\n\nC")));
}

#[tokio::test]
async fn a_block_after_a_tool_becomes_the_tools_error() {
    for answer in [
        json!({ "continue": false, "stopReason": "r" }),
        json!({ "decision": "block", "reason": "r", "suppressOutput": true }),
    ] {
        let workspace = Workspace::answering(EVENT, &["suppress_output"], &answer);
        let outcome = workspace.fire(EVENT, result(&json!("out"))).await;
        assert_eq!(outcome.decision, Decision::Deny, "{answer}");
        assert_eq!(outcome.effects, [Effect::of(EffectKind::FailTool)], "{answer}");
        assert_eq!(outcome.reasons[0].text, "r", "{answer}");
        assert_eq!(outcome.event.field("tool_output"), Some(&json!("out")), "{answer}");
    }
}

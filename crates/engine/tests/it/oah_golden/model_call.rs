//! Hooks around a model call: what they may do to the request and to the response.

use becket::{Decision, Effect, EffectKind};
use serde_json::{Value, json};

use super::row::{RewriteRow, golden};
use super::workspace::{Workspace, patch, patch_and_say};

const BEFORE: &str = "before_model_call";
const AFTER: &str = "after_model_call";
const NOTHING: [&str; 0] = [];
const REQUEST: [&str; 1] = ["rewrite_model_request"];
const RESPONSE: [&str; 1] = ["rewrite_model_response"];

/// What the recording's host does with a request: it looks up a model that a hook named.
fn resolved(mut request: Value, initial: &Value) -> Value {
    if request["canonicalModelRef"] != initial["canonicalModelRef"] {
        let reference = request["canonicalModelRef"].as_str().unwrap();
        request["model"] = format!("resolved:{reference}").into();
        request["provider"] = "prov".into();
    }
    request
}

fn asking(request: &Value) -> Value {
    json!({ "model_ref": request["canonicalModelRef"], "model_request": request })
}

fn answered(response: &Value) -> Value {
    let mut fields = asking(&initial());
    fields["model_response"] = response.clone();
    fields
}

#[tokio::test]
async fn every_recorded_request_becomes_what_it_became() {
    for case in golden().model_before {
        let RewriteRow { label, emit, capabilities, found: initial, .. } = &case.given;
        let workspace = Workspace::answering(BEFORE, capabilities, emit);
        let outcome = workspace.fire(BEFORE, asking(initial)).await;
        case.seen.check_hooks(label, &outcome);
        case.seen.check_end(label, &outcome, EffectKind::FailRun);
        let request = outcome.event.field("model_request").cloned().unwrap();
        let expected = case.seen.value.as_ref().unwrap_or(initial);
        assert_eq!(&resolved(request, initial), expected, "{label}");
        assert_eq!(&workspace.told("a")["model_request"], initial, "{label}");
        assert_eq!(workspace.told("a")["model_ref"], initial["canonicalModelRef"], "{label}");
    }
}

#[tokio::test]
async fn every_recorded_response_becomes_what_it_became() {
    for case in golden().model_after {
        let RewriteRow { label, emit, capabilities, found: initial_response, .. } = &case.given;
        let workspace = Workspace::answering(AFTER, capabilities, emit);
        let outcome = workspace.fire(AFTER, answered(initial_response)).await;
        case.seen.check_hooks(label, &outcome);
        case.seen.check_end(label, &outcome, EffectKind::FailRun);
        let expected = case.seen.value.as_ref().unwrap_or(initial_response);
        assert_eq!(outcome.event.field("model_response"), Some(expected), "{label}");
        assert_eq!(&workspace.told("a")["model_response"], initial_response, "{label}");
    }
}

fn initial() -> Value {
    json!({
        "model": "m",
        "canonicalModelRef": "platform/m",
        "messages": [{ "role": "system", "content": "SYS" }, { "role": "user", "content": "hi" }],
    })
}

/// The initial request with some fields changed.
fn with(changes: &Value) -> Value {
    let mut request = initial();
    request.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    request
}

async fn request_after(answer: &Value, capabilities: &[&str]) -> Value {
    let workspace = Workspace::answering(BEFORE, capabilities, answer);
    let outcome = workspace.fire(BEFORE, asking(&initial())).await;
    assert!(!outcome.is_blocked(), "{answer}");
    outcome.event.field("model_request").cloned().unwrap()
}

async fn request_patched_by(change: &Value) -> Value {
    request_after(&patch("model_request", change), &REQUEST).await
}

async fn response_after(answer: &Value, capabilities: &[&str], text: &str) -> Value {
    let response = json!({ "model": "m", "text": text, "finishReason": "stop" });
    let workspace = Workspace::answering(AFTER, capabilities, answer);
    let outcome = workspace.fire(AFTER, answered(&response)).await;
    assert!(!outcome.is_blocked(), "{answer}");
    outcome.event.field("model_response").cloned().unwrap()
}

#[tokio::test]
async fn a_setting_of_the_request_needs_its_name_and_its_type() {
    for (patch, changes) in [
        (json!({ "topP": 0.5 }), json!({ "topP": 0.5 })),
        (json!({ "topP": 0.5, "top_p": 0.9 }), json!({ "topP": 0.5 })),
        (json!({ "top_p": 0.9, "topP": 0.5 }), json!({ "topP": 0.5 })),
        (json!({ "topP": "0.5", "top_p": 0.9 }), json!({ "topP": 0.9 })),
        (json!({ "temperature": 0 }), json!({ "temperature": 0 })),
        (json!({ "temperature": null }), json!({})),
        (json!({ "maxTokens": 1.5 }), json!({ "maxTokens": 1.5 })),
        (json!({ "maxTokens": "6" }), json!({})),
        (json!({ "max_tokens": 6, "provider": "x", "canonicalModelRef": "y" }), json!({})),
        (json!({ "messages": "x" }), json!({})),
        (json!({ "messages": null }), json!({})),
        (json!({}), json!({})),
        (json!([1]), json!({})),
        (json!("x"), json!({})),
        (Value::Null, json!({})),
    ] {
        assert_eq!(request_patched_by(&patch).await, with(&changes), "{patch}");
    }
}

#[tokio::test]
async fn a_model_is_named_by_reference_and_otherwise_by_model() {
    for (patch, named) in [
        (json!({ "model_ref": "platform/other" }), Some("platform/other")),
        (json!({ "model": "zz" }), Some("zz")),
        (json!({ "model_ref": 5, "model": "zz" }), Some("zz")),
        (json!({ "model_ref": "", "model": "zz" }), None),
        (json!({ "model": "" }), None),
        (json!({ "model": 5 }), None),
    ] {
        let request = resolved(request_patched_by(&patch).await, &initial());
        let expected = named.map_or_else(initial, |it| {
            let model = format!("resolved:{it}");
            with(&json!({ "model": model, "canonicalModelRef": it, "provider": "prov" }))
        });
        assert_eq!(request, expected, "{patch}");
    }
}

#[tokio::test]
async fn messages_are_replaced_filtered_and_begin_with_one_system_message() {
    let image = json!({ "role": "user", "content": [{ "type": "image", "image": "data" }] });
    let result = |output: Value| {
        let part = json!({
            "type": "tool-result", "toolCallId": "c", "toolName": "Bash", "output": output,
        });
        json!({ "role": "tool", "content": [part] })
    };
    let (bare, result) = (result(json!("x")), result(json!({ "type": "text", "value": "x" })));
    let change = json!({ "messages": [
        { "role": "system", "content": "A" },
        { "role": "system", "content": "" },
        { "role": "user", "content": "U", "extra": 1 },
        "text", null, 5,
        { "role": "user", "content": 5 },
        { "role": "user", "content": [{ "type": "nonsense" }] },
        image, result, bare,
        { "role": "system", "content": "late" },
    ] });
    let messages = json!([
        { "role": "system", "content": "A\n\n" },
        { "role": "user", "content": "U" },
        image, result,
        { "role": "system", "content": "late" },
    ]);
    assert_eq!(request_patched_by(&change).await, with(&json!({ "messages": messages })));
}

#[tokio::test]
async fn texts_of_all_hooks_come_after_all_patches_into_the_system_message() {
    let workspace = Workspace::new();
    workspace.add_answering("a", BEFORE, &NOTHING, &json!({ "systemMessage": "A" }));
    let change = json!({ "messages": [{ "role": "user", "content": "U" }] });
    let answer = patch_and_say("model_request", &change, "B");
    workspace.add_answering("b", BEFORE, &REQUEST, &answer);
    let outcome = workspace.fire(BEFORE, asking(&initial())).await;
    assert_eq!(workspace.told("b")["model_request"], initial(), "no text before all have spoken");
    let messages =
        json!([{ "role": "system", "content": "A\n\nB" }, { "role": "user", "content": "U" }]);
    assert_eq!(outcome.event.field("model_request"), Some(&with(&json!({ "messages": messages }))));
}

#[tokio::test]
async fn a_text_is_the_only_message_where_there_is_none() {
    let mut answer = patch_and_say("model_request", &json!({ "messages": [] }), "S");
    answer["hookSpecificOutput"]["additionalContext"] = "C".into();
    let messages = json!([{ "role": "system", "content": "S\n\nC" }]);
    assert_eq!(request_after(&answer, &REQUEST).await, with(&json!({ "messages": messages })));
}

#[tokio::test]
async fn a_later_hook_is_told_which_model_an_earlier_one_chose() {
    let workspace = Workspace::new();
    let change = json!({ "model_ref": "platform/other", "temperature": 0.5 });
    workspace.add_answering("a", BEFORE, &REQUEST, &patch("model_request", &change));
    workspace.add_answering("b", BEFORE, &NOTHING, &json!({}));
    let outcome = workspace.fire(BEFORE, asking(&initial())).await;
    assert_eq!(workspace.told("b")["model_ref"], "platform/other");
    assert_eq!(workspace.told("b")["model_request"]["temperature"], 0.5);
    assert_eq!(outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn only_text_and_finish_reason_of_a_response_can_be_rewritten() {
    let response =
        |text: &str, finish: &str| json!({ "model": "m", "text": text, "finishReason": finish });
    for (change, expected) in [
        (json!({ "text": "" }), response("", "stop")),
        (json!({ "text": 5, "finishReason": "length" }), response("old", "length")),
        (json!({ "text": null, "finishReason": null }), response("old", "stop")),
        (json!({ "finish_reason": "length", "model": "z", "usage": {} }), response("old", "stop")),
        (json!("new"), response("old", "stop")),
        (json!(["new"]), response("old", "stop")),
        (Value::Null, response("old", "stop")),
    ] {
        let answer = patch("model_response", &change);
        assert_eq!(response_after(&answer, &RESPONSE, "old").await, expected, "{answer}");
    }
}

#[tokio::test]
async fn texts_are_appended_to_the_response_after_its_patch_and_need_no_capability() {
    let answer = patch_and_say("model_response", &json!({ "text": "new" }), "S");
    assert_eq!(response_after(&answer, &RESPONSE, "old").await["text"], "new\n\nS");
    assert_eq!(response_after(&answer, &NOTHING, "old").await["text"], "old\n\nS");
    assert_eq!(
        response_after(&json!({ "systemMessage": "S" }), &NOTHING, "").await["text"],
        "\n\nS"
    );
    let context = json!({ "hookSpecificOutput": { "additionalContext": "C" } });
    assert_eq!(response_after(&context, &NOTHING, "old").await["text"], "old\n\nC");
    let suppressed = json!({ "suppressOutput": true });
    assert_eq!(response_after(&suppressed, &["suppress_output"], "old").await["text"], "old");
}

#[tokio::test]
async fn a_block_around_a_model_call_fails_the_run() {
    for (event, fields) in
        [(BEFORE, asking(&initial())), (AFTER, answered(&json!({ "text": "t" })))]
    {
        for answer in [
            json!({ "continue": false, "stopReason": "r" }),
            json!({ "decision": "block", "reason": "r" }),
        ] {
            let outcome =
                Workspace::answering(event, &NOTHING, &answer).fire(event, fields.clone()).await;
            assert_eq!(outcome.decision, Decision::Deny, "{event} {answer}");
            assert_eq!(outcome.effects, [Effect::of(EffectKind::FailRun)], "{event} {answer}");
            assert_eq!(outcome.reasons[0].text, "r", "{event} {answer}");
        }
    }
}

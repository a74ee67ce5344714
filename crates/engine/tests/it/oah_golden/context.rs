//! Hooks around building and compacting the context.

use becket::{Decision, Effect, EffectKind};
use serde_json::{Value, json};

use super::row::{RewriteRow, golden};
use super::workspace::{Workspace, patch, patch_and_say};

const NOTHING: [&str; 0] = [];
const REWRITE: [&str; 1] = ["rewrite_context"];
const EVENTS: [&str; 4] = [
    "before_context_build",
    "after_context_build",
    "before_context_compact",
    "after_context_compact",
];

/// What a block does where nobody says by whom the context is compacted.
fn effect(event: &str) -> EffectKind {
    match event {
        "after_context_compact" => EffectKind::DiscardCompaction,
        _ => EffectKind::FailRun,
    }
}

#[tokio::test]
async fn every_recorded_context_becomes_what_it_became() {
    for case in golden().context {
        let RewriteRow { label, event, emit, capabilities, found: context } = &case.given;
        let event = event.as_deref().unwrap();
        let workspace = Workspace::answering(event, capabilities, emit);
        let outcome = workspace.fire(event, json!({ "context": context })).await;
        case.seen.check_hooks(label, &outcome);
        case.seen.check_end(label, &outcome, effect(event));
        let expected = case.seen.value.as_ref().unwrap_or(context);
        assert_eq!(outcome.event.field("context"), Some(expected), "{label}");
        assert_eq!(&workspace.told("a")["context"], context, "{label}");
        assert_eq!(&workspace.told("a")["hook_event_name"], event, "{label}");
    }
}

async fn after(event: &str, answer: &Value, capabilities: &[&str], context: &Value) -> Value {
    let workspace = Workspace::answering(event, capabilities, answer);
    let outcome = workspace.fire(event, json!({ "context": context })).await;
    assert!(!outcome.is_blocked(), "{answer}");
    outcome.event.field("context").cloned().unwrap()
}

#[tokio::test]
async fn texts_go_to_the_messages_and_otherwise_to_the_summary() {
    let both = json!({ "systemMessage": "S", "hookSpecificOutput": { "additionalContext": "C" } });
    let note = json!({ "role": "system", "content": "S\n\nC" });
    for (context, expected) in [
        (json!({ "summaryText": "s" }), json!({ "summaryText": "s\n\nS\n\nC" })),
        (json!({ "summaryText": "" }), json!({ "summaryText": "\n\nS\n\nC" })),
        (json!({ "messages": [] }), json!({ "messages": [note] })),
        (
            json!({ "messages": [], "summaryText": "s" }),
            json!({ "messages": [note], "summaryText": "s" }),
        ),
        (
            json!({ "messages": "x", "summaryText": "s" }),
            json!({ "messages": "x", "summaryText": "s\n\nS\n\nC" }),
        ),
        (json!({ "other": 1 }), json!({ "other": 1 })),
    ] {
        for event in ["before_context_compact", "after_context_compact"] {
            assert_eq!(
                after(event, &both, &NOTHING, &context).await,
                expected,
                "{event} {context}"
            );
        }
    }
}

#[tokio::test]
async fn a_text_joins_the_system_messages_at_the_start_and_no_others() {
    let message = |role: &str, content: &str| json!({ "role": role, "content": content });
    let context = json!({ "messages": [
        message("system", "A"), message("system", "B"),
        message("user", "hi"), message("system", "late"),
    ] });
    let expected = json!({ "messages": [
        message("system", "A\n\nB\n\nN"), message("user", "hi"), message("system", "late"),
    ] });
    for event in EVENTS {
        let answer = json!({ "systemMessage": "N" });
        assert_eq!(after(event, &answer, &NOTHING, &context).await, expected, "{event}");
    }
}

#[tokio::test]
async fn a_patch_merges_objects_at_every_depth_and_replaces_the_rest() {
    let message = json!({ "content": "s", "metadata": { "list": [1], "extra": { "j": 1 } } });
    let context = json!({ "summaryText": "s", "summaryMessage": message });
    let rewritten = json!({ "content": null, "metadata": { "list": [2], "extra": { "j": 1 } } });
    for (change, key, value) in [
        (json!({ "summaryText": "new" }), "summaryText", json!("new")),
        (
            json!({ "summaryMessage": { "content": null, "metadata": { "list": [2] } } }),
            "summaryMessage",
            rewritten,
        ),
        (json!({ "summaryMessage": "x" }), "summaryMessage", json!("x")),
        (
            json!({ "boundaryMessage": { "content": "b" } }),
            "boundaryMessage",
            json!({ "content": "b" }),
        ),
    ] {
        let answer = patch("context", &change);
        let mut expected = context.clone();
        expected[key] = value;
        let event = "after_context_compact";
        assert_eq!(after(event, &answer, &REWRITE, &context).await, expected, "{change}");
        assert_eq!(after(event, &answer, &NOTHING, &context).await, context, "{change}");
    }
}

#[tokio::test]
async fn messages_are_replaced_and_what_is_no_message_is_dropped() {
    let context = json!({ "messages": [{ "role": "user", "content": "hi" }] });
    let parts = json!([
        { "type": "text", "text": "a" },
        { "type": "tool-call", "toolCallId": "c", "toolName": "Bash", "input": {} },
    ]);
    let asked = json!([{ "type": "tool-approval-response", "approvalId": "p" }]);
    let approved =
        json!([{ "type": "tool-approval-response", "approvalId": "p", "approved": true }]);
    let change = json!({ "messages": [
        { "role": "system", "content": "A" },
        { "role": "system", "content": "B" },
        { "role": "system", "content": [{ "type": "text", "text": "C" }] },
        { "role": "assistant", "content": parts, "id": "x" },
        { "role": "user", "content": parts },
        { "role": "tool", "content": "text" },
        { "role": "tool", "content": asked },
        { "role": "tool", "content": approved },
        { "role": "bogus", "content": "X" },
        { "role": "user" }, null, 1, "x",
    ] });
    let expected = json!({ "messages": [
        { "role": "system", "content": "A" },
        { "role": "system", "content": "B" },
        { "role": "assistant", "content": parts },
        { "role": "tool", "content": approved },
    ] });
    for event in EVENTS {
        assert_eq!(
            after(event, &patch("context", &change), &REWRITE, &context).await,
            expected,
            "{event}"
        );
        assert_eq!(
            after(event, &patch("context", &change), &NOTHING, &context).await,
            context,
            "{event}"
        );
    }
    let empty = patch("context", &json!({ "messages": [] }));
    assert_eq!(
        after("before_context_build", &empty, &REWRITE, &context).await,
        json!({ "messages": [] })
    );
}

#[tokio::test]
async fn a_text_is_written_into_what_the_patch_of_the_same_answer_left() {
    let (note, hi) =
        (json!({ "role": "system", "content": "N" }), json!({ "role": "user", "content": "hi" }));
    let replaced = json!({ "role": "user", "content": "R" });
    let answer = patch_and_say("context", &json!({ "messages": [replaced] }), "N");
    let after_build =
        after("after_context_build", &answer, &REWRITE, &json!({ "messages": [hi] })).await;
    assert_eq!(after_build, json!({ "messages": [note, replaced] }));
    let answer = patch_and_say("context", &json!({ "summaryText": "new" }), "N");
    let after_compact =
        after("after_context_compact", &answer, &REWRITE, &json!({ "summaryText": "s" })).await;
    assert_eq!(after_compact, json!({ "summaryText": "new\n\nN" }));
}

#[tokio::test]
async fn a_patch_that_is_no_object_changes_nothing() {
    let context = json!({ "messages": [] });
    for change in [json!("x"), json!(5), json!(null), json!(true)] {
        let after =
            after("before_context_compact", &patch("context", &change), &REWRITE, &context).await;
        assert_eq!(after, context, "{change}");
    }
}

#[tokio::test]
async fn each_hook_sees_what_the_ones_before_it_wrote() {
    let workspace = Workspace::new();
    workspace.add_answering("a", EVENTS[0], &NOTHING, &json!({ "systemMessage": "A" }));
    workspace.add_answering("b", EVENTS[0], &NOTHING, &json!({ "systemMessage": "B" }));
    let outcome = workspace.fire(EVENTS[0], json!({ "context": { "messages": [] } })).await;
    assert_eq!(
        workspace.told("b")["context"]["messages"],
        json!([{ "role": "system", "content": "A" }])
    );
    let expected = json!({ "messages": [{ "role": "system", "content": "A\n\nB" }] });
    assert_eq!(outcome.event.field("context"), Some(&expected));
}

#[tokio::test]
async fn a_block_fails_the_run_but_only_discards_a_summary_nobody_asked_for() {
    for (event, by, effect) in [
        ("before_context_build", None, EffectKind::FailRun),
        ("after_context_build", None, EffectKind::FailRun),
        ("before_context_compact", Some("auto"), EffectKind::FailRun),
        ("before_context_compact", Some("manual"), EffectKind::FailRun),
        ("after_context_compact", Some("auto"), EffectKind::DiscardCompaction),
        ("after_context_compact", Some("manual"), EffectKind::FailRun),
    ] {
        let answer = json!({ "decision": "block", "reason": "keep" });
        let context = json!({ "messages": [], "summaryText": "s", "compactedBy": by });
        let workspace = Workspace::answering(event, &NOTHING, &answer);
        let outcome = workspace.fire(event, json!({ "context": context })).await;
        assert_eq!(outcome.decision, Decision::Deny, "{event} {by:?}");
        assert_eq!(outcome.effects, [Effect::of(effect)], "{event} {by:?}");
        assert_eq!(outcome.reasons[0].text, "keep", "{event} {by:?}");
    }
}

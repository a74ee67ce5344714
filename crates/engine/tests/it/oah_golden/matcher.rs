//! Which hooks an event selects.

use becket::core::outcome::State;
use becket::core::skip::Skip;
use serde_json::{Value, json};

use super::row::golden;
use super::workspace::{Workspace, patch};

async fn state(matcher: &str, subject: Option<&str>) -> Option<Skip> {
    let workspace = Workspace::with_hook(&json!({
        "name": "h",
        "events": ["before_tool_dispatch"],
        "matcher": matcher,
        "handler": { "type": "command", "command": "cat >/dev/null" },
    }));
    let fields = match subject {
        Some(name) => json!({ "tool_name": name, "tool_input": {} }),
        None => json!({ "tool_input": {} }),
    };
    let outcome = workspace.fire("before_tool_dispatch", fields).await;
    match &outcome.hooks()[..] {
        [(_, State::Ran(run))] => {
            assert_eq!(run.settled.failure, None);
            None
        }
        [(_, State::Skipped(skip))] => Some(skip.clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_recorded_matcher_selects_what_it_selected() {
    for row in golden().matcher {
        let skip = state(&row.matcher, row.value.as_deref()).await;
        assert_eq!(skip.is_none(), row.selected, "{row:?}: {skip:?}");
    }
}

#[tokio::test]
async fn a_matcher_that_is_no_regular_expression_never_fires_and_says_so() {
    for matcher in ["*", "(", "[", "a{,2}", "(?i)bash", r"mcp\-x", "+", "a**"] {
        // A subject without what a match must contain is told apart without compiling anything.
        let skip = state(matcher, Some("mcp Bash")).await;
        assert!(matches!(skip, Some(Skip::MatcherInvalid { .. })), "{matcher}: {skip:?}");
    }
}

#[tokio::test]
async fn a_matcher_is_searched_for_anywhere_and_minds_case() {
    for (matcher, subject, selected) in [
        ("ash", "Bash", true),
        ("^ash", "Bash", false),
        ("Bash|Edit", "MultiEdit", true),
        ("^(Bash|Edit)$", "MultiEdit", false),
        ("^Bash|Edit$", "BashOutput", true),
        (r"^\w+$", "a-b", false),
        ("(?=Ba)", "Bash", true),
        ("(?<!x)Bash", "xBash", false),
        (r"^[^\s]$", "é", true),
        (r"\u{1F600}", "😀", true),
    ] {
        assert_eq!(
            state(matcher, Some(subject)).await.is_none(),
            selected,
            "{matcher} on {subject}"
        );
    }
}

#[tokio::test]
async fn an_event_without_a_subject_ignores_even_a_matcher_that_is_wrong() {
    for (event, fields) in [
        ("before_context_build", json!({ "context": { "messages": [] } })),
        ("after_context_build", json!({ "context": { "messages": [] } })),
        ("before_context_compact", json!({ "context": { "messages": [] }, "trigger": "auto" })),
        ("after_context_compact", json!({ "context": { "summaryText": "s" }, "trigger": "auto" })),
        ("before_tool_dispatch", json!({ "tool_name": "", "tool_input": {} })),
        ("run_completed", json!({ "trigger_type": Value::Null })),
    ] {
        let workspace = Workspace::with_hook(&json!({
            "name": "h",
            "events": [event],
            "matcher": "(",
            "handler": { "type": "command", "command": "cat >/dev/null" },
        }));
        let outcome = workspace.fire(event, fields).await;
        assert_eq!(outcome.runs().count(), 1, "{event}");
    }
}

#[tokio::test]
async fn a_later_hook_is_chosen_by_the_event_as_it_was_before_any_rewrite() {
    let workspace = Workspace::new();
    let answer = patch("model_request", &json!({ "model_ref": "platform/other" }));
    workspace.add_answering("a", "before_model_call", &["rewrite_model_request"], &answer);
    for (name, matcher) in [("b", "other"), ("c", "platform/m$")] {
        workspace.add_hook(&json!({
            "name": name,
            "events": ["before_model_call"],
            "matcher": matcher,
            "handler": { "type": "command", "command": "cat >/dev/null" },
        }));
    }
    let request = json!({ "model": "m", "canonicalModelRef": "platform/m", "messages": [] });
    let fields = json!({ "model_ref": "platform/m", "model_request": request });
    let outcome = workspace.fire("before_model_call", fields).await;
    let ran: Vec<_> = super::seen::ran(&outcome).iter().map(|(hook, _)| hook.name()).collect();
    assert_eq!(ran, ["a", "c"]);
}

//! Prompt and agent hooks, with the host of the recording.

use std::sync::Arc;

use becket::core::verdict::FailureKind;
use becket::port::PortError;
use becket::{Compat, Decision, Outcome};
use serde_json::{Value, json};

use super::host::{Host, Silent};
use super::row::{ModelRow, golden};
use super::workspace::{Workspace, fire, tool_call};

fn workspace(handler: &Value) -> Workspace {
    let workspace = Workspace::with_hook(&json!({
        "name": "h",
        "events": ["before_tool_dispatch"],
        "handler": handler,
    }));
    workspace.write("p.md", "FILEPROMPT of the workspace");
    workspace.write("empty.md", "");
    workspace
}

async fn run(handler: &Value, host: &Arc<Host>) -> Outcome {
    let workspace = workspace(handler);
    let builder = workspace.builder().model(Arc::clone(host) as _);
    let engine = builder.subagent(Arc::clone(host) as _).build();
    fire(&engine, "before_tool_dispatch", tool_call()).await
}

fn failure(outcome: &Outcome) -> Option<FailureKind> {
    assert_eq!(outcome.decision, Decision::Pass, "a failure never blocks here");
    assert!(!outcome.is_blocked());
    Some(outcome.runs().next()?.settled.failure.as_ref()?.kind)
}

fn prompt() -> Value {
    json!({ "type": "prompt", "prompt": { "inline": "P" } })
}

fn agent() -> Value {
    json!({ "type": "agent", "agent": "rev", "task": { "inline": "T" } })
}

#[tokio::test]
async fn every_recorded_question_is_asked_and_answered_as_it_was() {
    for case in golden().model {
        let ModelRow { label, handler, model_text, request } = case.given;
        let is_prompt = handler["type"] == "prompt";
        let mut handler = Value::Object(handler);
        if is_prompt && handler.get("prompt").is_none() {
            refused_without_prompt(&label, &handler);
            // Below the loader, where the row was recorded, no prompt is an empty one.
            handler["prompt"] = json!({ "file": "empty.md" });
        }
        let host = Host::saying(&model_text);
        let outcome = run(&handler, &host).await;
        case.seen.check_hooks(&label, &outcome);
        case.seen.check_answer(&label, &outcome);
        let expected: Vec<_> = Some(request).filter(|it| !it.is_null()).into_iter().collect();
        assert_eq!(host.asked(), expected, "{label}");
    }
}

/// The row was recorded below the loader; through a file it is a load error.
fn refused_without_prompt(label: &str, handler: &Value) {
    let workspace = workspace(handler);
    let engine = workspace.builder().build();
    assert!(engine.is_refused(), "{label}");
    assert_eq!(engine.snapshot().hooks().count(), 0, "{label}");
    let [problem] = engine.diagnostics() else { panic!("{label}: {:?}", engine.diagnostics()) };
    assert_eq!(problem.origin.file.parent(), Some(workspace.hooks().as_path()), "{label}");
    assert_eq!(problem.origin.line, 3, "{label}: the line of `handler`");
    assert!(problem.message.contains("`prompt`"), "{label}: {problem}");
}

#[tokio::test]
async fn a_model_may_wrap_its_object_in_prose() {
    for said in [
        "{\"decision\":\"block\",\"reason\":\"no\"}",
        "```json\n{\"decision\":\"block\",\"reason\":\"no\"}\n```",
        "I think {\"decision\":\"block\",\"reason\":\"no\"} is right.",
    ] {
        for handler in [prompt(), agent()] {
            let outcome = run(&handler, &Host::saying(said)).await;
            assert_eq!(outcome.decision, Decision::Deny, "{said}");
            assert_eq!(outcome.reasons[0].text, "no", "{said}");
        }
    }
}

#[tokio::test]
async fn a_model_that_says_no_object_has_failed_also_when_it_says_nothing() {
    for said in ["", " \n", "garbage", "[1]", "{} {}", "{\"decision\": block}"] {
        for handler in [prompt(), agent()] {
            let outcome = run(&handler, &Host::saying(said)).await;
            assert_eq!(failure(&outcome), Some(FailureKind::BadOutput), "{said:?}");
        }
    }
}

#[tokio::test]
async fn a_model_that_is_down_is_unreachable_and_the_event_goes_on() {
    for handler in [prompt(), agent()] {
        let host = Host::answering(Err(PortError::Failed("overloaded".to_owned())));
        assert_eq!(failure(&run(&handler, &host).await), Some(FailureKind::Unreachable));
    }
}

#[tokio::test]
async fn a_model_that_does_not_answer_is_given_up_at_the_deadline() {
    for mut handler in [prompt(), agent()] {
        handler["timeout_seconds"] = 1.into();
        let workspace = workspace(&handler);
        let builder = workspace.builder().model(Arc::new(Silent)).subagent(Arc::new(Silent));
        let outcome = fire(&builder.build(), "before_tool_dispatch", tool_call()).await;
        assert_eq!(failure(&outcome), Some(FailureKind::TimedOut));
    }
}

#[tokio::test]
async fn a_file_that_is_missing_is_a_failure_and_nobody_is_asked() {
    for handler in [
        json!({ "type": "prompt", "prompt": { "file": "./nope.md" } }),
        json!({ "type": "agent", "agent": "rev", "task": { "file": "./nope.md" } }),
    ] {
        let host = Host::saying("{}");
        let outcome = run(&handler, &host).await;
        assert_eq!(failure(&outcome), Some(FailureKind::NotStarted), "{handler}");
        assert_eq!(host.asked(), [] as [Value; 0], "{handler}");
    }
}

#[tokio::test]
async fn where_nothing_is_lent_the_hook_fails_and_the_event_goes_on() {
    for handler in [prompt(), agent()] {
        let outcome = workspace(&handler).fire("before_tool_dispatch", tool_call()).await;
        assert_eq!(failure(&outcome), Some(FailureKind::NotStarted), "{handler}");
    }
}

#[tokio::test]
async fn the_question_ends_with_the_event_as_one_json_object() {
    for handler in [prompt(), agent()] {
        let host = Host::saying("{}");
        let outcome = run(&handler, &host).await;
        assert_eq!(failure(&outcome), None);
        let prompts = host.prompts();
        let (_, data) = prompts[0].rsplit_once("\n\n").unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["hook"], "h");
        assert_eq!(data["envelope"]["hook_event_name"], "before_tool_dispatch");
        assert_eq!(data["envelope"]["tool_input"], json!({ "command": "ls" }));
    }
}

#[tokio::test]
async fn an_agents_task_may_stand_in_a_file() {
    let host = Host::saying("{}");
    let handler = json!({ "type": "agent", "agent": "rev", "task": { "file": "p.md" } });
    assert_eq!(failure(&run(&handler, &host).await), None);
    assert_eq!(host.asked()[0]["msgs"][1], json!(["user", "FILEPROMPT o"]));
}

#[tokio::test]
async fn an_empty_question_is_not_asked_and_says_nothing_but_fails_in_safe() {
    for handler in [
        json!({ "type": "prompt", "prompt": { "file": "empty.md" } }),
        json!({ "type": "agent", "agent": "rev", "task": { "file": "empty.md" } }),
    ] {
        let host = Host::saying("{\"decision\":\"block\"}");
        let outcome = run(&handler, &host).await;
        assert_eq!(failure(&outcome), None, "{handler}");
        let workspace = workspace(&handler);
        let builder = workspace.builder().compat(Compat::Safe).model(Arc::clone(&host) as _);
        let engine = builder.subagent(Arc::clone(&host) as _).build();
        let outcome = fire(&engine, "before_tool_dispatch", tool_call()).await;
        assert_eq!(failure(&outcome), Some(FailureKind::NotStarted), "{handler}");
        assert_eq!(host.asked(), [] as [Value; 0], "{handler}");
    }
}

//! Closures as hooks.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use becket::core::verdict::FailureKind;
use becket::point::{
    ContextAction, LoopAction, Observe, PostToolUse, PreContextBuild, PreModelCall, PreToolUse,
    PromptAction, RequestAction, ResultAction, SessionStart, Stop, ToolAction, UserPromptSubmit,
};
use becket::{Decision, Effect, EffectKind, Engine, Event, EventKind, Reason};
use serde_json::{Value, json};

fn event(kind: EventKind, fields: &Value) -> Event {
    Event::new(kind, fields.as_object().cloned().unwrap())
}

fn bash(command: &str) -> Event {
    event(
        EventKind::PreToolUse,
        &json!({ "tool_name": "Bash", "tool_input": { "command": command } }),
    )
}

#[tokio::test]
async fn a_closure_can_refuse_a_tool() {
    let engine = Engine::builder().build();
    engine.on::<PreToolUse>(|call| {
        if call.command() == Some("rm") { ToolAction::deny("no") } else { ToolAction::pass() }
    });
    let outcome = engine.fire(bash("rm")).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.effects, [Effect::of(EffectKind::DenyTool)]);
    assert_eq!(outcome.reasons, [Reason::from_hook("PreToolUse#1", "no")]);
    assert_eq!(engine.fire(bash("ls")).await.decision, Decision::Pass);
}

#[tokio::test]
async fn an_async_closure_answers_like_any_other_hook() {
    let engine = Engine::builder().build();
    engine.on_async::<PreToolUse, _>(async |call| {
        tokio::task::yield_now().await;
        ToolAction::ask(format!("may {} run?", call.name()))
    });
    let outcome = engine.fire(bash("ls")).await;
    assert_eq!(
        (outcome.decision, outcome.reasons[0].text.as_str()),
        (Decision::Ask, "may Bash run?")
    );
}

#[tokio::test]
async fn closures_are_chained_and_each_sees_what_the_one_before_rewrote() {
    let engine = Engine::builder().build();
    engine.on::<PreToolUse>(|_| ToolAction::rewrite(json!({ "command": "one" })));
    engine.on::<PreToolUse>(|call| {
        let command = format!("{} two", call.command().unwrap_or_default());
        ToolAction::rewrite(json!({ "command": command })).with_context("changed")
    });
    let outcome = engine.fire(bash("zero")).await;
    assert_eq!(outcome.event.field("tool_input"), Some(&json!({ "command": "one two" })));
    assert_eq!(outcome.context, ["changed"]);
    assert!(outcome.notes.iter().any(|note| note.code() == "patch_conflict"));
}

#[tokio::test]
async fn an_allow_never_lifts_a_refusal() {
    let engine = Engine::builder().build();
    engine.on::<PreToolUse>(|_| ToolAction::allow());
    assert_eq!(engine.fire(bash("x")).await.decision, Decision::Allow);
    engine.on::<PreToolUse>(|_| ToolAction::ask("really?"));
    engine.on::<PreToolUse>(|_| ToolAction::allow());
    assert_eq!(engine.fire(bash("x")).await.decision, Decision::Ask);
}

#[tokio::test]
async fn each_event_has_its_own_actions() {
    let engine = Engine::builder().build();
    engine
        .on::<PostToolUse>(|call| ResultAction::rewrite(json!(format!("{} hidden", call.name()))));
    engine.on::<UserPromptSubmit>(|prompt| {
        PromptAction::rewrite(json!(prompt.text().to_uppercase()))
    });
    engine.on::<PreModelCall>(|_| RequestAction::rewrite(json!({ "temperature": 0.1 })));
    engine.on::<PreContextBuild>(|build| {
        ContextAction::rewrite(json!({ "seen": build.context().is_object() }))
    });
    engine.on::<SessionStart>(|_| Observe::pass().with_context("hello"));
    let output = engine
        .fire(event(EventKind::PostToolUse, &json!({ "tool_name": "Read", "tool_output": "x" })))
        .await;
    assert_eq!(output.event.field("tool_output"), Some(&json!("Read hidden")));
    let prompt = engine.fire(event(EventKind::UserPromptSubmit, &json!({ "prompt": "hi" }))).await;
    assert_eq!(prompt.event.text("prompt"), Some("HI"));
    let request = engine
        .fire(event(EventKind::PreModelCall, &json!({ "model_request": { "model": "m" } })))
        .await;
    assert_eq!(
        request.event.field("model_request"),
        Some(&json!({ "model": "m", "temperature": 0.1 }))
    );
    let context = engine.fire(event(EventKind::PreContextBuild, &json!({ "context": {} }))).await;
    assert_eq!(context.event.field("context"), Some(&json!({ "seen": true })));
    assert_eq!(engine.fire(event(EventKind::SessionStart, &json!({}))).await.context, ["hello"]);
}

#[tokio::test]
async fn a_stop_hook_that_says_go_on_keeps_the_loop_alive_with_its_message() {
    let engine = Engine::builder().build();
    engine.on::<Stop>(|stopping| {
        if stopping.already_resumed() {
            LoopAction::pass()
        } else {
            LoopAction::go_on("run the tests first")
        }
    });
    let outcome = engine.fire(event(EventKind::Stop, &json!({ "stop_hook_active": false }))).await;
    let message = Some("run the tests first".to_owned());
    assert_eq!(outcome.effects, [Effect { kind: EffectKind::ContinueLoop, text: message }]);
    let again = engine.fire(event(EventKind::Stop, &json!({ "stop_hook_active": true }))).await;
    assert!(!again.is_blocked());
}

#[tokio::test]
async fn a_closure_that_panics_has_failed_and_the_host_goes_on() {
    let engine = Engine::builder().headless(true).build();
    engine.on::<PreToolUse>(|call| {
        ToolAction::deny(call.input().as_str().map(str::to_owned).unwrap())
    });
    engine.on_async::<PreToolUse, _>(async |call| {
        ToolAction::deny(call.output().map(ToString::to_string).unwrap())
    });
    let outcome = engine.fire(bash("x")).await;
    let kinds: Vec<_> =
        outcome.runs().map(|run| run.settled.failure.as_ref().map(|it| it.kind)).collect();
    assert_eq!(kinds, [Some(FailureKind::Signalled), Some(FailureKind::Signalled)]);
    assert_eq!(
        outcome.decision,
        Decision::Deny,
        "a broken guard of the host asks, and nobody can be asked"
    );
}

#[tokio::test(start_paused = true)]
async fn an_async_closure_that_never_answers_is_ended_at_its_deadline() {
    let engine = Engine::builder().build();
    engine.on_async::<PreToolUse, _>(async |_| {
        tokio::time::sleep(Duration::from_secs(100_000)).await;
        ToolAction::pass()
    });
    let outcome = engine.fire(bash("x")).await;
    let failure = outcome.runs().next().unwrap().settled.failure.clone().unwrap();
    assert_eq!((failure.kind, outcome.decision), (FailureKind::TimedOut, Decision::Ask));
}

#[tokio::test]
async fn an_event_keeps_the_hooks_it_began_with() {
    let engine = Arc::new(Engine::builder().build());
    let calls = Arc::new(AtomicUsize::new(0));
    let (inner, counter) = (Arc::clone(&engine), Arc::clone(&calls));
    engine.on::<PreToolUse>(move |_| {
        let counter = Arc::clone(&counter);
        inner.on::<PreToolUse>(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            ToolAction::pass()
        });
        ToolAction::pass()
    });
    let first = engine.fire(bash("x")).await;
    assert_eq!(calls.load(Ordering::SeqCst), 0, "a hook added meanwhile belongs to the next event");
    let second = engine.fire(bash("x")).await;
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert!(first.generation < second.generation);
}

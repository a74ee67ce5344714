//! The fields of `HookResult` in seed 001's appendix: how each is said here, and what it does to the outcome.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::time::Duration;

use becket::core::decision::Effect;
use becket::core::verdict::{FailureKind, Stop as StopWish, Verdict};
use becket::point::{
    LoopAction, Observe, PostToolUse, PreToolUse, ResultAction, SessionStart, Stop, ToolAction,
};
use becket::{Decision, EffectKind, Engine, Event, EventKind, Outcome};
use serde_json::{Value, json};

fn engine() -> Engine {
    Engine::builder().build()
}

async fn fire(engine: &Engine, kind: EventKind, fields: Value) -> Outcome {
    engine.fire(Event::new(kind, fields.as_object().cloned().unwrap())).await
}

async fn before_tool(engine: &Engine) -> Outcome {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls", "cwd": "/" } });
    fire(engine, EventKind::PreToolUse, fields).await
}

async fn after_tool(engine: &Engine) -> Outcome {
    let fields = json!({ "tool_name": "mcp__db__query", "tool_input": {}, "tool_output": [1, 2] });
    fire(engine, EventKind::PostToolUse, fields).await
}

#[tokio::test]
async fn message_is_for_the_person_and_changes_nothing_else() {
    let engine = engine();
    engine.on::<SessionStart>(|_| Observe::pass().with_message("welcome"));
    let outcome = fire(&engine, EventKind::SessionStart, json!({})).await;
    assert_eq!(outcome.messages, ["welcome"]);
    assert_eq!(outcome.context, [""; 0]);
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Pass, false));
}

#[tokio::test]
async fn blocking_error_is_a_refusal_whose_reason_the_model_is_told() {
    let engine = engine();
    engine.on::<PreToolUse>(|_| ToolAction::deny("use the test database"));
    let outcome = before_tool(&engine).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.effects, [Effect::of(EffectKind::DenyTool)]);
    assert_eq!(outcome.reasons[0].text, "use the test database");
}

#[tokio::test]
async fn blocking_error_after_the_tool_makes_its_result_an_error() {
    let engine = engine();
    engine.on::<PostToolUse>(|_| ResultAction::deny("that was the wrong table"));
    let outcome = after_tool(&engine).await;
    assert_eq!(outcome.effects, [Effect::of(EffectKind::FailTool)]);
    assert_eq!(outcome.reasons[0].text, "that was the wrong table");
}

#[tokio::test]
async fn blocking_error_at_stop_keeps_the_loop_going_with_it_as_the_message() {
    let engine = engine();
    engine.on::<Stop>(|stopping| {
        if stopping.already_resumed() {
            LoopAction::pass()
        } else {
            LoopAction::go_on("the tests fail")
        }
    });
    let outcome = fire(&engine, EventKind::Stop, json!({ "stop_hook_active": false })).await;
    let text = Some("the tests fail".to_owned());
    assert_eq!(outcome.effects, [Effect { kind: EffectKind::ContinueLoop, text }]);
    // The hook is called every time; that it was heard before is in the event.
    let again = fire(&engine, EventKind::Stop, json!({ "stop_hook_active": true })).await;
    assert_eq!((again.is_blocked(), again.runs().count()), (false, 1));
}

#[tokio::test]
async fn outcome_success_is_a_verdict_without_failure() {
    let engine = engine();
    engine.on::<PreToolUse>(|_| ToolAction::pass());
    let outcome = before_tool(&engine).await;
    let run = outcome.runs().next().unwrap();
    assert_eq!((&run.settled.verdict, &run.settled.failure), (&Verdict::default(), &None));
    assert_eq!((outcome.decision, outcome.notes.len()), (Decision::Pass, 0));
}

#[tokio::test]
async fn outcome_blocking_is_a_decision_to_deny() {
    let engine = engine();
    engine.on::<PreToolUse>(|_| ToolAction::deny("no"));
    let outcome = before_tool(&engine).await;
    let run = outcome.runs().next().unwrap();
    assert_eq!(run.settled.verdict, Verdict::deny("no"));
    assert!(outcome.is_blocked());
}

#[tokio::test]
async fn outcome_non_blocking_error_is_a_failure_that_is_noted_and_lets_the_event_go_on() {
    let engine = engine();
    engine.on::<PostToolUse>(|_| -> ResultAction { std::panic::resume_unwind(Box::new("broken")) });
    let outcome = after_tool(&engine).await;
    let failure = outcome.runs().next().unwrap().settled.failure.clone().unwrap();
    assert_eq!(failure.kind, FailureKind::Signalled);
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Pass, false));
    assert_eq!(outcome.notes[0].code(), "failed");
}

#[tokio::test(start_paused = true)]
async fn outcome_cancelled_is_a_failure_of_its_own_kind_and_never_an_allow() {
    assert!(FailureKind::ALL.contains(&FailureKind::Cancelled));
    let engine = engine();
    engine.on_async::<PreToolUse, _>(async |_| {
        tokio::time::sleep(Duration::from_hours(2)).await;
        ToolAction::allow()
    });
    // Whoever drops the future of an event cancels its hooks; one that takes too long is ended.
    let abandoned = tokio::time::timeout(Duration::from_millis(1), before_tool(&engine)).await;
    assert!(abandoned.is_err());
    let ended = before_tool(&engine).await;
    let failure = ended.runs().next().unwrap().settled.failure.clone().unwrap();
    assert_eq!((failure.kind, ended.decision), (FailureKind::TimedOut, Decision::Ask));
}

#[tokio::test]
async fn prevent_continuation_ends_the_loop_cleanly_without_refusing_anything() {
    let engine = engine();
    engine.on::<PostToolUse>(|_| ResultAction::stop("the goal is reached"));
    let outcome = after_tool(&engine).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert_eq!(outcome.effects[0].kind, EffectKind::StopLoop);
    assert_eq!(outcome.event.field("tool_output"), Some(&json!([1, 2])), "the result stands");
}

#[tokio::test]
async fn prevent_continuation_stands_above_a_blocking_error() {
    let engine = engine();
    engine.on::<Stop>(|_| LoopAction::go_on("more to do"));
    engine.on::<Stop>(|_| LoopAction::stop("enough"));
    let first = fire(&engine, EventKind::Stop, json!({})).await;
    // A block ends our own chain; told the other way round, the stop is what remains.
    assert_eq!(first.effects[0].kind, EffectKind::ContinueLoop);
    let engine = self::engine();
    engine.on::<Stop>(|_| LoopAction::stop("enough"));
    engine.on::<Stop>(|_| LoopAction::go_on("more to do"));
    let second = fire(&engine, EventKind::Stop, json!({})).await;
    assert_eq!(second.effects[0].kind, EffectKind::StopLoop);
}

#[tokio::test]
async fn stop_reason_is_the_text_of_the_effect_and_a_reason() {
    let engine = engine();
    engine.on::<PreToolUse>(|_| ToolAction::stop("out of budget"));
    let outcome = before_tool(&engine).await;
    let text = Some("out of budget".to_owned());
    assert_eq!(outcome.effects, [Effect { kind: EffectKind::StopLoop, text: text.clone() }]);
    assert_eq!(outcome.reasons[0].text, "out of budget");
    let run = outcome.runs().next().unwrap();
    assert_eq!(run.settled.verdict.stop, Some(StopWish { reason: text }));
}

#[tokio::test]
async fn permission_behavior_allow_deny_ask_and_passthrough_are_the_four_decisions() {
    for (action, decision, effects) in [
        (ToolAction::allow(), Decision::Allow, &[][..]),
        (ToolAction::deny("no"), Decision::Deny, &[EffectKind::DenyTool]),
        (ToolAction::ask("sure?"), Decision::Ask, &[]),
        (ToolAction::pass(), Decision::Pass, &[]),
    ] {
        let engine = engine();
        engine.on::<PreToolUse>(move |_| action.clone());
        let outcome = before_tool(&engine).await;
        let kinds: Vec<_> = outcome.effects.iter().map(|it| it.kind).collect();
        assert_eq!((outcome.decision, kinds), (decision, effects.to_vec()));
    }
}

#[tokio::test]
async fn permission_behavior_allow_lifts_neither_ask_nor_deny() {
    for (objection, decision) in
        [(ToolAction::ask("sure?"), Decision::Ask), (ToolAction::deny("no"), Decision::Deny)]
    {
        for actions in [[objection.clone(), ToolAction::allow()], [ToolAction::allow(), objection]]
        {
            let engine = engine();
            for action in actions {
                engine.on::<PreToolUse>(move |_| action.clone());
            }
            assert_eq!(before_tool(&engine).await.decision, decision);
        }
    }
}

#[tokio::test]
async fn updated_input_is_what_the_harness_runs_the_tool_with() {
    let engine = engine();
    engine.on::<PreToolUse>(|_| ToolAction::rewrite(json!({ "command": "ls -l" })));
    let outcome = before_tool(&engine).await;
    let whole = json!({ "command": "ls -l", "cwd": "/" });
    assert_eq!(outcome.event.field("tool_input"), Some(&whole));
    assert_eq!(outcome.patched.values().collect::<Vec<_>>(), [&whole]);
    assert_eq!(outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn additional_context_is_for_the_model() {
    let engine = engine();
    engine.on::<PostToolUse>(|_| ResultAction::pass().with_context("rows are in UTC"));
    let outcome = after_tool(&engine).await;
    assert_eq!(outcome.context, ["rows are in UTC"]);
    assert_eq!((outcome.messages.len(), outcome.patched.len()), (0, 0));
}

#[tokio::test]
async fn updated_mcp_tool_output_is_what_the_model_sees_instead() {
    let engine = engine();
    engine.on::<PostToolUse>(|_| ResultAction::rewrite(json!(["redacted"])));
    let outcome = after_tool(&engine).await;
    assert_eq!(outcome.event.field("tool_output"), Some(&json!(["redacted"])));
    assert_eq!(outcome.decision, Decision::Pass);
}

//! The rows about the engine that concern its handlers.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use becket::core::hook::HookSpec;
use becket::core::outcome::State;
use becket::core::verdict::FailureKind;
use becket::{Decision, Event, EventKind, Limits, Outcome};
use tempfile::TempDir;

use super::bench::{command, engine, fields, finish, hook, orphans};

/// E06 and E20 are about the program: see the tests of the command line. No dialect cuts a wave of hooks
/// short today, so E12 is a test of the wave itself, in `run.rs`.
pub(super) const RUN: [&str; 7] = ["E06", "E10", "E11", "E12", "E15", "E19", "E20"];

fn gate(folder: &TempDir, text: &str) -> HookSpec {
    let spec = hook(folder.path(), command(text));
    HookSpec { events: vec![EventKind::PreToolUse], timeout: Some(Duration::from_mins(1)), ..spec }
}

fn call() -> Event {
    Event::new(EventKind::PreToolUse, fields().as_object().cloned().unwrap())
}

fn failures(outcome: &Outcome) -> Vec<Option<FailureKind>> {
    let ran = outcome.hooks().into_iter().filter_map(|(_, state)| match state {
        State::Ran(run) => Some(run.settled.failure.as_ref().map(|it| it.kind)),
        State::Queued | State::Skipped(_) => None,
    });
    ran.collect()
}

#[tokio::test]
async fn e10_a_full_queue_drops_the_oldest_and_says_so() {
    let folder = TempDir::new().unwrap();
    let mut spec = gate(&folder, "sleep infinity");
    spec.detached = true;
    let limits = Limits { queue: 4, ..Limits::default() };
    let builder = finish(engine(), folder.path(), false).variable("FAULT_MATRIX_ROW", "e10");
    let engine = builder.limits(limits).hook(spec).build();
    let mut told = 0;
    for _ in 0..10 {
        let outcome = engine.fire(call()).await;
        assert!(matches!(outcome.hooks()[0].1, State::Queued));
        told += outcome.notes.iter().filter(|it| it.code() == "queue_full").count();
    }
    assert_eq!(told, 6);
    let started = Instant::now();
    engine.drain(Duration::from_millis(100)).await;
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(orphans("e10").await, Vec::<String>::new());
}

#[tokio::test]
async fn e11_an_event_that_is_called_off_is_refused_recorded_and_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let spec = gate(&folder, "touch started; trap '' TERM; sleep infinity & wait; sleep infinity");
    let builder = finish(engine(), folder.path(), false).variable("FAULT_MATRIX_ROW", "e11");
    let engine = builder.hook(spec).build();
    let path = folder.path().join("started");
    let started = async {
        while !path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let outcome = engine.fire_unless(call(), started).await;
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Deny, true));
    assert_eq!(failures(&outcome), [Some(FailureKind::Cancelled)]);
    let journal = std::fs::read_to_string(folder.path().join("state/journal.jsonl")).unwrap();
    assert!(journal.lines().count() == 1 && journal.contains(r#""kind":"cancelled""#), "{journal}");
    assert_eq!(orphans("e11").await, Vec::<String>::new());
}

/// The depth that a process was started at counts like that of a task: see the tests of the command line.
#[tokio::test]
async fn e15_the_third_hook_below_another_is_refused() {
    let engine = Arc::new(engine().build());
    let (nested, seen) = (Arc::downgrade(&engine), Arc::new(Mutex::new(Vec::new())));
    let witness = Arc::clone(&seen);
    engine.on_async::<becket::point::PreToolUse, _>(move |_| {
        let (engine, seen) = (nested.upgrade().expect("it runs"), Arc::clone(&witness));
        let fired = async move {
            let outcome = engine.fire(call()).await;
            seen.lock().unwrap().push(outcome.decision);
            becket::point::ToolAction::pass()
        };
        Box::pin(fired) as std::pin::Pin<Box<dyn Future<Output = _> + Send>>
    });
    let outcome = engine.fire(call()).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert_eq!(*seen.lock().unwrap(), [Decision::Ask, Decision::Pass, Decision::Pass]);
}

#[tokio::test]
async fn a_hook_is_told_how_deep_it_stands() {
    let folder = TempDir::new().unwrap();
    let engine = engine().hook(gate(&folder, "echo $BECKET_DEPTH >&2; exit 2")).build();
    assert_eq!(engine.fire(call()).await.reasons[0].text, "1");
}

#[tokio::test]
async fn e19_hooks_beyond_the_limit_make_the_event_ask() {
    let folder = TempDir::new().unwrap();
    let mut builder = finish(engine(), folder.path(), false);
    for number in 0..300 {
        let mut spec = gate(&folder, "exit 0");
        spec.name = format!("h{number}");
        builder = builder.hook(spec);
    }
    let outcome = builder.build().fire(call()).await;
    assert_eq!(outcome.decision, Decision::Ask);
    assert!(outcome.notes.iter().any(|it| it.code() == "too_many_hooks"), "{:?}", outcome.notes);
}

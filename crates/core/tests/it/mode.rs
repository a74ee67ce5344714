//! A hook that is not enforced changes nothing that the harness acts upon.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use becket_core::decision::{Decision, Effect};
use becket_core::event::{Event, EventKind};
use becket_core::hook::{HookSpec, Mode};
use becket_core::outcome::{Outcome, Run, Tally};
use becket_core::patch::{Change, Patch, Scope};
use becket_core::plan::plan;
use becket_core::registry::Registry;
use becket_core::reply::Reply;
use becket_core::verdict::{Failure, FailureKind, OnFailure, Settled, Stop, Verdict};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::hooks::{load, native};

/// A hook in a mode, and what it will say.
type Voice = (Mode, Settled);

fn spec(name: usize, mode: Mode) -> HookSpec {
    let hook = native(json!({ "name": format!("h{name}"), "capabilities": ["patch_tool_input"] }));
    HookSpec { mode, ..load(&hook).unwrap() }
}

fn outcome(voices: &[Voice]) -> Outcome {
    let specs = voices.iter().enumerate().map(|(at, (mode, _))| spec(at, *mode)).collect();
    let registry = Arc::new(Registry::new(specs, Vec::new(), 1));
    let fields: Map<_, _> = json!({ "tool_name": "Bash", "tool_input": {}, "session_id": "s" })
        .as_object()
        .unwrap()
        .clone();
    let event = Event::new(EventKind::PreToolUse, fields);
    let mut plan = plan(&registry, &event);
    let mut tally = Tally::new(Arc::clone(&registry), event);
    while let Some(wave) = plan.next(&mut tally) {
        for (id, hook) in wave {
            let at: usize = hook.name().trim_start_matches('h').parse().unwrap();
            let settled = voices.get(at).unwrap().1.clone();
            let reply = Reply::InProcess(Box::new(settled.verdict.clone()));
            tally.absorb(id, Run { reply, settled, took: Duration::ZERO });
        }
    }
    tally.finish(false)
}

fn verdicts() -> impl Strategy<Value = Settled> {
    let decisions = select(&Decision::ALL[..]);
    let verdict = (decisions, any::<bool>(), any::<bool>(), any::<bool>());
    let verdict = verdict.prop_map(|(decision, stops, rewrites, speaks)| Verdict {
        decision,
        reason: Some("because".to_owned()),
        stop: stops.then(|| Stop { reason: Some("enough".to_owned()) }),
        patches: rewrites
            .then(|| Patch {
                scope: Scope::ToolInput,
                change: Change::Merge(json!({ "command": "ls" })),
            })
            .into_iter()
            .collect(),
        context: speaks.then(|| "for the model".to_owned()).into_iter().collect(),
        ..Verdict::default()
    });
    let policy = select(&[OnFailure::Allow, OnFailure::Ask, OnFailure::Deny][..]);
    let failed = policy.prop_map(|it| it.settle(Err(Failure::new(FailureKind::BadExit, "broke"))));
    prop_oneof![4 => verdict.prop_map(|it| OnFailure::Allow.settle(Ok(it))), 1 => failed]
}

/// What a harness acts upon.
fn deeds(outcome: &Outcome) -> (Decision, Vec<Effect>, BTreeMap<Scope, Value>, Vec<String>, Event) {
    let reasons = outcome.reasons.iter().map(|it| it.text.clone()).collect();
    let (effects, patched) = (outcome.effects.clone(), outcome.patched.clone());
    (outcome.decision, effects, patched, reasons, outcome.event.clone())
}

proptest! {
    #[test]
    fn without_the_hooks_that_are_not_enforced_the_outcome_is_the_same(
        voices in prop::collection::vec(
            (select(&[Mode::Enforce, Mode::Shadow, Mode::Warn][..]), verdicts()), 0..6),
    ) {
        let enforced: Vec<Voice> =
            voices.iter().filter(|it| it.0 == Mode::Enforce).cloned().collect();
        let (with, without) = (outcome(&voices), outcome(&enforced));
        prop_assert_eq!(deeds(&with), deeds(&without));
    }

    #[test]
    fn a_shadow_says_nothing_to_anybody(
        settled in verdicts(),
    ) {
        let shadow = outcome(&[(Mode::Shadow, settled)]);
        let nothing = outcome(&[]);
        prop_assert_eq!(deeds(&shadow), deeds(&nothing));
        prop_assert!(shadow.context.is_empty() && shadow.messages.is_empty());
    }
}

#[test]
fn what_would_have_happened_is_told_as_the_mode_says() {
    let refusal = OnFailure::Allow.settle(Ok(Verdict::deny("no pushing")));
    let codes = |outcome: &Outcome| {
        outcome.notes.iter().map(|it| (it.code(), it.to_string())).collect::<Vec<_>>()
    };
    let told = "it is not enforced and would have refused this: no pushing".to_owned();
    let shadow = outcome(&[(Mode::Shadow, refusal.clone())]);
    assert_eq!(codes(&shadow), [("would_deny", told.clone())]);
    let warn = outcome(&[(Mode::Warn, refusal.clone())]);
    assert_eq!(codes(&warn), [("would_deny", told)]);
    assert_eq!(warn.messages, ["`h0` would have refused this: no pushing"]);
    let enforced = outcome(&[(Mode::Canary(100), refusal)]);
    assert_eq!(enforced.decision, Decision::Deny);
}

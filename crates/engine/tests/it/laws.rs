//! What holds for any set of hooks: stated as laws, tried on random ones.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use becket::core::decision::EffectKind;
use becket::point::{PreToolUse, ToolAction};
use becket::{Decision, Engine, Event, EventKind, Outcome};
use proptest::prelude::*;
use serde_json::json;

/// What one closure does.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Pass,
    Allow,
    Ask,
    Stop,
    Rewrite(u8, u8),
    Panic,
}

fn any_wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        Just(Wish::Pass),
        Just(Wish::Allow),
        Just(Wish::Ask),
        Just(Wish::Panic),
        Just(Wish::Stop),
        (0..3_u8, 0..3_u8).prop_map(|(key, value)| Wish::Rewrite(key, value)),
    ]
}

fn act(wish: Wish) -> ToolAction {
    match wish {
        Wish::Pass => ToolAction::pass(),
        Wish::Allow => ToolAction::allow(),
        Wish::Ask => ToolAction::ask("?"),
        Wish::Stop => ToolAction::stop("enough"),
        Wish::Rewrite(key, value) => ToolAction::rewrite(json!({ format!("k{key}"): value })),
        Wish::Panic => ToolAction::deny(u8::try_from(-1).map(|it| it.to_string()).unwrap()),
    }
}

fn fire(wishes: &[Wish]) -> Outcome {
    let engine = Engine::builder().build();
    for wish in wishes.iter().copied() {
        engine.on::<PreToolUse>(move |_| act(wish));
    }
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "x" } });
    let event = Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(engine.fire(event))
}

fn without_stop(wishes: &[Wish]) -> Vec<Wish> {
    wishes.iter().copied().filter(|wish| !matches!(wish, Wish::Stop)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn adding_a_hook_never_weakens_a_decision(wishes in prop::collection::vec(any_wish(), 0..6), more in any_wish()) {
        let wishes = without_stop(&wishes);
        let before = fire(&wishes);
        let after = fire(&[wishes, vec![more]].concat());
        prop_assert!(before.decision <= after.decision);
        prop_assert!(before.effects.len() <= after.effects.len());
    }

    #[test]
    fn the_decision_does_not_depend_on_the_order_of_hooks(wishes in prop::collection::vec(any_wish(), 0..6)) {
        let wishes = without_stop(&wishes);
        let mut turned = wishes.clone();
        turned.reverse();
        prop_assert_eq!(fire(&wishes).decision, fire(&turned).decision);
    }

    #[test]
    fn the_same_hooks_give_the_same_outcome(wishes in prop::collection::vec(any_wish(), 0..6)) {
        let (one, other) = (fire(&wishes), fire(&wishes));
        prop_assert_eq!(one.decision, other.decision);
        prop_assert_eq!(one.effects, other.effects);
        prop_assert_eq!(one.patched, other.patched);
        prop_assert_eq!(one.reasons, other.reasons);
        prop_assert_eq!(one.notes, other.notes);
    }

    #[test]
    fn the_last_rewrite_of_a_place_stands_and_every_overwritten_one_is_noted(
        keys in prop::collection::vec((0..3_u8, 0..3_u8), 0..6),
    ) {
        let wishes: Vec<_> = keys.iter().map(|(key, value)| Wish::Rewrite(*key, *value)).collect();
        let outcome = fire(&wishes);
        for key in 0..3 {
            let last = keys.iter().rev().find(|it| it.0 == key).map(|it| json!(it.1));
            let found = outcome.event.field("tool_input").unwrap().get(format!("k{key}")).cloned();
            prop_assert_eq!(found, last);
        }
        let mut values = std::collections::BTreeMap::new();
        let changes: usize = keys.iter().filter(|(key, value)| {
            let old = values.insert(*key, *value);
            old.is_some_and(|old| old != *value)
        }).count();
        let noted = outcome.notes.iter().filter(|note| note.code() == "patch_conflict").count();
        prop_assert_eq!(noted, changes);
    }

    #[test]
    fn a_stop_is_never_lost(wishes in prop::collection::vec(any_wish(), 0..5)) {
        let outcome = fire(&[vec![Wish::Stop], wishes].concat());
        prop_assert!(outcome.effects.iter().any(|effect| effect.kind == EffectKind::StopLoop));
    }

    #[test]
    fn allow_needs_somebody_who_said_so(wishes in prop::collection::vec(any_wish(), 0..6)) {
        let said = wishes.iter().any(|wish| matches!(wish, Wish::Allow));
        let outcome = fire(&wishes);
        prop_assert!(outcome.decision != Decision::Allow || said);
    }
}

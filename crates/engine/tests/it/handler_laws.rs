//! What holds for every answer, whatever it is: going ahead takes a clean one, and order changes nothing.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::sync::Arc;

use becket::core::config::Place;
use becket::core::diagnostic::Origin;
use becket::core::hook::{Handler, Hook, HookSpec, Layer};
use becket::core::outcome::{Run, Tally};
use becket::core::registry::Registry;
use becket::core::reply::{Captured, Exit, Reply};
use becket::core::verdict::OnFailure;
use becket::core::wire::wire;
use becket::{Compat, Decision, Dialect, Event, EventKind};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

fn hook(name: &str) -> HookSpec {
    let place = Place {
        dialect: Dialect::Becket,
        compat: Compat::Safe,
        layer: Layer::CommandLine,
        source: Arc::default(),
        workspace: Arc::default(),
        disabled: None,
        events: Vec::new(),
    };
    let (command, environment) = (String::new(), Vec::new());
    let handler = Handler::Command { command, args: None, cwd: None, environment };
    place.hook(name.to_owned(), vec![EventKind::PreToolUse], handler, Origin::default())
}

fn call() -> Event {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap())
}

fn decide(hook: &Hook, reply: &Reply, policy: OnFailure) -> Decision {
    policy.settle(wire(Dialect::Becket).verdict(hook, &call(), reply)).verdict.decision
}

/// Bytes as hooks print them: noise, pieces of answers, and whole answers.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        &b"{\"decision\":\"approve\"}"[..],
        b"{\"decision\":\"allow\"}",
        b"{\"decision\":\"block\"}",
        b"{\"decision\":",
        b"\"allow\"",
        b"{\"ok\":true}",
        b"{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}",
        b"{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}",
        b"{",
        b"}",
        b",",
        b"\n",
        b" ",
        b"\xff",
        b"\0",
        b"log line\n",
    ];
    let piece = prop_oneof![
        3 => select(pieces.map(<[u8]>::to_vec).to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn reply() -> impl Strategy<Value = Reply> {
    let captured = (output(), any::<bool>(), any::<bool>()).prop_map(|(bytes, truncated, held)| {
        Captured { bytes, truncated: truncated && held, held }
    });
    let end = prop_oneof![
        3 => Just(Exit::Code(0)),
        1 => (0..256).prop_map(Exit::Code),
        1 => (1..64).prop_map(Exit::Signal),
    ];
    (captured, end, 0..600u16, any::<bool>(), 0..5).prop_map(|(out, end, status, json, form)| {
        let limit = std::time::Duration::from_secs(1);
        match form {
            0 | 1 => Reply::Exited { end, stdout: out, stderr: Captured::default() },
            2 => Reply::TimedOut { limit, stdout: out, stderr: Captured::default() },
            3 => Reply::Http { status, json, body: out },
            _ => Reply::Text { text: out.text(), usage: None },
        }
    })
}

/// Whether this is one object that allows, and nothing else, from a handler that ended well.
fn is_clean(reply: &Reply) -> bool {
    let bytes = match reply {
        Reply::Exited { end: Exit::Code(0), stdout, .. } if !stdout.truncated => &stdout.bytes,
        Reply::Http { status: 200..=299, json: true, body } if !body.truncated => &body.bytes,
        Reply::Text { text, .. } => return is_allowing(text.as_bytes()),
        _ => return false,
    };
    is_allowing(bytes)
}

fn is_allowing(bytes: &[u8]) -> bool {
    serde_json::from_str::<Map<String, Value>>(&String::from_utf8_lossy(bytes)).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn allow_only_ever_comes_from_clean_valid_output(
        reply in reply(),
        policy in select(&[OnFailure::Allow, OnFailure::Ask, OnFailure::Deny][..]),
    ) {
        let hook = hook("h").compile();
        if decide(&hook, &reply, policy) == Decision::Allow {
            prop_assert!(is_clean(&reply), "{:?}", reply);
        }
    }

    #[test]
    fn a_whole_refusal_is_never_lost(before in "[a-z \n]{0,20}", after in output(), end in 0..256, cut in any::<bool>()) {
        let refusal = br#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        let bytes = [before.as_bytes(), refusal, &after].concat();
        let stdout = Captured { bytes, truncated: cut, held: cut };
        let reply = Reply::Exited { end: Exit::Code(end), stdout, stderr: Captured::default() };
        prop_assert_eq!(decide(&hook("h").compile(), &reply, OnFailure::Allow), Decision::Deny);
    }

    /// Whoever finished first, the outcome is the strongest of all.
    #[test]
    fn the_outcome_is_the_maximum_in_whatever_order(
        replies in proptest::collection::vec(reply(), 1..6),
        turn in 0..6usize,
    ) {
        let specs: Vec<HookSpec> = (0..replies.len()).map(|it| hook(&it.to_string())).collect();
        let registry = Arc::new(Registry::new(specs, Vec::new(), 1));
        let ids: Vec<_> = registry.hooks_for(&EventKind::PreToolUse).map(|it| it.0).collect();
        let outcome = |order: &[usize]| {
            let mut tally = Tally::new(Arc::clone(&registry), call());
            for place in order {
                let hook = registry.hook(ids[*place]).unwrap();
                let reply = replies[*place].clone();
                let settled = OnFailure::Ask.settle(wire(Dialect::Becket).verdict(hook, &call(), &reply));
                tally.absorb(ids[*place], Run { reply, settled, took: std::time::Duration::ZERO });
            }
            let outcome = tally.finish(false);
            let effects: Vec<_> = outcome.effects.iter().map(|it| it.kind).collect();
            (outcome.decision, effects)
        };
        let mut order: Vec<usize> = (0..replies.len()).collect();
        let expected = outcome(&order);
        let strongest = order.iter().map(|it| {
            decide(registry.hook(ids[*it]).unwrap(), &replies[*it], OnFailure::Ask)
        });
        prop_assert_eq!(expected.0, strongest.max().unwrap());
        order.rotate_left(turn % replies.len());
        order.reverse();
        prop_assert_eq!(outcome(&order), expected);
    }
}

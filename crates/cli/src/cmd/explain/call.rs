//! How a call is taken apart, and what the rules say about it.

use becket::core::registry::Registry;
use becket::core::rule::Call;
use becket::core::rules::Account;
use becket::{Decision, Event};
use serde_json::{Value, json};

use crate::out::{BAD, CARE, DIM, GOOD, STRONG, harmless, paint};

/// The account of a call, where the event asks for one that rules have something to say about.
fn account(registry: &Registry, event: &Event) -> Option<Account> {
    let call = Call::of(event).filter(|_| event.asks_for_a_call())?;
    let account = registry.rules().account(&call);
    let silent = account.judgement.grounds.is_empty() && registry.rules().defaults().is_empty();
    // Without rules of anybody's, how a command is taken apart decides nothing.
    let written = registry.rules().specs().iter().any(|it| it.rule.is_about(call.tool));
    (!silent || (written && !account.parts.is_empty())).then_some(account)
}

pub(super) fn story(registry: &Registry, event: &Event) -> Vec<String> {
    let Some(account) = account(registry, event) else { return Vec::new() };
    let mut lines = vec![format!("  {}", paint(STRONG, "rules"))];
    for part in &account.parts {
        let place =
            if part.place.is_empty() { String::new() } else { format!("  ({})", part.place) };
        lines.push(format!("     {}{}", harmless(&part.command), paint(DIM, place)));
        for (decision, rule) in &part.rules {
            lines.push(format!("       {} {}", word(*decision), harmless(rule)));
        }
        if part.rules.is_empty() {
            lines.push(paint(DIM, "       no rule speaks of it"));
        }
    }
    for doubt in &account.doubts {
        lines.push(format!("     {} {}", paint(CARE, "cannot be seen:"), harmless(doubt)));
    }
    for ground in &account.judgement.grounds {
        lines.push(format!("     {} {}", word(ground.decision), harmless(&ground.text)));
    }
    if let Some(open) = &account.unproven {
        lines.push(format!("     {} {}", paint(DIM, "not allowed by a rule:"), harmless(open)));
    }
    if let Some((layer, decision)) = registry.rules().default_beyond(account.judgement.allowed_by)
        && account.judgement.decision <= Decision::Allow
    {
        let text = format!("is the {} default, where no hook says more", layer.name());
        lines.push(format!("     {} {}", word(decision), paint(DIM, text)));
    }
    lines
}

pub(super) fn as_value(registry: &Registry, event: &Event) -> Value {
    let Some(account) = account(registry, event) else { return Value::Null };
    let rule = |(decision, rule): &(Decision, String)| json!({ "decision": decision.name(), "rule": rule });
    let parts = account.parts.iter().map(|part| {
        let rules: Vec<Value> = part.rules.iter().map(rule).collect();
        json!({ "command": part.command, "place": part.place, "rules": rules })
    });
    let grounds = account
        .judgement
        .grounds
        .iter()
        .map(|it| json!({ "decision": it.decision.name(), "rule": it.rule, "text": it.text }));
    json!({
        "parts": parts.collect::<Vec<_>>(),
        "doubts": account.doubts,
        "unproven": account.unproven,
        "decision": account.judgement.decision.name(),
        "grounds": grounds.collect::<Vec<_>>(),
        "default": registry.rules().default_beyond(account.judgement.allowed_by).map(|it| it.1.name()),
    })
}

fn word(decision: Decision) -> String {
    let style = match decision {
        Decision::Deny => BAD,
        Decision::Ask => CARE,
        Decision::Allow => GOOD,
        Decision::Pass => DIM,
    };
    paint(style, decision.name())
}

//! The permission rules in force, strongest first, with who wrote each.

use becket::Decision;
use becket::core::rules::{Guard, Precedence, RuleSpec, Rules};
use serde_json::{Value, json};

use crate::out::{self, DIM, STRONG, paint};

/// The rules as people read them.
pub(super) fn story(rules: &Rules) -> Vec<String> {
    let mut lines = vec![paint(STRONG, "rules")];
    for spec in rules.specs() {
        let rule = out::one_line(&spec.rule.to_string(), 80);
        let whose = format!("{}, {}", spec.layer.name(), spec.origin);
        lines.push(format!(
            "  {:5}  {rule}  {}",
            spec.decision.name(),
            paint(DIM, out::harmless(&whose))
        ));
    }
    for guard in rules.guards() {
        lines.push(format!("  guard  {}  {}", guard.name(), paint(DIM, "built in")));
    }
    for (layer, decision) in rules.defaults() {
        let whose = format!("where nothing else speaks, {}", layer.name());
        lines.push(format!("  {:5}  {}", decision.name(), paint(DIM, whose)));
    }
    if rules.precedence() == Precedence::HooksFirst {
        lines.push(paint(DIM, "  they judge calls only as hooks have rewritten them"));
    }
    lines
}

/// The rules for machines.
pub(super) fn as_value(rules: &Rules) -> Value {
    let of = |decision: Decision| -> Vec<Value> {
        rules.specs().iter().filter(|it| it.decision == decision).map(entry).collect()
    };
    let defaults = rules.defaults().iter();
    let defaults = defaults
        .map(|(layer, decision)| json!({ "decision": decision.name(), "scope": layer.name() }));
    json!({
        "deny": of(Decision::Deny),
        "ask": of(Decision::Ask),
        "allow": of(Decision::Allow),
        "guards": rules.guards().iter().map(|it| Guard::name(*it)).collect::<Vec<_>>(),
        "default": defaults.collect::<Vec<_>>(),
        "order": match rules.precedence() {
            Precedence::RulesFirst => "rules_first",
            Precedence::HooksFirst => "hooks_first",
        },
    })
}

fn entry(spec: &RuleSpec) -> Value {
    json!({
        "rule": spec.rule.to_string(),
        "reason": spec.reason,
        "scope": spec.layer.name(),
        "source": spec.origin.to_string(),
    })
}

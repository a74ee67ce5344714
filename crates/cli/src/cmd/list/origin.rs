//! Hooks and rules in the order in which they count, with where each was written.

use becket::core::hook::Hook;
use becket::trust::Review;
use becket::{Engine, EventKind, state};
use serde_json::{Value, json};

use super::{aligned, rules, state as state_of};
use crate::out::{self, STRONG, paint};

/// All of it, for people or machines.
pub(super) fn of(engine: &Engine, as_json: bool) -> String {
    let registry = engine.snapshot();
    let review = engine.review(state::folder().as_deref());
    let hooks: Vec<(usize, &Hook)> = (1..).zip(registry.hooks()).collect();
    if as_json {
        let hooks = hooks.iter().map(|(at, hook)| hook_value(*at, hook, &review));
        let all = json!({
            "hooks": hooks.collect::<Vec<_>>(),
            "rules": rules::as_value(registry.rules()),
            "withheld": withheld(&review).collect::<Vec<_>>(),
            "generation": registry.generation(),
        });
        return all.to_string();
    }
    let rows: Vec<[String; 7]> = hooks.iter().map(|(at, it)| hook_row(*at, it, &review)).collect();
    let mut lines = vec![paint(STRONG, "hooks, in the order in which they run"), aligned(&rows)];
    lines.extend(rules::story(registry.rules()));
    lines
        .extend(withheld(&review).map(|it| format!("  not approved: {}", out::one_line(&it, 120))));
    lines.retain(|it| !it.is_empty());
    lines.join("\n")
}

/// How a hook of a project stands; others need nobody's approval.
fn trust(hook: &Hook, review: &Review) -> &'static str {
    let spec = hook.spec();
    let named = |key: &str| key.strip_prefix("hook ").is_some_and(|it| it.ends_with(&spec.name));
    let item = review.items.iter().find(|it| it.origin == spec.origin && named(&it.key));
    item.map_or("not needed", |it| it.standing.name())
}

/// What a project wants to allow and nobody has approved.
fn withheld(review: &Review) -> impl Iterator<Item = String> {
    let grants = review.pending().filter_map(|it| it.entry.get("grant")?.as_str());
    grants.map(str::to_owned)
}

fn hook_row(at: usize, hook: &Hook, review: &Review) -> [String; 7] {
    let spec = hook.spec();
    let events: Vec<&str> = spec.events.iter().map(EventKind::name).collect();
    let cells = [
        format!("{at}."),
        spec.name.clone(),
        events.join(", "),
        format!("{}, {}", spec.layer.name(), spec.dialect.name()),
        state_of(hook).to_owned(),
        format!("trust: {}", trust(hook, review)),
        spec.origin.to_string(),
    ];
    cells.map(|cell| out::one_line(&cell, 120))
}

fn hook_value(at: usize, hook: &Hook, review: &Review) -> Value {
    let spec = hook.spec();
    json!({
        "position": at,
        "name": spec.name,
        "events": spec.events.iter().map(EventKind::name).collect::<Vec<_>>(),
        "scope": spec.layer.name(),
        "dialect": spec.dialect.name(),
        "order": spec.order,
        "state": state_of(hook),
        "trust": trust(hook, review),
        "file": spec.origin.file.display().to_string(),
        "line": spec.origin.line,
    })
}

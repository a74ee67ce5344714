//! The page of decisions, effects and failures.

use becket_core::decision::{Decision, EffectKind};
use becket_core::dialect::Dialect;
use becket_core::event::EventKind;
use becket_core::verdict::FailureKind;

use super::markdown::{self, code, codes, documented, section};

const DECISION: &str = include_str!("../../../crates/core/src/decision.rs");
const VERDICT: &str = include_str!("../../../crates/core/src/verdict.rs");

pub(super) fn page() -> String {
    let intro = "What an outcome may say, in the words of `becket fire --json`.";
    markdown::page("Decisions, effects, failures", "`crates/core/src/decision.rs`", intro)
        + &decisions()
        + &effects()
        + &failures()
}

fn decisions() -> String {
    let rows = meanings(DECISION, "pub enum Decision", &Decision::ALL.map(Decision::name));
    let intro = "From weakest to strongest. Of several answers the strongest counts, so no hook can lift \
what another one refuses.";
    section("Decisions", intro, &["decision", "meaning"], &rows)
}

fn effects() -> String {
    let names = EffectKind::ALL.map(EffectKind::name);
    let mut rows = meanings(DECISION, "pub enum EffectKind", &names);
    for (row, effect) in rows.iter_mut().zip(EffectKind::ALL) {
        row.push(codes(events_with(effect).iter().map(String::as_str)));
    }
    let intro = "What the harness must do, from weakest to strongest. Which one a block has depends on the \
event and on the dialect of the hook: see [events](events.md). `stop_loop` is what a hook's \
`continue: false` does.";
    section("Effects", intro, &["effect", "meaning", "a block of"], &rows)
}

fn failures() -> String {
    let rows = meanings(VERDICT, "pub enum FailureKind", &FailureKind::ALL.map(FailureKind::name));
    let intro = "Why a hook has no verdict of its own. What that means for the event is the policy of the \
hook, or else of its dialect: see [profiles](profiles.md).";
    section("Failures", intro, &["kind", "meaning"], &rows)
}

/// The names beside what their source says about them. Both are in the order of declaration.
fn meanings(source: &str, item: &str, names: &[&str]) -> Vec<Vec<String>> {
    let documented = documented(source, item);
    names.iter().zip(documented).map(|(name, (_, meaning))| vec![code(name), meaning]).collect()
}

/// The events of which a block has this effect in some dialect.
fn events_with(effect: EffectKind) -> Vec<String> {
    let has = |kind: &&EventKind| {
        let mut dialects = Dialect::ALL.into_iter().filter(|it| kind.name_in(*it).is_some());
        dialects.any(|dialect| kind.block_in(dialect, |_| None) == Some(effect))
    };
    EventKind::KNOWN.iter().filter(has).map(|kind| kind.name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{DECISION, VERDICT, documented};
    use becket_core::decision::{Decision, EffectKind};
    use becket_core::verdict::FailureKind;

    #[test]
    fn names_and_meanings_belong_together() {
        let names = |source, item| documented(source, item).into_iter().map(|row| row.0);
        let debug = |it: &dyn std::fmt::Debug| format!("{it:?}");
        assert!(names(DECISION, "pub enum Decision").eq(Decision::ALL.iter().map(|it| debug(it))));
        assert!(
            names(DECISION, "pub enum EffectKind").eq(EffectKind::ALL.iter().map(|it| debug(it)))
        );
        assert!(
            names(VERDICT, "pub enum FailureKind").eq(FailureKind::ALL.iter().map(|it| debug(it)))
        );
    }
}

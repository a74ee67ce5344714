//! The one ordering that decides who wins, and what a block does to the loop.

/// An answer to "may this go ahead?".
///
/// The variants are ordered from weakest to strongest, and combining answers
/// means taking the strongest. That a hook's `Allow` cannot lift a rule's `Deny`
/// is therefore not a check somebody has to remember: it is what `max` does.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Decision {
    /// Nobody had an opinion; the harness does what it would have done.
    #[default]
    Pass,
    /// Go ahead without asking.
    Allow,
    /// Ask a person.
    Ask,
    /// Do not go ahead.
    Deny,
}

impl Decision {
    /// Every decision, weakest first.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Allow, Self::Ask, Self::Deny];

    /// Combines two answers.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// The word for it in output and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What a block does. The same word means different things in different systems, so it is typed.
///
/// Ordered from weakest to strongest: what decides the run stands above what
/// decides one step of it.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum EffectKind {
    /// A config change, elicitation, worktree, task or model switch does not happen.
    Refuse,
    /// The context stays as it is.
    SkipCompaction,
    /// The summary is thrown away and the context stays as it was.
    DiscardCompaction,
    /// What the tool returned is replaced by an error.
    FailTool,
    /// The prompt never reaches the model.
    RejectPrompt,
    /// The tool does not run; the model is told why.
    DenyTool,
    /// The loop goes on although it wanted to stop.
    ContinueLoop,
    /// The loop ends cleanly.
    StopLoop,
    /// The run fails.
    FailRun,
}

impl EffectKind {
    /// Every effect, weakest first.
    pub const ALL: [Self; 9] = [
        Self::Refuse,
        Self::SkipCompaction,
        Self::DiscardCompaction,
        Self::FailTool,
        Self::RejectPrompt,
        Self::DenyTool,
        Self::ContinueLoop,
        Self::StopLoop,
        Self::FailRun,
    ];

    /// The word for it in output and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::SkipCompaction => "skip_compaction",
            Self::DiscardCompaction => "discard_compaction",
            Self::FailTool => "fail_tool",
            Self::RejectPrompt => "reject_prompt",
            Self::DenyTool => "deny_tool",
            Self::ContinueLoop => "continue_loop",
            Self::StopLoop => "stop_loop",
            Self::FailRun => "fail_run",
        }
    }

    /// Whether it decides what becomes of the run, rather than of one step.
    const fn decides_the_run(self) -> bool {
        match self {
            Self::ContinueLoop | Self::StopLoop | Self::FailRun => true,
            Self::Refuse
            | Self::SkipCompaction
            | Self::DiscardCompaction
            | Self::FailTool
            | Self::RejectPrompt
            | Self::DenyTool => false,
        }
    }
}

/// One thing the harness must do, with what to say about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Effect {
    /// What to do.
    pub kind: EffectKind,
    /// The message to go on with, or the reason to stop.
    pub text: Option<String>,
}

impl Effect {
    /// An effect that needs no words of its own.
    pub const fn of(kind: EffectKind) -> Self {
        Self { kind, text: None }
    }

    /// Adds an effect to a list that stays sorted, strongest first.
    ///
    /// A run cannot both fail, stop and go on: of those, the strongest stays. An
    /// effect that is already there keeps the text it came with.
    pub fn merge(effects: &mut Vec<Self>, new: Self) {
        if effects.iter().any(|it| it.kind == new.kind) {
            return;
        }
        effects.push(new);
        effects.sort_by_key(|effect| std::cmp::Reverse(effect.kind));
        let mut run_is_decided = false;
        effects.retain(|effect| {
            let rival = effect.kind.decides_the_run();
            let keep = !(rival && run_is_decided);
            run_is_decided |= rival;
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Effect, EffectKind};
    use proptest::prelude::*;
    use proptest::sample::select;

    fn any_decision() -> impl Strategy<Value = Decision> {
        select(&Decision::ALL[..])
    }

    fn kinds(effects: &[EffectKind]) -> Vec<EffectKind> {
        let mut merged = Vec::new();
        for kind in effects {
            Effect::merge(&mut merged, Effect::of(*kind));
        }
        merged.into_iter().map(|effect| effect.kind).collect()
    }

    proptest! {
        #[test]
        fn order_of_hooks_never_matters(a in any_decision(), b in any_decision(), c in any_decision()) {
            prop_assert_eq!(a.and(b), b.and(a));
            prop_assert_eq!(a.and(b).and(c), a.and(b.and(c)));
            prop_assert_eq!(a.and(a), a);
        }

        #[test]
        fn one_more_hook_never_loosens(a in any_decision(), b in any_decision()) {
            prop_assert!(a <= a.and(b));
        }

        #[test]
        fn effects_do_not_depend_on_who_came_first(
            effects in proptest::collection::vec(select(&EffectKind::ALL[..]), 0..9),
            seed in any::<prop::sample::Index>(),
        ) {
            let mut turned = effects.clone();
            if !turned.is_empty() {
                turned.rotate_left(seed.index(effects.len()));
                turned.reverse();
            }
            prop_assert_eq!(kinds(&effects), kinds(&turned));
        }
    }

    #[test]
    fn a_run_that_fails_does_not_also_stop_or_go_on() {
        use EffectKind::{ContinueLoop, DenyTool, FailRun, StopLoop};
        assert_eq!(kinds(&[DenyTool, StopLoop, FailRun, ContinueLoop]), [FailRun, DenyTool]);
        assert_eq!(kinds(&[DenyTool, StopLoop]), [StopLoop, DenyTool]);
    }
}

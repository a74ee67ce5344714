//! What one hook meant, or why it has no meaning.

use std::fmt;

use crate::decision::Decision;
use crate::patch::Patch;

/// One hook's contribution to the outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Its answer to "may this go ahead?".
    pub decision: Decision,
    /// Why, for the model or the person.
    pub reason: Option<String>,
    /// Whether the whole run is to end, and why.
    pub stop: Option<Stop>,
    /// Rewrites it asks for.
    pub patches: Vec<Patch>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the person.
    pub messages: Vec<String>,
    /// What else it asks of the harness, by name.
    pub extras: serde_json::Map<String, serde_json::Value>,
    /// Whether its raw output is to be hidden.
    pub hide_output: bool,
    /// The object it answered with, if it was one.
    pub answer: Option<serde_json::Value>,
    /// What the reader of its answer wants known.
    pub remarks: Vec<Remark>,
}

/// The wish that the run ends.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Stop {
    /// Why.
    pub reason: Option<String>,
}

/// Something about an answer that its author would want to know.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Remark {
    /// A stable code such as `deny_with_bad_exit`.
    pub code: &'static str,
    /// One sentence.
    pub text: String,
}

impl Verdict {
    /// The verdict of a hook that refuses.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, reason: Some(reason.into()), ..Self::default() }
    }

    /// Whether it refuses, asks or stops: what must survive every mishap around it.
    pub fn objects(&self) -> bool {
        self.decision >= Decision::Ask || self.stop.is_some()
    }
}

/// Why a hook has no verdict.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Of what kind.
    pub kind: FailureKind,
    /// What happened, as a lowercase fragment.
    pub message: String,
    /// What the hook itself said, where its dialect tells that as the reason.
    pub said: Option<String>,
    /// How far it reaches.
    pub reach: Reach,
}

/// How far a failure reaches.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Reach {
    /// As far as the hook's policy says.
    #[default]
    Policy,
    /// The event does not go ahead, whatever the policy: the original lets the exception escape.
    Event,
    /// The run ends, for the same reason, where the event itself cannot be blocked.
    Run,
}

impl Failure {
    /// A failure with its message.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), said: None, reach: Reach::Policy }
    }

    /// The same, with what the hook itself said about it; nothing is not a reason.
    #[must_use]
    pub fn saying(self, said: impl Into<String>) -> Self {
        let said = said.into();
        Self { said: (!said.is_empty()).then_some(said), ..self }
    }
}

/// The kinds of failure, kept apart everywhere.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum FailureKind {
    /// It could not be started.
    NotStarted,
    /// It took longer than it may.
    TimedOut,
    /// A signal ended it.
    Signalled,
    /// It ended with a code, or answered with a status, that its dialect calls an error.
    BadExit,
    /// It answered, but not in its dialect.
    BadOutput,
    /// The other side could not be talked to.
    Unreachable,
    /// Policy does not let it run.
    Refused,
    /// Its answer does not fit the bounds.
    TooLarge,
    /// It was ended because its answer was no longer needed.
    Cancelled,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::NotStarted,
        Self::TimedOut,
        Self::Signalled,
        Self::BadExit,
        Self::BadOutput,
        Self::Unreachable,
        Self::Refused,
        Self::TooLarge,
        Self::Cancelled,
    ];

    /// The word for it in output and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotStarted => "not_started",
            Self::TimedOut => "timed_out",
            Self::Signalled => "signalled",
            Self::BadExit => "bad_exit",
            Self::BadOutput => "bad_output",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::TooLarge => "too_large",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the failure of a hook means for the event.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum OnFailure {
    /// Carry on as if the hook did not exist, and say so.
    #[default]
    Allow,
    /// Ask a person.
    Ask,
    /// Treat the failure as a refusal.
    Deny,
}

/// A verdict, with the failure it stands in for.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// What counts.
    pub verdict: Verdict,
    /// Why the hook itself had nothing to say.
    pub failure: Option<Failure>,
}

impl OnFailure {
    /// The word for it in configuration and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Turns "no verdict" into a verdict. The only place where this is decided.
    pub fn settle(self, verdict: Result<Verdict, Failure>) -> Settled {
        let failure = match verdict {
            Ok(verdict) => return Settled { verdict, failure: None },
            Err(failure) => failure,
        };
        let decision = match (failure.reach, self) {
            // Its answer was not needed any more, so there is nothing to settle.
            _ if failure.kind == FailureKind::Cancelled => Decision::Pass,
            (Reach::Policy, Self::Allow) | (Reach::Run, _) => Decision::Pass,
            (Reach::Policy, Self::Ask) => Decision::Ask,
            (Reach::Policy, Self::Deny) | (Reach::Event, _) => Decision::Deny,
        };
        let why = failure.said.as_ref().unwrap_or(&failure.message);
        let reason = (decision != Decision::Pass).then(|| why.clone());
        let stop = (failure.reach == Reach::Run).then(|| Stop { reason: Some(why.clone()) });
        Settled {
            verdict: Verdict { decision, reason, stop, ..Verdict::default() },
            failure: Some(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Failure, FailureKind, OnFailure, Verdict};
    use proptest::prelude::*;
    use proptest::sample::select;

    proptest! {
        #[test]
        fn a_failure_is_never_an_allow(
            kind in select(&FailureKind::ALL[..]),
            policy in select(&[OnFailure::Allow, OnFailure::Ask, OnFailure::Deny][..]),
        ) {
            let settled = policy.settle(Err(Failure::new(kind, "it broke")));
            prop_assert_ne!(settled.verdict.decision, Decision::Allow);
            prop_assert_eq!(settled.failure.map(|it| it.kind), Some(kind));
        }

        #[test]
        fn a_received_verdict_is_never_changed_by_policy(
            policy in select(&[OnFailure::Allow, OnFailure::Ask, OnFailure::Deny][..]),
            decision in select(&Decision::ALL[..]),
        ) {
            let verdict = Verdict { decision, ..Verdict::default() };
            prop_assert_eq!(policy.settle(Ok(verdict.clone())).verdict, verdict);
        }
    }
}

//! From many verdicts to the one thing the harness must do.

mod note;
mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::decision::{Decision, Effect};
use crate::event::{Event, ToolCall};
use crate::hook::Hook;
use crate::patch::Scope;
use crate::registry::{HookId, Registry};
use crate::reply::Reply;
use crate::rule::Call;
use crate::rules::Judgement;
use crate::skip::{Skip, why_not};
use crate::verdict::{FailureKind, OnFailure, Settled};

pub use self::note::Note;
pub use self::tally::Tally;

/// What the harness must do about an event.
#[derive(Debug)]
#[must_use = "an outcome that nobody looks at blocks nothing"]
#[non_exhaustive]
pub struct Outcome {
    /// The event after every permitted rewrite.
    pub event: Event,
    /// May it go ahead?
    pub decision: Decision,
    /// Everything the harness must do, strongest first.
    pub effects: Vec<Effect>,
    /// Why, in configured order.
    pub reasons: Vec<Reason>,
    /// What patches changed: the whole new value of each part.
    pub patched: BTreeMap<Scope, Value>,
    /// Text for the model, in configured order.
    pub context: Vec<String>,
    /// Text for the person, in configured order.
    pub messages: Vec<String>,
    /// What else hooks ask of the harness, by name, such as `session_title`.
    pub extras: Map<String, Value>,
    /// What went otherwise than a hook wished.
    pub notes: Vec<Note>,
    /// Which version of the configuration was in force.
    pub generation: u64,
    /// The id under which the journal keeps it; empty until the engine gives one.
    pub trace: String,
    pub(crate) runs: Vec<(HookId, Run)>,
    pub(crate) late_skips: Vec<(HookId, Skip)>,
    pub(crate) queued: Vec<HookId>,
    /// What the rewritten parts were before the first rewrite.
    pub originals: BTreeMap<Scope, Value>,
    /// What rules say about the call as it is to run.
    pub judgement: Judgement,
    /// Whether the permission was used.
    pub(crate) used: AtomicBool,
    pub(crate) registry: Arc<Registry>,
}

/// One reason for a decision.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reason {
    /// Who gave it.
    pub by: Author,
    /// What was said.
    pub text: String,
}

/// Who gave a reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Author {
    /// The hook of this name.
    Hook(String),
    /// This rule.
    Rule(String),
}

impl Author {
    /// The name of the hook, or the rule as written.
    pub fn name(&self) -> &str {
        match self {
            Self::Hook(name) | Self::Rule(name) => name,
        }
    }
}

impl Reason {
    /// A hook's reason.
    pub fn from_hook(hook: impl Into<String>, text: impl Into<String>) -> Self {
        Self { by: Author::Hook(hook.into()), text: text.into() }
    }

    /// What a rule says.
    pub fn from_rule(rule: impl Into<String>, text: impl Into<String>) -> Self {
        Self { by: Author::Rule(rule.into()), text: text.into() }
    }
}

/// How one hook went.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What it gave back.
    pub reply: Reply,
    /// What that was taken to mean.
    pub settled: Settled,
    /// How long it took.
    pub took: Duration,
}

/// What became of one hook.
#[derive(Clone, Debug, PartialEq)]
pub enum State<'o> {
    /// It ran.
    Ran(&'o Run),
    /// It was started, and nobody waits for it.
    Queued,
    /// It did not run.
    Skipped(Skip),
}

impl Outcome {
    /// Whether the event may go ahead as far as hooks are concerned.
    pub fn is_blocked(&self) -> bool {
        !self.effects.is_empty()
    }

    /// How many hooks failed and were passed over because their policy says so.
    pub fn failed_open(&self) -> usize {
        let open = |note: &&Note| match note {
            Note::Failed { policy: OnFailure::Allow, kind, .. } => *kind != FailureKind::Cancelled,
            _ => false,
        };
        self.notes.iter().filter(open).count()
    }

    /// Whether this very call may run now, once.
    ///
    /// A permission belongs to the call it was given for: the same tool, the same id and the input
    /// as the hooks left it. Files may have changed since, so rules look again. The second time
    /// the answer is no, so that one permission is not used for two calls.
    pub fn permits(&self, call: &ToolCall<'_>) -> bool {
        let same = self.event.tool_call().is_some_and(|it| it == *call);
        if !same || self.is_blocked() || self.decision > Decision::Allow {
            return false;
        }
        let now = Call::of(&self.event).map(|call| self.registry.rules().judge(&call));
        let holds = now.is_some_and(|now| {
            let still = self.judgement.allowed_by.is_none() || now.allowed_by.is_some();
            now.decision <= Decision::Allow && still
        });
        holds && !self.used.swap(true, Ordering::Relaxed)
    }

    /// The hooks that were in force.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// How the hooks that ran went, in the order in which they ran.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().map(|(_, run)| run)
    }

    /// What became of every hook registered for this event, in configured order.
    ///
    /// Reasons for staying out are worked out here, when somebody wants to know: an
    /// event that matches none of ten thousand hooks does not pay for them.
    pub fn hooks(&self) -> Vec<(&Hook, State<'_>)> {
        let state = |id, hook| {
            if let Some((_, run)) = self.runs.iter().find(|it| it.0 == id) {
                return State::Ran(run);
            }
            if self.queued.contains(&id) {
                return State::Queued;
            }
            let late = self.late_skips.iter().find(|it| it.0 == id).map(|it| it.1.clone());
            State::Skipped(late.or_else(|| why_not(hook, &self.event)).unwrap_or(Skip::Before))
        };
        self.registry
            .hooks_for(self.event.kind())
            .map(|(id, hook)| (hook, state(id, hook)))
            .collect()
    }
}

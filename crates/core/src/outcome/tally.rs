//! An outcome in the making.

mod permission;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};

use super::{Note, Outcome, Reason, Run};
use crate::decision::{Decision, Effect, EffectKind};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::hook::{Group, Hook, Layer, Mode};
use crate::patch::{Capability, Change, MergeRule, Patch, Scope, changed_places};
use crate::profile::ReasonPick;
use crate::registry::{HookId, Registry, why_refused};
use crate::reply::Reply;
use crate::rules::{Judgement, Precedence};
use crate::skip::Skip;
use crate::verdict::{OnFailure, Verdict};

/// Collects verdicts in configured order.
#[derive(Debug)]
pub struct Tally {
    outcome: Outcome,
    /// The hooks that blocked, each with the group it stands in.
    blockers: Vec<(Group, String)>,
    /// Texts that go into a model request once every hook has spoken.
    afterwards: Vec<String>,
    /// Who last rewrote which place, and with what.
    writers: BTreeMap<(Scope, String), (String, Value)>,
    asked: Option<EffectKind>,
    /// The tombstones that answer, by their place in the registry.
    missing: BTreeMap<usize, Decision>,
    /// Whether the rules had their last word.
    concluded: bool,
    /// The strongest layer of a hook that allows.
    allowed_by: Option<Layer>,
}

impl Tally {
    /// Starts with an event about which nothing has been said yet.
    pub fn new(registry: Arc<Registry>, event: Event) -> Self {
        let notes = registry.refused().iter().map(|it| Note::NotInForce { text: why_refused(it) });
        let outcome = Outcome {
            decision: Decision::Pass,
            effects: Vec::new(),
            reasons: Vec::new(),
            patched: BTreeMap::new(),
            context: Vec::new(),
            messages: Vec::new(),
            extras: Map::new(),
            notes: notes.collect(),
            generation: registry.generation(),
            trace: String::new(),
            runs: Vec::new(),
            late_skips: Vec::new(),
            queued: Vec::new(),
            originals: BTreeMap::new(),
            judgement: Judgement::default(),
            used: AtomicBool::new(false),
            event,
            registry,
        };
        let mut tally = Self {
            outcome,
            blockers: Vec::new(),
            afterwards: Vec::new(),
            writers: BTreeMap::new(),
            asked: None,
            missing: BTreeMap::new(),
            concluded: false,
            allowed_by: None,
        };
        if tally.outcome.registry.rules().precedence() == Precedence::RulesFirst {
            tally.judge();
        }
        tally.look_for_missing();
        tally
    }

    /// The event as rewritten so far.
    pub fn event(&self) -> &Event {
        &self.outcome.event
    }

    /// The hook because of which this one is not called any more.
    ///
    /// A block ends its own group. In other groups it ends those that would rewrite what is
    /// refused; the others still see it.
    pub(crate) fn blocker_of(&self, hook: &Hook) -> Option<&str> {
        let own = self.blockers.iter().find(|(group, _)| *group == hook.group());
        let any =
            || self.blockers.first().filter(|_| hook.would_rewrite(self.outcome.event.kind()));
        own.or_else(any).map(|(_, name)| name.as_str())
    }

    /// The last hook that ran.
    pub(crate) fn last_run(&self) -> Option<HookId> {
        self.outcome.runs.iter().map(|(id, _)| *id).chain(self.outcome.queued.iter().copied()).max()
    }

    /// Says that a hook was started and nobody waits for it.
    pub fn queue(&mut self, id: HookId) {
        self.outcome.queued.push(id);
    }

    /// Leaves a hook out, with the reason.
    pub(crate) fn skip(&mut self, id: HookId, skip: Skip) {
        self.outcome.late_skips.push((id, skip));
    }

    /// Adds a note.
    pub fn note(&mut self, note: Note) {
        self.outcome.notes.push(note);
    }

    /// Says how many hooks would run if somebody trusted them.
    pub(crate) fn note_untrusted(&mut self, count: usize) {
        if count > 0 {
            self.outcome.notes.push(Note::Untrusted { count });
        }
    }

    /// Says which hooks can never fire because their matcher is wrong.
    pub(crate) fn note_dead(&mut self, ids: &[HookId]) {
        let registry = Arc::clone(&self.outcome.registry);
        for hook in ids.iter().filter_map(|id| registry.hook(*id)) {
            if let Err(error) = hook.matcher().validate() {
                let text = format!("it can never fire: {}", error.message);
                let hook = hook.name().to_owned();
                self.outcome.notes.push(Note::Remark { hook, code: "never_fires", text });
            }
        }
    }

    /// Leaves out hooks of which there are too many; somebody should look.
    pub(crate) fn skip_beyond(&mut self, ids: &[HookId]) {
        if ids.is_empty() {
            return;
        }
        self.outcome.late_skips.extend(ids.iter().map(|id| (*id, Skip::TooMany)));
        let note = Note::TooManyHooks { beyond: ids.len() };
        let first = ids.first().and_then(|id| self.outcome.registry.hook(*id));
        let reason = first.map(|hook| Reason::from_hook(hook.name(), note.to_string()));
        self.outcome.reasons.extend(reason);
        self.outcome.notes.push(note);
        if self.outcome.event.block_in(Dialect::Becket).is_some() {
            self.outcome.decision = self.outcome.decision.and(Decision::Ask);
        }
    }

    /// Somebody called the event off: what can be refused is refused.
    pub fn call_off(&mut self) {
        let text = "the event was called off while hooks ran, so it counts as refused".to_owned();
        self.outcome.notes.push(Note::General { code: "called_off", text });
        if let Some(kind) = self.outcome.event.block_in(Dialect::Becket) {
            self.outcome.decision = Decision::Deny;
            Effect::merge(&mut self.outcome.effects, Effect::of(kind));
        }
    }

    /// Adds one hook's run.
    pub fn absorb(&mut self, id: HookId, run: Run) {
        let registry = Arc::clone(&self.outcome.registry);
        let Some(hook) = registry.hook(id) else { return };
        if let Reply::ConditionFalse { code } = run.reply {
            let condition = hook.spec().condition.clone().unwrap_or_default();
            self.skip(id, Skip::Condition { condition, code });
            return;
        }
        let mode = hook.mode(&self.outcome.event);
        self.note_run(hook, &run, mode);
        let verdict = run.settled.verdict.clone();
        self.outcome.runs.push((id, run));
        if mode != Mode::Enforce {
            return self.observe(hook, mode, verdict);
        }
        let effects = (self.decide(hook, &verdict), self.stop(hook, &verdict));
        if effects.0 || effects.1 {
            self.blockers.push((hook.group(), hook.name().to_owned()));
        }
        if self.outcome.decision < Decision::Deny || hook.profile().patch.anywhere {
            for patch in verdict.patches {
                self.rewrite(hook, patch);
            }
        } else if !verdict.patches.is_empty() {
            self.outcome.notes.push(Note::PatchMoot { hook: hook.name().to_owned() });
        }
        self.outcome.context.extend(verdict.context);
        self.outcome.messages.extend(verdict.messages);
        for (name, value) in verdict.extras {
            self.ask_more(hook, name, value);
        }
    }

    /// Takes a wish into account that is neither decision nor rewrite. Lists are joined; of other
    /// values the later one stands.
    fn ask_more(&mut self, hook: &Hook, name: String, value: Value) {
        match (self.outcome.extras.get_mut(&name), value) {
            (Some(Value::Array(all)), Value::Array(more)) => all.extend(more),
            (Some(earlier), value) if *earlier != value => {
                let text = format!("`{name}` was {earlier}; it is {value} now, as this hook says");
                let hook = hook.name().to_owned();
                self.outcome.notes.push(Note::Remark { hook, code: "extra_conflict", text });
                *earlier = value;
            }
            (Some(_), _) => (),
            (None, value) => {
                self.outcome.extras.insert(name, value);
            }
        }
    }

    /// Tells what a hook would have done that is not to count yet.
    fn observe(&mut self, hook: &Hook, mode: Mode, verdict: Verdict) {
        let told = mode == Mode::Warn;
        for (code, did) in would(hook, &self.outcome.event, &verdict) {
            let text = format!("it is not enforced and would have {did}");
            let name = hook.name().to_owned();
            if told {
                self.outcome.messages.push(format!("`{name}` would have {did}"));
            }
            self.outcome.notes.push(Note::Remark { hook: name, code, text });
        }
        if told {
            self.outcome.context.extend(verdict.context);
            self.outcome.messages.extend(verdict.messages);
        }
    }

    /// The finished outcome. Without a person to ask, asking is refusing.
    pub fn finish(mut self, headless: bool) -> Outcome {
        self.conclude();
        if headless && self.outcome.decision == Decision::Ask {
            self.outcome.notes.push(Note::AskedHeadless);
            self.refuse_what_is_asked();
        }
        self.outcome
    }

    fn note_run(&mut self, hook: &Hook, run: &Run, mode: Mode) {
        let name = || hook.name().to_owned();
        let notes = &mut self.outcome.notes;
        if let (limit, true) = hook.timeout(self.outcome.event.kind()) {
            notes.push(Note::DefaultTimeout { hook: name(), limit });
        }
        if let Some(failure) = &run.settled.failure {
            let policy = match run.settled.verdict.decision {
                _ if mode != Mode::Enforce => OnFailure::Allow,
                Decision::Pass | Decision::Allow => OnFailure::Allow,
                Decision::Ask => OnFailure::Ask,
                Decision::Deny => OnFailure::Deny,
            };
            let message = failure.message.clone();
            notes.push(Note::Failed { hook: name(), kind: failure.kind, message, policy });
        }
        let truncated = match &run.reply {
            Reply::Exited { stdout, stderr, .. } | Reply::TimedOut { stdout, stderr, .. } => {
                stdout.truncated || stderr.truncated
            }
            Reply::Http { body, .. } | Reply::CutOff { body, .. } => body.truncated,
            Reply::Text { .. }
            | Reply::NotAsked
            | Reply::InProcess(_)
            | Reply::ConditionFalse { .. }
            | Reply::Failed(_) => false,
        };
        if truncated {
            notes.push(Note::Truncated { hook: name() });
        }
        if let Reply::Exited { stdout, stderr, .. } = &run.reply
            && (stdout.held || stderr.held)
        {
            notes.push(Note::LeftBehind { hook: name() });
        }
        for text in &hook.spec().notes {
            notes.push(Note::Remark { hook: name(), code: "compat", text: text.clone() });
        }
        for remark in &run.settled.verdict.remarks {
            notes.push(Note::Remark { hook: name(), code: remark.code, text: remark.text.clone() });
        }
    }

    /// Takes a decision into account; true when it blocks.
    fn decide(&mut self, hook: &Hook, verdict: &Verdict) -> bool {
        if verdict.decision < Decision::Ask {
            let decision = self.grant(hook, verdict.decision);
            self.outcome.decision = self.outcome.decision.and(decision);
            return false;
        }
        let Some(kind) = self.outcome.event.block_in(hook.spec().dialect) else {
            let event = self.outcome.event.kind().name().to_owned();
            self.outcome.notes.push(Note::CannotBlock { hook: hook.name().to_owned(), event });
            return false;
        };
        self.outcome.decision = self.outcome.decision.and(verdict.decision);
        let text = verdict.reason.clone();
        let text = text.unwrap_or_else(|| format!("blocked by hook `{}`", hook.name()));
        let denies = verdict.decision == Decision::Deny;
        if denies {
            let told = matches!(kind, EffectKind::ContinueLoop | EffectKind::StopLoop);
            let message = told.then(|| text.clone());
            Effect::merge(&mut self.outcome.effects, Effect { kind, text: message });
        } else {
            self.asked = Some(self.asked.map_or(kind, |it| it.max(kind)));
        }
        self.give_reason(hook, text);
        denies
    }

    /// Takes the wish that the run ends into account; true when it does.
    fn stop(&mut self, hook: &Hook, verdict: &Verdict) -> bool {
        let Some(stop) = &verdict.stop else { return false };
        if !self.outcome.event.kind().can_stop() {
            let event = self.outcome.event.kind().name().to_owned();
            self.outcome.notes.push(Note::CannotStop { hook: hook.name().to_owned(), event });
            return false;
        }
        let effect = Effect { kind: EffectKind::StopLoop, text: stop.reason.clone() };
        Effect::merge(&mut self.outcome.effects, effect);
        if let Some(reason) = &stop.reason
            && verdict.decision < Decision::Ask
        {
            self.give_reason(hook, reason.clone());
        }
        true
    }

    fn give_reason(&mut self, hook: &Hook, text: String) {
        let reason = Reason::from_hook(hook.name(), text);
        match hook.profile().reason {
            ReasonPick::First => self.outcome.reasons.push(reason),
            ReasonPick::Last => self.outcome.reasons.insert(0, reason),
        }
    }

    fn rewrite(&mut self, hook: &Hook, patch: Patch) {
        let Patch { scope, change } = patch;
        let name = || hook.name().to_owned();
        let (declared, possible) = match &change {
            Change::Merge(_) => (
                hook.may(Capability::Rewrite(scope)),
                self.outcome.event.kind().rewrites().contains(&scope)
                    || hook.profile().patch.anywhere,
            ),
            // What a dialect does with its own texts needs no capability.
            Change::Annotate(_) => (true, true),
            Change::Blank => (hook.may(Capability::SuppressOutput), true),
        };
        match (possible, declared, change) {
            (false, _, _) => self.outcome.notes.push(Note::PatchImpossible { hook: name(), scope }),
            (true, false, _) => {
                self.outcome.notes.push(Note::PatchUndeclared { hook: name(), scope });
            }
            (true, true, Change::Annotate(texts)) if scope == Scope::ModelRequest => {
                self.afterwards.extend(texts);
            }
            (true, true, change) => self.write(scope, &change, Some(hook)),
        }
    }

    fn write(&mut self, scope: Scope, change: &Change, hook: Option<&Hook>) {
        let rule = hook.map_or(MergeRule::Replace, |hook| hook.profile().merge_rule(scope));
        let before = self.outcome.event.field(scope.field()).cloned().unwrap_or_default();
        let merged = change.apply(rule, scope, &before);
        let (Some(merged), name) = (merged, hook.map_or("", Hook::name)) else {
            if let Some(hook) = hook.filter(|_| matches!(change, Change::Merge(_))) {
                let part = "it is not an object".to_owned();
                self.outcome.notes.push(Note::PatchPartIgnored {
                    hook: hook.name().to_owned(),
                    scope,
                    part,
                });
            }
            return;
        };
        for part in merged.ignored {
            self.outcome.notes.push(Note::PatchPartIgnored { hook: name.to_owned(), scope, part });
        }
        if merged.value == before {
            return;
        }
        for (place, value) in changed_places(&before, &merged.value) {
            let then = (name.to_owned(), value);
            let first = self.writers.insert((scope, place.clone()), then.clone());
            if let Some(first) = first.filter(|it| it.0 != name) {
                let place = format!("{}{place}", scope.field());
                self.outcome.notes.push(Note::PatchConflict { place, first, then });
            }
        }
        self.outcome.originals.entry(scope).or_insert(before);
        self.outcome.patched.insert(scope, merged.value.clone());
        self.outcome.event.rewrite(scope, merged.value);
    }
}

/// What a verdict would have come to, as codes and as the end of a sentence.
fn would(hook: &Hook, event: &Event, verdict: &Verdict) -> Vec<(&'static str, String)> {
    let because = |reason: Option<&String>| reason.map_or(String::new(), |it| format!(": {it}"));
    let blocks = event.block_in(hook.spec().dialect).is_some();
    let mut would = Vec::new();
    let reason = because(verdict.reason.as_ref());
    match verdict.decision {
        Decision::Deny if blocks => would.push(("would_deny", format!("refused this{reason}"))),
        Decision::Ask if blocks => would.push(("would_ask", format!("had a person asked{reason}"))),
        Decision::Deny | Decision::Ask | Decision::Allow | Decision::Pass => (),
    }
    if let Some(stop) = verdict.stop.as_ref().filter(|_| event.kind().can_stop()) {
        let reason = because(stop.reason.as_ref());
        would.push(("would_stop", format!("ended the run{reason}")));
    }
    let rewrites = verdict.patches.iter().filter(|it| matches!(it.change, Change::Merge(_)));
    for patch in rewrites.filter(|it| hook.may(Capability::Rewrite(it.scope))) {
        would.push(("would_rewrite", format!("rewritten `{}`", patch.scope.field())));
    }
    would
}

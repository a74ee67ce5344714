//! The part of rules and of a person in an outcome.

use std::sync::Arc;

use super::Tally;
use crate::decision::{Decision, Effect};
use crate::dialect::{Compat, Dialect};
use crate::event::Event;
use crate::hook::{Handler, Hook};
use crate::outcome::{Note, Reason};
use crate::patch::{Change, Scope};
use crate::rule::Call;
use crate::rules::{Precedence, Rules};

impl Tally {
    /// Lets the rules have the last word, once every hook has spoken.
    pub fn conclude(&mut self) {
        if std::mem::replace(&mut self.concluded, true) {
            return;
        }
        if !self.afterwards.is_empty() {
            let patch = Change::Annotate(std::mem::take(&mut self.afterwards));
            self.write(Scope::ModelRequest, &patch, None);
        }
        let rules = Arc::clone(self.outcome.registry.rules());
        let rewritten = self.outcome.patched.contains_key(&Scope::ToolInput);
        if rewritten || rules.precedence() == Precedence::HooksFirst {
            self.judge();
        }
        if rewritten {
            self.look_for_missing();
        }
        self.answer_for_missing();
        self.fall_back(&rules);
    }

    /// Whether a person is to be asked, and what for.
    pub fn question(&self) -> Option<(&Event, &[Reason])> {
        (self.outcome.decision == Decision::Ask)
            .then_some((&self.outcome.event, self.outcome.reasons.as_slice()))
    }

    /// Takes the answer of the person who was asked: they have the last word where nothing refuses.
    pub fn answer(&mut self, answer: Result<(), Option<String>>) {
        if self.outcome.decision != Decision::Ask {
            return;
        }
        match answer {
            Ok(()) => {
                self.outcome.decision = Decision::Allow;
                let text = "a person was asked and allowed it".to_owned();
                self.outcome.notes.push(Note::General { code: "person_allowed", text });
            }
            Err(why) => {
                let text = why.unwrap_or_else(|| "a person was asked and refused".to_owned());
                self.outcome.reasons.insert(0, Reason::from_rule("person", text));
                self.refuse_what_is_asked();
            }
        }
    }

    pub(super) fn refuse_what_is_asked(&mut self) {
        self.outcome.decision = Decision::Deny;
        if let Some(kind) = self.asked.or(self.outcome.event.block_in(Dialect::Becket)) {
            Effect::merge(&mut self.outcome.effects, Effect::of(kind));
        }
    }

    /// Lets the rules speak about the call as it is now.
    pub(super) fn judge(&mut self) {
        let rules = Arc::clone(self.outcome.registry.rules());
        if rules.is_empty() || !self.outcome.event.asks_for_a_call() {
            return;
        }
        let Some(call) = Call::of(&self.outcome.event) else { return };
        let judgement = rules.judge(&call);
        if judgement.decision == Decision::Deny
            && self.outcome.decision < Decision::Deny
            && self.outcome.patched.contains_key(&Scope::ToolInput)
        {
            let text = "what a hook made of the call is what a rule refuses".to_owned();
            self.outcome.notes.push(Note::General { code: "patched_into_refusal", text });
        }
        for ground in judgement.grounds.iter().filter(|it| it.decision >= Decision::Ask) {
            let reason = Reason::from_rule(&ground.rule, &ground.text);
            if !self.outcome.reasons.contains(&reason) {
                self.outcome.reasons.push(reason);
            }
        }
        self.object(judgement.decision);
        self.outcome.judgement = judgement;
    }

    /// Finds the hooks that could not be loaded and may have had something to say about the event as it
    /// is now.
    pub(super) fn look_for_missing(&mut self) {
        let registry = Arc::clone(&self.outcome.registry);
        let answers = registry.tombstones().iter().map(|it| it.answer(&self.outcome.event));
        self.missing.extend((0..).zip(answers).filter_map(|(at, it)| Some((at, it?))));
    }

    /// Lets the tombstones answer for them, after those who could speak for themselves.
    fn answer_for_missing(&mut self) {
        let registry = Arc::clone(&self.outcome.registry);
        for (at, decision) in std::mem::take(&mut self.missing) {
            let Some(tombstone) = registry.tombstones().get(at) else { continue };
            let reason = Reason::from_hook(tombstone.name(), tombstone.reason());
            self.outcome.reasons.push(reason);
            self.object(decision);
        }
    }

    /// Where nothing else spoke, what the settings say for that case.
    fn fall_back(&mut self, rules: &Rules) {
        if self.outcome.decision > Decision::Allow || !self.outcome.event.asks_for_a_call() {
            return;
        }
        let by_rule = self.outcome.judgement.allowed_by;
        let allowed_by = by_rule.into_iter().chain(self.allowed_by).min();
        let Some((layer, decision)) = rules.default_beyond(allowed_by) else { return };
        if decision >= Decision::Ask {
            let text = format!(
                "no rule allows it, and the {} default is {}",
                layer.name(),
                decision.name()
            );
            self.outcome.reasons.push(Reason::from_rule("default", text));
        }
        self.object(decision);
    }

    /// Takes a decision that no hook made into account.
    fn object(&mut self, decision: Decision) {
        self.outcome.decision = self.outcome.decision.and(decision);
        let Some(kind) = self.outcome.event.block_in(Dialect::Becket) else { return };
        match decision {
            Decision::Pass | Decision::Allow => (),
            Decision::Ask => self.asked = Some(self.asked.map_or(kind, |it| it.max(kind))),
            Decision::Deny => Effect::merge(&mut self.outcome.effects, Effect::of(kind)),
        }
    }

    /// What a permission is worth: a model may refuse or ask, and never grant.
    pub(super) fn grant(&mut self, hook: &Hook, decision: Decision) -> Decision {
        if decision < Decision::Allow {
            return decision;
        }
        let is_model =
            matches!(hook.spec().handler, Handler::Prompt { .. } | Handler::Agent { .. });
        if is_model && hook.spec().compat == Compat::Safe {
            let text =
                "a model may refuse or ask, and never grant: its permission counts as no opinion";
            let hook = hook.name().to_owned();
            self.outcome.notes.push(Note::Remark {
                hook,
                code: "model_grants",
                text: text.to_owned(),
            });
            return Decision::Pass;
        }
        let layer = hook.spec().layer;
        self.allowed_by = Some(self.allowed_by.map_or(layer, |it| it.min(layer)));
        decision
    }
}

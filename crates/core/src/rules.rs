//! All rules in force, and what they say about one call.
//!
//! Refusing looks through every disguise and takes doubt for a question; allowing needs proof.
//! Strong layers bind weak ones: what a weak layer allows lifts no default of a stronger one.

use crate::decision::Decision;
use crate::diagnostic::Origin;
use crate::hook::Layer;
use crate::rule::{Call, Hit, Rule, nonsense};

/// A rule as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSpec {
    /// The rule.
    pub rule: Rule,
    /// What it says about what it hits: allow, ask or deny.
    pub decision: Decision,
    /// What to tell whoever is refused, if the author says.
    pub reason: Option<String>,
    /// Who wrote it.
    pub layer: Layer,
    /// Where it was written.
    pub origin: Origin,
}

/// When rules judge a call that hooks may rewrite.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Precedence {
    /// As it was asked for, and again as rewritten; the stronger answer counts.
    #[default]
    RulesFirst,
    /// Only as rewritten.
    HooksFirst,
}

/// All rules in force.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    specs: Vec<RuleSpec>,
    /// What holds where nothing else does, by layer.
    defaults: Vec<(Layer, Decision)>,
    precedence: Precedence,
}

/// What the rules say about a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The strongest of what they say.
    pub decision: Decision,
    /// The strongest layer that allows it.
    pub allowed_by: Option<Layer>,
    /// Every rule that says something, strongest first.
    pub grounds: Vec<Ground>,
}

/// One rule's part in a judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// The rule as written.
    pub rule: String,
    /// What it says here: a rule that refuses asks where nobody can tell.
    pub decision: Decision,
    /// Why, for the model or the person.
    pub text: String,
    /// Where the rule was written.
    pub origin: Origin,
}

impl Rules {
    /// Puts rules in force.
    pub fn new(mut specs: Vec<RuleSpec>, precedence: Precedence) -> Self {
        specs.sort_by_key(|spec| (std::cmp::Reverse(spec.decision), spec.layer));
        Self { specs, defaults: Vec::new(), precedence }
    }

    /// Says what a layer wants where nothing else speaks.
    #[must_use]
    pub fn with_default(mut self, layer: Layer, decision: Decision) -> Self {
        self.defaults.push((layer, decision));
        self
    }

    /// Every rule, strongest decision first.
    pub fn specs(&self) -> &[RuleSpec] {
        &self.specs
    }

    /// What each layer wants where nothing else speaks.
    pub fn defaults(&self) -> &[(Layer, Decision)] {
        &self.defaults
    }

    /// When they judge.
    pub fn precedence(&self) -> Precedence {
        self.precedence
    }

    /// Whether there is nothing to judge by.
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty() && self.defaults.is_empty()
    }

    /// What they say about a call.
    pub fn judge(&self, call: &Call<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        if let Some(text) = self.makes_no_sense(call) {
            judgement.add(Ground {
                rule: "built in".to_owned(),
                decision: Decision::Deny,
                text,
                origin: Origin::default(),
            });
        }
        for spec in self.specs.iter().filter(|it| it.decision >= Decision::Ask) {
            judgement.extend(spec.objection(call));
        }
        for spec in self.specs.iter().filter(|it| it.decision == Decision::Allow) {
            if spec.rule.proves(call) {
                let by = judgement.allowed_by.map_or(spec.layer, |it| it.min(spec.layer));
                judgement.allowed_by = Some(by);
                judgement.add(spec.ground(Decision::Allow, None));
            }
        }
        judgement
    }

    /// What holds where neither rules nor hooks said anything that counts against it.
    ///
    /// An allow lifts the defaults of its own layer and of weaker ones.
    pub fn default_beyond(&self, allowed_by: Option<Layer>) -> Option<(Layer, Decision)> {
        let binding = self.defaults.iter().filter(|it| allowed_by.is_none_or(|by| by > it.0));
        binding.copied().max_by_key(|it| it.1)
    }

    /// A rule that a person wrote about such a tool makes values that mean nothing a refusal.
    fn makes_no_sense(&self, call: &Call<'_>) -> Option<String> {
        let concerned = |it: &RuleSpec| it.rule.reads_input() && it.rule.is_about(call.tool);
        self.specs.iter().any(concerned).then(|| nonsense(call))?.filter(|_| {
            let named = |it: &RuleSpec| it.decision == Decision::Allow && it.rule.proves(call);
            !self.specs.iter().any(named)
        })
    }
}

impl RuleSpec {
    fn objection(&self, call: &Call<'_>) -> Option<Ground> {
        match self.rule.hits(call) {
            Hit::No => None,
            Hit::Yes => Some(self.ground(self.decision, None)),
            Hit::Perhaps(why) => Some(self.ground(Decision::Ask, Some(why))),
        }
    }

    fn ground(&self, decision: Decision, doubt: Option<String>) -> Ground {
        let said = || match self.decision {
            Decision::Deny => format!("the rule `{}` denies it", self.rule),
            Decision::Ask => format!("the rule `{}` wants a person asked", self.rule),
            Decision::Allow | Decision::Pass => format!("the rule `{}` allows it", self.rule),
        };
        let text = match doubt {
            Some(why) => format!("the rule `{}` may apply: {why}", self.rule),
            None => self.reason.clone().unwrap_or_else(said),
        };
        Ground { rule: self.rule.to_string(), decision, text, origin: self.origin.clone() }
    }
}

impl Judgement {
    fn add(&mut self, ground: Ground) {
        self.decision = self.decision.and(ground.decision);
        self.grounds.push(ground);
    }

    fn extend(&mut self, grounds: impl IntoIterator<Item = Ground>) {
        grounds.into_iter().for_each(|ground| self.add(ground));
    }
}

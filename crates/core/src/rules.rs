//! All rules in force, and what they say about one call.
//!
//! Refusing looks through every disguise and takes doubt for a question; allowing needs proof.
//! Strong layers bind weak ones: what a weak layer allows lifts no default of a stronger one.

mod account;

use crate::decision::Decision;
use crate::diagnostic::Origin;
use crate::guard;
use crate::hook::Layer;
use crate::rule::{Call, Hit, Rule, nonsense};
use crate::shell::judge::{self, Proof};
use crate::shell::pattern::CommandPattern;

pub use self::account::{Account, Part};

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

/// A guard that is built in, and that settings may switch on.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Guard {
    /// Against commands that destroy a machine, a repository's history, a database or credentials.
    Catastrophic,
}

impl Guard {
    /// Every guard there is.
    pub const ALL: [Self; 1] = [Self::Catastrophic];

    /// The word for it in settings and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Catastrophic => "catastrophic",
        }
    }

    fn ground(self, call: &Call<'_>) -> Option<Ground> {
        let objection = match self {
            Self::Catastrophic => guard::catastrophic(call.analysis()?)?,
        };
        Some(Ground {
            rule: format!("guard {}", self.name()),
            decision: objection.decision,
            text: format!("`{}`: {}", objection.part, objection.why),
            origin: Origin::default(),
        })
    }
}

/// All rules in force.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    specs: Vec<RuleSpec>,
    guards: Vec<Guard>,
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
        Self { specs, guards: Vec::new(), defaults: Vec::new(), precedence }
    }

    /// The same rules and one more.
    #[must_use]
    pub fn with(&self, spec: RuleSpec) -> Self {
        let specs = self.specs.iter().cloned().chain([spec]).collect();
        let fresh = Self::new(specs, self.precedence);
        Self { guards: self.guards.clone(), defaults: self.defaults.clone(), ..fresh }
    }

    /// The same with a built-in guard switched on.
    #[must_use]
    pub fn with_guard(mut self, guard: Guard) -> Self {
        if !self.guards.contains(&guard) {
            self.guards.push(guard);
        }
        self
    }

    /// The built-in guards that are switched on.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
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
        self.specs.is_empty() && self.guards.is_empty() && self.defaults.is_empty()
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
        judgement.extend(self.guards.iter().filter_map(|guard| guard.ground(call)));
        for spec in self.specs.iter().filter(|it| it.decision >= Decision::Ask) {
            judgement.extend(spec.objection(call));
        }
        for spec in self.specs.iter().filter(|it| it.decision == Decision::Allow) {
            if spec.rule.command_pattern().is_none() && spec.rule.proves(call) {
                judgement.allow(spec.layer, spec.ground(Decision::Allow, None));
            }
        }
        if let Some((layer, ground)) = self.allow_together(call) {
            judgement.allow(layer, ground);
        }
        judgement
    }

    /// What the rules about commands allow together: each part of a command line may be allowed
    /// by another one. A weak layer counts only where the strong ones do not suffice.
    fn allow_together(&self, call: &Call<'_>) -> Option<(Layer, Ground)> {
        let analysis = call.analysis()?;
        let specs = self.about_commands(call);
        let mut layers: Vec<Layer> = specs.iter().map(|it| it.layer).collect();
        layers.dedup();
        layers.into_iter().find_map(|layer| {
            let strong = specs.iter().filter(|it| it.layer <= layer);
            let patterns: Vec<CommandPattern> =
                strong.filter_map(|it| it.rule.command_pattern().cloned()).collect();
            let proven = judge::allows(&patterns, analysis) == Proof::Proven;
            let first = specs.iter().find(|it| it.layer == layer)?;
            proven.then(|| (layer, first.ground(Decision::Allow, None)))
        })
    }

    /// The rules that allow commands of this tool, strong layers first.
    fn about_commands(&self, call: &Call<'_>) -> Vec<&RuleSpec> {
        let allows = self.specs.iter().filter(|it| it.decision == Decision::Allow);
        let ours =
            |it: &&RuleSpec| it.rule.is_about(call.tool) && it.rule.command_pattern().is_some();
        allows.filter(ours).collect()
    }

    /// The part of a command line that the rules about commands leave open.
    fn why_unproven(&self, call: &Call<'_>) -> Option<String> {
        let patterns: Vec<CommandPattern> = self
            .about_commands(call)
            .iter()
            .filter_map(|it| it.rule.command_pattern().cloned())
            .collect();
        match judge::allows(&patterns, call.analysis()?) {
            Proof::Proven => None,
            Proof::Open { part, why } => Some(format!("`{part}` {why}")),
        }
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
        match self.rule.forbids(call) {
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
    fn allow(&mut self, layer: Layer, ground: Ground) {
        self.allowed_by = Some(self.allowed_by.map_or(layer, |it| it.min(layer)));
        self.add(ground);
    }

    fn add(&mut self, ground: Ground) {
        self.decision = self.decision.and(ground.decision);
        self.grounds.push(ground);
    }

    fn extend(&mut self, grounds: impl IntoIterator<Item = Ground>) {
        grounds.into_iter().for_each(|ground| self.add(ground));
    }
}

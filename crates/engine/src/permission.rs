//! The rules an engine puts in force: those it is given, those of configuration, and its own.

mod answers;

use std::path::{Path, PathBuf};

use becket_core::decision::Decision;
use becket_core::diagnostic::Origin;
use becket_core::hook::Layer;
use becket_core::rule::Rule;
use becket_core::rules::{Guard, Precedence, RuleSpec, Rules};

pub(crate) use self::answers::Answers;

/// The rules of an engine that is being put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permissions {
    pub(crate) rules: Vec<RuleSpec>,
    pub(crate) defaults: Vec<(Layer, Decision)>,
    pub(crate) precedence: Precedence,
    /// Whether somebody insists that rules come first.
    pub(crate) rules_first: bool,
    pub(crate) guards: Vec<Guard>,
}

/// Why an agent is not to change what decides about it.
const PROTECTED: &str = "it changes the configuration that decides what the agent may do";

impl Permissions {
    /// Puts them in force, with what configuration brings and with the protection of itself.
    pub(crate) fn into_rules(self, more: Vec<RuleSpec>, protected: &[PathBuf]) -> Rules {
        let own = protected.iter().map(|path| own_rule(path));
        let all = self.rules.into_iter().chain(more).chain(own).collect();
        let precedence = if self.rules_first { Precedence::RulesFirst } else { self.precedence };
        let rules = Rules::new(all, precedence);
        let rules = self.guards.into_iter().fold(rules, Rules::with_guard);
        self.defaults
            .into_iter()
            .fold(rules, |it, (layer, decision)| it.with_default(layer, decision))
    }
}

/// Changing this needs a person.
fn own_rule(path: &Path) -> RuleSpec {
    RuleSpec {
        rule: Rule::about_changing(path),
        decision: Decision::Ask,
        reason: Some(PROTECTED.to_owned()),
        layer: Layer::Managed,
        origin: Origin { file: std::sync::Arc::new("built in".into()), ..Origin::default() },
    }
}

/// Where becket's own configuration and state are, whether or not they exist yet.
pub(crate) fn own_places(workspace: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let folder = |variable: &str, below: &str| {
        let named = std::env::var_os(variable).filter(|it| !it.is_empty()).map(PathBuf::from);
        Some(named.or_else(|| Some(home.as_ref()?.join(below)))?.join("becket"))
    };
    let mut places = vec![workspace.join(".becket"), PathBuf::from("/etc/becket")];
    places.extend(folder("XDG_CONFIG_HOME", ".config"));
    places.extend(folder("XDG_STATE_HOME", ".local/state"));
    places
}

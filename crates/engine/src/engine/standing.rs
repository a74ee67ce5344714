//! What the settings of all layers come to: which rules hold, and which hooks are switched off.

use std::path::Path;
use std::sync::Arc;

use becket_core::config::{Permissions as Written, Settings, Switch};
use becket_core::decision::Decision;
use becket_core::diagnostic::Origin;
use becket_core::hook::{Disabled, Layer};
use becket_core::outcome::Note;
use becket_core::rules::{Precedence, RuleSpec};

use crate::permission::Permissions;
use crate::source::layer::{claude_file, settings_file};
use crate::trust::{Grant, Ruling, needs_trust};

/// The settings of all layers, strong ones first.
#[derive(Debug, Default)]
pub(super) struct Standing {
    settings: Vec<(Layer, Settings)>,
}

impl Standing {
    pub(super) fn new(settings: Vec<(Layer, Settings)>) -> Self {
        Self { settings }
    }

    /// What the settings grant; what they forbid needs nobody's approval.
    pub(super) fn grants(&self, workspace: &Path) -> Vec<Grant> {
        let mut grants = Vec::new();
        for (layer, settings) in &self.settings {
            let Written { rules, default, order, guards: _, unreadable: _ } = &settings.permissions;
            grants.extend(rules.iter().filter_map(Grant::of));
            let texts = [
                (*default == Some(Decision::Allow)).then_some(DEFAULT),
                (*order == Some(Precedence::HooksFirst)).then_some(ORDER),
                settings.disabled.then_some(DISABLED),
            ];
            grants.extend(texts.into_iter().flatten().map(|text| of_file(text, *layer, workspace)));
        }
        grants
    }

    /// Who switched off the hooks of a layer: its own settings, or those of a stronger one.
    pub(super) fn off(&self, layer: Layer, allowed: &Allowed<'_>) -> Option<Disabled> {
        let counts = |by: Layer| allowed.setting(DISABLED, by);
        let by = self.settings.iter().find(|(by, it)| it.disabled && *by <= layer && counts(*by));
        let word = |by: Layer| format!("`disabled: true` in the {} settings", by.name());
        by.map(|(by, _)| Disabled::Off { by: word(*by) })
    }

    /// Adds what the settings say to the rules in force.
    pub(super) fn permit(&self, permissions: &mut Permissions, allowed: &Allowed<'_>) {
        for (layer, settings) in &self.settings {
            let mut written = settings.permissions.clone();
            if written.unreadable && !allowed.file(*layer) {
                continue;
            }
            written.rules.retain(|it| allowed.rule(it));
            let grants = written.default == Some(Decision::Allow);
            written.default =
                written.default.filter(|_| !grants || allowed.setting(DEFAULT, *layer));
            let weakens = written.order == Some(Precedence::HooksFirst);
            written.order = written.order.filter(|_| !weakens || allowed.setting(ORDER, *layer));
            permissions.add(*layer, &written);
        }
    }
}

const DEFAULT: &str = "default allow";
const ORDER: &str = "order hooks_first";
const DISABLED: &str = "disabled true";

/// What of a project's grants counts.
#[derive(Debug)]
pub(super) struct Allowed<'r> {
    pub(super) ruling: Option<&'r Ruling>,
    pub(super) workspace: &'r Path,
}

impl Allowed<'_> {
    /// Whether a rule counts: one that forbids does, whoever wrote it.
    pub(super) fn rule(&self, spec: &RuleSpec) -> bool {
        Grant::of(spec).is_none_or(|it| self.grant(&it))
    }

    /// Whether settings that cannot be read any more had counted: a project that nobody has approved
    /// cannot make every call a question.
    fn file(&self, layer: Layer) -> bool {
        let file = settings_file(layer, self.workspace);
        !needs_trust(layer) || self.ruling.is_none_or(|it| it.knows_file(&file))
    }

    /// Whether a word counts that switches hooks off.
    pub(super) fn switch(&self, switch: Switch) -> bool {
        self.grant(&of_switch(switch, self.workspace))
    }

    fn setting(&self, text: &str, layer: Layer) -> bool {
        self.grant(&of_file(text, layer, self.workspace))
    }

    fn grant(&self, grant: &Grant) -> bool {
        self.ruling.is_none_or(|it| it.admits(grant))
    }

    /// What every outcome says about grants that do not count.
    pub(super) fn note(&self, grants: &[Grant]) -> Option<Note> {
        let withheld = grants.iter().filter(|it| !self.grant(it)).count();
        let text = format!(
            "{withheld} permissions of this project do not count: nobody has approved them; \
             `becket trust` shows them"
        );
        (withheld > 0).then_some(Note::General { code: "untrusted_settings", text })
    }
}

fn of_file(text: &str, layer: Layer, workspace: &Path) -> Grant {
    let file = Arc::new(settings_file(layer, workspace));
    Grant { text: text.to_owned(), layer, origin: Origin { file, ..Origin::default() } }
}

/// What a word grants that switches hooks off: to go without those who watch.
pub(super) fn of_switch(switch: Switch, workspace: &Path) -> Grant {
    let file = Arc::new(claude_file(switch.layer, workspace));
    let origin = Origin { file, ..Origin::default() };
    Grant { text: format!("{} true", switch.off.name()), layer: switch.layer, origin }
}

impl Permissions {
    /// Adds what one file says. Judging a call twice is the stricter order, so one word for it is enough.
    pub(super) fn add(&mut self, layer: Layer, written: &Written) {
        self.rules.extend(written.rules.iter().cloned());
        self.defaults.extend(written.default.map(|it| (layer, it)));
        self.guards.extend(written.guards.iter().copied());
        match written.order {
            Some(Precedence::RulesFirst) => self.rules_first = true,
            Some(Precedence::HooksFirst) => self.precedence = Precedence::HooksFirst,
            None => (),
        }
    }
}

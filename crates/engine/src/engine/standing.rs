//! What the settings of all layers come to: which rules hold, and which hooks are switched off.

use becket_core::config::{Permissions as Written, Settings};
use becket_core::hook::{Disabled, Layer};
use becket_core::outcome::Note;
use becket_core::rules::Precedence;

use super::builder::Trust;
use crate::permission::Permissions;

/// The settings that are in force, and what is said about the others.
#[derive(Debug, Default)]
pub(super) struct Standing {
    settings: Vec<(Layer, Settings)>,
    /// Whether a project that nobody has approved wants rules of its own.
    withheld: bool,
}

impl Standing {
    /// Of all settings those that count: without discovery none, and none of a project nobody trusts.
    pub(super) fn new(settings: Vec<(Layer, Settings)>, trust: Option<Trust>) -> Self {
        let of_project = |layer: Layer| matches!(layer, Layer::Project | Layer::Local);
        let (counts, withheld): (Vec<_>, Vec<_>) =
            settings.into_iter().partition(|(layer, _)| match trust {
                None => false,
                Some(Trust::Given) => true,
                Some(Trust::Withheld) => !of_project(*layer),
            });
        let wants = |it: &Settings| !is_empty(&it.permissions);
        let withheld = trust.is_some() && withheld.iter().any(|(_, it)| wants(it));
        Self { settings: counts, withheld }
    }

    /// Who switched off the hooks of a layer: its own settings, or those of a stronger one.
    pub(super) fn off(&self, layer: Layer) -> Option<Disabled> {
        let by = self.settings.iter().find(|(by, it)| it.disabled && *by <= layer);
        let word = |by: Layer| format!("`disabled: true` in the {} settings", by.name());
        by.map(|(by, _)| Disabled::Off { by: word(*by) })
    }

    /// Adds what the settings say to the rules in force.
    pub(super) fn permit(&self, permissions: &mut Permissions) {
        for (layer, settings) in &self.settings {
            permissions.add(*layer, &settings.permissions);
        }
    }

    /// What every outcome says about settings that do not count.
    pub(super) fn note(&self) -> Option<Note> {
        let text = "the permissions of this project are not in force: nobody has approved them";
        self.withheld.then(|| Note::General { code: "untrusted_settings", text: text.to_owned() })
    }
}

fn is_empty(written: &Written) -> bool {
    let Written { rules, default, order, guards } = written;
    rules.is_empty() && default.is_none() && order.is_none() && guards.is_empty()
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

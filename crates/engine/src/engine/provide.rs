//! What settings give to hooks: limits, models, secrets and addresses.

use std::path::Path;
use std::time::Duration;

use becket_core::config::{Loaded, Provisions, SecretSources, Settings};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::hook::{Handler, HookSpec, Layer};

use super::builder::Builder;
use crate::guardian::Guardian;
use crate::handler::{Processes, Surroundings};
use crate::port::Secrets;
use crate::source::layer::Roots;

impl Builder {
    /// What settings give to hooks; models and secrets are lent at once.
    ///
    /// A person's models and secrets are there also for hooks that were named one by one.
    pub(super) fn provide(
        &mut self,
        roots: &Roots,
        workspace: &Path,
        settings: &[(Layer, Settings)],
    ) -> Provisions {
        let mut beyond = roots.folders(workspace);
        beyond.retain(|it| self.discover.is_none() && it.0 < Layer::Project);
        let (beyond, _) = roots.settings(&beyond);
        let layers = beyond.iter().chain(settings);
        let said = Provisions::together(layers.map(|(layer, it)| (*layer, &it.provisions)));
        if said.secrets != SecretSources::default() {
            let base = roots.config.clone().unwrap_or_default().join("becket");
            let more = Secrets::from_sources(&said.secrets, &base);
            self.lent.secrets = self.lent.secrets.clone().or(more);
        }
        if let (None, Some(make), false) = (&self.lent.model, &self.models, said.models.is_empty())
        {
            self.lent.model = (make.0)(&said.models, self.lent.secrets.clone());
        }
        said
    }

    /// Hooks that ask for a model that settings do not name, where they name any.
    pub(super) fn unmapped(&self, said: &Provisions, loaded: &Loaded) -> Vec<Diagnostic> {
        let wanted = loaded.specs.iter().filter_map(|spec| match &spec.handler {
            Handler::Prompt { model_ref: Some(name), .. } => Some((spec, name)),
            _ => None,
        });
        let missing = wanted.filter(|(_, name)| !said.models.contains_key(*name));
        let missing = missing.filter(|_| self.lint && !said.models.is_empty());
        let problem = |(spec, name): (&HookSpec, &String)| {
            let message = format!("settings name no model `{name}`, so this hook cannot ask");
            let problem = Diagnostic::of_file(Code::Settings, &spec.origin.file, message);
            Diagnostic { origin: spec.origin.clone(), ..problem }
        };
        missing.map(problem).collect()
    }

    /// What handlers need, as the host and these settings say.
    pub(super) fn surroundings(&self, said: &Provisions) -> Surroundings {
        let limits = said.limit(self.limits);
        let after = u64::try_from(limits.guard_after_ms).unwrap_or(u64::MAX);
        let guardian = Guardian::new(self.guardian.clone(), Duration::from_millis(after));
        let processes = Processes::new(limits.processes, self.orphans, guardian);
        let mut network = self.network.clone();
        network.allow.extend(&said.network.allow);
        network.refuse.extend(&said.network.refuse);
        Surroundings::new(self.lent.clone(), limits, network, processes)
    }
}

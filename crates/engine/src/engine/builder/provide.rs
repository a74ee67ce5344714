//! What the host and settings give to hooks: models, agents, secrets, addresses and limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use becket_core::config::{ModelSetting, Provisions, SecretSources};
use becket_core::limits::Limits;
use becket_core::network::Network;

use super::{Builder, MakeModel};
use crate::archive::Archive;
use crate::guardian::Guardian;
use crate::handler::{Orphans, Processes, Surroundings};
use crate::port::{Model, Resolver, Secrets, Subagent};

impl Builder {
    /// A program, with its arguments, that calls [`guardian::watch`](crate::guardian::watch).
    ///
    /// It ends the hooks when this process is killed, and is started when the first hook is slow.
    pub fn guardian<W: Into<OsString>>(self, words: impl IntoIterator<Item = W>) -> Self {
        Self { guardian: Some(words.into_iter().map(Into::into).collect()), ..self }
    }

    /// Lends a model to prompt hooks.
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.lent.model = Some(model);
        self
    }

    /// Makes a model of those that settings name, where none was lent.
    pub fn models(
        self,
        make: impl Fn(&BTreeMap<String, ModelSetting>, Secrets) -> Option<Arc<dyn Model>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { models: Some(MakeModel(Box::new(make))), ..self }
    }

    /// Lends agents to agent hooks.
    pub fn subagent(mut self, subagent: Arc<dyn Subagent>) -> Self {
        self.lent.subagent = Some(subagent);
        self
    }

    /// Says where secrets come from.
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.lent.secrets = secrets;
        self
    }

    /// Says how hosts of HTTP hooks are found, in place of the system's own way.
    pub fn resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.lent.resolver = Some(resolver);
        self
    }

    /// Says which addresses HTTP hooks may connect to, beyond what they may anyway.
    pub fn network(self, network: Network) -> Self {
        Self { network, ..self }
    }

    /// Sets a variable in the environment of every command hook, such as another `HOME`.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.lent.variables.push((name.into(), value.into()));
        self
    }

    /// How much of everything there may be, unless settings say otherwise.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How many hooks of one event may run at once.
    pub fn parallel(mut self, parallel: usize) -> Self {
        self.limits.parallel = parallel;
        self
    }

    /// What becomes of processes that a hook leaves behind in a session of their own.
    pub fn orphans(self, orphans: Orphans) -> Self {
        Self { orphans, ..self }
    }

    /// Takes over what settings give to hooks; models and secrets are lent at once.
    ///
    /// A person's models and secrets are there also for hooks that were named one by one.
    pub(super) fn provide(&mut self, archive: &Archive) {
        let roots = self.roots();
        let (settings, _) = roots.settings(archive, &roots.folders(&self.workspace));
        let said =
            Provisions::together(settings.iter().map(|(layer, it)| (*layer, &it.provisions)));
        if said.secrets != SecretSources::default() {
            let base = roots.config.clone().unwrap_or_default().join("becket");
            let more = Secrets::from_sources(&said.secrets, &base);
            self.lent.secrets = self.lent.secrets.clone().or(more);
        }
        if let (None, Some(make), false) = (&self.lent.model, &self.models, said.models.is_empty())
        {
            self.lent.model = (make.0)(&said.models, self.lent.secrets.clone());
        }
        self.said = said;
    }

    /// What handlers need, as the host and the settings say.
    pub(super) fn surroundings(&self) -> Surroundings {
        let said = &self.said;
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

//! Putting an engine together.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use becket_core::config::{self, Loaded, Place, Refused, WorkspaceKind};
use becket_core::dialect::{Compat, Dialect};
use becket_core::event::CustomEvent;
use becket_core::hook::{Disabled, Layer};
use becket_core::profile::Profile;
use becket_core::registry::Registry;

use super::{Engine, gather};
use crate::handler::Surroundings;
use crate::journal::Journal;
use crate::port::{Lent, Model, Secrets, Subagent};
use crate::source::{self, Outside};

/// How many processes run at once unless told otherwise.
const PARALLEL: usize = 8;

/// An engine that is being put together.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    compat: Compat,
    workspace: PathBuf,
    named: Vec<(Dialect, PathBuf)>,
    discover: Option<Trust>,
    kind: Option<WorkspaceKind>,
    events: Vec<Arc<CustomEvent>>,
    lent: Lent,
    journal: Option<PathBuf>,
    headless: bool,
    strict: bool,
    parallel: usize,
    lint: bool,
}

/// Whether the hooks a workspace brings along may run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Trust {
    /// They are registered and shown, and never run.
    Withheld,
    /// The host has looked at them.
    Given,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            compat: Compat::Safe,
            workspace: PathBuf::from("."),
            named: Vec::new(),
            discover: None,
            kind: None,
            events: Vec::new(),
            lent: Lent { model: None, subagent: None, secrets: Secrets::none() },
            journal: None,
            headless: false,
            strict: false,
            parallel: PARALLEL,
            lint: false,
        }
    }
}

impl Builder {
    /// Whose behaviour to follow where a system has quirks.
    pub fn compat(self, compat: Compat) -> Self {
        Self { compat, ..self }
    }

    /// The folder that hooks run in and that relative paths start from.
    pub fn workspace(self, workspace: impl Into<PathBuf>) -> Self {
        Self { workspace: workspace.into(), ..self }
    }

    /// Reads one file or folder in one dialect. Naming it is trusting it.
    pub fn hooks(mut self, dialect: Dialect, path: impl Into<PathBuf>) -> Self {
        self.named.push((dialect, path.into()));
        self
    }

    /// Also reads the hooks that the workspace brings along.
    pub fn discover(self, trust: Trust) -> Self {
        Self { discover: Some(trust), ..self }
    }

    /// Says of what kind the workspace is, whatever its settings say.
    pub fn workspace_kind(self, kind: WorkspaceKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Declares an event of the host's own.
    pub fn event(mut self, event: CustomEvent) -> Self {
        self.events.push(Arc::new(event));
        self
    }

    /// Lends a model to prompt hooks.
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.lent.model = Some(model);
        self
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

    /// Keeps a record of every event in this folder.
    pub fn journal(self, folder: impl Into<PathBuf>) -> Self {
        Self { journal: Some(folder.into()), ..self }
    }

    /// Nobody can be asked: asking is refusing.
    pub fn headless(self, headless: bool) -> Self {
        Self { headless, ..self }
    }

    /// A hook that fails at a gate counts as a refusal, whatever its dialect says.
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// How many hooks may run at once.
    pub fn parallel(self, parallel: usize) -> Self {
        Self { parallel, ..self }
    }

    /// Also looks for ways in which hooks that load would not do their work.
    pub fn lint(self, lint: bool) -> Self {
        Self { lint, ..self }
    }

    /// Reads everything and puts it in force.
    ///
    /// What is wrong is in [`Engine::diagnostics`]; the rest works.
    pub fn build(self) -> Engine {
        let workspace = Arc::new(
            std::path::absolute(&self.workspace).unwrap_or_else(|_| self.workspace.clone()),
        );
        let circumstances = source::circumstances(&workspace);
        let kind = self.kind.clone().unwrap_or(circumstances.kind);
        let events = [self.events.clone(), circumstances.settings.events].concat();
        let read = |dialect, path: &Path, layer, trust| {
            let disabled = match (&kind, trust) {
                (WorkspaceKind::Chat, _) => Some(Disabled::WrongKind { kind: "chat".to_owned() }),
                (WorkspaceKind::Project, Trust::Withheld) => Some(Disabled::Untrusted),
                (WorkspaceKind::Project, Trust::Given) => None,
            };
            let (source, workspace) = (Arc::new(path.to_path_buf()), Arc::clone(&workspace));
            let place = Place {
                dialect,
                compat: self.compat,
                layer,
                source,
                workspace,
                disabled,
                events: events.clone(),
            };
            read_place(&place, &self.lent.secrets, self.lint)
        };
        let mut parts: Vec<Loaded> = Vec::new();
        for (dialect, path) in &self.named {
            parts.push(read(*dialect, path, Layer::CommandLine, Trust::Given));
        }
        if let Some(trust) = self.discover {
            for (dialect, path) in source::discover(&workspace) {
                parts.push(read(dialect, &path, Layer::Project, trust));
            }
        }
        let loaded = gather(parts);
        let registry = Registry::new(loaded.specs.clone(), loaded.refused.clone(), 1);
        Engine {
            registry: RwLock::new(Arc::new(registry)),
            specs: Mutex::new(loaded.specs),
            refused: loaded.refused,
            diagnostics: [circumstances.diagnostics, loaded.diagnostics].concat(),
            fatal: loaded.fatal,
            surroundings: Arc::new(Surroundings::new(self.lent.clone())),
            background: crate::run::Background::default(),
            journal: self
                .journal
                .map(|folder| Journal::open(&folder).map_err(|error| error.to_string())),
            workspace: Arc::clone(&workspace),
            events,
            headless: self.headless,
            strict: self.strict,
            parallel: self.parallel,
        }
    }
}

fn read_place(place: &Place, secrets: &Secrets, lint: bool) -> Loaded {
    let companions = Profile::of(place.dialect, place.compat).companions;
    let (files, problems) = source::files(&place.source, companions);
    let read = if lint { config::check } else { config::read };
    let mut loaded = read(place, &files, &Outside { secrets });
    for why in problems {
        loaded.refused.push(Refused {
            file: Arc::clone(&why.origin.file),
            name: None,
            why: why.clone(),
        });
        loaded.diagnostics.push(why);
    }
    loaded
}

//! Putting an engine together.

mod build;
mod provide;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use becket_core::config::{ModelSetting, Provisions, WorkspaceKind};
use becket_core::decision::Decision;
use becket_core::dialect::{Compat, Dialect};
use becket_core::event::CustomEvent;
use becket_core::hook::{HookSpec, Layer};
use becket_core::limits::Limits;
use becket_core::network::Network;
use becket_core::rules::{Guard, Precedence, RuleSpec};
use becket_core::world::Terrain;

use crate::handler::Orphans;
use crate::permission::Permissions;
use crate::port::{Ask, Lent, Model, Secrets};
use crate::terrain::Disk;
use crate::trust::Trust;

/// An engine that is being put together.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    pub(super) compat: Compat,
    pub(super) workspace: PathBuf,
    pub(super) named: Vec<(Dialect, PathBuf)>,
    pub(super) made: Vec<HookSpec>,
    pub(super) discover: Option<Trust>,
    pub(super) kind: Option<WorkspaceKind>,
    pub(super) events: Vec<Arc<CustomEvent>>,
    pub(super) lent: Lent,
    models: Option<MakeModel>,
    /// What settings lend to hooks, as it was when the engine was built.
    pub(super) said: Provisions,
    pub(super) journal: Option<Result<PathBuf, String>>,
    pub(super) headless: bool,
    pub(super) strict: bool,
    pub(super) marker: Marker,
    pub(super) limits: Limits,
    pub(super) network: Network,
    pub(super) orphans: Orphans,
    pub(super) guardian: Option<Vec<OsString>>,
    pub(super) lint: bool,
    pub(super) terrain: Arc<dyn Terrain>,
    pub(super) home: Option<PathBuf>,
    pub(super) machine: PathBuf,
    pub(super) rule_files: Vec<PathBuf>,
    pub(super) permissions: Permissions,
    pub(super) answers: Option<PathBuf>,
    pub(super) cache: Option<PathBuf>,
}

/// How a model is made of what settings say.
struct MakeModel(Box<Make>);

type Make =
    dyn Fn(&BTreeMap<String, ModelSetting>, Secrets) -> Option<Arc<dyn Model>> + Send + Sync;

impl fmt::Debug for MakeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MakeModel(..)")
    }
}

/// Whether the marker that an original asks for has to be there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Marker {
    AskedFor,
    Waived,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            compat: Compat::Safe,
            workspace: PathBuf::from("."),
            named: Vec::new(),
            made: Vec::new(),
            discover: None,
            kind: None,
            events: Vec::new(),
            lent: Lent::nothing(),
            models: None,
            said: Provisions::default(),
            journal: None,
            headless: false,
            strict: false,
            marker: Marker::AskedFor,
            limits: Limits::default(),
            network: Network::default(),
            orphans: Orphans::default(),
            guardian: None,
            lint: false,
            terrain: Arc::new(Disk::here()),
            home: None,
            machine: PathBuf::from("/"),
            rule_files: Vec::new(),
            permissions: Permissions::default(),
            answers: None,
            cache: None,
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

    /// Adds a hook that the host has put together itself.
    pub fn hook(mut self, hook: HookSpec) -> Self {
        self.made.push(hook);
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

    /// Keeps a record of every event in this folder.
    pub fn journal(self, folder: impl Into<PathBuf>) -> Self {
        Self { journal: Some(Ok(folder.into())), ..self }
    }

    /// There should be a record and cannot be: every outcome says so.
    pub fn no_journal(self, why: impl Into<String>) -> Self {
        Self { journal: Some(Err(why.into())), ..self }
    }

    /// Nobody can be asked: asking is refusing.
    pub fn headless(self, headless: bool) -> Self {
        Self { headless, ..self }
    }

    /// A hook that fails at a gate counts as a refusal, whatever its dialect says.
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// The host answers for the workspace, so that no marker of an original is asked for (`exact` only).
    ///
    /// learn-claude-code calls this its SDK mode.
    pub fn vouched(self, vouched: bool) -> Self {
        Self { marker: if vouched { Marker::Waived } else { Marker::AskedFor }, ..self }
    }

    /// Lends a person who can be asked.
    pub fn ask(mut self, person: Arc<dyn Ask>) -> Self {
        self.lent.person = Some(person);
        self
    }

    /// Keeps what a person answers with "always" in this folder, outside of any project.
    pub fn answers(self, folder: impl Into<PathBuf>) -> Self {
        Self { answers: Some(folder.into()), ..self }
    }

    /// Puts permission rules in force, beside those that configuration brings.
    pub fn rules(mut self, rules: impl IntoIterator<Item = RuleSpec>) -> Self {
        self.permissions.rules.extend(rules);
        self
    }

    /// Says what a layer wants where neither a rule nor a hook speaks.
    pub fn default_decision(mut self, layer: Layer, decision: Decision) -> Self {
        self.permissions.defaults.push((layer, decision));
        self
    }

    /// Switches a built-in guard on.
    pub fn guard(mut self, guard: Guard) -> Self {
        self.permissions.guards.push(guard);
        self
    }

    /// When rules judge a call that hooks may rewrite.
    pub fn precedence(mut self, precedence: Precedence) -> Self {
        self.permissions.precedence = precedence;
        self
    }

    /// The file system that rules about paths look at, instead of this machine's.
    pub fn terrain(self, terrain: Arc<dyn Terrain>) -> Self {
        Self { terrain, ..self }
    }

    /// Also puts the permission rules of this file in force. Naming it is trusting it.
    pub fn rules_from(mut self, path: impl Into<PathBuf>) -> Self {
        self.rule_files.push(path.into());
        self
    }

    /// The home in which a person keeps settings, instead of the one that `HOME` names.
    pub fn home(self, home: impl Into<PathBuf>) -> Self {
        Self { home: Some(home.into()), ..self }
    }

    /// The folder below which an administrator keeps settings, instead of `/`.
    pub fn machine(self, root: impl Into<PathBuf>) -> Self {
        Self { machine: root.into(), ..self }
    }

    /// Also looks for ways in which hooks that load would not do their work.
    pub fn lint(self, lint: bool) -> Self {
        Self { lint, ..self }
    }

    /// Keeps the last good version of every file below this folder of ours, for processes that start
    /// while a file is broken.
    pub fn cache(self, folder: impl Into<PathBuf>) -> Self {
        Self { cache: Some(folder.into()), ..self }
    }
}

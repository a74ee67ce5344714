//! Putting an engine together.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use becket_core::config::{self, Loaded, Place, Refused, WorkspaceKind};
use becket_core::decision::Decision;
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::{Compat, Dialect};
use becket_core::event::{CustomEvent, EventKind, Scene};
use becket_core::hook::{Disabled, HookSpec, Layer};
use becket_core::limits::Limits;
use becket_core::network::Network;
use becket_core::outcome::Note;
use becket_core::profile::{Folder, Profile, Strictness, TrustRule};
use becket_core::registry::Registry;
use becket_core::rules::{Guard, Precedence, RuleSpec};
use becket_core::world::Terrain;

use super::standing::{Allowed, Standing};
use super::trusting::Trusted;
use super::{Engine, gather};
use crate::guardian::Guardian;
use crate::handler::{Orphans, Processes, Surroundings};
use crate::journal::Journal;
use crate::permission::{Answers, Permissions, own_places};
use crate::port::{Ask, Lent, Model, Resolver, Secrets, Subagent};
use crate::source::layer::{Roots, hooks, is_of};
use crate::source::{self, Outside};
use crate::terrain::Disk;
use crate::trust::{Grant, Ruling, Trust};

/// The file that marks a workspace as trusted, where an original asks for one.
const MARKER: &str = ".claude/.claude_trusted";

/// An engine that is being put together.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    compat: Compat,
    workspace: PathBuf,
    named: Vec<(Dialect, PathBuf)>,
    made: Vec<HookSpec>,
    discover: Option<Trust>,
    kind: Option<WorkspaceKind>,
    events: Vec<Arc<CustomEvent>>,
    lent: Lent,
    journal: Option<Result<PathBuf, String>>,
    headless: bool,
    strict: bool,
    marker: Marker,
    limits: Limits,
    network: Network,
    orphans: Orphans,
    guardian: Option<Vec<OsString>>,
    lint: bool,
    terrain: Arc<dyn Terrain>,
    home: Option<PathBuf>,
    machine: PathBuf,
    rule_files: Vec<PathBuf>,
    permissions: Permissions,
    answers: Option<PathBuf>,
}

/// Whether the marker that an original asks for has to be there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Marker {
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
            lent: Lent {
                model: None,
                subagent: None,
                secrets: Secrets::none(),
                resolver: None,
                person: None,
                variables: Vec::new(),
            },
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

    /// How many hooks of one event may run at once.
    pub fn parallel(mut self, parallel: usize) -> Self {
        self.limits.parallel = parallel;
        self
    }

    /// How much of everything there may be, unless settings say otherwise.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// What becomes of processes that a hook leaves behind in a session of their own.
    pub fn orphans(self, orphans: Orphans) -> Self {
        Self { orphans, ..self }
    }

    /// A program, with its arguments, that calls [`guardian::watch`](crate::guardian::watch).
    ///
    /// It ends the hooks when this process is killed, and is started when the first hook is slow.
    pub fn guardian<W: Into<OsString>>(self, words: impl IntoIterator<Item = W>) -> Self {
        Self { guardian: Some(words.into_iter().map(Into::into).collect()), ..self }
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

    /// Reads everything and puts it in force.
    ///
    /// What is wrong is in [`Engine::diagnostics`]; the rest works.
    pub fn build(self) -> Engine {
        let workspace = Arc::new(
            std::path::absolute(&self.workspace).unwrap_or_else(|_| self.workspace.clone()),
        );
        let roots = self.roots();
        let mut folders = roots.folders(&workspace);
        folders.retain(|it| self.discover.is_some() || it.0 >= Layer::Project);
        let mut circumstances = source::circumstances(&workspace, &roots, &folders);
        let declared = circumstances.settings.iter().flat_map(|it| it.1.events.clone());
        let events = self.events.iter().cloned().chain(declared).collect();
        let events = own_names(events, &mut circumstances.diagnostics);
        let hooks_file = circumstances.settings.iter().rev().find_map(|it| it.1.hooks_file.clone());
        let hooks_file = hooks_file.map(|file| workspace.join(file));
        let settings = std::mem::take(&mut circumstances.settings);
        let read = |dialect, path: &Path, layer, trust: &Trust| {
            // What a workspace says of its kind is about its own hooks; the host's word is about all.
            let own = std::path::absolute(path)
                .is_ok_and(|it| it.starts_with(workspace.join(".openharness")));
            let said = if own { circumstances.kind.clone() } else { WorkspaceKind::Project };
            let kind = self.kind.clone().unwrap_or(said);
            let disabled = why_disabled(&kind, trust, self.has_marker(dialect, &workspace));
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
            read_place(&place, &roots, &self.lent.secrets, self.lint)
        };
        let mut parts: Vec<Loaded> = Vec::new();
        for (dialect, path) in &self.named {
            parts.push(read(*dialect, path, Layer::CommandLine, &Trust::Given));
        }
        if let Some(trust) = &self.discover {
            let beyond = folders.iter().filter(|it| it.0 < Layer::Project);
            for (layer, path) in beyond.filter_map(|(layer, it)| Some((*layer, hooks(it)?))) {
                parts.push(read(Dialect::Becket, &path, layer, &Trust::Given));
            }
            for (dialect, path) in source::discover_with(&workspace, hooks_file) {
                parts.push(read(dialect, &path, Layer::Project, trust));
                if Profile::of(dialect, self.compat).folder == Folder::Layered {
                    parts.push(read(dialect, &path, Layer::Local, trust));
                }
            }
        }
        parts.push(Loaded { specs: self.made.clone(), ..Loaded::default() });
        let mut loaded = gather(parts);
        // Without discovery no settings count.
        let settings = if self.discover.is_some() { settings } else { Vec::new() };
        let mut permissions = self.permissions.clone();
        let (trusted, withheld) =
            self.trust(&workspace, &mut loaded, &Standing::new(settings), &mut permissions);
        circumstances.diagnostics.extend(trusted.problem.clone());
        circumstances.diagnostics.extend(self.read_rules(&mut permissions));
        let mut standing = standing_notes(&circumstances.diagnostics, &self.named, &loaded);
        standing.extend(withheld);
        let surroundings = Arc::new(self.surroundings());
        let answers = self.answers.map(|folder| Answers::about(&workspace, &folder));
        let (mut rules, found) = answers.as_ref().map(Answers::read).unwrap_or_default();
        circumstances.diagnostics.extend(found);
        rules.extend(loaded.rules);
        let rules = permissions.into_rules(rules, &own_places(&workspace));
        let registry = Registry::new(loaded.specs.clone(), loaded.refused.clone(), 1)
            .with_rules(Arc::new(rules));
        Engine {
            registry: RwLock::new(Arc::new(registry)),
            specs: Mutex::new(loaded.specs),
            refused: loaded.refused,
            diagnostics: [circumstances.diagnostics, loaded.diagnostics].concat(),
            fatal: loaded.fatal,
            standing,
            surroundings,
            background: crate::run::Background::default(),
            journal: self.journal.map(|folder| {
                folder.and_then(|folder| Journal::open(&folder).map_err(|error| error.to_string()))
            }),
            person: self.lent.person.clone(),
            answers,
            trusted: Mutex::new(trusted),
            scene: Scene { root: Arc::clone(&workspace), terrain: self.terrain },
            workspace: Arc::clone(&workspace),
            events,
            headless: self.headless,
            strict: self.strict,
        }
    }

    /// Lets count what may count of what was read, and switches off what somebody switched off.
    fn trust(
        &self,
        workspace: &Path,
        loaded: &mut Loaded,
        layers: &Standing,
        permissions: &mut Permissions,
    ) -> (Trusted, Option<Note>) {
        let mut grants = layers.grants(workspace);
        grants.extend(loaded.rules.iter().filter_map(Grant::of));
        let ruling =
            self.discover.as_ref().map(|it| Ruling::new(it, workspace, &loaded.specs, &grants));
        let (ruling, problem) = ruling.unzip();
        let mut trusted =
            Trusted { ruling, grants, problem: problem.flatten(), ..Trusted::default() };
        trusted.lift(&mut loaded.specs, |spec| self.has_marker(spec.dialect, workspace));
        let allowed = Allowed { ruling: trusted.ruling.as_ref(), workspace };
        for spec in loaded.specs.iter_mut().filter(|it| it.disabled.is_none()) {
            spec.disabled = layers.off(spec.layer, &allowed);
        }
        layers.permit(permissions, &allowed);
        loaded.rules.retain(|it| allowed.rule(it));
        let note = allowed.note(&trusted.grants);
        (trusted, note)
    }

    fn surroundings(&self) -> Surroundings {
        let guardian = Guardian::new(self.guardian.clone());
        let processes = Processes::new(self.limits.processes, self.orphans, guardian);
        Surroundings::new(self.lent.clone(), self.limits, self.network.clone(), processes)
    }

    /// Where layers beyond the project are looked for.
    fn roots(&self) -> Roots {
        let home = self.home.clone().or_else(|| self.lent.variable("HOME").map(PathBuf::from));
        let named = self.lent.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        // A relative path there is to be passed over, says the specification.
        let config = named.filter(|it| it.is_absolute() && self.home.is_none());
        let config = config.or_else(|| home.map(|it| it.join(".config")));
        Roots { machine: self.machine.clone(), config }
    }

    /// Reads the files of rules that were named.
    fn read_rules(&self, permissions: &mut Permissions) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for path in &self.rule_files {
            match source::read_file(path) {
                Ok(file) => {
                    let (written, found) = config::read_rules(&file, Layer::CommandLine);
                    permissions.add(Layer::CommandLine, &written);
                    problems.extend(found);
                }
                Err(problem) => problems.push(problem),
            }
        }
        problems
    }

    /// Whether a workspace has the marker that the original asks for, where it asks for one.
    fn has_marker(&self, dialect: Dialect, workspace: &Path) -> bool {
        let asks = Profile::of(dialect, self.compat).trust == TrustRule::Marker;
        !asks || self.marker == Marker::Waived || workspace.join(MARKER).exists()
    }
}

fn why_disabled(kind: &WorkspaceKind, trust: &Trust, marked: bool) -> Option<Disabled> {
    match (kind, trust) {
        (WorkspaceKind::Chat, _) => Some(Disabled::WrongKind { kind: "chat".to_owned() }),
        (WorkspaceKind::Project, Trust::Given) if marked => None,
        // What was approved is let off again once all of it is known.
        (WorkspaceKind::Project, _) => Some(Disabled::Untrusted),
    }
}

fn read_place(place: &Place, roots: &Roots, secrets: &Secrets, lint: bool) -> Loaded {
    let profile = Profile::of(place.dialect, place.compat);
    let (files, problems) = match profile.folder {
        Folder::Plugin { manifest, key, files } if place.source.is_dir() => {
            source::plugin_files(&place.source, (manifest, key), files)
        }
        Folder::Holding(names) if place.source.is_dir() => source::held_files(&place.source, names),
        Folder::Plugin { .. } | Folder::Holding(_) | Folder::OfHooks => {
            source::files(&place.source, profile.companions)
        }
        Folder::Layered => {
            let (mut files, problems) = source::files(&place.source, profile.companions);
            files.retain(|file| is_of(place.layer, &file.path));
            (files, problems)
        }
    };
    let (files, refused) = roots.own_files(place.layer, files);
    let read = if lint { config::check } else { config::read };
    let mut loaded = read(place, &files, &Outside { secrets });
    for why in problems.into_iter().chain(refused) {
        loaded.refused.push(Refused {
            file: Arc::clone(&why.origin.file),
            name: None,
            why: why.clone(),
        });
        loaded.diagnostics.push(why);
    }
    if profile.strictness == Strictness::RefuseAll && !loaded.refused.is_empty() {
        loaded.specs.clear();
        loaded.fatal = true;
    }
    loaded
}

/// Events whose names are really free; a name that is taken would hide the event that has it.
fn own_names(events: Vec<Arc<CustomEvent>>, found: &mut Vec<Diagnostic>) -> Vec<Arc<CustomEvent>> {
    let (taken, free): (Vec<_>, Vec<_>) =
        events.into_iter().partition(|it| EventKind::named(&it.name).is_some());
    let host = Arc::new(PathBuf::from("the host"));
    found.extend(taken.iter().map(|event| {
        let message = format!("the event `{}` exists already and cannot be declared", event.name);
        Diagnostic::of_file(Code::Settings, &host, message)
    }));
    free
}

/// What every outcome says as long as this configuration is in force.
fn standing_notes(
    settings: &[Diagnostic],
    named: &[(Dialect, PathBuf)],
    loaded: &Loaded,
) -> Vec<Note> {
    let broken = settings.iter().filter(|it| it.is_error());
    let broken = broken.map(|it| Note::General {
        code: "settings",
        text: format!("{}: {}", it.origin, it.message),
    });
    let is_empty = |path: &PathBuf| {
        !loaded.specs.iter().any(|spec| *spec.source == *path)
            && !loaded.refused.iter().any(|it| it.file.starts_with(path))
    };
    let empty = named.iter().filter(|(_, path)| is_empty(path));
    let empty = empty.map(|(_, path)| Note::General {
        code: "no_hooks",
        text: format!("no hook was found in `{}`", path.display()),
    });
    broken.chain(empty).collect()
}

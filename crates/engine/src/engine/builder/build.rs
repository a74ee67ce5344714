//! Reading everything that was named or found, and putting it in force.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use becket_core::config::{self, Loaded, Place, Provisions, Refused, WorkspaceKind};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::Dialect;
use becket_core::event::{CustomEvent, EventKind, Scene};
use becket_core::hook::{Disabled, Layer};
use becket_core::outcome::Note;
use becket_core::profile::{Folder, Profile, Strictness, TrustRule};
use becket_core::registry::Registry;

use super::super::standing::Standing;
use super::super::{Engine, gather};
use super::{Builder, Marker, Trust};
use crate::journal::Journal;
use crate::permission::{Answers, Permissions, own_places};
use crate::port::Secrets;
use crate::source::layer::{Roots, is_of};
use crate::source::{self, Outside};

/// The file that marks a workspace as trusted, where an original asks for one.
const MARKER: &str = ".claude/.claude_trusted";

/// What is known before the first hook is read.
struct Ground {
    workspace: Arc<PathBuf>,
    roots: Roots,
    kind: WorkspaceKind,
    events: Vec<Arc<CustomEvent>>,
    hooks_file: Option<PathBuf>,
    layers: Standing,
    means: Provisions,
    diagnostics: Vec<Diagnostic>,
}

impl Builder {
    /// Reads everything and puts it in force.
    ///
    /// What is wrong is in [`Engine::diagnostics`]; the rest works.
    pub fn build(mut self) -> Engine {
        let ground = self.survey();
        let mut parts = self.read_hooks(&ground);
        parts.push(Loaded { specs: self.made.clone(), ..Loaded::default() });
        let loaded = gather(parts);
        let Ground { workspace, layers, means, events, mut diagnostics, .. } = ground;
        let mut permissions = self.permissions.clone();
        layers.permit(&mut permissions);
        diagnostics.extend(self.read_rules(&mut permissions));
        let mut standing = standing_notes(&diagnostics, &self.named, &loaded);
        standing.extend(layers.note());
        diagnostics.extend(self.unmapped(&means, &loaded));
        let surroundings = Arc::new(self.surroundings(&means));
        let answers = self.answers.map(|folder| Answers::about(&workspace, &folder));
        let (mut rules, found) = answers.as_ref().map(Answers::read).unwrap_or_default();
        diagnostics.extend(found);
        rules.extend(loaded.rules);
        let rules = permissions.into_rules(rules, &own_places(&workspace));
        let registry = Registry::new(loaded.specs.clone(), loaded.refused.clone(), 1)
            .with_rules(Arc::new(rules));
        Engine {
            registry: RwLock::new(Arc::new(registry)),
            specs: Mutex::new(loaded.specs),
            refused: loaded.refused,
            diagnostics: [diagnostics, loaded.diagnostics].concat(),
            fatal: loaded.fatal,
            standing,
            surroundings,
            background: crate::run::Background::default(),
            journal: self.journal.map(|folder| {
                folder.and_then(|folder| Journal::open(&folder).map_err(|error| error.to_string()))
            }),
            person: self.lent.person.clone(),
            answers,
            scene: Scene { root: Arc::clone(&workspace), terrain: self.terrain },
            workspace,
            events,
            headless: self.headless,
            strict: self.strict,
        }
    }

    /// Reads the settings of every layer, and what they come to.
    fn survey(&mut self) -> Ground {
        let workspace = Arc::new(
            std::path::absolute(&self.workspace).unwrap_or_else(|_| self.workspace.clone()),
        );
        let roots = self.roots();
        let mut folders = roots.folders(&workspace);
        folders.retain(|it| self.discover.is_some() || it.0 >= Layer::Project);
        let found = source::circumstances(&workspace, &roots, &folders);
        let means = self.provide(&roots, &workspace, &found.settings);
        let mut diagnostics = found.diagnostics;
        let declared = found.settings.iter().flat_map(|it| it.1.events.clone());
        let events = self.events.iter().cloned().chain(declared).collect();
        let events = own_names(events, &mut diagnostics);
        let hooks_file = found.settings.iter().rev().find_map(|it| it.1.hooks_file.clone());
        let hooks_file = hooks_file.map(|file| workspace.join(file));
        let layers = Standing::new(found.settings, self.discover);
        Ground {
            workspace,
            roots,
            kind: found.kind,
            events,
            hooks_file,
            layers,
            means,
            diagnostics,
        }
    }

    /// Reads what was named, and what was to be found.
    fn read_hooks(&self, ground: &Ground) -> Vec<Loaded> {
        let read =
            |dialect, path: &Path, layer, trust| self.read(ground, (dialect, path), layer, trust);
        let named = self.named.iter();
        let named =
            named.map(|(dialect, path)| read(*dialect, path, Layer::CommandLine, Trust::Given));
        let mut parts: Vec<Loaded> = named.collect();
        let Some(trust) = self.discover else { return parts };
        let Ground { workspace, roots, hooks_file, .. } = ground;
        for (dialect, layer, path) in roots.hooks(workspace) {
            parts.push(read(dialect, &path, layer, Trust::Given));
        }
        for (dialect, path) in source::discover_with(workspace, hooks_file.clone()) {
            // In a home the settings are the person's, whatever else the folder is.
            if dialect == Dialect::ClaudeCode && roots.home.as_ref() == Some(&**workspace) {
                continue;
            }
            parts.push(read(dialect, &path, Layer::Project, trust));
            if Profile::of(dialect, self.compat).folder == Folder::Layered {
                parts.push(read(dialect, &path, Layer::Local, trust));
            }
        }
        parts
    }

    /// Reads one place.
    fn read(
        &self,
        ground: &Ground,
        (dialect, path): (Dialect, &Path),
        layer: Layer,
        trust: Trust,
    ) -> Loaded {
        let workspace = Arc::clone(&ground.workspace);
        // What a workspace says of its kind is about its own hooks; the host's word is about all.
        let own = std::path::absolute(path)
            .is_ok_and(|it| it.starts_with(workspace.join(".openharness")));
        let said = if own { ground.kind.clone() } else { WorkspaceKind::Project };
        let kind = self.kind.clone().unwrap_or(said);
        let disabled = why_disabled(&kind, trust, self.has_marker(dialect, &workspace));
        let place = Place {
            dialect,
            compat: self.compat,
            layer,
            source: Arc::new(path.to_path_buf()),
            workspace,
            disabled: disabled.or_else(|| ground.layers.off(layer)),
            events: ground.events.clone(),
        };
        read_place(&place, &ground.roots, &self.lent.secrets, self.lint)
    }

    /// Where layers beyond the project are looked for.
    fn roots(&self) -> Roots {
        let home = self.home.clone().or_else(|| self.lent.variable("HOME").map(PathBuf::from));
        let named = self.lent.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        // A relative path there is to be passed over, says the specification.
        let config = named.filter(|it| it.is_absolute() && self.home.is_none());
        let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
        Roots { machine: self.machine.clone(), home, config }
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

fn why_disabled(kind: &WorkspaceKind, trust: Trust, marked: bool) -> Option<Disabled> {
    match (kind, trust) {
        (WorkspaceKind::Chat, _) => Some(Disabled::WrongKind { kind: "chat".to_owned() }),
        (WorkspaceKind::Project, Trust::Given) if marked => None,
        (WorkspaceKind::Project, Trust::Given | Trust::Withheld) => Some(Disabled::Untrusted),
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
            let alone = matches!(place.layer, Layer::User | Layer::Managed);
            let companions = if alone { &[] } else { profile.companions };
            source::files(&place.source, companions)
        }
        Folder::Layered => {
            let (mut files, problems) = source::files(&place.source, profile.companions);
            files.retain(|file| is_of(place.layer, &file.path));
            (files, problems)
        }
    };
    let (files, refused) = roots.own_files(place, files);
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

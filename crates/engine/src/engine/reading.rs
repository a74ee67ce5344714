//! Reading everything an engine goes by, as often as need be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{self, File, Loaded, Place, Refused, WorkspaceKind};
use becket_core::decision::Decision;
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::Dialect;
use becket_core::event::{CustomEvent, EventKind};
use becket_core::hook::{Disabled, Handler, HookSpec, Layer};
use becket_core::outcome::Note;
use becket_core::profile::{Folder, Profile, ReloadMoment, Strictness, TrustRule};
use becket_core::rules::{RuleSpec, Rules};
use becket_core::verdict::OnFailure;

use super::builder::{Builder, Marker};
use super::gather;
use super::reload::Due;
use super::standing::Standing;
use super::trusting::{Trusted, Truster};
use crate::archive::{Archive, Guards};
use crate::permission::{Answers, Permissions, own_places};
use crate::source::layer::{Roots, is_of};
use crate::source::{self, Circumstances, Outside};
use crate::trust::Trust;

/// The file that marks a workspace as trusted, where an original asks for one.
const MARKER: &str = ".claude/.claude_trusted";

/// Where something was read: its dialect, its layer and its path.
type Spot = (Dialect, Layer, PathBuf);

/// What came of one reading.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) specs: Vec<HookSpec>,
    pub(super) refused: Vec<Refused>,
    pub(super) rules: Arc<Rules>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) fatal: bool,
    pub(super) events: Vec<Arc<CustomEvent>>,
    /// What every outcome says as long as this is in force.
    pub(super) standing: Vec<Note>,
    /// Files that count as they were before, and why.
    pub(super) kept: Vec<(PathBuf, String)>,
    /// What trust made of it.
    pub(super) trusted: Trusted,
    /// What each place came to.
    parts: Vec<(Spot, Loaded)>,
    /// What each file guards.
    pub(super) guards: BTreeMap<PathBuf, Guards>,
    /// Files of which something could not be read, and the first reason.
    pub(super) broken: BTreeMap<PathBuf, String>,
    /// Files that count as they are found, whatever that is.
    pub(super) as_found: BTreeSet<PathBuf>,
    /// Files with something in force, so that a later process may want to know them.
    pub(super) in_force: BTreeSet<PathBuf>,
}

impl Read {
    /// Whether the same hooks are in force, as far as something else than the text of files decides.
    pub(super) fn stands_like(&self, other: &Self) -> bool {
        let states = |read: &Self| {
            let specs = read.specs.iter();
            specs.map(|it| (it.name.clone(), it.disabled.clone())).collect::<Vec<_>>()
        };
        self.events == other.events
            && self.broken == other.broken
            && self.rules.specs() == other.rules.specs()
            && self.trusted.stands_like(&other.trusted)
            && states(self) == states(other)
    }
}

impl Builder {
    /// Reads everything once, as the archive shows it.
    pub(super) fn read_once(&self, archive: &Archive, before: Option<&Read>, due: Due) -> Read {
        let roots = self.roots();
        let mut folders = roots.folders(&self.workspace);
        folders.retain(|it| self.discover.is_some() || it.0 >= Layer::Project);
        let mut circumstances = source::circumstances(archive, &self.workspace, &roots, &folders);
        let declared = circumstances.settings.iter().flat_map(|it| it.1.events.clone());
        let events = self.events.iter().cloned().chain(declared).collect();
        let events = own_names(events, &mut circumstances.diagnostics);
        let settings = std::mem::take(&mut circumstances.settings);
        let hooks_file = settings.iter().rev().find_map(|it| it.1.hooks_file.clone());
        // Without discovery no settings count.
        let settings = if self.discover.is_some() { settings } else { Vec::new() };
        let layers = Standing::new(settings);
        let mut round = Round {
            builder: self,
            archive,
            before,
            due,
            roots,
            layers,
            circumstances,
            read: Read { events, ..Read::default() },
        };
        for (dialect, path) in &self.named {
            round.place(*dialect, path, Layer::CommandLine, &Trust::Given);
        }
        if let Some(trust) = &self.discover {
            for (dialect, layer, path) in round.roots.hooks(archive, &self.workspace) {
                round.place(dialect, &path, layer, &Trust::Given);
            }
            let hooks_file = hooks_file.map(|file| self.workspace.join(file));
            for (dialect, path) in source::discover_with(archive, &self.workspace, hooks_file) {
                // In a home the settings are the person's, whatever else the folder is.
                let home = round.roots.home.as_ref();
                if dialect == Dialect::ClaudeCode && home == Some(&self.workspace) {
                    continue;
                }
                round.place(dialect, &path, Layer::Project, trust);
                if Profile::of(dialect, self.compat).folder == Folder::Layered {
                    round.place(dialect, &path, Layer::Local, trust);
                }
            }
        }
        round.refuse_settings(&folders);
        round.finish()
    }

    /// Hooks that ask for a model that settings do not name, where they name any.
    fn unmapped(&self, loaded: &Loaded) -> Vec<Diagnostic> {
        let said = &self.said;
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

    /// Where layers beyond the project are looked for.
    pub(super) fn roots(&self) -> Roots {
        let home = self.home.clone().or_else(|| self.lent.variable("HOME").map(PathBuf::from));
        let named = self.lent.variable("XDG_CONFIG_HOME").map(PathBuf::from);
        // A relative path there is to be passed over, says the specification.
        let config = named.filter(|it| it.is_absolute() && self.home.is_none());
        let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
        Roots { machine: self.machine.clone(), home, config }
    }

    /// Reads the files of rules that were named.
    fn read_rules(&self, archive: &Archive, permissions: &mut Permissions) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for path in &self.rule_files {
            match source::read_file(archive, path) {
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
    fn has_marker(&self, archive: &Archive, dialect: Dialect) -> bool {
        let asks = Profile::of(dialect, self.compat).trust == TrustRule::Marker;
        !asks || self.marker == Marker::Waived || archive.exists(&self.workspace.join(MARKER))
    }
}

/// One reading in the making.
struct Round<'r> {
    builder: &'r Builder,
    archive: &'r Archive,
    before: Option<&'r Read>,
    due: Due,
    roots: Roots,
    layers: Standing,
    circumstances: Circumstances,
    read: Read,
}

impl Round<'_> {
    /// Reads one place, unless its time has not come.
    fn place(&mut self, dialect: Dialect, path: &Path, layer: Layer, trust: &Trust) {
        let (builder, spot) = (self.builder, (dialect, layer, path.to_path_buf()));
        let profile = Profile::of(dialect, builder.compat);
        let before = self.before.and_then(|it| it.parts.iter().find(|part| part.0 == spot));
        if let Some((_, loaded)) = before.filter(|_| !self.due.covers(profile.reload)) {
            self.read.parts.push((spot, loaded.clone()));
            return;
        }
        // What a workspace says of its kind is about its own hooks; the host's word is about all.
        let own = std::path::absolute(path)
            .is_ok_and(|it| it.starts_with(builder.workspace.join(".openharness")));
        let said = if own { self.circumstances.kind.clone() } else { WorkspaceKind::Project };
        let kind = builder.kind.clone().unwrap_or(said);
        let disabled = why_disabled(&kind, trust, builder.has_marker(self.archive, dialect));
        let place = Place {
            dialect,
            compat: builder.compat,
            layer,
            source: Arc::new(path.to_path_buf()),
            workspace: Arc::new(builder.workspace.clone()),
            disabled,
            events: self.read.events.clone(),
        };
        self.archive.notice(Some(profile.reload));
        let loaded = self.files(&place, profile);
        self.archive.notice(None);
        self.read.parts.push((spot, loaded));
    }

    /// Reads the files of a place.
    fn files(&mut self, place: &Place, profile: &Profile) -> Loaded {
        // To the originals a file that is gone holds no hooks.
        let again = self.before.is_some() && !profile.keeps_last_good;
        if again && !self.archive.exists(&place.source) {
            return Loaded::default();
        }
        let (files, problems) = self.find(place, profile);
        let (files, refused) = self.roots.own_files(self.archive, place, files);
        if !profile.keeps_last_good {
            self.read.as_found.extend(files.iter().map(|file| file.path.to_path_buf()));
        }
        let read = if self.builder.lint { config::check } else { config::read };
        let mut loaded = read(place, &files, &Outside { secrets: &self.builder.lent.secrets });
        for why in problems.into_iter().chain(refused) {
            let file = Arc::clone(&why.origin.file);
            loaded.refused.push(place.refused(&file, None, std::slice::from_ref(&why)));
            loaded.diagnostics.push(why);
        }
        if profile.strictness == Strictness::RefuseAll && !loaded.refused.is_empty() {
            loaded.specs.clear();
            loaded.fatal = true;
        }
        loaded
    }

    /// Finds the files of a place.
    fn find(&self, place: &Place, profile: &Profile) -> (Vec<File>, Vec<Diagnostic>) {
        let (archive, path) = (self.archive, place.source.as_path());
        match profile.folder {
            Folder::Plugin { manifest, key, files } if archive.is_dir(path) => {
                source::plugin_files(archive, path, (manifest, key), files)
            }
            Folder::Holding(names) if archive.is_dir(path) => {
                source::held_files(archive, path, names)
            }
            Folder::Plugin { .. } | Folder::Holding(_) | Folder::OfHooks => {
                let alone = matches!(place.layer, Layer::User | Layer::Managed);
                let companions = if alone { &[] } else { profile.companions };
                source::files_on(archive, path, companions)
            }
            Folder::Layered => {
                let (mut files, problems) = source::files_on(archive, path, profile.companions);
                files.retain(|file| is_of(place.layer, &file.path));
                (files, problems)
            }
        }
    }

    /// Settings of which not a byte could be read may have held rules: what they were about is not to
    /// go unasked. Of others what could be read is known.
    fn refuse_settings(&mut self, folders: &[(Layer, PathBuf)]) {
        let Some(trust) = &self.builder.discover else { return };
        // A rule that cannot be read is asked about by itself.
        let of_a_rule = |it: &&Diagnostic| matches!(it.code, Code::Rule | Code::RuleExample);
        let errors = self.circumstances.diagnostics.iter().filter(|it| it.is_error());
        for why in errors.filter(|it| !of_a_rule(it)) {
            let file = &why.origin.file;
            let of = folders.iter().find(|(layer, folder)| {
                file.starts_with(folder) && (*layer < Layer::Project || is_of(*layer, file))
            });
            self.read.broken.insert(file.to_path_buf(), format!("{}: {}", why.origin, why.message));
            let Some((layer, _)) = of.filter(|_| !self.archive.has_served(file)) else { continue };
            let withheld = *trust != Trust::Given && *layer >= Layer::Project;
            self.read.refused.push(Refused {
                file: Arc::clone(file),
                name: None,
                why: why.clone(),
                events: Vec::new(),
                matcher: None,
                dialect: Dialect::Becket,
                compat: self.builder.compat,
                layer: *layer,
                disabled: withheld.then_some(Disabled::Untrusted),
            });
        }
    }

    /// Puts together what was read.
    fn finish(mut self) -> Read {
        let (builder, archive) = (self.builder, self.archive);
        let mut parts: Vec<Loaded> = self.read.parts.iter().map(|it| it.1.clone()).collect();
        parts.push(Loaded { specs: builder.made.clone(), ..Loaded::default() });
        let mut loaded = gather(parts);
        let mut permissions = builder.permissions.clone();
        let trusted = self.trust(&mut loaded, &mut permissions);
        let mut found = std::mem::take(&mut self.circumstances.diagnostics);
        found.extend(builder.read_rules(archive, &mut permissions));
        let (answers, problems) =
            builder.remembered().map(|it| remembered(archive, &it)).unwrap_or_default();
        let mut standing = standing_notes(&found, &builder.named, &loaded);
        standing.extend(trusted.notes.iter().cloned());
        found.extend(problems.into_iter().chain(trusted.problem.clone()));
        found.extend(builder.unmapped(&loaded));
        self.measure(&loaded.specs, permissions.rules.iter().chain(&loaded.rules));
        for refused in &loaded.refused {
            let why = format!("{}: {}", refused.why.origin, refused.why.message);
            self.read.broken.entry(refused.file.to_path_buf()).or_insert(why);
        }
        loaded.refused.append(&mut self.read.refused);
        loaded.refused.extend(trusted.changed.iter().cloned());
        let rules = answers.into_iter().chain(loaded.rules).collect();
        let rules = permissions.into_rules(rules, &own_places(&builder.workspace));
        Read {
            specs: loaded.specs,
            refused: loaded.refused,
            rules: Arc::new(rules),
            diagnostics: [found, loaded.diagnostics].concat(),
            fatal: loaded.fatal,
            standing,
            trusted,
            ..self.read
        }
    }

    /// Lets count what somebody trusts; every file that this depends on is noticed before every event.
    fn trust(&mut self, loaded: &mut Loaded, permissions: &mut Permissions) -> Trusted {
        let (builder, archive) = (self.builder, self.archive);
        let look = |path: &Path| {
            archive.exists(path);
        };
        let who = Truster {
            trust: builder.discover.as_ref(),
            workspace: &builder.workspace,
            layers: &self.layers,
            look: &look,
        };
        archive.notice(Some(ReloadMoment::EveryEvent));
        let may = |spec: &HookSpec| builder.has_marker(archive, spec.dialect);
        let trusted = who.settle(loaded, permissions, may);
        archive.notice(None);
        trusted
    }

    /// Counts what each file guards, so that one can tell when it is less.
    fn measure<'s>(&mut self, specs: &[HookSpec], rules: impl Iterator<Item = &'s RuleSpec>) {
        let read = &mut self.read;
        let mut count = |file: &Path, what: String| {
            *read.guards.entry(file.to_path_buf()).or_default().entry(what).or_default() += 1;
        };
        for spec in specs {
            for kind in &spec.events {
                count(&spec.origin.file, kind.name().to_owned());
                if spec.on_failure == Some(OnFailure::Deny) {
                    count(&spec.origin.file, format!("{} that must not fail", kind.name()));
                }
            }
            if spec.disabled.is_none() {
                read.in_force.insert(spec.origin.file.to_path_buf());
            }
        }
        for rule in rules {
            if rule.decision >= Decision::Ask {
                count(&rule.origin.file, rule.decision.name().to_owned());
            }
            read.in_force.insert(rule.origin.file.to_path_buf());
        }
    }
}

/// The answers of a person, noticed when they change.
fn remembered(archive: &Archive, answers: &Answers) -> (Vec<RuleSpec>, Vec<Diagnostic>) {
    archive.exists(answers.path());
    answers.read()
}

fn why_disabled(kind: &WorkspaceKind, trust: &Trust, marked: bool) -> Option<Disabled> {
    match (kind, trust) {
        (WorkspaceKind::Chat, _) => Some(Disabled::WrongKind { kind: "chat".to_owned() }),
        (WorkspaceKind::Project, Trust::Given) if marked => None,
        // What was approved is let off again once all of it is known.
        (WorkspaceKind::Project, _) => Some(Disabled::Untrusted),
    }
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

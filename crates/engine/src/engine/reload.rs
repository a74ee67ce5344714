//! Noticing that files of configuration have changed, before an event sees the old ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use becket_core::dialect::Compat;
use becket_core::event::{Event, EventKind};
use becket_core::hook::{HookSpec, Layer};
use becket_core::outcome::Note;
use becket_core::profile::ReloadMoment;
use becket_core::registry::Registry;
use becket_core::rules::{RuleSpec, Rules};

use super::Engine;
use super::builder::Builder;
use super::reading::Read;
use crate::archive::{Archive, Bytes, Patience, WRITTEN};

/// How often files are looked at when events come fast.
const OFTEN: Duration = Duration::from_millis(50);

/// Looking at very many files takes time: at most one part in so many is spent on it.
const SHARE: u32 = 20;

/// How long no event waits for a file that is being written, after one has waited in vain.
const IN_VAIN: Duration = Duration::from_secs(1);

/// What is in force, read as one.
#[derive(Debug)]
pub(super) struct Configuration {
    pub(super) read: Arc<Read>,
    /// Closures of the host.
    pub(super) closures: Vec<HookSpec>,
    pub(super) registry: Arc<Registry>,
}

impl Configuration {
    /// The first one.
    pub(super) fn first(read: Read) -> Self {
        let rules = Arc::clone(&read.rules);
        Self::new(Arc::new(read), Vec::new(), rules, 1)
    }

    fn new(read: Arc<Read>, closures: Vec<HookSpec>, rules: Arc<Rules>, generation: u64) -> Self {
        let specs = read.specs.iter().chain(&closures).cloned().collect();
        let registry = Registry::new(specs, read.refused.clone(), generation).with_rules(rules);
        Self { read, closures, registry: Arc::new(registry) }
    }

    /// The same with what was read now. What is only told about it is no new version.
    fn with_read(&self, read: Read, is_new: bool) -> Self {
        let rules = Arc::clone(&read.rules);
        let generation = self.registry.generation() + u64::from(is_new);
        Self::new(Arc::new(read), self.closures.clone(), rules, generation)
    }

    /// The same with one more closure.
    pub(super) fn with_closure(&self, closure: HookSpec) -> Self {
        let closures = self.closures.iter().cloned().chain([closure]).collect();
        let rules = Arc::clone(self.registry.rules());
        Self::new(Arc::clone(&self.read), closures, rules, self.registry.generation() + 1)
    }

    /// The same with one more rule.
    pub(super) fn with_rule(&self, rule: RuleSpec) -> Self {
        let (read, closures) = (Arc::clone(&self.read), self.closures.clone());
        let rules = Arc::new(self.registry.rules().with(rule));
        Self::new(read, closures, rules, self.registry.generation() + 1)
    }
}

/// A file of configuration that is not in force as it is on disk.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it, with the place where that is known.
    pub why: String,
    /// Whether its last good version is in force instead. Where there is none, what it may have
    /// guarded is asked about.
    pub kept: bool,
}

/// What an engine remembers about its files.
#[derive(Debug)]
pub(super) struct Reloader {
    archive: Mutex<Archive>,
    /// When everything was looked at last, and how long not to look again.
    looked: Mutex<(Instant, Duration)>,
    /// When an event last waited for a writer in vain.
    in_vain: Mutex<Option<Instant>>,
    /// Whether somebody has just changed a file of configuration.
    forced: AtomicBool,
}

/// Which files are looked at, and with how much patience.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    start: bool,
    prompt: bool,
    session: bool,
    patience: Patience,
}

impl Due {
    /// Everything, as it is.
    pub(super) fn at_start() -> Self {
        Self { start: true, prompt: true, session: true, patience: Patience::None }
    }

    fn at(kind: &EventKind) -> Self {
        Self {
            start: false,
            prompt: *kind == EventKind::UserPromptSubmit,
            session: *kind == EventKind::SessionStart,
            patience: Patience::Some,
        }
    }

    /// Whether files that are noticed at this moment are read.
    pub(super) fn covers(self, moment: ReloadMoment) -> bool {
        match moment {
            ReloadMoment::EveryEvent | ReloadMoment::Event => true,
            ReloadMoment::Prompt => self.prompt,
            ReloadMoment::Session => self.session,
            ReloadMoment::Never => self.start,
        }
    }
}

impl Reloader {
    pub(super) fn new(archive: Archive) -> Self {
        Self {
            archive: Mutex::new(archive),
            looked: Mutex::new((Instant::now(), OFTEN)),
            in_vain: Mutex::new(None),
            forced: AtomicBool::new(false),
        }
    }

    fn archive(&self) -> MutexGuard<'_, Archive> {
        self.archive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is time to look at everything.
    fn is_time(&self) -> bool {
        let (at, pause) = *self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        self.forced.swap(false, Ordering::Relaxed) || at.elapsed() >= pause
    }

    /// Whether files have changed; with `all` also those that are only looked at now and then.
    fn has_changed(&self, all: bool) -> bool {
        let started = Instant::now();
        let changed = self.archive().has_changed(all);
        if all {
            let pause = OFTEN.max(started.elapsed() * SHARE);
            *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = (started, pause);
        }
        changed
    }

    /// How long it takes until a file counts that is being written, where that is worth waiting for.
    fn wait(&self) -> Option<Duration> {
        let wait = self.archive().soon(WRITTEN)?;
        let in_vain = self.in_vain.lock().unwrap_or_else(PoisonError::into_inner);
        in_vain.is_none_or(|it| it.elapsed() >= IN_VAIN).then_some(wait)
    }

    /// Notes whether waiting was in vain.
    fn waited(&self) {
        let again = self.archive().soon(WRITTEN).is_some();
        *self.in_vain.lock().unwrap_or_else(PoisonError::into_inner) = again.then(Instant::now);
    }
}

impl Builder {
    /// Reads everything, with the last good version in the place of files that do not count.
    pub(super) fn read(&self, archive: &Archive, before: Option<&Read>, due: Due) -> Read {
        archive.begin(|it| due.covers(it));
        let read = self.read_once(archive, before, due);
        // Whoever checks files wants to know about the files.
        if self.lint {
            return read;
        }
        let doubts = doubts(archive, &read, due.patience);
        let mut read = read;
        if !doubts.is_empty() {
            for path in doubts.keys() {
                archive.recall(path);
            }
            archive.begin_with(doubts, |it| due.covers(it));
            read = self.read_once(archive, before, due);
        }
        for path in archive.served().keys().filter(|it| is_good(&read, it)) {
            let guards = read.guards.get(path).cloned().unwrap_or_default();
            archive.accept(path, guards, read.in_force.contains(path));
        }
        let kept = archive.kept();
        read.standing.extend(kept.iter().map(|(path, why)| kept_note(path, why)));
        read.kept = kept;
        read
    }
}

fn is_good(read: &Read, path: &Path) -> bool {
    !read.as_found.contains(path) && !read.broken.contains_key(path)
}

/// The files that do not count as they are, and why.
fn doubts(archive: &Archive, read: &Read, patience: Patience) -> BTreeMap<PathBuf, String> {
    let served = archive.served();
    let paths = served.keys().chain(read.broken.keys()).filter(|it| !read.as_found.contains(*it));
    let mut doubts = BTreeMap::new();
    for path in paths {
        let broken = read.broken.get(path).map(String::as_str);
        let guards = read.guards.get(path).cloned().unwrap_or_default();
        let Some(doubt) = archive.doubt(path, broken, &guards, patience) else { continue };
        if let Some(wait) = doubt.wait {
            archive.look_again_in(wait);
        }
        doubts.insert(path.clone(), doubt.why);
    }
    doubts
}

fn kept_note(path: &Path, why: &str) -> Note {
    let text = format!("`{}` counts as it was before: {why}", path.display());
    Note::General { code: "kept_last_good", text }
}

impl Engine {
    /// What is in force for an event: files that have changed are read before it sees them.
    pub(super) async fn refresh(&self, event: &Event) -> (Arc<Configuration>, Vec<Note>) {
        let mut notes = self.look(event);
        let wait = self.reloader.wait();
        if let Some(wait) = wait.filter(|_| tokio::runtime::Handle::try_current().is_ok()) {
            // A writer that is about to go on has gone on by then.
            tokio::time::sleep(wait).await;
            notes.extend(self.reload(Due::at(event.kind())));
            self.reloader.waited();
        }
        (self.configuration(), notes)
    }

    /// Looks at the files whose time has come.
    fn look(&self, event: &Event) -> Vec<Note> {
        let due = Due::at(event.kind());
        if due.session {
            self.let_go(&self.reloader.archive());
        }
        let changed = self.reloader.has_changed(self.reloader.is_time());
        if self.touches_configuration(event) {
            self.expect_changes();
        }
        // Then the originals read their files whether they have changed or not.
        let seldom = (due.prompt || due.session) && self.sources.compat == Compat::Exact;
        if changed || seldom { self.reload(due) } else { Vec::new() }
    }

    /// Looks at every file before the next event, however short the time since the last one: for hosts
    /// that have just changed one.
    pub fn expect_changes(&self) {
        self.reloader.forced.store(true, Ordering::Relaxed);
    }

    /// Reads every file again now, and takes it as it is: nothing is waited for, and what is gone is
    /// gone. Files that are broken still count as they were.
    ///
    /// What the answer says is also in the notes of the next outcomes, as far as it lasts.
    pub fn reload_now(&self) -> Vec<Note> {
        {
            let archive = self.reloader.archive();
            self.let_go(&archive);
            // In `exact` the original looks at the time of the last change, and so does this.
            let exact = self.sources.compat == Compat::Exact;
            if exact && !archive.has_new_times() {
                return Vec::new();
            }
        }
        self.reload(Due::at_start())
    }

    /// The files that are not in force as they are on disk.
    pub fn problems(&self) -> Vec<Problem> {
        let configuration = self.configuration();
        let read = &configuration.read;
        let kept = read.kept.iter();
        let kept = kept.map(|it| Problem { file: it.0.clone(), why: it.1.clone(), kept: true });
        let broken = read.broken.iter();
        let broken =
            broken.map(|it| Problem { file: it.0.clone(), why: it.1.clone(), kept: false });
        kept.chain(broken).collect()
    }

    /// What only an administrator may remove stays as it was as long as this process runs.
    fn let_go(&self, archive: &Archive) {
        let configuration = self.configuration();
        let read = &configuration.read;
        let hooks = read.specs.iter().map(|it| (it.layer, &it.origin.file));
        let rules = read.rules.specs().iter().map(|it| (it.layer, &it.origin.file));
        let managed: BTreeSet<&Path> = hooks
            .chain(rules)
            .filter(|it| it.0 == Layer::Managed)
            .map(|it| it.1.as_path())
            .collect();
        let is_managed = |path: &Path| managed.contains(path);
        archive.let_go(|path| !is_managed(path));
    }

    /// Whether a tool is changing a file of configuration, so that the next event should look.
    fn touches_configuration(&self, event: &Event) -> bool {
        const PATHS: [&str; 3] = ["file_path", "path", "notebook_path"];
        if !event.is_about_a_tool() {
            return false;
        }
        let Some(input) = event.field("tool_input") else { return false };
        let mut paths = PATHS.iter().filter_map(|name| input.get(name)?.as_str());
        let archive = self.reloader.archive();
        paths.any(|path| archive.has_looked_at(&self.workspace.join(path)))
    }

    /// Reads everything again, and puts it in force if it differs.
    fn reload(&self, due: Due) -> Vec<Note> {
        let archive = self.reloader.archive();
        let before = self.configuration();
        let served = archive.served();
        let read = self.sources.read(&archive, Some(&before.read), due);
        if read.fatal && !before.read.fatal && self.sources.compat == Compat::Exact {
            let why = read.broken.values().next().cloned().unwrap_or_default();
            let text = format!("the files cannot be loaded and count as they were: {why}");
            return vec![Note::General { code: "reload_failed", text }];
        }
        let now = archive.served();
        let is_new = now != served || !read.stands_like(&before.read);
        if !is_new && read.kept == before.read.kept {
            return Vec::new();
        }
        let note = change_note(&before.read, &read, (&served, &now));
        self.replace(|current| current.with_read(read, is_new));
        note.into_iter().collect()
    }

    /// What is in force now.
    pub(super) fn configuration(&self) -> Arc<Configuration> {
        Arc::clone(&self.configuration.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts something else in force.
    pub(super) fn replace(&self, change: impl FnOnce(&Configuration) -> Configuration) {
        let mut current = self.configuration.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(change(&current));
    }
}

/// What has changed, told once.
fn change_note(
    before: &Read,
    now: &Read,
    (old, new): (&BTreeMap<PathBuf, Bytes>, &BTreeMap<PathBuf, Bytes>),
) -> Option<Note> {
    let name = |spec: &HookSpec| (spec.name.clone(), Arc::clone(&spec.origin.file));
    let only_in = |one: &Read, other: &Read| {
        let others: Vec<_> = other.specs.iter().map(name).collect();
        let mut names: Vec<String> = one
            .specs
            .iter()
            .map(name)
            .filter(|it| !others.contains(it))
            .map(|it| format!("`{}`", it.0))
            .collect();
        names.dedup();
        names
    };
    let files = old.keys().chain(new.keys()).filter(|path| old.get(*path) != new.get(*path));
    let mut files: Vec<String> = files.map(|path| format!("`{}`", path.display())).collect();
    files.sort();
    files.dedup();
    let told = [("changed", files), ("new", only_in(now, before)), ("gone", only_in(before, now))];
    let told = told.iter().filter(|it| !it.1.is_empty());
    let told: Vec<String> =
        told.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect();
    let text = format!("the configuration has changed; {}", told.join("; "));
    (!told.is_empty()).then_some(Note::General { code: "reloaded", text })
}

//! The files of configuration as they are to be believed.
//!
//! A file on disk may be half written, gone for the blink of an eye while an editor saves it, or
//! broken. Whoever reads configuration asks the archive, which remembers the last good version of each
//! file and can put it in the place of what is on disk. It also remembers what was looked at, so that
//! it can tell whether reading again would show something else.

mod cache;
mod stamp;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_core::profile::ReloadMoment;

pub(crate) use self::cache::Cache;
pub(crate) use self::stamp::read_bounded;
use self::stamp::{Stamp, Stamped, age, list_folder};

/// How long a version that takes something away must have been left alone before it counts.
pub(crate) const SETTLED: Duration = Duration::from_secs(2);

/// How long any version must have been left alone: a writer may be about to go on.
pub(crate) const WRITTEN: Duration = Duration::from_millis(10);

/// How many guards of each kind a file holds.
pub(crate) type Guards = BTreeMap<String, usize>;

/// The bytes of a file.
pub(crate) type Bytes = Arc<[u8]>;

/// The files of configuration, and what is remembered about them.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    inner: RefCell<Inner>,
    cache: Option<Cache>,
}

#[derive(Debug, Default)]
struct Inner {
    /// What was looked at, for files that are to be noticed at this moment.
    seen: BTreeMap<PathBuf, (Stamped, ReloadMoment)>,
    /// Those of them that are looked at before every event.
    always: BTreeSet<PathBuf>,
    /// The moment at which changes of what is looked at now are noticed.
    moment: Option<ReloadMoment>,
    /// What each file was read as, in the reading at hand.
    served: BTreeMap<PathBuf, Bytes>,
    /// The last version of each file that was good, and what it guards.
    good: BTreeMap<PathBuf, (Bytes, Guards)>,
    /// Files that are read as their last good version, and why.
    instead: BTreeMap<PathBuf, String>,
    /// Files that are gone from the disk and not yet from the configuration.
    gone: BTreeSet<PathBuf>,
    /// When a version was seen first that does not count yet.
    first_seen: BTreeMap<PathBuf, (Stamp, Instant)>,
    /// When to look again although nothing may have changed.
    again: Option<Instant>,
}

/// Why a version of a file does not count, and for how long.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Doubt {
    /// A sentence about it.
    pub(crate) why: String,
    /// How much longer it does not count if it stays as it is; `None`: as long as it stays so.
    pub(crate) wait: Option<Duration>,
}

impl Archive {
    /// A archive that also remembers across processes.
    pub(crate) fn with_cache(cache: Option<Cache>) -> Self {
        Self { inner: RefCell::default(), cache }
    }

    /// Begins a reading: everything is looked at anew, but for files whose time has not come.
    pub(crate) fn begin(&self, is_due: impl Fn(ReloadMoment) -> bool) {
        let mut guard = self.inner.borrow_mut();
        let inner = &mut *guard;
        inner.seen.retain(|_, it| !is_due(it.1));
        inner.always.clear();
        let seen = &inner.seen;
        inner.served.retain(|path, _| seen.contains_key(path));
        inner.instead.clear();
        inner.gone.clear();
        inner.again = None;
        inner.moment = None;
    }

    /// Begins the reading again, with the last good version in the place of these files.
    pub(crate) fn begin_with(
        &self,
        instead: BTreeMap<PathBuf, String>,
        is_due: impl Fn(ReloadMoment) -> bool,
    ) {
        let again = self.inner.borrow().again;
        self.begin(is_due);
        let mut inner = self.inner.borrow_mut();
        inner.instead = instead;
        inner.again = again;
    }

    /// What is looked at from here on is noticed at this moment; `None`: as before, else before events.
    pub(crate) fn notice(&self, moment: Option<ReloadMoment>) {
        self.inner.borrow_mut().moment = moment;
    }

    /// Whether there is something at a path, or was until a moment ago.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.look(path).is_some() || self.has_kept(path)
    }

    /// Whether a path is, or was until a moment ago, a folder.
    pub(crate) fn is_dir(&self, path: &Path) -> bool {
        match self.look(path) {
            Some(found) => found.is_dir,
            None => self.has_kept(path) && !self.inner.borrow().good.contains_key(path),
        }
    }

    /// What is in a folder, those files included that were there until a moment ago.
    pub(crate) fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        self.look(folder);
        let found = list_folder(folder);
        let inner = self.inner.borrow();
        let kept = inner.good.keys().filter(|it| it.parent() == Some(folder)).cloned();
        let mut paths = match found {
            Ok(found) => found,
            // What cannot be listed, for want of a descriptor perhaps, is as it was.
            Err(_) if inner.good.keys().any(|it| it.starts_with(folder)) => Vec::new(),
            Err(error) => return Err(error),
        };
        paths.extend(kept);
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// What is in a file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Bytes> {
        self.look(path);
        let mut inner = self.inner.borrow_mut();
        let good = inner.good.get(path).map(|it| Arc::clone(&it.0));
        if let (Some(good), true) = (&good, inner.instead.contains_key(path)) {
            inner.served.insert(path.to_path_buf(), Arc::clone(good));
            return Ok(Arc::clone(good));
        }
        let bytes = match (read_bounded(path), good) {
            (Ok(bytes), _) => Bytes::from(bytes),
            (Err(error), Some(good)) if error.kind() == io::ErrorKind::NotFound => {
                inner.gone.insert(path.to_path_buf());
                good
            }
            (Err(error), _) => return Err(error),
        };
        inner.served.insert(path.to_path_buf(), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// Whether a file is read as its last good version, whatever is in its place now.
    pub(crate) fn is_kept(&self, path: &Path) -> bool {
        let inner = self.inner.borrow();
        inner.instead.contains_key(path) || inner.gone.contains(path)
    }

    /// Notes how a path is now.
    fn look(&self, path: &Path) -> Option<Stamp> {
        let stamped = Stamped::of(path);
        let stamp = stamped.stamp;
        let mut inner = self.inner.borrow_mut();
        let moment = inner.moment;
        let default = (stamped, ReloadMoment::Event);
        let entry = inner.seen.entry(path.to_path_buf()).or_insert(default);
        entry.1 = moment.unwrap_or(entry.1);
        if moment == Some(ReloadMoment::EveryEvent) {
            inner.always.insert(path.to_path_buf());
        }
        stamp
    }

    /// Whether a file is remembered at or below a path.
    fn has_kept(&self, path: &Path) -> bool {
        self.inner.borrow().good.keys().any(|it| it.starts_with(path))
    }

    /// Whether reading again would show something else, as far as one can tell without reading.
    ///
    /// Files that are looked at seldom are left alone. Without `all`, so are those for which it is
    /// enough to look now and then.
    pub(crate) fn has_changed(&self, all: bool) -> bool {
        let inner = self.inner.borrow();
        let differs = |path: &Path, before: &Stamped| before.differs(&Stamped::of(path));
        if inner.again.is_some_and(|it| Instant::now() >= it) {
            return true;
        }
        if !all {
            let mut always = inner.always.iter().filter_map(|path| inner.seen.get_key_value(path));
            return always.any(|(path, before)| differs(path, &before.0));
        }
        let live = |it: ReloadMoment| matches!(it, ReloadMoment::EveryEvent | ReloadMoment::Event);
        let mut seen = inner.seen.iter().filter(|it| live(it.1.1));
        seen.any(|(path, before)| differs(path, &before.0))
    }

    /// The same, with the eyes of a program that looks at the time of the last change only.
    pub(crate) fn has_new_times(&self) -> bool {
        let inner = self.inner.borrow();
        inner.seen.iter().any(|(path, before)| before.0.time() != Stamped::of(path).time())
    }

    /// Whether an absolute path is one that was looked at, or lies in a folder that was.
    pub(crate) fn has_looked_at(&self, path: &Path) -> bool {
        let inner = self.inner.borrow();
        let seen = |it: &Path| {
            // What is not there yet may become one.
            let is_folder = |it: &(Stamped, _)| it.0.stamp.is_none_or(|it| it.is_dir);
            inner.seen.get(it).is_some_and(|found| it == path || is_folder(found))
        };
        // Files may have been named from where the process is.
        let here = std::env::current_dir().unwrap_or_default();
        let is_named =
            |it: &Path| it.strip_prefix(&here).is_ok_and(|it| inner.seen.contains_key(it));
        path.ancestors().any(seen) || is_named(path)
    }

    /// What each file was read as.
    pub(crate) fn served(&self) -> BTreeMap<PathBuf, Bytes> {
        self.inner.borrow().served.clone()
    }

    /// Whether a file could be read.
    pub(crate) fn has_served(&self, path: &Path) -> bool {
        self.inner.borrow().served.contains_key(path)
    }

    /// The last good version of a file, from an earlier process if need be.
    fn good(&self, path: &Path) -> Option<(Bytes, Option<Guards>)> {
        if let Some((bytes, guards)) = self.inner.borrow().good.get(path) {
            return Some((Arc::clone(bytes), Some(guards.clone())));
        }
        Some((self.cache.as_ref()?.get(path)?, None))
    }

    /// Why the version of a file on disk does not count, where there is a better one.
    pub(crate) fn doubt(
        &self,
        path: &Path,
        broken: Option<&str>,
        guards: &Guards,
        patience: Patience,
    ) -> Option<Doubt> {
        let served = self.inner.borrow().served.get(path).cloned();
        let (good, before) = self.good(path)?;
        if served.as_ref() == Some(&good) {
            return None;
        }
        let for_good = |why: &str| Some(Doubt { why: why.to_owned(), wait: None });
        if let Some(why) = broken {
            return for_good(why);
        }
        let bytes = served?;
        let is_prefix = bytes.len() < good.len() && good.starts_with(&bytes);
        if is_prefix && !is_whole_lines(&bytes, &good) {
            return for_good("it ends in the middle of a line of the version before");
        }
        let less = is_prefix || before.is_some_and(|before| is_less(guards, &before));
        let (needed, why) = match (patience, less) {
            (Patience::None, _) => return None,
            (Patience::Some, true) => (SETTLED, "it has less in it, and may be half written"),
            (Patience::Some, false) => (WRITTEN, "it was changed this very moment"),
        };
        let wait = needed.checked_sub(self.age(path)?).filter(|it| !it.is_zero())?;
        Some(Doubt { why: why.to_owned(), wait: Some(wait) })
    }

    /// How long the version of a file on disk has been there: by the clock of the disk, or for as long
    /// as it was seen.
    fn age(&self, path: &Path) -> Option<Duration> {
        let mut inner = self.inner.borrow_mut();
        let stamp = inner.seen.get(path)?.0.stamp?;
        let now = Instant::now();
        let (first, at) =
            inner.first_seen.get(path).copied().filter(|it| it.0 == stamp).unwrap_or((stamp, now));
        inner.first_seen.insert(path.to_path_buf(), (first, at));
        Some(age(&stamp).unwrap_or_default().max(now.duration_since(at)))
    }

    /// Takes the last good version of a file from an earlier process into this one.
    pub(crate) fn recall(&self, path: &Path) {
        if let Some((bytes, None)) = self.good(path) {
            let entry = (bytes, Guards::new());
            self.inner.borrow_mut().good.insert(path.to_path_buf(), entry);
        }
    }

    /// When to look again, if that is sooner than this.
    pub(crate) fn soon(&self, limit: Duration) -> Option<Duration> {
        let again = self.inner.borrow().again?;
        Some(again.saturating_duration_since(Instant::now())).filter(|it| *it <= limit)
    }

    /// Looks again after this time, even if nothing changes.
    pub(crate) fn look_again_in(&self, wait: Duration) {
        let at = Instant::now() + wait;
        let mut inner = self.inner.borrow_mut();
        inner.again = Some(inner.again.map_or(at, |it| it.min(at)));
    }

    /// Remembers that a file is good as it was read now.
    pub(crate) fn accept(&self, path: &Path, guards: Guards, cached: bool) {
        let mut inner = self.inner.borrow_mut();
        if inner.instead.contains_key(path) || inner.gone.contains(path) {
            return;
        }
        let Some(bytes) = inner.served.get(path).cloned() else { return };
        inner.first_seen.remove(path);
        if let Some(cache) = self.cache.as_ref().filter(|_| cached) {
            let changed = inner.seen.get(path).and_then(|it| it.0.stamp).map(|it| it.changed);
            // Without the cache the next process has no last good version; this one has.
            let _ = cache.put(path, &bytes, changed);
        }
        inner.good.insert(path.to_path_buf(), (bytes, guards));
    }

    /// Files that are read as their last good version, and why.
    pub(crate) fn kept(&self) -> Vec<(PathBuf, String)> {
        let inner = self.inner.borrow();
        let gone = inner.gone.iter().map(|path| (path.clone(), "it is gone".to_owned()));
        inner.instead.iter().map(|it| (it.0.clone(), it.1.clone())).chain(gone).collect()
    }

    /// Files that are gone are gone on purpose, but for those of which somebody says otherwise.
    pub(crate) fn let_go(&self, may_go: impl Fn(&Path) -> bool) {
        let is_absent = |path: &Path| {
            std::fs::symlink_metadata(path).is_err_and(|it| it.kind() == io::ErrorKind::NotFound)
        };
        let mut inner = self.inner.borrow_mut();
        let before = inner.good.len();
        inner.good.retain(|path, _| !(is_absent(path) && may_go(path)));
        if inner.good.len() < before {
            inner.again = Some(Instant::now());
        }
    }
}

/// Whether a version that takes something away is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Patience {
    /// Somebody vouches for the files as they are now.
    None,
    /// They may be half written.
    Some,
}

/// Whether what is there of a longer text ends where one of its lines does.
fn is_whole_lines(part: &[u8], whole: &[u8]) -> bool {
    let next = whole.get(part.len());
    part.last() == Some(&b'\n') || next == Some(&b'\n') || next == Some(&b'\r')
}

/// Whether some kind of guard is fewer than before.
fn is_less(now: &Guards, before: &Guards) -> bool {
    before.iter().any(|(kind, count)| now.get(kind).is_none_or(|it| it < count))
}

//! What the file system says about a path, and careful ways to read what is there.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use becket_core::config::tree::MAX_BYTES;

/// How long after a change its time does not tell it from the next one: clocks of disks are coarse.
const COARSE: Duration = Duration::from_millis(20);

/// A path at one moment. Whatever changes a file changes one of these.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// When it was last changed in any way; nobody can set this.
    pub(super) changed: (i64, i64),
    pub(super) is_dir: bool,
}

/// A stamp, and whether it can be told from that of the next change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamped {
    pub(super) stamp: Option<Stamp>,
    is_coarse: bool,
}

impl Stamped {
    /// What the file system says now.
    pub(super) fn of(path: &Path) -> Self {
        let stamp = fs::metadata(path).ok().map(|about| Stamp {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
            is_dir: about.is_dir(),
        });
        let is_coarse = stamp.as_ref().is_some_and(|it| age(it).is_none_or(|it| it < COARSE));
        Self { stamp, is_coarse }
    }

    /// Whether a later look may show something else.
    pub(super) fn differs(&self, later: &Self) -> bool {
        self.is_coarse || self.stamp != later.stamp
    }

    /// When it was last written, as programs look at it.
    pub(super) fn time(&self) -> Option<(i64, i64)> {
        self.stamp.map(|it| it.modified)
    }
}

/// How long ago something was changed; `None` where that lies in the future.
pub(super) fn age(stamp: &Stamp) -> Option<Duration> {
    let (seconds, nanoseconds) = stamp.changed;
    let changed = Duration::new(seconds.try_into().ok()?, nanoseconds.try_into().ok()?);
    SystemTime::now().duration_since(UNIX_EPOCH).ok()?.checked_sub(changed)
}

/// What is in a folder. An entry that cannot be read may be a guard: then the whole of it cannot.
pub(super) fn list_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Reads a plain file up to one byte more than configuration may have.
///
/// It is opened without waiting, since opening a FIFO would wait for a writer, and what was opened
/// is looked at, not what was there before.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

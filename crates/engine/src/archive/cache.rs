//! The last good version of each file, for a process that starts while the file is broken.
//!
//! What is kept are the bytes themselves: they are read again like the file, under the same trust,
//! and only where the file itself cannot be read.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use becket_core::config::tree::MAX_BYTES;

use super::{Bytes, read_bounded};
use crate::state;

/// A folder of last good versions.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Below this folder of ours.
    pub(crate) fn below(folder: &Path) -> Self {
        Self { folder: folder.join("cache") }
    }

    /// The whole name of a file, and where its last good version is kept.
    fn place_of(&self, file: &Path) -> io::Result<(PathBuf, PathBuf)> {
        let file = std::path::absolute(file)?;
        let kept = self.folder.join(format!("{}.good", state::name_for(&file)));
        Ok((file, kept))
    }

    /// The last good version of a file. What others could have written says nothing.
    pub(crate) fn get(&self, file: &Path) -> Option<Bytes> {
        let (name, path) = self.place_of(file).ok()?;
        let about = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let own = about.uid() == rustix::process::geteuid().as_raw()
            && about.mode().trailing_zeros() >= 6;
        let bytes = read_bounded(&path).ok().filter(|_| own)?;
        let body = bytes.strip_prefix(name.as_os_str().as_bytes())?.strip_prefix(b"\n")?;
        Some(Bytes::from(body))
    }

    /// Keeps a version, unless the one that is kept is of the same size and later than the last
    /// change of the file.
    pub(crate) fn put(
        &self,
        file: &Path,
        bytes: &[u8],
        changed: Option<(i64, i64)>,
    ) -> io::Result<()> {
        let (name, path) = self.place_of(file)?;
        let size = name.as_os_str().len() + 1 + bytes.len();
        if size > MAX_BYTES {
            return Ok(());
        }
        if let Ok(kept) = fs::symlink_metadata(&path) {
            let later = changed.is_some_and(|it| (kept.mtime(), kept.mtime_nsec()) > it);
            if kept.size() == size as u64 && later {
                return Ok(());
            }
        }
        state::write(&path, &[name.as_os_str().as_bytes(), b"\n", bytes].concat())
    }
}

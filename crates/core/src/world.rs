//! What the core may ask about the outside. The engine answers; the core never looks itself.

use std::fmt;
use std::path::{Path, PathBuf};

/// The most bytes of a script that are looked at.
pub const MAX_SCRIPT: usize = 64 * 1024;

/// A script that a hook starts, as far as it is looked at.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ScriptFile {
    /// The first [`MAX_SCRIPT`] bytes as text; empty when they are none.
    pub text: String,
    /// Whether it may be started by its own name.
    pub executable: bool,
}

/// The outside, as far as reading configuration needs it.
pub trait World {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Whether a file exists.
    fn has_file(&self, path: &Path) -> bool;

    /// Whether a secret of this name could be resolved.
    fn knows_secret(&self, name: &str) -> bool;

    /// The script at a path; `None` where no file is, or where nobody looks.
    fn script(&self, path: &Path) -> Option<ScriptFile> {
        self.has_file(path).then(|| ScriptFile { executable: true, ..ScriptFile::default() })
    }

    /// Whether a program of this name would be found and started.
    fn has_program(&self, _name: &str) -> bool {
        true
    }
}

/// The file system, as far as judging a path needs it.
pub trait Terrain: fmt::Debug + Send + Sync {
    /// The home of the person.
    fn home(&self) -> Option<&Path>;

    /// Where an absolute path really leads: every link on the way followed, and what does not
    /// exist yet kept as written.
    fn real(&self, path: &Path) -> Result<PathBuf, Lost>;

    /// Whether two paths name one file, as hard links do.
    fn is_same_file(&self, one: &Path, other: &Path) -> bool;
}

/// Why nobody can say where a path leads.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Lost {
    /// Its links lead in a circle.
    #[error("its links lead in a circle")]
    Loop,
    /// A folder on the way may not be looked into.
    #[error("a folder on the way may not be looked into")]
    Closed,
}

/// A file system that nobody has described: no links, and no home.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flat;

impl Terrain for Flat {
    fn home(&self) -> Option<&Path> {
        None
    }

    fn real(&self, path: &Path) -> Result<PathBuf, Lost> {
        Ok(plain(path))
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        one == other
    }
}

/// A path without `.` and `..`, by its spelling alone.
pub fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => (),
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

//! What the core may ask about the outside. The engine answers; the core never looks itself.

use std::path::Path;

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

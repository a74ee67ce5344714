//! What the core may ask about the outside. The engine answers; the core never looks itself.

use std::path::Path;

/// The outside, as far as reading configuration needs it.
pub trait World {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Whether a file exists.
    fn has_file(&self, path: &Path) -> bool;

    /// Whether a secret of this name could be resolved.
    fn knows_secret(&self, name: &str) -> bool;
}

//! What several targets need: one hook file, read in an outside that is made up.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{File, Loaded, Place, check};
use becket_core::dialect::{Compat, Dialect};
use becket_core::hook::Layer;
use becket_core::world::World;

/// Reads one hook file of Open Agent Harness.
pub fn read_hook(compat: Compat, bytes: &[u8]) -> Loaded {
    read_file((Dialect::Oah, compat), "hooks/hook.yaml", bytes)
}

/// Reads one file in any dialect.
pub fn read_file((dialect, compat): (Dialect, Compat), path: &str, bytes: &[u8]) -> Loaded {
    let place = Place {
        dialect,
        compat,
        layer: Layer::Project,
        source: Arc::new(PathBuf::from("hooks")),
        workspace: Arc::new(PathBuf::from("/workspace")),
        disabled: None,
        events: Vec::new(),
    };
    let path = Arc::new(PathBuf::from(path));
    check(&place, &[File { path, bytes: bytes.to_vec() }], &Outside)
}

/// An outside in which some things exist and some do not.
struct Outside;

impl World for Outside {
    fn variable(&self, name: &str) -> Option<String> {
        name.len().is_multiple_of(2).then(|| name.to_owned())
    }
    fn has_file(&self, path: &Path) -> bool {
        path.as_os_str().len().is_multiple_of(2)
    }
    fn knows_secret(&self, name: &str) -> bool {
        name.len().is_multiple_of(2)
    }
}

//! No hook file makes the decoder panic, and every hook is either in force or refused with a reason.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{File, Place, read};
use becket_core::dialect::{Compat, Dialect};
use becket_core::hook::Layer;
use becket_core::registry::Registry;
use becket_core::world::World;
use libfuzzer_sys::fuzz_target;

/// An outside in which some things exist and some do not.
struct Outside;

impl World for Outside {
    fn variable(&self, name: &str) -> Option<String> {
        (name.len() % 2 == 0).then(|| name.to_owned())
    }
    fn has_file(&self, path: &Path) -> bool {
        path.as_os_str().len() % 2 == 0
    }
    fn knows_secret(&self, name: &str) -> bool {
        name.len() % 2 == 0
    }
}

fuzz_target!(|bytes: &[u8]| {
    for compat in [Compat::Safe, Compat::Exact] {
        let path = Arc::new(PathBuf::from("hooks/hook.yaml"));
        let place = Place {
            dialect: Dialect::Oah,
            compat,
            layer: Layer::Project,
            source: Arc::new(PathBuf::from("hooks")),
            workspace: Arc::new(PathBuf::from("/workspace")),
            disabled: None,
            events: Vec::new(),
        };
        let file = File { path, bytes: bytes.to_vec() };
        let loaded = read(&place, &[file], &Outside);
        assert_eq!(loaded.specs.len() + loaded.refused.len(), 1, "{loaded:?}");
        assert!(loaded.refused.is_empty() || !loaded.diagnostics.is_empty(), "{loaded:?}");
        let registry = Registry::new(loaded.specs, loaded.refused, 1);
        registry.validate();
    }
});

//! Hooks for tests: written as JSON, which is YAML too, and read like any file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{File, Loaded, Place, read};
use becket_core::dialect::{Compat, Dialect};
use becket_core::hook::{HookSpec, Layer};
use becket_core::world::World;
use serde_json::{Value, json};

/// An outside in which every file exists.
pub(crate) struct Calm;

impl World for Calm {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn has_file(&self, _: &Path) -> bool {
        true
    }
    fn knows_secret(&self, _: &str) -> bool {
        true
    }
}

/// What reading one hook file comes to.
pub(crate) fn decode(dialect: Dialect, hook: &Value) -> Loaded {
    let path = Arc::new(PathBuf::from("h.yaml"));
    let place = Place {
        dialect,
        compat: Compat::Safe,
        layer: Layer::CommandLine,
        source: Arc::clone(&path),
        workspace: Arc::new(PathBuf::from("/w")),
        disabled: None,
        events: Vec::new(),
    };
    read(&place, &[File { path, bytes: hook.to_string().into_bytes() }], &Calm)
}

/// Whether the decoder takes a hook, and what it says if not.
pub(crate) fn decoded(dialect: Dialect, hook: &Value) -> Result<(), Vec<String>> {
    let loaded = decode(dialect, hook);
    if loaded.refused.is_empty() {
        return Ok(());
    }
    Err(loaded.diagnostics.iter().map(ToString::to_string).collect())
}

/// One hook of ours, ready to be compiled.
pub(crate) fn load(hook: &Value) -> Result<HookSpec, Vec<String>> {
    let mut loaded = decode(Dialect::Becket, hook);
    loaded.specs.pop().ok_or_else(|| loaded.diagnostics.iter().map(ToString::to_string).collect())
}

/// A hook of ours with these fields besides those that every hook has.
pub(crate) fn native(more: Value) -> Value {
    let mut hook = json!({
        "name": "h",
        "events": ["PreToolUse"],
        "handler": { "type": "command", "command": "true" },
    });
    if let (Value::Object(hook), Value::Object(more)) = (&mut hook, more) {
        hook.extend(more);
    }
    hook
}

//! A workspace with settings, and the engine on it.

use std::fs;
use std::path::{Path, PathBuf};

use becket::{Builder, Compat, Dialect, Engine, Event, Outcome};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(super) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub(super) fn new(settings: &Value) -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap() };
        workspace.write("settings.json", settings.to_string().as_bytes());
        workspace
    }

    /// One hook at one event.
    pub(super) fn hook(event: &str, hook: &Value) -> Self {
        Self::new(&json!({ "hooks": { event: [{ "hooks": [hook] }] } }))
    }

    /// One command at one event.
    pub(super) fn command(event: &str, command: &str) -> Self {
        Self::hook(event, &json!({ "type": "command", "command": command }))
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn builder(&self, compat: Compat) -> Builder {
        Engine::builder()
            .compat(compat)
            .workspace(self.path())
            .home(self.path().join("home"))
            .machine(self.path())
            .hooks(Dialect::ClaudeCode, self.path().join("settings.json"))
    }

    pub(super) async fn fire(&self, name: &str, fields: Value) -> Outcome {
        let engine = self.builder(Compat::Safe).build();
        fire(&engine, name, fields).await
    }
}

pub(super) async fn fire(engine: &Engine, name: &str, fields: Value) -> Outcome {
    let kind = engine.event_named(name).unwrap();
    engine.fire(Event::new(kind, fields.as_object().cloned().unwrap())).await
}

/// A folder of recorded things.
pub(super) fn fixtures(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

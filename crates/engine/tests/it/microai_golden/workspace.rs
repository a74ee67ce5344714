//! A workspace with settings on disk, and the engine on it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use becket::{Builder, Compat, Dialect, Engine, Event, EventKind, Outcome};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(super) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// A workspace whose settings have these hooks.
    pub(super) fn new(hooks: &Value) -> Self {
        let workspace = Self { folder: TempDir::new().unwrap() };
        workspace.write(".claude/settings.json", &json!({ "hooks": hooks }).to_string());
        workspace
    }

    /// A workspace with one entry for one event.
    pub(super) fn with(event: &str, entry: &Value) -> Self {
        Self::new(&json!({ event: [entry] }))
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn builder(&self, compat: Compat) -> Builder {
        Engine::builder()
            .compat(compat)
            .workspace(self.folder.path())
            .hooks(Dialect::Microai, self.path(".claude/settings.json"))
    }

    /// Fires one event and waits for what nobody waits for.
    pub(super) async fn fire(&self, compat: Compat, kind: EventKind, fields: Value) -> Outcome {
        let engine = self.builder(compat).build();
        let outcome = engine.fire(event(kind, fields)).await;
        engine.drain(Duration::from_secs(30)).await;
        outcome
    }
}

pub(super) fn event(kind: EventKind, fields: Value) -> Event {
    match fields {
        Value::Object(fields) => Event::new(kind, fields),
        other => panic!("{other}"),
    }
}

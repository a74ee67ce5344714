//! A workspace on disk with a real settings file, and the engine on it.

use std::fs;
use std::path::Path;

use becket::{Builder, Compat, Dialect, Engine, Event, EventKind, Outcome};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub(super) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// A workspace whose settings have these hooks at one event.
    pub(super) fn new(event: &str, hooks: &[Value]) -> Self {
        Self::with_settings(&json!({ "model": "m", "hooks": { event: hooks } }))
    }

    pub(super) fn with_settings(settings: &Value) -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap() };
        workspace.write("settings.json", &settings.to_string());
        workspace
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn builder(&self) -> Builder {
        self.builder_on("settings.json")
    }

    pub(super) fn builder_on(&self, hooks: &str) -> Builder {
        // A login shell would read the profile of whoever runs the tests.
        Engine::builder()
            .variable("HOME", self.path().to_string_lossy())
            .compat(Compat::Exact)
            .workspace(self.path())
            .hooks(Dialect::OpenHarness, self.path().join(hooks))
    }

    pub(super) async fn fire(&self, name: &str, fields: Value) -> Outcome {
        fire(&self.builder().build(), name, fields).await
    }
}

/// Fires an event by the name that the original has for it. All files must have been read well.
pub(super) async fn fire(engine: &Engine, name: &str, fields: Value) -> Outcome {
    assert!(!engine.is_refused(), "{:?}", engine.diagnostics());
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    engine.fire(event(name, fields)).await
}

pub(super) fn event(name: &str, fields: Map<String, Value>) -> Event {
    let own = |kind: &EventKind| kind.name_in(Dialect::OpenHarness) == Some(name);
    Event::new(EventKind::KNOWN.into_iter().find(own).unwrap(), fields)
}

/// The tool call of the recording.
pub(super) fn tool_call() -> Value {
    json!({ "tool_name": "bash", "tool_input": { "command": "ls" } })
}

/// A hook with options.
pub(super) fn hook(kind: &str, body: (&str, &str), opts: &Map<String, Value>) -> Value {
    let mut hook =
        Map::from_iter([("type".to_owned(), kind.into()), (body.0.to_owned(), body.1.into())]);
    hook.extend(opts.clone());
    Value::Object(hook)
}

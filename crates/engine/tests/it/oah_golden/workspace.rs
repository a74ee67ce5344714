//! A workspace on disk with real hook files, and the engine on it.

use std::fs;
use std::path::Path;

use becket::{Builder, Compat, Dialect, Engine, Event, EventKind, Outcome};
use serde_json::{Value, json};
use tempfile::TempDir;

const HOOKS: &str = ".openharness/hooks";

pub(crate) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// An empty workspace, right below `/tmp` as those of the recording were.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("oah-").tempdir_in("/tmp").unwrap();
        fs::create_dir_all(folder.path().join(HOOKS)).unwrap();
        Self { folder }
    }

    /// A workspace with one hook.
    pub(crate) fn with_hook(definition: &Value) -> Self {
        let workspace = Self::new();
        workspace.add_hook(definition);
        workspace
    }

    /// A workspace with one hook `a` that prints an answer.
    pub(crate) fn answering(event: &str, capabilities: &[impl AsRef<str>], answer: &Value) -> Self {
        let workspace = Self::new();
        workspace.add_answering("a", event, capabilities, answer);
        workspace
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn hooks(&self) -> std::path::PathBuf {
        self.path().join(HOOKS)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes one hook file; files are numbered, so hooks run in the order in which they came.
    pub(crate) fn add_hook(&self, definition: &Value) {
        let fields = definition.as_object().unwrap().iter();
        let lines: Vec<_> = fields.map(|(key, value)| format!("{key}: {value}")).collect();
        let number = fs::read_dir(self.hooks()).unwrap().count();
        self.write(&format!("{HOOKS}/{number}.yaml"), &lines.join("\n"));
    }

    /// Adds a hook that keeps what it is told and prints an answer.
    pub(crate) fn add_answering(
        &self,
        name: &str,
        event: &str,
        capabilities: &[impl AsRef<str>],
        answer: &Value,
    ) {
        self.write(&format!("answer-{name}.json"), &answer.to_string());
        let command = format!("cat >told-{name}.json; cat answer-{name}.json");
        self.add_command(name, event, capabilities, &command);
    }

    /// Adds a hook that runs a command.
    pub(crate) fn add_command(
        &self,
        name: &str,
        event: &str,
        capabilities: &[impl AsRef<str>],
        command: &str,
    ) {
        let capabilities: Vec<_> = capabilities.iter().map(AsRef::as_ref).collect();
        self.add_hook(&json!({
            "name": name,
            "events": [event],
            "capabilities": capabilities,
            "handler": { "type": "command", "command": command },
        }));
    }

    /// What a hook from [`Workspace::add_answering`] was told.
    pub(crate) fn told(&self, name: &str) -> Value {
        let text = fs::read(self.path().join(format!("told-{name}.json"))).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    pub(crate) fn builder(&self) -> Builder {
        Engine::builder()
            .compat(Compat::Exact)
            .workspace(self.path())
            .hooks(Dialect::Oah, self.hooks())
    }

    /// Fires an event by the name that the original has for it.
    pub(crate) async fn fire(&self, name: &str, fields: Value) -> Outcome {
        fire(&self.builder().build(), name, fields).await
    }
}

/// Fires an event by the name that the original has for it. All files must have been read well.
pub(crate) async fn fire(engine: &Engine, name: &str, fields: Value) -> Outcome {
    assert!(!engine.is_refused(), "{:?}", engine.diagnostics());
    engine.fire(event(name, fields)).await
}

/// An event with the fields that every envelope of the recording has.
pub(crate) fn event(name: &str, fields: Value) -> Event {
    let mut all = json!({
        "workspace_id": "ws_1",
        "run_id": "run_1",
        "trigger_type": "message",
        "run_status": "running",
    });
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    all.as_object_mut().unwrap().extend(fields);
    let kind = EventKind::KNOWN.into_iter().find(|kind| kind.name_in(Dialect::Oah) == Some(name));
    Event::new(kind.unwrap(), all.as_object().cloned().unwrap())
}

/// An answer that patches one thing.
pub(crate) fn patch(scope: &str, value: &Value) -> Value {
    json!({ "hookSpecificOutput": { "patch": { scope: value } } })
}

/// An answer that patches one thing and has something to say.
pub(crate) fn patch_and_say(scope: &str, value: &Value, text: &str) -> Value {
    let mut answer = patch(scope, value);
    answer["systemMessage"] = text.into();
    answer
}

/// The fields of a tool call, for hooks whose handler matters and whose event does not.
pub(crate) fn tool_call() -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } })
}

//! A workspace on disk with a real `.hooks.json`, and the engine on it.

use std::fs;
use std::path::Path;

use becket::core::outcome::State;
use becket::core::verdict::{FailureKind, Verdict};
use becket::{Builder, Compat, Dialect, Engine, Event, EventKind, Outcome};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub(super) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// A trusted workspace whose hooks file holds this text.
    pub(super) fn with_text(text: &str) -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap() };
        workspace.write(".hooks.json", text);
        workspace.write(".claude/.claude_trusted", "");
        workspace
    }

    /// A trusted workspace with the hooks of one event.
    pub(super) fn with_hooks(event: &str, hooks: &[Value]) -> Self {
        Self::with_text(&json!({ "hooks": { event: hooks } }).to_string())
    }

    /// A trusted workspace with commands for `PreToolUse`.
    pub(super) fn with_commands(commands: &[&str]) -> Self {
        let hooks: Vec<_> = commands.iter().map(|it| json!({ "command": it })).collect();
        Self::with_hooks("PreToolUse", &hooks)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn distrust(&self) {
        fs::remove_file(self.path().join(".claude/.claude_trusted")).unwrap();
    }

    pub(super) fn builder(&self) -> Builder {
        let file = self.path().join(".hooks.json");
        Engine::builder().compat(Compat::Exact).workspace(self.path()).hooks(Dialect::LccS08, file)
    }

    /// Fires an event in `exact`.
    pub(super) async fn fire(&self, event: &str, context: Value) -> Outcome {
        fire(&self.builder().build(), event, context).await
    }

    /// Fires `PreToolUse` for `bash` in `exact`.
    pub(super) async fn ls(&self) -> Outcome {
        self.fire("PreToolUse", ls()).await
    }

    /// Fires `PreToolUse` for `bash` in `safe`.
    pub(super) async fn ls_safely(&self) -> Outcome {
        fire(&self.builder().compat(Compat::Safe).build(), "PreToolUse", ls()).await
    }
}

pub(super) fn ls() -> Value {
    json!({ "tool_name": "bash", "tool_input": { "command": "ls" } })
}

/// Fires an event; a context that is not there is an event without fields.
pub(super) async fn fire(engine: &Engine, event: &str, context: Value) -> Outcome {
    assert!(!engine.is_refused(), "{:?}", engine.diagnostics());
    let kind = EventKind::KNOWN.into_iter().find(|it| it.name_in(Dialect::LccS08) == Some(event));
    let fields = match context {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => panic!("{other} is not a context"),
    };
    engine.fire(Event::new(kind.unwrap(), fields)).await
}

/// What each hook that ran was taken to mean, in order.
pub(super) fn verdicts(outcome: &Outcome) -> Vec<&Verdict> {
    outcome.runs().map(|run| &run.settled.verdict).collect()
}

/// How each hook that ran failed, where it did.
pub(super) fn failures(outcome: &Outcome) -> Vec<Option<FailureKind>> {
    outcome.runs().map(|run| run.settled.failure.as_ref().map(|it| it.kind)).collect()
}

/// The names of the hooks that ran.
pub(super) fn ran(outcome: &Outcome) -> Vec<String> {
    let hooks = outcome.hooks().into_iter();
    hooks
        .filter(|(_, state)| matches!(state, State::Ran(_)))
        .map(|(hook, _)| hook.name().to_owned())
        .collect()
}

/// The reason that stands first.
pub(super) fn reason(outcome: &Outcome) -> &str {
    &outcome.reasons.first().unwrap().text
}

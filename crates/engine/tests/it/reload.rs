//! Files that change under a running engine.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

mod across;
mod cut;
mod exact;
mod rows;
mod storm;

use std::fs;
use std::path::{Path, PathBuf};

use becket::{Builder, Engine, Event, EventKind, Outcome, Trust};
use serde_json::json;
use tempfile::TempDir;

/// A folder with files of hooks, and engines on it.
struct Workspace(TempDir);

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        let workspace = Self(TempDir::new().unwrap());
        for (name, text) in files {
            workspace.write(name, text);
        }
        workspace
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        fs::write(self.file(name), text).unwrap();
    }

    /// Puts a new file in the place of an old one in one go.
    fn replace(&self, name: &str, text: &str) {
        self.write(&format!("{name}~"), text);
        fs::rename(self.file(&format!("{name}~")), self.file(name)).unwrap();
    }

    fn builder(&self) -> Builder {
        let home = self.file("home");
        let builder = Engine::builder().workspace(self.path()).home(home).machine(self.path());
        builder.discover(Trust::Given)
    }

    fn engine(&self) -> Engine {
        self.builder().build()
    }
}

/// A call that hooks may refuse.
fn call() -> Event {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap())
}

/// A tool has changed a file, so that the next event looks whether it is one of configuration.
async fn edited(engine: &Engine, path: &Path) {
    let fields = json!({ "tool_name": "Edit", "tool_input": { "file_path": path } });
    let event = Event::new(EventKind::PostToolUse, fields.as_object().cloned().unwrap());
    let _ = engine.fire(event).await;
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.notes.iter().map(becket::Note::code).collect()
}

fn notes(outcome: &Outcome, code: &str) -> Vec<String> {
    outcome.notes.iter().filter(|it| it.code() == code).map(ToString::to_string).collect()
}

/// One hook of seed 000 that refuses every call, or lets it pass.
fn t15(exit: u8, mark: &str) -> String {
    format!(
        "hooks:\n  - events: [PRE_TOOL_USE]\n    command: 'exit {exit}; {mark}'\n    can_block: true\n"
    )
}

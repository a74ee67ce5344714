//! The hooks and events that are measured.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use becket::{Dialect, Engine, Event, EventKind};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A tool call whose envelope is about one KiB.
pub(crate) fn event() -> Event {
    let fields = fields();
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap_or_default())
}

/// Its payload.
pub(crate) fn fields() -> Value {
    json!({
        "session_id": "bench",
        "tool_name": "Bash",
        "tool_input": { "command": format!("echo {}", "x".repeat(700)) },
    })
}

/// How the hooks of a set choose their tools.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Matchers {
    /// A name each.
    Literal,
    /// Every other one a real regular expression.
    HalfRegex,
}

/// Writes hooks that match nothing, and gives back their folder.
pub(crate) fn idle_hooks(folder: &Path, count: usize, matchers: Matchers) -> io::Result<PathBuf> {
    let folder = folder.join(format!("idle-{count}-{matchers:?}"));
    fs::create_dir_all(&folder)?;
    for number in 0..count {
        let matcher = match matchers {
            Matchers::HalfRegex if number % 2 == 0 => format!("^Tool{number:05}.*x$"),
            Matchers::HalfRegex | Matchers::Literal => format!("Tool{number:05}Name"),
        };
        write_hook(&folder, &format!("idle-{number:05}"), Some(&matcher))?;
    }
    Ok(folder)
}

/// Writes one hook that always fires and runs `true`.
pub(crate) fn true_hook(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.join("true");
    fs::create_dir_all(&folder)?;
    write_hook(&folder, "always", None)?;
    Ok(folder)
}

fn write_hook(folder: &Path, name: &str, matcher: Option<&str>) -> io::Result<()> {
    let matcher = matcher.map(|it| format!("matcher: '{it}'\n")).unwrap_or_default();
    let handler = "handler:\n  type: command\n  command: 'true'\n";
    let text = format!("name: {name}\nevents: [before_tool_dispatch]\n{matcher}{handler}");
    fs::write(folder.join(format!("{name}.yaml")), text)
}

/// An engine with the hooks of a folder, which must all be in force.
pub(crate) fn engine(hooks: &Path) -> io::Result<Engine> {
    let workspace = hooks.parent().unwrap_or(hooks);
    let engine = Engine::builder().workspace(workspace).hooks(Dialect::Oah, hooks).build();
    match engine.diagnostics().first() {
        Some(problem) => Err(io::Error::other(problem.to_string())),
        None => Ok(engine),
    }
}

/// The runtime that the command line uses too.
pub(crate) fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

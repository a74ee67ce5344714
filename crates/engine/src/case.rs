//! Behaviour written as readable Markdown, and run.
//!
//! A heading is a case; the fenced blocks below it say what there is, what happens and
//! what must come of it:
//!
//! ````text
//! ### A block is a refusal
//!
//! ```yaml file=.openharness/hooks/guard.yaml
//! name: guard
//! ...
//! ```
//! ```json event=before_tool_dispatch
//! { "tool_name": "Bash", "tool_input": {} }
//! ```
//! ```json outcome
//! { "decision": "deny", "effects": [{ "kind": "deny_tool" }] }
//! ```
//! ````
//!
//! An outcome states what matters: objects may have more keys than the case names,
//! lists must be of the same length, and of `hooks` and `notes` those named must be
//! among those there are. With `compat=exact` an outcome is that of the original.
//! A file block with `then` is written under the running engine once the event has been fired, and the
//! event is fired again; with `gone` the file is removed. The outcome is that of the last event.
//! A file block with `dialect=NAME` is read as if it were named on the command line.
//! `json check` lists the findings about the files instead, all of them.

mod compare;
mod markdown;

use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_core::dialect::{Compat, Dialect};
use becket_core::event::Event;
use becket_core::report::Report;
use serde_json::{Map, Value, json};

use crate::engine::{Builder, Engine};
use crate::port::Secrets;
use crate::trust::Trust;

pub use self::markdown::{CaseError, read};

/// One case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its heading, with those above it.
    pub name: String,
    /// The line it begins on.
    pub line: usize,
    /// Files of its workspace.
    pub files: Vec<(String, String)>,
    /// Files that are named with their dialect, as on the command line.
    pub named: Vec<(Dialect, String)>,
    /// Files that change after the event has been fired, and what they become; `None`: they are removed.
    pub later: Vec<(String, Option<String>)>,
    /// What happens.
    pub event: Option<(String, Value)>,
    /// What the scripted model answers.
    pub model: Option<Value>,
    /// Secrets by name.
    pub secrets: Map<String, Value>,
    /// Nobody can be asked.
    pub headless: bool,
    /// Failures are refusals.
    pub strict: bool,
    /// What must come of it.
    pub expected: Vec<Expected>,
}

/// What must come of a case.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Whose behaviour it is.
    pub compat: Compat,
    /// Whether it lists findings rather than an outcome.
    pub findings: bool,
    /// The part that matters.
    pub value: Value,
}

/// What a case needs from outside: who lends it a model.
pub type Lend<'l> = &'l dyn Fn(Builder, &Value) -> Builder;

/// How long hooks that nobody waits for may take before the files are looked at.
const DRAIN: Duration = Duration::from_secs(20);

/// Runs a case; the answer is one line for each thing that is not as expected.
pub async fn run(case: &Case, lend: Lend<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    for expected in &case.expected {
        let found = match Workspace::new(case) {
            Ok(workspace) => actual(case, expected, &workspace, lend).await,
            Err(error) => return vec![format!("the workspace could not be made: {error}")],
        };
        let differences = compare::differences(&expected.value, &found);
        wrong.extend(differences.into_iter().map(|it| format!("{}: {it}", expected.compat.name())));
    }
    wrong
}

async fn actual(case: &Case, expected: &Expected, workspace: &Workspace, lend: Lend<'_>) -> Value {
    let secrets = case.secrets.clone();
    let lookup = move |name: &str| secrets.get(name)?.as_str().map(str::to_owned);
    let builder = Engine::builder()
        .workspace(&workspace.0)
        // A login shell reads the profile of whoever runs the case; here there is none.
        .variable("HOME", workspace.0.join("home").to_string_lossy())
        // What a person or an administrator keeps elsewhere stands in the case as well.
        .home(workspace.0.join("home"))
        .machine(&workspace.0)
        .discover(Trust::Given)
        .compat(expected.compat)
        .headless(case.headless)
        .strict(case.strict)
        .lint(expected.findings)
        .secrets(Secrets::from_fn(lookup));
    let named = case.named.iter();
    let builder = named
        .fold(builder, |builder, (dialect, file)| builder.hooks(*dialect, workspace.0.join(file)));
    let builder = case.model.iter().fold(builder, lend);
    let engine = builder.build();
    if expected.findings {
        return engine.diagnostics().iter().map(|it| finding(it, &workspace.0)).collect();
    }
    if engine.is_refused() {
        return json!({ "refused": true });
    }
    let Some((name, fields)) = &case.event else {
        return json!({ "error": "the case has no event" });
    };
    let Some(kind) = engine.event_named(name) else {
        return json!({ "error": format!("no event `{name}`") });
    };
    let event = Event::new(kind, fields.as_object().cloned().unwrap_or_default());
    for (name, text) in &case.later {
        let _ = engine.fire(event.clone()).await;
        if let Err(error) = workspace.change(name, text.as_deref()) {
            return json!({ "error": format!("`{name}` could not be changed: {error}") });
        }
        engine.expect_changes();
    }
    let outcome = engine.fire(event).await;
    engine.drain(DRAIN).await;
    let mut report = serde_json::to_value(Report::from(&outcome)).unwrap_or_default();
    if let Some(report) = report.as_object_mut() {
        report.insert("files".to_owned(), workspace.files());
        report.insert("blocked".to_owned(), outcome.is_blocked().into());
    }
    report
}

fn finding(it: &becket_core::diagnostic::Diagnostic, workspace: &Path) -> Value {
    let file = it.origin.file.strip_prefix(workspace).unwrap_or(&it.origin.file);
    json!({
        "code": it.code.name(), "severity": it.severity().name(), "message": it.message, "hint": it.hint,
        "file": file.display().to_string(), "line": it.origin.line, "column": it.origin.column,
    })
}

/// A folder of its own for each run, gone when it is over.
struct Workspace(PathBuf);

impl Workspace {
    fn new(case: &Case) -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("becket-case-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir_all(&folder)?;
        let workspace = Self(folder);
        for (name, text) in &case.files {
            workspace.change(name, Some(text))?;
        }
        Ok(workspace)
    }

    fn change(&self, name: &str, text: Option<&str>) -> std::io::Result<()> {
        let path = self.0.join(name);
        let Some(text) = text else { return std::fs::remove_file(path) };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)
    }

    /// The texts of the files at its top, which hooks may have written.
    fn files(&self) -> Value {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        let texts = entries.filter_map(|entry| {
            let text = std::fs::read_to_string(entry.path()).ok()?;
            Some((entry.file_name().to_string_lossy().into_owned(), Value::String(text)))
        });
        Value::Object(texts.collect())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Lends nothing.
pub fn lend_nothing(builder: Builder, _: &Value) -> Builder {
    builder
}

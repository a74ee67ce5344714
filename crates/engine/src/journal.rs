//! The record of what happened: one line of JSON per event, appended with one write.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use becket_core::outcome::Outcome;
use becket_core::patch::Scope;
use becket_core::report::Report;
use serde_json::{Value, json};

/// A field of an event larger than this is recorded by its size only.
const MAX_FIELD: usize = 64 * 1024;

/// A file to which records are appended.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of a state directory, and makes it when there is none.
    ///
    /// Only its owner can read it: events hold commands, paths and prompts.
    pub fn open(directory: &Path) -> io::Result<Self> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let path = directory.join("journal.jsonl");
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        Ok(Self { path, file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a text that is too long for its reader in a file of its own, for its owner only.
    pub fn keep(&self, text: &str) -> io::Result<PathBuf> {
        let folder = self.path.with_file_name("texts");
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let path = folder.join(format!("{}.txt", uuid::Uuid::now_v7()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(path)
    }

    /// Appends one record.
    ///
    /// One `write` per record: other processes append to the same file, and a process
    /// that is killed must not leave half a line behind.
    pub fn append(&self, outcome: &Outcome) -> io::Result<()> {
        let mut line = serde_json::to_vec(&record(outcome))?;
        line.push(b'\n');
        (&self.file).write_all(&line)
    }
}

fn record(outcome: &Outcome) -> Value {
    let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis());
    // What was asked, not what became of it: that is in `patched`.
    let asked = |name: &str| Scope::named(name).and_then(|scope| outcome.originals.get(&scope));
    let fields = outcome.event.fields().iter();
    let fields = fields.map(|(name, value)| (name.clone(), bounded(asked(name).unwrap_or(value))));
    json!({
        "v": 1,
        "trace": outcome.trace,
        "at_ms": u64::try_from(at_ms).unwrap_or(u64::MAX),
        "input": Value::Object(fields.collect()),
        "outcome": Report::from(outcome),
    })
}

fn bounded(value: &Value) -> Value {
    // Most fields are small texts; only the others have to be written out to be measured.
    let size = match value {
        Value::String(text) => text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::Array(_) | Value::Object(_) => value.to_string().len(),
    };
    if size > MAX_FIELD { json!({ "cut": true, "bytes": size }) } else { value.clone() }
}

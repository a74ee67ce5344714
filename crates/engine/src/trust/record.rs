//! What was approved in one project, as it is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use becket_core::diagnostic::{Code, Diagnostic};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::project::Project;
use super::review::Item;
use crate::digest::Digest;
use crate::state;

/// The most bytes of one record.
const MAX_RECORD: u64 = 64 * 1024 * 1024;
/// The form of records.
const VERSION: u32 = 1;

/// What was approved in one project.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Record {
    version: u32,
    project: PathBuf,
    /// When, in milliseconds since 1970.
    pub(super) at_ms: u64,
    pub(super) items: Vec<Kept>,
}

/// One thing as it was approved, so that a change can be shown.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Kept {
    /// What it is called in its project.
    pub key: String,
    /// What it was in this project.
    identity: Digest,
    /// What it said.
    pub entry: Value,
    /// The files it named.
    pub files: Vec<KeptFile>,
}

/// A file as it was approved.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct KeptFile {
    /// Where it was.
    pub path: PathBuf,
    /// What was in it.
    pub digest: Digest,
    /// Its text, where it was a short one.
    pub text: Option<String>,
}

impl Record {
    /// The record about a project; `None` when nothing was ever approved in it.
    ///
    /// A record that is open to others, broken, or inside the project it is about says nothing.
    pub(super) fn read(folder: &Path, project: &Project) -> Result<Option<Self>, Diagnostic> {
        let path = path_of(folder, project);
        let wrong = |message: String| {
            Diagnostic::of_file(Code::Settings, &Arc::new(path.clone()), message)
                .with_hint("mend that, or delete the file and run `becket trust` again")
        };
        let bytes = match state::read(&path, MAX_RECORD) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(error) => return Err(wrong(format!("approvals are not believed: {error}"))),
        };
        if is_inside(&path, project) {
            return Err(wrong("approvals are not believed: they lie in the project".to_owned()));
        }
        let record: Self = serde_json::from_slice(&bytes)
            .map_err(|error| wrong(format!("approvals cannot be read: {error}")))?;
        if record.version != VERSION || record.project != project.home {
            return Err(wrong("these approvals are about something else".to_owned()));
        }
        Ok(Some(record))
    }

    /// Whether exactly this was approved.
    pub(super) fn approves(&self, content: Digest, project: &Project) -> bool {
        let identity = identity_of(content, project);
        self.items.iter().any(|it| it.identity == identity)
    }

    /// Whether something of this name was approved, whatever it was.
    pub(super) fn knows(&self, key: &str) -> bool {
        self.items.iter().any(|it| it.key == key)
    }

    /// Keeps what a person has seen and approved, in place of what was approved before.
    pub(super) fn write(folder: &Path, project: &Project, items: &[Item]) -> Result<(), String> {
        let path = path_of(folder, project);
        if is_inside(&path, project) {
            return Err(format!("`{}` lies in the project itself", path.display()));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = Self {
            version: VERSION,
            project: project.home.clone(),
            at_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            items: items
                .iter()
                .filter(|it| it.can_be_approved())
                .map(|it| keep(it, project))
                .collect(),
        };
        let written = serde_json::to_vec_pretty(&record).map_err(std::io::Error::from);
        let written = written.and_then(|bytes| state::write(&path, &bytes));
        written.map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
        // What could not be read back would be believed approved by nobody.
        Self::read(folder, project).map(drop).map_err(|it| it.message)
    }

    /// Forgets what was approved in a project; `false` when nothing was.
    pub(super) fn remove(folder: &Path, project: &Project) -> std::io::Result<bool> {
        match std::fs::remove_file(path_of(folder, project)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

pub(super) fn path_of(folder: &Path, project: &Project) -> PathBuf {
    folder.join("trust").join(format!("{}.json", state::name_for(&project.home)))
}

/// Whether what lies at a path could have come with the project.
fn is_inside(path: &Path, project: &Project) -> bool {
    let real = path.ancestors().find_map(|it| std::fs::canonicalize(it).ok());
    real.is_none_or(|it| it.starts_with(&project.root) || it.starts_with(&project.home))
}

fn identity_of(content: Digest, project: &Project) -> Digest {
    let home = project.home.as_os_str().as_encoded_bytes();
    Digest::of(&[b"becket project", home, content.bytes()])
}

fn keep(item: &Item, project: &Project) -> Kept {
    let files = item.files.iter().map(|it| KeptFile {
        path: it.path.clone(),
        digest: it.digest,
        text: it.text.clone(),
    });
    Kept {
        key: item.key.clone(),
        identity: identity_of(item.content, project),
        entry: without_values(&item.entry),
        files: files.collect(),
    }
}

/// An entry without the values of variables and headers, which may be secret.
pub(super) fn without_values(entry: &Value) -> Value {
    let mut entry = entry.clone();
    for field in ["environment", "headers"] {
        let pairs = entry.get_mut("handler").and_then(|it| it.get_mut(field)?.as_array_mut());
        for value in pairs.into_iter().flatten().filter_map(|pair| pair.get_mut(1)) {
            let digest = Digest::of(&[value.to_string().as_bytes()]);
            *value = Value::String(format!("sha256 {}", digest.short()));
        }
    }
    entry
}

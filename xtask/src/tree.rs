//! The text of every file of the workspace, read once; checks are functions of it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::problem::Problem;
use crate::shell;

/// The files, by their path below the workspace.
#[derive(Debug, Default)]
pub(crate) struct Tree(BTreeMap<String, String>);

/// Something that is not as it should be, at a line of a file.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Violation {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// What is built, fetched or found by fuzzing is not ours to check.
const SKIPPED: [&str; 6] =
    ["target", ".git", "fuzz/target", "fuzz/corpus", "fuzz/artifacts", "fuzz/coverage"];

impl Tree {
    /// Reads the workspace. Files that are not text are left out.
    pub(crate) fn read(root: &Path) -> Result<Self, Problem> {
        let paths = listed().map_or_else(|| walk(root), Ok)?;
        let mut files = BTreeMap::new();
        for path in paths {
            match fs::read(root.join(&path)).map(String::from_utf8) {
                Ok(Ok(text)) => files.insert(path, text),
                // Binary, or deleted and not yet committed.
                Ok(Err(_)) | Err(_) => None,
            };
        }
        Ok(Self(files))
    }

    /// One file.
    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// All files, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files of every crate's `src`.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_source = |path: &str| {
            let ours = path.starts_with("crates/") || path.starts_with("xtask/");
            ours && path.contains("/src/") && has_extension(path, "rs")
        };
        self.files().filter(move |(path, _)| is_source(path))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        Self(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into())
    }
}

impl Violation {
    pub(crate) fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Whether a path ends in this extension.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == extension)
}

/// What git knows, with files that are new and not ignored; `None` without git.
fn listed() -> Option<Vec<String>> {
    let args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let output = shell::command("git", &args).output().ok().filter(|it| it.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.split_terminator('\0').map(str::to_owned).collect())
}

/// The same for a copy that is not a repository.
fn walk(root: &Path) -> Result<Vec<String>, Problem> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| Problem::file(&folder, &error))? {
            let path = entry.map_err(|error| Problem::file(&folder, &error))?.path();
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() { open.push(path) } else { found.push(name) }
        }
    }
    Ok(found)
}

//! Finding and reading configuration files.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{File, READABLE, Settings, WorkspaceKind, read_workspace_kind};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::{Compat, Dialect};
use becket_core::hook::Layer;
use becket_core::profile::{Folder, Profile};
use becket_core::world::{MAX_SCRIPT, ScriptFile, World};

use self::layer::Roots;
use crate::archive::Archive;
use crate::port::Secrets;

mod plugin;

pub(crate) mod layer;

/// Where each dialect keeps the hooks of a workspace.
const PLACES: [(Dialect, &str); 7] = [
    (Dialect::Becket, ".becket/hooks"),
    (Dialect::Oah, ".openharness/hooks"),
    (Dialect::T15, "hooks.yaml"),
    (Dialect::T15, "hooks.json"),
    (Dialect::LccS08, ".hooks.json"),
    (Dialect::ClaudeCode, ".claude"),
    (Dialect::Microai, ".claude"),
];
const OAH_SETTINGS: &str = ".openharness/settings.yaml";

/// The nearest folder at or above this one that looks like a workspace, else the folder itself.
pub fn workspace_above(start: &Path) -> PathBuf {
    let is_workspace = |folder: &&Path| {
        [".openharness", ".becket", ".git"].iter().any(|name| folder.join(name).exists())
    };
    start.ancestors().find(is_workspace).unwrap_or(start).to_path_buf()
}

/// The workspace that a path inside `.becket`, `.openharness` or `.claude` belongs to.
pub fn workspace_of(hooks: &Path) -> Option<PathBuf> {
    let hooks = std::path::absolute(hooks).ok()?;
    let inside = hooks.ancestors().find(|folder| {
        let marks = [".becket", ".openharness", ".claude"];
        folder.file_name().is_some_and(|it| marks.iter().any(|mark| it == *mark))
    })?;
    inside
        .parent()
        .map(|it| if it.as_os_str().is_empty() { PathBuf::from(".") } else { it.to_path_buf() })
}

/// The hook files and folders of a workspace, with the dialect each is written in.
pub fn discover(workspace: &Path) -> Vec<(Dialect, PathBuf)> {
    discover_on(&Archive::default(), workspace)
}

fn discover_on(archive: &Archive, workspace: &Path) -> Vec<(Dialect, PathBuf)> {
    let readable = PLACES.iter().filter(|(dialect, _)| READABLE.contains(dialect));
    let paths = readable.map(|(dialect, place)| (*dialect, workspace.join(place)));
    let plugins = Dialect::ALL.into_iter().filter(|it| READABLE.contains(it)).flat_map(|dialect| {
        let folders = match Profile::of(dialect, Compat::Safe).folder {
            Folder::Plugin { manifest, .. } => plugin::folders(archive, workspace, manifest),
            Folder::OfHooks | Folder::Layered | Folder::Holding(_) => Vec::new(),
        };
        folders.into_iter().map(move |folder| (dialect, folder))
    });
    paths.filter(|(dialect, path)| has_hooks(archive, *dialect, path)).chain(plugins).collect()
}

/// Whether there is something to read at a place.
fn has_hooks(archive: &Archive, dialect: Dialect, path: &Path) -> bool {
    match Profile::of(dialect, Compat::Safe).folder {
        // Each is looked at, so that one that appears later is noticed.
        Folder::Holding(names) if archive.is_dir(path) => {
            names.iter().filter(|name| archive.exists(&path.join(name))).count() > 0
        }
        Folder::Holding(_) | Folder::OfHooks | Folder::Layered | Folder::Plugin { .. } => {
            archive.exists(path)
        }
    }
}

/// The same, with the file that settings name in place of the usual ones of its dialect.
pub(crate) fn discover_with(
    archive: &Archive,
    workspace: &Path,
    hooks_file: Option<PathBuf>,
) -> Vec<(Dialect, PathBuf)> {
    let mut found = discover_on(archive, workspace);
    if let Some(path) = hooks_file {
        found.retain(|(dialect, _)| *dialect != Dialect::T15);
        found.push((Dialect::T15, path));
    }
    found
}

/// What settings say.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// Of what kind the workspace is.
    pub kind: WorkspaceKind,
    /// Our own settings, strong layers first.
    pub settings: Vec<(Layer, Settings)>,
    /// What is wrong with any of the files.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the settings of a workspace, and of these folders of ours; files that do not exist say nothing.
pub(crate) fn circumstances(
    archive: &Archive,
    workspace: &Path,
    roots: &Roots,
    folders: &[(Layer, PathBuf)],
) -> Circumstances {
    let mut found = Circumstances::default();
    let path = workspace.join(OAH_SETTINGS);
    match archive.exists(&path).then(|| read_file(archive, &path)) {
        Some(Ok(file)) => (found.kind, found.diagnostics) = read_workspace_kind(&file),
        Some(Err(problem)) => found.diagnostics.push(problem),
        None => (),
    }
    let (settings, problems) = roots.settings(archive, folders);
    found.settings = settings;
    found.diagnostics.extend(problems);
    found
}

/// Reads those of these files that a folder holds.
pub(crate) fn held_files(
    archive: &Archive,
    folder: &Path,
    names: &[&str],
) -> (Vec<File>, Vec<Diagnostic>) {
    read_all(archive, names.iter().map(|name| folder.join(name)).filter(|it| archive.exists(it)))
}

/// Reads the hook files of a plugin.
pub(crate) fn plugin_files(
    archive: &Archive,
    folder: &Path,
    manifest: (&str, &str),
    files: &[&str],
) -> (Vec<File>, Vec<Diagnostic>) {
    read_all(archive, plugin::hook_files(archive, folder, manifest, files).into_iter())
}

/// Reads one file with those that belong to it, or the hook files of one folder in the order of their names.
pub fn files(path: &Path, companions: &[&str]) -> (Vec<File>, Vec<Diagnostic>) {
    files_on(&Archive::default(), path, companions)
}

pub(crate) fn files_on(
    archive: &Archive,
    path: &Path,
    companions: &[&str],
) -> (Vec<File>, Vec<Diagnostic>) {
    if !archive.is_dir(path) {
        let beside = companions
            .iter()
            .map(|name| path.with_file_name(name))
            .filter(|it| archive.exists(it) && it != path);
        return read_all(archive, std::iter::once(path.to_path_buf()).chain(beside));
    }
    let mut paths = match archive.list(path) {
        Ok(paths) => paths,
        Err(error) => {
            let message = format!("the folder cannot be read: {error}");
            let problem =
                Diagnostic::of_file(Code::Unreadable, &Arc::new(path.to_path_buf()), message);
            return (Vec::new(), vec![problem]);
        }
    };
    paths.retain(|path| is_hook_file(path) && !archive.is_dir(path));
    read_all(archive, paths.into_iter())
}

/// Whether a file of a folder is one of hooks; what editors lay beside the file they work on is not.
fn is_hook_file(path: &Path) -> bool {
    let named = path.extension().is_some_and(|it| it == "yaml" || it == "yml");
    named && path.file_name().is_some_and(|it| !it.as_encoded_bytes().starts_with(b".#"))
}

fn read_all(
    archive: &Archive,
    paths: impl Iterator<Item = PathBuf>,
) -> (Vec<File>, Vec<Diagnostic>) {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match read_file(archive, &path) {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    (files, problems)
}

pub(crate) fn read_file(archive: &Archive, path: &Path) -> Result<File, Diagnostic> {
    let shown = Arc::new(path.to_path_buf());
    match archive.read(path) {
        Ok(bytes) => Ok(File { path: shown, bytes: bytes.to_vec() }),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            Err(Diagnostic::of_file(Code::NotFile, &shown, "this is not a plain file"))
        }
        Err(error) => Err(Diagnostic::of_file(
            Code::Unreadable,
            &shown,
            format!("the file cannot be read: {error}"),
        )),
    }
}

/// The outside as it really is.
#[derive(Debug)]
pub struct Outside<'s> {
    /// Where secrets come from.
    pub secrets: &'s Secrets,
}

impl World for Outside<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn has_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn knows_secret(&self, name: &str) -> bool {
        self.secrets.get(name).is_some()
    }

    fn script(&self, path: &Path) -> Option<ScriptFile> {
        let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        // A script that may be run and not read says nothing about itself.
        let _ = fs::File::open(path)
            .and_then(|file| file.take(MAX_SCRIPT as u64).read_to_end(&mut bytes));
        let text = String::from_utf8(bytes).unwrap_or_default();
        Some(ScriptFile { text, executable: is_executable(&about) })
    }

    fn has_program(&self, name: &str) -> bool {
        let runs = |path: &Path| {
            fs::metadata(path).is_ok_and(|about| about.is_file() && is_executable(&about))
        };
        if name.contains('/') {
            return runs(Path::new(name));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| runs(&folder.join(name)))
    }
}

#[cfg(unix)]
fn is_executable(about: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_about: &fs::Metadata) -> bool {
    true
}

//! Configuration by layers: what an administrator, a person and a project keep where.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{File, Place, Settings, read_settings};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::{Compat, Dialect};
use becket_core::hook::Layer;

use super::read_file;
use crate::archive::Archive;

/// The folder of a project that holds hooks and settings of ours.
const PROJECT: &str = ".becket";
/// What the folders of a person and of an administrator call them.
const OURS: &str = "becket";
/// What the name of a file ends in that is one person's own, before its extension.
const LOCAL: &str = ".local";
/// Where an administrator keeps configuration, below the root of the machine.
const ETC: &str = "etc";
/// The settings of Claude Code: a person's, below their home, and the administrator's.
const CLAUDE_USER: &str = ".claude/settings.json";
const CLAUDE_MANAGED: &str = "claude-code/managed-settings.json";
const CLAUDE_MANAGED_MORE: &str = "claude-code/managed-settings.d";

/// Where layers beyond a project are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    /// The root of the machine.
    pub(crate) machine: PathBuf,
    /// The home of the person.
    pub(crate) home: Option<PathBuf>,
    /// The folder of the person's configuration.
    pub(crate) config: Option<PathBuf>,
}

impl Roots {
    /// The folders that hold `hooks/` and settings of ours, strong layers first.
    pub(crate) fn folders(&self, workspace: &Path) -> Vec<(Layer, PathBuf)> {
        let user = self.config.as_ref().map(|it| (Layer::User, it.join(OURS)));
        let project = [Layer::Project, Layer::Local].map(|it| (it, workspace.join(PROJECT)));
        let managed = [(Layer::Managed, self.machine.join(ETC).join(OURS))];
        managed.into_iter().chain(user).chain(project).collect()
    }

    /// The files and folders of a person and of the machine that hold hooks, strongest first.
    pub(crate) fn hooks(
        &self,
        archive: &Archive,
        workspace: &Path,
    ) -> Vec<(Dialect, Layer, PathBuf)> {
        let ours = self.folders(workspace).into_iter().filter(|it| it.0 < Layer::Project);
        let ours = ours.map(|(layer, it)| (Dialect::Becket, layer, it.join("hooks")));
        let etc = self.machine.join(ETC);
        let mut more = archive.list(&etc.join(CLAUDE_MANAGED_MORE)).unwrap_or_default();
        more.retain(|path| path.extension().is_some_and(|it| it == "json"));
        let managed = std::iter::once(etc.join(CLAUDE_MANAGED)).chain(more);
        let managed = managed.map(|path| (Dialect::ClaudeCode, Layer::Managed, path));
        let user = self.home.as_ref().map(|it| it.join(CLAUDE_USER));
        let user = user.map(|path| (Dialect::ClaudeCode, Layer::User, path));
        let all = ours.chain(managed).chain(user);
        all.filter(|(_, _, path)| archive.exists(path)).collect()
    }

    /// Why a file of the administrator's is not read: somebody else could have written it.
    ///
    /// The folders it lies in count too: whoever may write there can put another file in its place.
    fn not_managed(&self, file: &Path) -> Option<String> {
        let etc = self.machine.join(ETC);
        let folder = file.strip_prefix(&etc).ok()?.components().next()?;
        let own = fs::canonicalize(etc.join(folder)).ok()?;
        let real = fs::canonicalize(file).ok()?;
        if !real.starts_with(&own) {
            return Some(format!("it is a link that leads to `{}`", real.display()));
        }
        real.ancestors().take_while(|it| it.starts_with(&own)).find_map(|path| {
            let found = fs::metadata(path).ok()?;
            let whose = if found.uid() != 0 && !self.is_pretended_by(found.uid()) {
                "belongs to somebody else than root"
            } else if found.mode() & 0o022 != 0 {
                "can be written by others than its owner"
            } else {
                return None;
            };
            Some(format!("`{}` {whose}", path.display()))
        })
    }

    /// A host may say that another folder is the machine; then its own files are the administrator's.
    fn is_pretended_by(&self, user: u32) -> bool {
        self.machine != Path::new("/") && rustix::process::geteuid().as_raw() == user
    }

    /// Those of the files of a place that really are its own, and why the others are not read.
    pub(crate) fn own_files(
        &self,
        archive: &Archive,
        place: &Place,
        mut files: Vec<File>,
    ) -> (Vec<File>, Vec<Diagnostic>) {
        let mut refused = Vec::new();
        files.retain(|file| {
            let why = match (place.layer, place.compat) {
                // What is in its place now is not what is read.
                _ if archive.is_kept(&file.path) => None,
                (Layer::Managed, Compat::Safe) => self.not_owned(&file.path),
                (Layer::Project | Layer::Local, Compat::Safe) => {
                    leads_out(&file.path, &place.workspace)
                }
                _ => None,
            };
            let is_own = why.is_none();
            refused.extend(why);
            is_own
        });
        (files, refused)
    }

    fn not_owned(&self, file: &Path) -> Option<Diagnostic> {
        let message = format!("this managed file is not read: {}", self.not_managed(file)?);
        Some(Diagnostic::of_file(Code::Owner, &Arc::new(file.to_path_buf()), message))
    }

    /// Reads the settings of each of these folders that has some.
    pub(crate) fn settings(
        &self,
        archive: &Archive,
        folders: &[(Layer, PathBuf)],
    ) -> (Vec<(Layer, Settings)>, Vec<Diagnostic>) {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for (layer, folder) in folders {
            let path = folder.join(settings_name(*layer));
            if !archive.exists(&path) {
                continue;
            }
            let foreign = (*layer == Layer::Managed && !archive.is_kept(&path))
                .then(|| self.not_owned(&path))
                .flatten();
            match foreign.map_or_else(|| read_file(archive, &path), Err) {
                Ok(file) => {
                    let (settings, found) = read_settings(&file, *layer);
                    all.push((*layer, settings));
                    problems.extend(found);
                }
                Err(problem) => problems.push(problem),
            }
        }
        (all, problems)
    }
}

/// What the settings of a layer are called.
fn settings_name(layer: Layer) -> String {
    format!("settings{}.yaml", if layer == Layer::Local { LOCAL } else { "" })
}

/// Where a layer of a project has its settings.
pub(crate) fn settings_file(layer: Layer, workspace: &Path) -> PathBuf {
    workspace.join(PROJECT).join(settings_name(layer))
}

/// Where a layer of a project has its settings for Claude Code.
pub(crate) fn claude_file(layer: Layer, workspace: &Path) -> PathBuf {
    let local = if layer == Layer::Local { LOCAL } else { "" };
    workspace.join(".claude").join(format!("settings{local}.json"))
}

/// Whether a file belongs to a layer, by its name.
pub(crate) fn is_of(layer: Layer, file: &Path) -> bool {
    let stem = file.file_stem().map(|it| it.to_string_lossy().into_owned());
    let local = stem.is_some_and(|it| it.ends_with(LOCAL));
    match layer {
        Layer::Local => local,
        Layer::Project => !local,
        Layer::Managed | Layer::CommandLine | Layer::Host | Layer::User => true,
    }
}

/// Why a project's file is not read: a link leads out of the project.
fn leads_out(path: &Path, workspace: &Path) -> Option<Diagnostic> {
    let (real, root) = (fs::canonicalize(path).ok()?, fs::canonicalize(workspace).ok()?);
    let message = format!("this is a link that leads out of the project, to `{}`", real.display());
    let outside = !real.starts_with(&root) && path.starts_with(workspace);
    outside.then(|| Diagnostic::of_file(Code::Link, &Arc::new(path.to_path_buf()), message))
}

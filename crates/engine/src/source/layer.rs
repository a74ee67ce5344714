//! Our own configuration by layers: what an administrator, a person and a project keep where.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::{File, Settings, read_settings};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::hook::Layer;

use super::read_file;
use crate::shelf::Shelf;

/// The folder of a project that holds hooks and settings.
const PROJECT: &str = ".becket";
/// Where an administrator keeps them, below the root of the machine.
const MANAGED: &str = "etc/becket";
/// What the folder of a person's configuration calls them.
const USER: &str = "becket";
/// What the name of a file ends in that is one person's own, before its extension.
const LOCAL: &str = ".local";

/// Where layers beyond a project are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    /// The root of the machine.
    pub(crate) machine: PathBuf,
    /// The folder of the person's configuration.
    pub(crate) config: Option<PathBuf>,
}

impl Roots {
    /// The folders that hold `hooks/` and settings, strong layers first.
    pub(crate) fn folders(&self, workspace: &Path) -> Vec<(Layer, PathBuf)> {
        let user = self.config.as_ref().map(|it| (Layer::User, it.join(USER)));
        let project = [Layer::Project, Layer::Local].map(|it| (it, workspace.join(PROJECT)));
        let managed = [(Layer::Managed, self.machine.join(MANAGED))];
        managed.into_iter().chain(user).chain(project).collect()
    }

    /// Why a file of the administrator's is not read: somebody else could have written it.
    ///
    /// The folders it lies in count too: whoever may write there can put another file in its place.
    fn not_managed(&self, file: &Path) -> Option<String> {
        let own = fs::canonicalize(self.machine.join(MANAGED)).ok()?;
        let real = fs::canonicalize(file).ok()?;
        if !real.starts_with(&own) {
            return Some(format!("it is a link that leads to `{}`", real.display()));
        }
        let inside = real.ancestors().take_while(|it| it.starts_with(&own));
        inside.into_iter().find_map(|path| {
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

    /// Those of the files of a layer that nobody else can have written, and why others are not read.
    pub(crate) fn own_files(&self, layer: Layer, files: Vec<File>) -> (Vec<File>, Vec<Diagnostic>) {
        let mut refused = Vec::new();
        let mut own = files;
        own.retain(|file| {
            let why = (layer == Layer::Managed).then(|| self.not_managed(&file.path)).flatten();
            let is_own = why.is_none();
            refused.extend(why.map(|why| {
                let message = format!("this managed file is not read: {why}");
                Diagnostic::of_file(Code::Owner, &file.path, message)
            }));
            is_own
        });
        (own, refused)
    }

    /// Reads the settings of each of these folders that has some.
    pub(crate) fn settings(
        &self,
        shelf: &Shelf,
        folders: &[(Layer, PathBuf)],
    ) -> (Vec<(Layer, Settings)>, Vec<Diagnostic>) {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for (layer, folder) in folders {
            let path = folder.join(settings_name(*layer));
            if !shelf.exists(&path) {
                continue;
            }
            let files = match read_file(shelf, &path) {
                Ok(file) => vec![file],
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let (own, refused) = self.own_files(*layer, files);
            problems.extend(refused);
            for file in own {
                let (settings, found) = read_settings(&file, *layer);
                all.push((*layer, settings));
                problems.extend(found);
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

/// The hooks of a folder of ours, where there are any.
pub(crate) fn hooks(shelf: &Shelf, folder: &Path) -> Option<Arc<PathBuf>> {
    let hooks = folder.join("hooks");
    shelf.exists(&hooks).then(|| Arc::new(hooks))
}

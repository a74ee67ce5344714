//! Which project a folder is: its real path, or the repository that lists it as a worktree.

use std::fs;
use std::path::{Path, PathBuf};

use crate::archive::read_bounded;

/// A project, as trust knows it.
///
/// Nothing the folder says about itself counts. A worktree is one of a repository only if that
/// repository says so too; everything else is a path, and nothing is passed on to folders below.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Project {
    /// The folder, with every link on the way followed.
    pub root: PathBuf,
    /// The folder that approvals are about: the same, or its place in the main worktree.
    pub home: PathBuf,
}

impl Project {
    /// The project whose workspace is this folder.
    pub fn at(workspace: &Path) -> Self {
        let root = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        let top = root.ancestors().find(|it| fs::symlink_metadata(it.join(".git")).is_ok());
        let home = top.and_then(|top| {
            let below = root.strip_prefix(top).ok()?;
            // Joining nothing would leave a slash behind, which makes another path of it.
            Some(main_worktree(top)?.join(below).components().collect())
        });
        Self { home: home.unwrap_or_else(|| root.clone()), root }
    }

    /// A path as it is shown and hashed: relative where it lies in the project.
    pub(crate) fn name_of(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_path_buf()
    }
}

/// The main worktree of the repository that says this folder is one of its worktrees.
///
/// `<top>/.git` points into `<common>/worktrees/<name>`; the way back must lead here again.
/// Where a repository has no main worktree, its own folder stands for one.
fn main_worktree(top: &Path) -> Option<PathBuf> {
    let link = top.join(".git");
    let is_file = fs::symlink_metadata(&link).is_ok_and(|it| it.is_file());
    let said = is_file.then(|| line_of(&link)).flatten()?;
    let own = fs::canonicalize(top.join(said.strip_prefix("gitdir:")?.trim())).ok()?;
    let list = own.parent().filter(|it| it.ends_with("worktrees"))?;
    let common = list.parent()?;
    let leads = |name: &str| fs::canonicalize(own.join(line_of(&own.join(name))?)).ok();
    let listed = leads("gitdir")? == link && leads("commondir")? == common;
    let main = if common.ends_with(".git") { common.parent()? } else { common };
    (listed && !common.starts_with(top)).then(|| main.to_path_buf())
}

/// The one line of a small file of git's.
fn line_of(path: &Path) -> Option<String> {
    let text = String::from_utf8(read_bounded(path).ok()?).ok()?;
    let line = text.trim_end_matches(['\r', '\n']);
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}

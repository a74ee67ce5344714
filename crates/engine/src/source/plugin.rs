//! Plugins: folders whose manifest says where their hooks are.

use std::path::{Component, Path, PathBuf};

use crate::archive::Archive;

/// Where the plugins of a workspace lie, each in a folder of its own.
const PLUGINS: &str = ".openharness/plugins";

/// The files of a plugin that hold hooks: the one its manifest names, and those that always do.
pub(crate) fn hook_files(
    archive: &Archive,
    folder: &Path,
    (manifest, key): (&str, &str),
    files: &[&str],
) -> Vec<PathBuf> {
    let named = archive.read(&folder.join(manifest)).ok();
    let named = named.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    let named = named.and_then(|it| it.get(key)?.as_str().map(PathBuf::from));
    // A manifest speaks about its own folder only.
    let inside = |path: &PathBuf| {
        path.components().all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
    };
    let mut paths: Vec<PathBuf> = named.into_iter().filter(inside).collect();
    let replaced = !paths.is_empty();
    // The first is only where the manifest says nothing.
    paths.extend(files.iter().skip(usize::from(replaced)).map(PathBuf::from));
    paths.iter().map(|path| folder.join(path)).filter(|path| archive.exists(path)).collect()
}

/// The plugins of a workspace, by name.
pub(super) fn folders(archive: &Archive, workspace: &Path, manifest: &str) -> Vec<PathBuf> {
    let mut folders = archive.list(&workspace.join(PLUGINS)).unwrap_or_default();
    folders.retain(|it| {
        let manifest = it.join(manifest);
        archive.exists(&manifest) && !archive.is_dir(&manifest)
    });
    folders
}

//! The local files that a hook names: what they hold is part of what is approved.
//!
//! Finding them errs on the side of too many: a file more is asked about once more, a file less
//! could be exchanged unseen.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use becket_core::hook::HookSpec;
use becket_core::world::{MAX_SCRIPT, plain};
use rustix::fs::OFlags;

use super::project::Project;
use super::words::{Named, named};
use crate::digest::Digest;

/// The most bytes of one file that can be approved.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// The most files of one hook that can be approved.
const MAX_FILES: usize = 64;
/// The most places that are looked at for one hook.
const MAX_PLACES: usize = 1024;
/// The most files named by scripts that are told about.
const MAX_BEYOND: usize = 8;

/// A file that a hook names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Covered {
    /// Where it is, relative to the project where it lies in it.
    pub path: PathBuf,
    /// What is in it.
    pub digest: Digest,
    /// Its text, where it is a short one.
    pub text: Option<String>,
}

/// What was found for one hook.
#[derive(Debug, Default)]
pub(super) struct Cover {
    pub(super) files: Vec<Covered>,
    /// What the hook depends on and nobody can vouch for, each as a fragment.
    pub(super) beyond: Vec<String>,
    /// Why it cannot be approved at all.
    pub(super) unfit: Option<String>,
    places: Vec<PathBuf>,
}

/// Is told every place before it is looked at, so that a change can be noticed.
pub(crate) type Look<'l> = &'l dyn Fn(&Path);

type Eyes<'e> = (&'e Project, Look<'e>);

impl Cover {
    /// Looks for the files of a hook.
    pub(super) fn of(spec: &HookSpec, project: &Project, look: Look<'_>) -> Self {
        let mut cover = Self::default();
        let mut starts = vec![project.root.clone()];
        // What a plugin names starts from the plugin.
        starts.extend(spec.source.ancestors().take(2).map(Path::to_path_buf));
        starts.extend(spec.origin.file.parent().map(Path::to_path_buf));
        let named: Vec<Named> = spec.texts().iter().flat_map(|text| named(text)).collect();
        // A hook may change into a folder before it starts anything.
        let folders = named.iter().map(|it| project.root.join(&it.path));
        starts.extend(folders.filter(|it| it.is_dir()).take(MAX_FILES));
        starts.sort();
        starts.dedup();
        for name in &named {
            cover.look_for(name, &starts, (project, look));
        }
        cover.look_into_scripts(&starts, (project, look));
        cover.files.sort_by(|one, other| one.path.cmp(&other.path));
        cover.beyond.dedup();
        cover
    }

    fn look_for(&mut self, name: &Named, starts: &[PathBuf], (project, look): Eyes<'_>) {
        if name.pattern {
            self.beyond.push(format!("the files that `{}` finds", name.text));
            return;
        }
        let absolute = name.path.is_absolute();
        if absolute && !plain(&name.path).starts_with(&project.root) && name.path.exists() {
            let real = fs::canonicalize(&name.path).unwrap_or_default();
            if !real.starts_with(&project.root) {
                return;
            }
        }
        let below = name.path.strip_prefix("/").unwrap_or(&name.path);
        let own = absolute.then(|| name.path.clone());
        for place in own.into_iter().chain(starts.iter().map(|it| it.join(below))) {
            self.look_at(&place, name, (project, look));
        }
    }

    fn look_at(&mut self, place: &Path, name: &Named, (project, look): Eyes<'_>) {
        let place = plain(place);
        // A word like `test` is no path until such a file is there.
        if self.places.contains(&place) || !name.is_like_a_path() && !place.exists() {
            return;
        }
        if self.places.len() >= MAX_PLACES || self.files.len() >= MAX_FILES {
            self.unfit = Some("it names more files than anybody can approve".to_owned());
            return;
        }
        look(&place);
        self.places.push(place.clone());
        match fs::metadata(&place) {
            Ok(about) if about.is_dir() => {
                let real = fs::canonicalize(&place).unwrap_or_default();
                if real != project.root && real.starts_with(&project.root) {
                    let shown = project.name_of(&place);
                    self.beyond.push(format!("what is in the folder `{}`", shown.display()));
                }
            }
            Ok(_) => self.cover(&place, project),
            Err(_) => (),
        }
    }

    fn cover(&mut self, place: &Path, project: &Project) {
        // The folder is named by where it really is, so that every way into the project is one.
        let folder = place.parent().and_then(|it| fs::canonicalize(it).ok());
        let shown = folder.zip(place.file_name()).map(|(folder, name)| folder.join(name));
        let shown = project.name_of(shown.as_deref().unwrap_or(place));
        if self.files.iter().any(|it| it.path == shown) {
            return;
        }
        let bytes = match read(place) {
            Ok(bytes) => bytes,
            Err(why) => {
                self.unfit = Some(format!("`{}` cannot be approved: {why}", shown.display()));
                return;
            }
        };
        // Where a link leads counts as content.
        let real = fs::canonicalize(place).unwrap_or_default();
        let real = project.name_of(&real);
        let parts = [shown.as_os_str(), real.as_os_str()].map(OsStr::as_encoded_bytes);
        let digest = Digest::of(&[parts.as_slice(), &[&bytes]].concat());
        let text = String::from_utf8(bytes).ok().filter(|it| it.len() <= MAX_SCRIPT);
        self.files.push(Covered { path: shown, digest, text });
    }

    /// Interpreters of the project count; what scripts name beyond that is told.
    fn look_into_scripts(&mut self, starts: &[PathBuf], (project, look): Eyes<'_>) {
        let mut at = 0;
        while let Some(file) = self.files.get(at).cloned() {
            at += 1;
            let Some(text) = &file.text else { continue };
            let first = text.strip_prefix("#!").and_then(|it| it.lines().next());
            for name in first.map(named).unwrap_or_default() {
                self.look_for(&name, starts, (project, look));
            }
            let beside = project.root.join(&file.path);
            let starts = [Some(project.root.as_path()), beside.parent()];
            let places = named(text).into_iter().filter(Named::is_like_a_path).flat_map(|name| {
                let below = name.path.strip_prefix("/").unwrap_or(&name.path).to_path_buf();
                starts.into_iter().flatten().map(move |it| plain(&it.join(&below)))
            });
            let own = places.filter(|it| it.starts_with(&project.root) && it.is_file());
            for place in own {
                let shown = project.name_of(&place);
                let known = self.files.iter().any(|it| it.path == shown);
                let told = format!("`{}`, which `{}` names", shown.display(), file.path.display());
                if !known && self.beyond.len() < MAX_BEYOND && !self.beyond.contains(&told) {
                    self.beyond.push(told);
                }
            }
        }
    }
}

/// Reads a plain file as a whole. A FIFO that takes its place would not be waited for.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::CLOEXEC).bits()).unwrap_or_default();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    if about.len() > MAX_FILE {
        return Err(io::Error::other(format!("it has more than {} MiB", MAX_FILE >> 20)));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

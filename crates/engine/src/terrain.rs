//! The file system, as rules about paths see it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use becket_core::world::{Lost, Terrain};

/// The disk of this machine.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    home: Option<PathBuf>,
}

/// How many links may follow each other; the kernel stops at the same number.
const MAX_LINKS: usize = 40;

impl Disk {
    /// The disk, with this folder as the person's home.
    pub fn with_home(home: impl Into<PathBuf>) -> Self {
        Self { home: Some(home.into()) }
    }

    /// The disk, with the home that the environment names.
    pub fn here() -> Self {
        let home = std::env::var_os("HOME").filter(|it| !it.is_empty());
        Self { home: home.map(PathBuf::from) }
    }
}

impl Terrain for Disk {
    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    fn real(&self, path: &Path) -> Result<PathBuf, Lost> {
        if let Ok(real) = fs::canonicalize(path) {
            return Ok(real);
        }
        let mut ahead: VecDeque<OsString> = parts(path).collect();
        let mut real = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = ahead.pop_front() {
            if part == ".." {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            match fs::symlink_metadata(&next) {
                Ok(found) if found.is_symlink() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(Lost::Loop);
                    }
                    let target = fs::read_link(&next).map_err(|_| Lost::Closed)?;
                    if target.is_absolute() {
                        real = PathBuf::from("/");
                    }
                    for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                        ahead.push_front(part);
                    }
                }
                Ok(_) => real = next,
                Err(error) if is_absent(&error) => real = next,
                Err(_) => return Err(Lost::Closed),
            }
        }
        Ok(real)
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other)) else { return false };
        one.nlink() > 1 && (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{Disk, Lost, Terrain};

    #[test]
    fn links_are_followed_and_what_is_not_there_yet_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("src")).unwrap();
        symlink("src", root.join("docs")).unwrap();
        symlink("../gone/x", root.join("src/dangling")).unwrap();
        symlink("self", root.join("src/self")).unwrap();
        let real = |path: &str| Disk::default().real(&root.join(path));
        assert_eq!(real("docs/new/file"), Ok(root.join("src/new/file")));
        assert_eq!(real("src/dangling"), Ok(root.join("gone/x")));
        assert_eq!(real("docs/../a"), Ok(root.join("a")));
        assert_eq!(real("src/self"), Err(Lost::Loop));
    }
}

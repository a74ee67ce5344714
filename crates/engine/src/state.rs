//! Files of our own, outside of any project, which nobody else may read or write.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::digest::Digest;

/// The folder in which a person's becket keeps what it remembers; none where no home is known.
///
/// Only the environment of this process says where it is, and relative paths there say nothing.
pub fn folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".local/state"));
    absolute("XDG_STATE_HOME").or_else(home).map(|folder| folder.join("becket"))
}

/// A name for a file of ours about this path, for people to recognise.
pub(crate) fn name_for(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    let name: Vec<char> = text.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let end: String = name.iter().skip(name.len().saturating_sub(60)).collect();
    // Two paths may become one name; their digests differ.
    let digest = Digest::of(&[path.as_os_str().as_encoded_bytes()]);
    format!("{end}-{}", digest.short())
}

/// Writes a file as a whole, or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(bytes)?;
    fs::rename(&fresh, path)
}

/// Reads a file that only its owner can have written; `None` when there is none.
///
/// The folder it lies in, and the one above, must be the owner's too: whoever may write there can
/// put another file in its place.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = match fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let about = file.metadata()?;
    if !about.is_file() || about.len() > most {
        return Err(io::Error::other("this is no file that becket has written"));
    }
    private(path, &about, 0o077)?;
    for (folder, bits) in path.ancestors().skip(1).zip([0o077, 0o022]) {
        private(folder, &fs::metadata(folder)?, bits)?;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Says so when somebody else may do with a file what these bits of its mode allow.
fn private(path: &Path, about: &fs::Metadata, bits: u32) -> io::Result<()> {
    let others = if about.uid() != rustix::process::geteuid().as_raw() {
        "belongs to somebody else"
    } else if about.mode() & bits != 0 {
        "is open to others"
    } else {
        return Ok(());
    };
    Err(io::Error::other(format!("`{}` {others}", path.display())))
}

/// What is wrong with the state folder, a sentence each. A folder that is not there yet is fine.
pub fn problems(folder: &Path) -> Vec<String> {
    let journal = folder.join("journal.jsonl");
    let parts = [
        (folder.to_path_buf(), 0o022),
        (folder.join("trust"), 0o077),
        (folder.join("answers"), 0o077),
        (journal.clone(), 0o077),
    ];
    let open = parts.iter().filter_map(|(path, bits)| {
        let about = match fs::symlink_metadata(path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(format!("`{}`: {error}", path.display())),
        };
        private(path, &about, *bits).err().map(|it| it.to_string())
    });
    let mut found: Vec<String> = open.collect();
    let written = if journal.exists() {
        fs::OpenOptions::new().append(true).open(&journal).map(drop)
    } else {
        let there = folder.ancestors().find(|it| it.exists()).unwrap_or(folder);
        rustix::fs::access(there, rustix::fs::Access::WRITE_OK).map_err(Into::into)
    };
    found
        .extend(written.err().map(|it| format!("`{}` cannot be written: {it}", journal.display())));
    found
}

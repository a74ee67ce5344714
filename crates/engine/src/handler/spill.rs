//! Files for values that are too long for a variable.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

/// A file that only its owner can read, and that is gone when this is.
#[derive(Debug)]
pub(super) struct Spilled(pub(super) PathBuf);

impl Spilled {
    /// Puts a value into a new file.
    pub(super) fn new(value: &[u8]) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("becket-value-{}", uuid::Uuid::now_v7()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let spilled = Self(path);
        file.write_all(value)?;
        Ok(spilled)
    }
}

impl Drop for Spilled {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

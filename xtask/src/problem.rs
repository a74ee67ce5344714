//! Why a command ends badly: what is said about it, and the exit code.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The end of a command that did not go well.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    pub(crate) exit: ExitCode,
}

impl Problem {
    /// Something that was checked is not as it should be.
    pub(crate) fn finding(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: ExitCode::from(1) }
    }

    /// The command line makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        let message = message.into() + "\nhint: `cargo xtask help` shows what there is";
        Self { message, exit: ExitCode::from(64) }
    }

    /// A tool this needs is not installed.
    pub(crate) fn absent(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: ExitCode::from(69) }
    }

    /// A file could not be read or written.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::finding(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

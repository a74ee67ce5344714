//! Secrets from where settings say.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use becket_core::config::SecretSources;

use crate::archive::read_bounded;
use crate::port::Secrets;

/// How long the program that knows secrets may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait before looking whether it is done.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// The bits by which others than the owner may use a file.
const OTHERS: u32 = 0o077;
/// How long a secret may be.
const LONGEST: u64 = 64 * 1024;

impl Secrets {
    /// Secrets from a file that only its owner can read, from variables with a prefix, or from a
    /// program, in this order. Relative paths start from `base`.
    pub fn from_sources(sources: &SecretSources, base: &Path) -> Self {
        let SecretSources { file, env_prefix, command } = sources.clone();
        let file = file.map(|it| base.join(it));
        Self::from_fn(move |name| {
            let from_file = || file.as_deref().and_then(|file| in_file(file, name));
            let from_variable = || {
                env_prefix.as_ref().and_then(|prefix| std::env::var(format!("{prefix}{name}")).ok())
            };
            from_file().or_else(from_variable).or_else(|| printed(&command, name))
        })
    }

    /// The secrets of one place, then those of another.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::from_fn(move |name| self.get(name).or_else(|| other.get(name)))
    }
}

/// A line `NAME=value` of a file that nobody but its owner can read.
fn in_file(file: &Path, name: &str) -> Option<String> {
    let private = std::fs::metadata(file).is_ok_and(|it| it.mode() & OTHERS == 0);
    let text = private.then(|| read_bounded(file).ok()).flatten()?;
    let text = String::from_utf8(text).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once('='));
    lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// What a program prints when it is given the name.
fn printed(command: &[String], name: &str) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    // A name is never taken for an option.
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut child = plain.then(|| {
        Command::new(PathBuf::from(program))
            .args(arguments)
            .arg(name)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()
    })??;
    let until = Instant::now() + PATIENCE;
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK_AGAIN),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let mut text = String::new();
    child.stdout.take()?.take(LONGEST).read_to_string(&mut text).ok()?;
    let first = text.lines().next().unwrap_or_default().to_owned();
    (ended && !first.is_empty()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::{SecretSources, Secrets};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_counts_only_when_nobody_else_can_read_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("secrets.env");
        fs::write(&path, "A=one\nB = two \n").unwrap();
        let sources =
            SecretSources { file: Some("secrets.env".into()), ..SecretSources::default() };
        let secrets = Secrets::from_sources(&sources, folder.path());
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert_eq!((secrets.get("A"), secrets.get("B")), (Some("one".into()), Some("two".into())));
        assert_eq!(secrets.get("C"), None);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert_eq!(secrets.get("A"), None);
    }

    #[test]
    fn a_program_is_given_the_name_and_nothing_that_looks_like_an_option() {
        let command = ["sh", "-c", "echo secret of $0", "--"].map(str::to_owned).to_vec();
        let command = [&command[..3], &[][..]].concat();
        let secrets = Secrets::from_sources(
            &SecretSources { command, ..SecretSources::default() },
            std::path::Path::new("/"),
        );
        assert_eq!(secrets.get("KEY"), Some("secret of KEY".into()));
        assert_eq!((secrets.get("-n"), secrets.get("a b")), (None, None));
    }

    #[test]
    fn a_program_that_fails_knows_nothing() {
        let command = vec!["false".to_owned()];
        let sources = SecretSources { command, ..SecretSources::default() };
        assert_eq!(Secrets::from_sources(&sources, std::path::Path::new("/")).get("K"), None);
    }
}

//! Running the binary the way a shell does.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| unreadable(&format!("{error}: {}{}", self.stdout, self.stderr)))
    }

    /// The error object on standard error.
    pub(crate) fn error(&self) -> Value {
        let error: Value =
            serde_json::from_str(self.stderr.trim()).unwrap_or_else(|_| unreadable(&self.stderr));
        error["error"].clone()
    }
}

#[expect(clippy::panic, reason = "a test fails loudly")]
fn unreadable(text: &str) -> Value {
    panic!("not JSON: {text}")
}

/// A folder with a workspace and a state directory of its own.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join(".openharness/hooks")).unwrap();
        Self { folder }
    }

    /// Adds a hook that runs a command for each given event.
    pub(crate) fn with_hook(self, name: &str, events: &str, command: &str) -> Self {
        let command = serde_json::to_string(command).unwrap();
        let yaml = format!(
            "name: {name}\nevents: [{events}]\nhandler: {{ type: command, command: {command}, timeout_seconds: 20 }}\n"
        );
        self.with_file(&format!(".openharness/hooks/{name}.yaml"), &yaml)
    }

    pub(crate) fn with_file(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Fires an event through the workspace's hooks, named on the command line.
    pub(crate) fn fire(&self, event: &str, payload: &str, more: &[&str]) -> Ran {
        let hooks = self.path(".openharness/hooks");
        let mut args = vec!["fire", event, "--dialect", "oah", "--hooks", hooks.to_str().unwrap()];
        args.extend(more);
        self.run(&args, payload)
    }

    /// Runs the binary with this standard input.
    pub(crate) fn run(&self, args: &[&str], input: &str) -> Ran {
        run_in(self.folder.path(), args, input)
    }
}

/// Runs the binary in a folder.
pub(crate) fn run_in(folder: &Path, args: &[&str], input: &str) -> Ran {
    run_with(folder, args, input, &[])
}

/// The same, with variables in its environment.
pub(crate) fn run_with(
    folder: &Path,
    args: &[&str],
    input: &str,
    variables: &[(&str, String)],
) -> Ran {
    let mut child = command(folder)
        .args(args)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The binary, with a state directory that is nobody's.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_becket"));
    // Nothing is left behind in the repository itself.
    let own = if folder == repository() { Path::new(env!("CARGO_TARGET_TMPDIR")) } else { folder };
    command
        .current_dir(folder)
        .env("XDG_STATE_HOME", own.join("state"))
        .env("HOME", own.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("CLICOLOR_FORCE");
    command
}

/// Copies a folder, since hooks leave things behind.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match fs::read_link(entry.path()) {
            Ok(link) => std::os::unix::fs::symlink(link, target).unwrap(),
            Err(_) if entry.path().is_dir() => copy(&entry.path(), &target),
            Err(_) => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Whether a program is here that an example needs; if not, that is told.
#[expect(clippy::print_stderr, reason = "what is not run is counted aloud")]
pub(crate) fn has(program: &str, example: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        eprintln!("{program} is not here: the example {example} was not run");
    }
    there
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

//! Running other programs, and knowing whether they are there.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::problem::Problem;

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// The cargo that runs us, in the workspace. Nothing that we start may wait for a person.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    command(program, args)
}

/// A program, in the workspace.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs a program to its end; its failure is a finding.
pub(crate) fn run(command: &mut Command) -> Result<(), Problem> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    succeeded(command, status)
}

/// Which output of a program is looked at while it passes through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Watch {
    Stdout,
    Stderr,
}

/// Runs a program to its end and shows its output, each line of one stream also to `look`.
pub(crate) fn watch(
    command: &mut Command,
    stream: Watch,
    mut look: impl FnMut(&str),
) -> Result<(), Problem> {
    match stream {
        Watch::Stdout => command.stdout(Stdio::piped()),
        Watch::Stderr => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    let stdout = child.stdout.take().map(|it| Box::new(it) as Box<dyn Read>);
    let stderr = child.stderr.take().map(|it| Box::new(it) as Box<dyn Read>);
    for pipe in [stdout, stderr].into_iter().flatten() {
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            match stream {
                Watch::Stdout => println!("{line}"),
                Watch::Stderr => eprintln!("{line}"),
            }
            look(&line);
        }
    }
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    succeeded(command, status)
}

/// Whether a program is there and ends well, whatever it says.
pub(crate) fn answers(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Where a program is, if it is on the path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn not_started(command: &Command, error: &std::io::Error) -> Problem {
    Problem::absent(format!("{}: {error}", command.get_program().display()))
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<(), Problem> {
    if status.success() {
        return Ok(());
    }
    let words = command.get_args().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    Err(Problem::finding(format!("`{} {words}` failed: {status}", program.display())))
}

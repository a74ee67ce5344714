//! What a cold start of the command line costs.

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::probe::Probe;
use crate::spawn;
use crate::table::{Goal, Row};
use crate::workload::{Matchers, fields, idle_hooks, true_hook};

const HELLO: &str = "hello world";
const TRUE: &str = "/bin/true";

pub(crate) fn prepare(folder: &Path) -> io::Result<(Vec<Probe>, Vec<Row>)> {
    let input = folder.join("event.json");
    fs::write(&input, fields().to_string())?;
    let becket = |hooks: PathBuf| becket_command(folder, &hooks, &input);
    let none = folder.join("none");
    fs::create_dir_all(&none)?;
    let (empty, ten, hundred) =
        ("cold fire, no hooks", "cold fire, 10 hooks", "cold fire, 100 hooks");
    let one = "cold fire, one command hook";
    let probes = vec![
        start(empty, becket(none)?)?,
        start(ten, becket(idle_hooks(folder, 10, Matchers::Literal)?)?)?,
        start(hundred, becket(idle_hooks(folder, 100, Matchers::Literal)?)?)?,
        start(one, becket(true_hook(folder)?)?)?,
        start(HELLO, Command::new(sibling("hello")?))?,
        start(TRUE, Command::new(TRUE))?,
    ];
    let rows = vec![
        Row::new("P5 cold fire, 10 hooks", &[ten], &[HELLO], Goal::None),
        Row::new("P5 cold fire, 100 hooks", &[hundred], &[HELLO], Goal::Ratio(2.0)),
        Row::new("P6 without a cache, 10 hooks", &[ten], &[TRUE], Goal::Ratio(5.0)),
        Row::new("P6 without a cache, 100 hooks", &[hundred], &[TRUE], Goal::Ratio(15.0)),
        Row::new("P7 cold fire and one hook", &[one], &[empty, spawn::FLOOR], Goal::Ratio(1.15)),
    ];
    Ok((probes, rows))
}

/// The command line as it is shipped, with a journal that is not the person's own.
fn becket_command(folder: &Path, hooks: &Path, input: &Path) -> io::Result<Command> {
    let mut command = Command::new(sibling("becket")?);
    command
        .args(["fire", "before_tool_dispatch", "--dialect", "oah", "--json", "--hooks"])
        .arg(hooks)
        .arg("--input")
        .arg(input)
        .env("XDG_STATE_HOME", folder.join("state"))
        .current_dir(folder);
    Ok(command)
}

/// A program that `cargo xtask bench` has built beside this one.
fn sibling(name: &str) -> io::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(io::Error::other(format!("{} is not built; use `cargo xtask bench`", path.display())))
}

/// One run of a program, which must end well.
fn start(name: &str, mut command: Command) -> io::Result<Probe> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{name}: {status}")));
    }
    Ok(Probe::of(name, move || {
        let _ = black_box(command.status());
    }))
}

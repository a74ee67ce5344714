//! The `becket` command.

mod exit;
mod out;
mod problem;
mod project;
mod cmd;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::run(std::env::args_os()).into()
}

//! `cargo xtask`: what we do with the workspace besides building it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

mod problem;
mod shell;
mod tree;
mod docs;
mod tidy;
mod test;
mod bench;
mod differential;
mod score;
mod fuzz;

use std::process::ExitCode;

use crate::problem::Problem;

/// A command, its arguments, what it does, and how.
type Row = (&'static str, &'static str, &'static str, fn(&[String]) -> Result<(), Problem>);

const COMMANDS: [Row; 7] = [
    ("test", "", "format, tidy, clippy, all tests, documentation: what CI runs", test::run),
    ("tidy", "", "the architecture as a check; UPDATE=1 rewrites generated files", tidy::run),
    ("docs", "[--check]", "write docs/reference and schema from the tables", docs::run),
    ("bench", "[--quick]", "floors, ours, ratios and goals, in one interleaved run", bench::run),
    ("fuzz", "[TARGET] [--seconds N]", "every parser that meets foreign bytes", fuzz::run),
    ("score", "[FILE]", "the corpus of attacks on commands, by class", score::run),
    ("help", "", "this list", help),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = args.split_first().map_or(("help", &[][..]), |(it, rest)| (it, rest));
    let command = COMMANDS.iter().find(|row| row.0 == name.trim_start_matches('-'));
    let result = match command {
        Some(row) => (row.3)(rest),
        None => Err(Problem::usage(format!("there is no command `{name}`"))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            problem.exit
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a command like the others")]
fn help(_: &[String]) -> Result<(), Problem> {
    println!("Usage: cargo xtask COMMAND\n");
    for (name, args, about, _) in COMMANDS {
        println!("  {:30} {about}", format!("{name} {args}"));
    }
    Ok(())
}

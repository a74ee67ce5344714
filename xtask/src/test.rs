//! `cargo xtask test`: everything that must hold, in one profile, one step after the other.

mod tally;

use std::time::Instant;

use crate::problem::Problem;
use crate::shell::{self, Watch, answers, cargo, run as run_command, watch};
use crate::tidy;

use self::tally::Tally;

/// What tests and steps use where it is installed; without it they say so and go on.
const OPTIONAL: [&str; 5] = ["node", "jq", "strace", "cargo-nextest", "cargo-deny"];

/// What a step does with the count of tests so far.
type Work = fn(&mut Tally) -> Result<Done, Problem>;

/// How a step ended when it did not fail.
enum Done {
    Fine,
    Skipped(&'static str),
}

const STEPS: [(&str, Work); 7] = [
    ("format", format),
    ("tidy", tidy),
    ("clippy", clippy),
    ("tests", tests),
    ("documentation tests", doc_tests),
    ("documentation", documentation),
    ("licences and sources", deny),
];

/// Runs the steps up to the first that fails.
pub(crate) fn run(args: &[String]) -> Result<(), Problem> {
    if let Some(unknown) = args.first() {
        return Err(Problem::usage(format!("`test` does not know `{unknown}`")));
    }
    let mut tally = Tally::default();
    for (name, step) in STEPS {
        println!("\n== {name}");
        let started = Instant::now();
        let result = step(&mut tally);
        let took = started.elapsed().as_secs_f64();
        match result {
            Ok(Done::Fine) => println!("== {name}: fine, {took:.1} s"),
            Ok(Done::Skipped(why)) => println!("== {name}: not run, {why}"),
            Err(problem) => {
                println!("== {name}: failed, {took:.1} s\n\n{tally}");
                return Err(problem);
            }
        }
    }
    println!();
    let absent: Vec<&str> = OPTIONAL.into_iter().filter(|it| shell::find(it).is_none()).collect();
    if !absent.is_empty() {
        println!("not here: {} (what needs it said so and passed)", absent.join(", "));
    }
    println!("{tally}");
    Ok(())
}

fn format(_: &mut Tally) -> Result<Done, Problem> {
    if !answers(&mut cargo(&["fmt", "--version"])) {
        return Ok(Done::Skipped("rustfmt is not installed (`rustup component add rustfmt`)"));
    }
    run_command(&mut cargo(&["fmt", "--all", "--check"]))?;
    Ok(Done::Fine)
}

fn tidy(_: &mut Tally) -> Result<Done, Problem> {
    tidy::run(&[])?;
    Ok(Done::Fine)
}

fn clippy(_: &mut Tally) -> Result<Done, Problem> {
    if !answers(&mut cargo(&["clippy", "--version"])) {
        return Ok(Done::Skipped("clippy is not installed (`rustup component add clippy`)"));
    }
    let what = ["clippy", "--workspace", "--all-targets", "--features", "xtask/bench"];
    run_command(&mut cargo(&[&what[..], &["--", "-D", "warnings"]].concat()))?;
    Ok(Done::Fine)
}

/// `cargo test` also runs what stands in the documentation; nextest does not.
fn tests(tally: &mut Tally) -> Result<Done, Problem> {
    let (args, stream) = if has_nextest() {
        (&["nextest", "run", "--workspace", "--no-fail-fast"][..], Watch::Stderr)
    } else {
        (&["test", "--workspace", "--no-fail-fast"][..], Watch::Stdout)
    };
    watch(&mut cargo(args), stream, |line| tally.read(line))?;
    Ok(Done::Fine)
}

fn doc_tests(tally: &mut Tally) -> Result<Done, Problem> {
    if !has_nextest() {
        return Ok(Done::Skipped("`cargo test` has run them"));
    }
    let args = ["test", "--workspace", "--doc"];
    watch(&mut cargo(&args), Watch::Stdout, |line| tally.read(line))?;
    Ok(Done::Fine)
}

fn documentation(_: &mut Tally) -> Result<Done, Problem> {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    run_command(command.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Done::Fine)
}

/// Advisories are not looked at: they live on the network, and a test must not depend on it.
fn deny(_: &mut Tally) -> Result<Done, Problem> {
    if shell::find("cargo-deny").is_none() {
        return Ok(Done::Skipped("cargo-deny is not installed"));
    }
    // It also looks at crates that only other platforms need.
    if !answers(&mut cargo(&["metadata", "--offline", "--locked", "--format-version", "1"])) {
        return Ok(Done::Skipped("not all crates are here (`cargo fetch`)"));
    }
    run_command(&mut cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    Ok(Done::Fine)
}

fn has_nextest() -> bool {
    shell::find("cargo-nextest").is_some() && answers(&mut cargo(&["nextest", "--version"]))
}

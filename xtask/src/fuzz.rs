//! `cargo xtask fuzz`: every parser that meets foreign bytes, for a bounded time.

use std::fs;

use crate::differential;
use crate::problem::Problem;
use crate::shell::{self, answers, command};

/// The targets in `fuzz/fuzz_targets`.
const TARGETS: [&str; 9] = [
    "yaml_tree",
    "json_tree",
    "oah_hook",
    "hook_file",
    "payload",
    "answer",
    "claude_answer",
    "matcher",
    "command",
];

/// Not a target of its own kind: it compares the analysis of command lines with what bash does.
const DIFFERENTIAL: &str = "shell";

/// How long each target runs unless told otherwise.
const SECONDS: u64 = 20;
/// One input may take this many seconds; what takes longer is a finding.
const TIMEOUT: &str = "-timeout=5";
/// And this much memory, in MiB.
const MEMORY: &str = "-rss_limit_mb=2048";

/// What was asked for.
#[derive(Debug, Eq, PartialEq)]
struct Order {
    targets: Vec<String>,
    seconds: u64,
}

/// Runs one target, or all of them.
pub(crate) fn run(args: &[String]) -> Result<(), Problem> {
    let order = Order::parse(args)?;
    if order.targets.iter().any(|it| it == DIFFERENTIAL) {
        println!("\n== {DIFFERENTIAL} against bash, {} s", order.seconds);
        differential::run(order.seconds)?;
    }
    let targets: Vec<&String> = order.targets.iter().filter(|it| *it != DIFFERENTIAL).collect();
    if targets.is_empty() {
        return Ok(());
    }
    if !answers(&mut command("cargo", &["+nightly", "fuzz", "--version"])) {
        return Err(Problem::absent(
            "fuzzing needs cargo-fuzz and a nightly compiler\n\
             hint: rustup toolchain install nightly --profile minimal && cargo install cargo-fuzz --locked",
        ));
    }
    for target in &targets {
        println!("\n== {target}, {} s", order.seconds);
        let corpus = format!("fuzz/corpus/{target}");
        let folder = shell::root().join(&corpus);
        fs::create_dir_all(&folder).map_err(|error| Problem::file(&folder, &error))?;
        let (seeds, time) =
            (format!("fuzz/seeds/{target}"), format!("-max_total_time={}", order.seconds));
        let run = ["+nightly", "fuzz", "run", target, &corpus, &seeds, "--"];
        shell::run(&mut command("cargo", &[&run[..], &[&time, TIMEOUT, MEMORY]].concat()))?;
    }
    println!("\n{} targets, nothing found", targets.len());
    Ok(())
}

impl Order {
    fn parse(args: &[String]) -> Result<Self, Problem> {
        let mut order = Self { targets: Vec::new(), seconds: SECONDS };
        let mut args = args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            match arg {
                "--seconds" => {
                    let number = args.next().and_then(|it| it.parse().ok());
                    order.seconds = number
                        .ok_or_else(|| Problem::usage("`--seconds` needs a number".to_owned()))?;
                }
                target if TARGETS.contains(&target) || target == DIFFERENTIAL => {
                    order.targets.push(target.to_owned());
                }
                unknown => {
                    let known = [&TARGETS[..], &[DIFFERENTIAL]].concat().join(", ");
                    let message = format!("there is no target `{unknown}`; there are {known}");
                    return Err(Problem::usage(message));
                }
            }
        }
        if order.targets.is_empty() {
            order.targets = TARGETS.map(str::to_owned).into();
            order.targets.push(DIFFERENTIAL.to_owned());
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::{DIFFERENTIAL, Order, SECONDS, TARGETS};

    fn parse(args: &[&str]) -> Option<Order> {
        Order::parse(&args.iter().map(ToString::to_string).collect::<Vec<_>>()).ok()
    }

    #[test]
    fn one_target_or_all_for_some_time() {
        let all = TARGETS.map(str::to_owned).to_vec();
        let everything = [all, vec![DIFFERENTIAL.to_owned()]].concat();
        assert_eq!(parse(&[]), Some(Order { targets: everything, seconds: SECONDS }));
        let one = Order { targets: vec!["answer".to_owned()], seconds: 3 };
        assert_eq!(parse(&["answer", "--seconds", "3"]), Some(one));
        assert_eq!(parse(&["nope"]), None);
        assert_eq!(parse(&["--seconds"]), None);
    }

    #[test]
    fn every_target_is_listed() {
        let manifest = include_str!("../../fuzz/Cargo.toml");
        let names = manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
        assert!(names.map(|name| name.trim_end_matches(".rs\"")).eq(TARGETS));
    }
}

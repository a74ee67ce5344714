//! Measures becket against floors, interleaved in one run. `cargo xtask bench` builds and starts it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

mod probe;
mod workload;
mod spawn;
mod in_process;
mod command;
mod cold;
mod table;

use std::io;
use std::process::ExitCode;

use crate::probe::{Probe, measure};
use crate::table::Row;

/// How often each probe is measured.
const ROUNDS: usize = 200;
const QUICK_ROUNDS: usize = 20;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        // One of our own children: see `spawn`.
        ["--spawner", bytes, folder] => spawn::serve(bytes, folder.as_ref()),
        ["--quick"] => run(QUICK_ROUNDS),
        [] => run(ROUNDS),
        _ => Err(io::Error::other("usage: bench [--quick]")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(rounds: usize) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    println!("preparing");
    let mut probes: Vec<Probe> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for part in [in_process::prepare, command::prepare, spawn::prepare, cold::prepare] {
        let (more_probes, more_rows) = part(folder.path())?;
        probes.extend(more_probes);
        rows.extend(more_rows);
    }
    println!("measuring: {rounds} rounds, {} probes shuffled in each", probes.len());
    let samples = measure(&mut probes, rounds);
    println!("\n{}", table::render(&rows, &samples));
    println!("median (10th percentile) of {rounds} rounds. The numbers are this machine's;");
    println!("what can be compared are the ratios, since all was measured in one run.");
    Ok(())
}

//! `cargo xtask bench`: builds what is measured the way it is shipped, then measures.

use crate::problem::Problem;
use crate::shell::{cargo, run as run_command};

/// Builds, and runs the measuring program.
pub(crate) fn run(args: &[String]) -> Result<(), Problem> {
    let quick = match args {
        [] => &[][..],
        [flag] if flag == "--quick" => &["--quick"][..],
        [unknown, ..] => return Err(Problem::usage(format!("`bench` does not know `{unknown}`"))),
    };
    println!("building the release binaries; the first time takes minutes");
    // The command line by itself: what the measuring program needs must not change it.
    run_command(&mut cargo(&["build", "--release", "--quiet", "--package", "becket-cli"]))?;
    let build = ["build", "--release", "--quiet", "--package", "xtask", "--bin", "hello"];
    run_command(&mut cargo(&build))?;
    let measure = ["run", "--release", "--quiet", "--package", "xtask", "--features", "bench"];
    run_command(&mut cargo(&[&measure[..], &["--bin", "bench", "--"], quick].concat()))
}

//! Failing each system call of one event once: it never lets through what a hook refuses, and never hangs.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::becket::Bench;

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;
const ERRORS: [&str; 5] = ["EIO", "ENOSPC", "EMFILE", "EAGAIN", "EINTR"];
/// Calls that cannot fail, or that end the process.
const NOT_INJECTED: [&str; 4] = ["execve", "exit", "exit_group", "rt_sigreturn"];
/// How long one run may take; a hang would take for ever.
const BOUND: Duration = Duration::from_mins(1);

/// How one event under strace ended.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Ended {
    /// The call was not let through.
    Refused,
    /// It was, since the hook could not be loaded, and the outcome says so.
    NotInForce,
    /// It was.
    LetThrough,
    /// It did not end at all.
    Hung,
}

/// Runs one event under strace.
fn traced(bench: &Bench, arguments: &[&str]) -> Ended {
    let mut child = Command::new("strace")
        .args(["-qq", "-o"])
        .args(arguments)
        .arg(env!("CARGO_BIN_EXE_becket"))
        .args([
            "fire",
            "PreToolUse",
            "--strict",
            "--headless",
            "--json",
            "--dialect",
            "oah",
            "--hooks",
        ])
        .arg(bench.path(".openharness/hooks"))
        .arg("--input")
        .arg(bench.path("call.json"))
        .current_dir(bench.folder.path())
        .env("XDG_STATE_HOME", bench.path("state"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + BOUND;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            if status.code() != Some(0) {
                return Ended::Refused;
            }
            let mut told = String::new();
            child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
            let told = told.contains(r#""code":"not_in_force""#);
            return if told { Ended::NotInForce } else { Ended::LetThrough };
        }
        if Instant::now() > until {
            let _ = child.kill();
            return Ended::Hung;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How often each system call is made.
fn calls(log: &Path) -> BTreeMap<String, usize> {
    let mut calls = BTreeMap::new();
    for line in fs::read_to_string(log).unwrap().lines() {
        let name = line.split('(').next().unwrap_or_default();
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if named && !NOT_INJECTED.contains(&name) {
            *calls.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    calls
}

#[test]
#[expect(clippy::print_stderr, reason = "what is run and what is not is counted aloud")]
fn no_system_call_that_fails_lets_a_refused_call_through() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("strace is not here: this was not run");
        return;
    }
    let bench = Bench::new().with_hook("guard", "before_tool_dispatch", "echo no >&2; exit 2");
    let bench = bench.with_file("call.json", CALL);
    let log = bench.path("log");
    assert_eq!(traced(&bench, &[log.to_str().unwrap()]), Ended::Refused);
    let calls = calls(&log);
    let all: Vec<(String, usize)> = calls
        .iter()
        .flat_map(|(name, count)| (1..=*count).map(move |turn| (name.clone(), turn)))
        .collect();
    let (work, wrong) = (Mutex::new(all.iter().enumerate()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = work.lock().unwrap().next();
                    let Some((number, (name, turn))) = next else { break };
                    let error = ERRORS[number % ERRORS.len()];
                    let trace = format!("trace={name}");
                    let inject = format!("inject={name}:error={error}:when={turn}");
                    let ended = traced(&bench, &["/dev/null", "-e", &trace, "-e", &inject]);
                    if ended != Ended::Refused {
                        wrong.lock().unwrap().push((ended, inject));
                    }
                }
            });
        }
    });
    eprintln!("{} system calls of one event were failed once each", all.len());
    let mut wrong = wrong.into_inner().unwrap();
    // A hook file that cannot be read is told of, and a matter of tombstones.
    let told = wrong.extract_if(.., |it| it.0 == Ended::NotInForce).count();
    eprintln!("{told} of them kept the hook from being loaded, and the outcome said so");
    assert_eq!(wrong, Vec::new());
    assert!(told < 20, "{told}");
    assert!(all.len() > 100, "{calls:?}");
}

//! Failing each system call of one event once: it never lets through what a hook refuses, and never hangs.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeMap;
use std::fs;
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
const BOUND: Duration = Duration::from_secs(60);

/// Runs one event under strace; the exit code, `None` where a signal ended it.
fn traced(bench: &Bench, arguments: &[&str]) -> Option<i32> {
    let mut child = Command::new("strace")
        .args(["-qq", "-o"])
        .args(arguments)
        .arg(env!("CARGO_BIN_EXE_becket"))
        .args(["fire", "PreToolUse", "--strict", "--headless", "--dialect", "oah", "--hooks"])
        .arg(bench.path(".openharness/hooks"))
        .arg("--input")
        .arg(bench.path("call.json"))
        .current_dir(bench.folder.path())
        .env("XDG_STATE_HOME", bench.path("state"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + BOUND;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if Instant::now() > until {
            let _ = child.kill();
            return Some(-1);
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
    assert_eq!(traced(&bench, &[log.to_str().unwrap()]), Some(2));
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
                    let code = traced(&bench, &["/dev/null", "-e", &trace, "-e", &inject]);
                    if matches!(code, Some(0 | -1)) {
                        wrong.lock().unwrap().push((inject, code));
                    }
                }
            });
        }
    });
    eprintln!("{} system calls of one event were failed once each", all.len());
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert_eq!(wrong, Vec::new());
    assert!(all.len() > 100, "{calls:?}");
}

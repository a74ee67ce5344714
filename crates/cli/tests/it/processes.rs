//! What becomes of hooks when the program is interrupted, killed, nested or cut off.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::becket::{Bench, command, run_with};

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;

/// The variable by which the hooks of one test are found.
const MARK: &str = "PROCESSES_TEST";

fn carriers(mark: &str) -> usize {
    let wanted = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let carries = |folder: &std::path::PathBuf| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    };
    processes.map(|it| it.path()).filter(carries).count()
}

/// Waits until nothing carries a mark; ending processes takes the kernel a moment.
fn all_gone(mark: &str) -> bool {
    until(|| carriers(mark) == 0)
}

fn until(condition: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

fn start(bench: &Bench, mark: &str) -> Child {
    let hooks = bench.path(".openharness/hooks");
    let mut child = command(bench.folder.path())
        .args(["fire", "PreToolUse", "--json", "--dialect", "oah", "--hooks"])
        .arg(hooks)
        .env(MARK, mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(CALL.as_bytes()).unwrap();
    child
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
}

#[test]
fn an_interrupt_ends_the_hooks_and_is_recorded() {
    let hook = "touch started; trap '' TERM; setsid sleep 600 & sleep 600";
    let bench = Bench::new().with_hook("slow", "before_tool_dispatch", hook);
    let mut child = start(&bench, "interrupt");
    assert!(until(|| bench.path("started").exists()));
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(all_gone("interrupt"));
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(printed, "", "nothing was decided");
    let journal = fs::read_to_string(bench.path("state/becket/journal.jsonl")).unwrap();
    assert!(journal.lines().count() == 1 && journal.contains(r#""kind":"cancelled""#), "{journal}");
}

/// Nobody can tidy up after `SIGKILL`, so a guardian does.
#[test]
fn hooks_do_not_outlive_a_program_that_is_killed() {
    let hook = "touch started; trap '' TERM; setsid sleep 600 & sleep 600";
    let settings = "limits: { guard_after_ms: 0 }\n";
    for round in 0..10 {
        let bench = Bench::new().with_hook("slow", "before_tool_dispatch", hook);
        let bench = bench.with_file(".becket/settings.yaml", settings);
        let mark = format!("killed{round}");
        let mut child = start(&bench, &mark);
        assert!(until(|| bench.path("started").exists()));
        // At another moment each time, from the first instruction of the hook on.
        std::thread::sleep(Duration::from_millis(3 * round));
        signal(&child, "-KILL");
        child.wait().unwrap();
        assert!(all_gone(&mark), "round {round}");
    }
}

#[test]
fn a_slow_hook_gets_its_guardian_by_itself() {
    let hook = "touch started; sleep 600";
    let bench = Bench::new().with_hook("slow", "before_tool_dispatch", hook);
    let mut child = start(&bench, "slow");
    assert!(until(|| bench.path("started").exists()));
    let guard = |pid: u32| {
        let mut ps = std::process::Command::new("ps");
        let output = ps.args(["-o", "args", "--ppid", &pid.to_string()]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).contains("__guard")
    };
    assert!(until(|| guard(child.id())));
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert!(all_gone("slow"));
}

/// The program has no children but hooks, so it knows an orphan also without its mark.
#[test]
fn orphans_end_with_their_event_also_those_without_a_mark() {
    let hook = "setsid env -i sleep 604 >/dev/null 2>&1 & echo $! > pid; exit 0";
    let bench = Bench::new().with_hook("leaves", "before_tool_dispatch", hook);
    let ran = bench.fire("PreToolUse", CALL, &["--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let notes = ran.json()["notes"].to_string();
    assert!(notes.contains("left_behind"), "{notes}");
    let pid = fs::read_to_string(bench.path("pid")).unwrap();
    assert!(!fs::exists(format!("/proc/{}/cmdline", pid.trim())).unwrap(), "it is still there");
}

#[test]
fn the_exit_code_is_the_verdict_also_when_nobody_reads_it() {
    let bench = Bench::new().with_hook("guard", "before_tool_dispatch", "exit 2");
    let mut child = start(&bench, "pipe");
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn the_third_hook_below_another_is_refused() {
    let bench =
        Bench::new().with_hook("guard", "before_tool_dispatch", "echo $BECKET_DEPTH; exit 2");
    let hooks = bench.path(".openharness/hooks");
    let args = [
        "fire",
        "PreToolUse",
        "--json",
        "--strict",
        "--dialect",
        "oah",
        "--hooks",
        hooks.to_str().unwrap(),
    ];
    let fire = |depth: &str| {
        run_with(bench.folder.path(), &args, CALL, &[("BECKET_DEPTH", depth.to_owned())])
    };
    let allowed = fire("2").json();
    assert_eq!(allowed["hooks"][0]["reply"]["stdout"], "3\n");
    let refused = fire("3");
    assert_eq!(refused.code, 2);
    assert_eq!(refused.json()["hooks"][0]["failure"]["kind"], "refused");
}

#[test]
fn a_hook_does_not_inherit_what_looks_like_a_secret() {
    let bench = Bench::new().with_hook("env", "before_tool_dispatch", "env; exit 0");
    let hooks = bench.path(".openharness/hooks");
    let variables = [
        ("GITHUB_TOKEN", "canary-one".to_owned()),
        ("INNOCENT", "ghp_canary0123456789abcdefghijklmnopqr".to_owned()),
        ("BECKET_SECRET_X", "canary-three".to_owned()),
        ("PLAIN", "visible".to_owned()),
    ];
    let fire = |compat| {
        let args =
            ["fire", "PreToolUse", "--json", "--compat", compat, "--dialect", "oah", "--hooks"];
        let args = [&args[..], &[hooks.to_str().unwrap()]].concat();
        run_with(bench.folder.path(), &args, CALL, &variables).stdout
    };
    let safe = fire("safe");
    assert!(safe.contains("PLAIN=visible") && !safe.contains("canary"), "{safe}");
    let journal = fs::read_to_string(bench.path("state/becket/journal.jsonl")).unwrap();
    assert!(!journal.contains("canary"));
    // The original hands everything on, but ours stay ours.
    let exact = fire("exact");
    assert!(exact.contains("canary-one") && !exact.contains("canary-three"), "{exact}");
}

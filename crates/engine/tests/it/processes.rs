//! Commands as hooks: deadlines, floods and processes that do not want to end.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use becket::core::reply::Reply;
use becket::core::verdict::FailureKind;
use becket::{Decision, Dialect, Engine, Event, EventKind, Outcome};
use serde_json::json;
use tempfile::TempDir;

/// A workspace with one hook on `before_tool_dispatch`.
struct Workspace(TempDir);

impl Workspace {
    fn new(command: &str, seconds: u64) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("hooks")).unwrap();
        let command = serde_json::to_string(command).unwrap();
        let yaml = format!(
            "name: h\nevents: [before_tool_dispatch]\nhandler: {{ type: command, command: {command}, timeout_seconds: {seconds} }}\n"
        );
        fs::write(folder.path().join("hooks/h.yaml"), yaml).unwrap();
        Self(folder)
    }

    fn engine(&self) -> Engine {
        Engine::builder()
            .workspace(self.0.path())
            .hooks(Dialect::Oah, self.0.path().join("hooks"))
            .strict(true)
            .build()
    }

    async fn fire(&self, payload: usize) -> Outcome {
        self.engine().fire(call(payload)).await
    }

    fn pid(&self, name: &str) -> u32 {
        fs::read_to_string(self.0.path().join(name)).unwrap().trim().parse().unwrap()
    }
}

fn call(size: usize) -> Event {
    let fields = json!({ "tool_name": "Write", "tool_input": { "content": "x".repeat(size) } });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap())
}

fn failure(outcome: &Outcome) -> Option<FailureKind> {
    outcome.runs().next().unwrap().settled.failure.as_ref().map(|it| it.kind)
}

fn is_alive(pid: u32) -> bool {
    // A process that ended but was not waited for still has a folder; its state tells.
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))
        .unwrap_or_default();
    !stat.is_empty() && !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

/// Ending a process takes the kernel a moment; what is asserted is that it happens.
fn dies(pid: u32) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        if !is_alive(pid) {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[tokio::test]
async fn the_deadline_covers_the_writing_of_the_envelope() {
    let started = Instant::now();
    let outcome = Workspace::new("exec sleep 60", 1).fire(2_000_000).await;
    assert_eq!(
        (outcome.decision, failure(&outcome)),
        (Decision::Deny, Some(FailureKind::TimedOut))
    );
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_hook_that_never_reads_its_input_still_decides() {
    let outcome = Workspace::new("echo no >&2; exit 2", 20).fire(2_000_000).await;
    assert_eq!((outcome.decision, outcome.reasons[0].text.as_str()), (Decision::Deny, "no"));
}

#[tokio::test]
async fn a_hook_that_talks_before_it_listens_does_not_deadlock() {
    let command = "head -c 3000000 /dev/zero | tr '\\0' x >&2; cat >/dev/null; exit 2";
    let outcome = Workspace::new(command, 20).fire(1_000_000).await;
    assert_eq!((outcome.decision, failure(&outcome)), (Decision::Deny, None));
    let Reply::Exited { stderr, .. } = &outcome.runs().next().unwrap().reply else {
        panic!("it exits")
    };
    assert!(stderr.truncated && stderr.bytes.len() == 64 * 1024);
    assert!(outcome.notes.iter().any(|note| note.code() == "truncated"));
}

#[tokio::test]
async fn a_flood_is_kept_to_a_bound_and_ended_at_the_deadline() {
    let outcome = Workspace::new("yes", 1).fire(10).await;
    assert_eq!(failure(&outcome), Some(FailureKind::TimedOut));
    let Reply::TimedOut { stdout, .. } = &outcome.runs().next().unwrap().reply else {
        panic!("it times out")
    };
    assert_eq!((stdout.bytes.len(), stdout.truncated), (1024 * 1024, true));
}

#[tokio::test]
async fn the_whole_group_is_ended_at_the_deadline_also_when_it_ignores_being_asked() {
    let command = "trap '' TERM; echo $$ > leader; (trap '' TERM; sh -c 'echo $$ > child; exec sleep 60') & wait; sleep 60";
    let workspace = Workspace::new(command, 1);
    let outcome = workspace.fire(10).await;
    assert_eq!(failure(&outcome), Some(FailureKind::TimedOut));
    assert!(dies(workspace.pid("leader")), "the hook is still there");
    assert!(dies(workspace.pid("child")), "its child is still there");
}

#[tokio::test]
async fn a_child_left_behind_ends_with_the_hook() {
    let workspace = Workspace::new("sleep 60 >/dev/null 2>&1 & echo $! > child; exit 0", 20);
    let outcome = workspace.fire(10).await;
    assert_eq!((outcome.decision, failure(&outcome)), (Decision::Pass, None));
    assert!(dies(workspace.pid("child")));
}

#[tokio::test]
async fn an_event_that_is_abandoned_takes_its_processes_with_it() {
    let workspace =
        Workspace::new("echo $$ > leader.part; mv leader.part leader; exec sleep 60", 60);
    let engine = workspace.engine();
    let leader = workspace.0.path().join("leader");
    let started = async {
        while !leader.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = engine.fire(call(10)) => panic!("{outcome:?}"),
        () = started => (),
    }
    assert!(dies(workspace.pid("leader")));
}

#[tokio::test]
async fn text_that_is_not_utf_8_stays_readable() {
    let outcome =
        Workspace::new(r"printf 'caf\303'; printf '\251 \377' >&2; printf '\351' >&2; exit 2", 20)
            .fire(10)
            .await;
    assert_eq!(outcome.reasons[0].text, "\u{fffd} \u{fffd}\u{fffd}");
    let split =
        Workspace::new(r"printf 'caf\303' >&2; printf '\251' >&2; exit 2", 20).fire(10).await;
    assert_eq!(split.reasons[0].text, "café");
}

#[tokio::test]
async fn a_working_directory_that_is_gone_is_a_failure_with_a_name() {
    let workspace = Workspace::new("true", 20);
    let engine = workspace.engine();
    let hooks = workspace.0.path().to_path_buf();
    drop(workspace);
    let outcome = engine.fire(call(10)).await;
    assert_eq!(failure(&outcome), Some(FailureKind::NotStarted));
    assert!(outcome.reasons[0].text.contains(&*hooks.to_string_lossy()), "{:?}", outcome.reasons);
}

#[tokio::test]
async fn events_can_be_fired_side_by_side() {
    let workspace = Workspace::new("cat >/dev/null; exit 2", 20);
    let engine = workspace.engine();
    let outcomes = futures_util::future::join_all((0..16).map(|_| engine.fire(call(100)))).await;
    assert!(outcomes.iter().all(|outcome| outcome.decision == Decision::Deny));
}

/// Harnesses spawn agents on thread pools.
#[test]
fn firing_can_cross_threads() {
    fn assert_send<T: Send>(_: T) {}
    let engine = Engine::builder().build();
    assert_send(engine.fire(call(1)));
}

/// `fork` copies the page tables of its caller: 50 ms in a process with a gigabyte.
#[test]
fn hooks_are_started_without_a_fork() {
    let strace = std::process::Command::new("strace").arg("-V").output();
    if strace.is_err() {
        return eprintln_absent("strace");
    }
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let me = std::env::current_exe().unwrap();
    let status = std::process::Command::new("strace")
        .args(["-f", "-e", "trace=clone,clone3,fork,vfork", "-o"])
        .arg(&log)
        .arg(me)
        .args([
            "--exact",
            "processes::a_hook_that_never_reads_its_input_still_decides",
            "--test-threads",
            "1",
        ])
        .output()
        .unwrap();
    assert!(status.status.success());
    let log = fs::read_to_string(log).unwrap();
    let plain_forks: Vec<_> = log.lines().filter(|line| is_plain_fork(line)).collect();
    assert_eq!(plain_forks, Vec::<&str>::new(), "{log}");
    assert!(
        log.contains("CLONE_VFORK") || log.contains("vfork("),
        "no process was started at all:\n{log}"
    );
}

/// A process made neither as a thread nor by vfork, before the shell itself begins to make some.
fn is_plain_fork(line: &str) -> bool {
    let made = line.contains("clone(") || line.contains("clone3(") || line.contains(" fork(");
    made && !line.contains("CLONE_VFORK")
        && !line.contains("CLONE_THREAD")
        && !line.contains("resumed")
}

#[expect(clippy::print_stderr, reason = "what is not run is counted aloud")]
fn eprintln_absent(tool: &str) {
    eprintln!("{tool} is not here: one test was not run");
}

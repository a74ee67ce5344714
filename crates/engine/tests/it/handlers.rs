//! Handlers: what they are given, what they may use up, and what they cannot hold up.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use becket::core::config::Place;
use becket::core::diagnostic::Origin;
use becket::core::hook::{Handler, HookSpec, Layer, Template};
use becket::core::verdict::{FailureKind, OnFailure};
use becket::point::{PreToolUse, ToolAction};
use becket::port::Secrets;
use becket::{Compat, Decision, Dialect, Engine, Event, EventKind, Limits, Outcome};
use futures_util::future::join_all;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;

fn hook(folder: &Path, handler: Handler) -> HookSpec {
    let place = Place {
        dialect: Dialect::Becket,
        compat: Compat::Safe,
        layer: Layer::CommandLine,
        source: Arc::new(folder.to_path_buf()),
        workspace: Arc::new(folder.to_path_buf()),
        disabled: None,
        events: Vec::new(),
    };
    let spec = place.hook("h".into(), vec![EventKind::PreToolUse], handler, Origin::default());
    HookSpec { timeout: Some(Duration::from_mins(1)), ..spec }
}

fn command(text: &str) -> Handler {
    let (command, environment) = (text.to_owned(), Vec::new());
    Handler::Command { command, args: None, cwd: None, environment }
}

fn call() -> Event {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap())
}

fn failure(outcome: &Outcome) -> Option<FailureKind> {
    outcome.runs().next().unwrap().settled.failure.as_ref().map(|it| it.kind)
}

async fn reason(spec: HookSpec) -> String {
    let outcome = Engine::builder().hook(spec).build().fire(call()).await;
    outcome.reasons.first().map(|it| it.text.clone()).unwrap_or_default()
}

#[tokio::test]
async fn a_program_with_arguments_is_started_without_a_shell() {
    let folder = TempDir::new().unwrap();
    let arguments = ["-c", "printf '%s|' \"$@\" >&2; exit 2", "sh", "$HOME", "a b", "*"];
    let handler = Handler::Command {
        command: "sh".to_owned(),
        args: Some(arguments.map(str::to_owned).to_vec()),
        cwd: None,
        environment: Vec::new(),
    };
    assert_eq!(reason(hook(folder.path(), handler)).await, "$HOME|a b|*|");
}

#[tokio::test]
async fn a_script_that_does_not_say_what_runs_it_is_the_shells() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("guard");
    fs::write(&path, "echo no >&2; exit 2\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(reason(hook(folder.path(), command("./guard now"))).await, "no");
}

#[tokio::test]
async fn a_hook_that_names_its_variables_gets_no_others() {
    let folder = TempDir::new().unwrap();
    let mut spec =
        hook(folder.path(), command("env | cut -d= -f1 | sort | tr '\\n' ' ' >&2; exit 2"));
    spec.inherits = Some(vec!["PATH".to_owned()]);
    let names = reason(spec).await;
    let expected = ["BECKET_DEPTH", "BECKET_RUN", "BECKET_WORKSPACE_ROOT", "PATH", "PWD"];
    let names: Vec<&str> =
        names.split_whitespace().filter(|it| *it != "_" && *it != "SHLVL").collect();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn a_secret_that_is_missing_is_a_failure_and_is_never_sent_literally() {
    let folder = TempDir::new().unwrap();
    let value = Template::parse("Bearer ${secrets.NOPE}");
    let headers = vec![("Authorization".to_owned(), value)];
    let url = "http://127.0.0.1:9/".to_owned();
    let spec = hook(folder.path(), Handler::Http { url, method: "POST".into(), headers });
    let engine = Engine::builder().secrets(Secrets::none()).hook(spec).build();
    let outcome = engine.fire(call()).await;
    assert_eq!(
        (failure(&outcome), outcome.decision),
        (Some(FailureKind::NotStarted), Decision::Ask)
    );
    assert!(outcome.reasons[0].text.contains("NOPE"), "{:?}", outcome.reasons);
}

#[tokio::test]
async fn a_socket_of_this_machine_can_be_asked_and_is_kept_open() {
    let folder = TempDir::new().unwrap();
    let listener = UnixListener::bind(folder.path().join("guard.sock")).unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let mut buffer = vec![0; 64 * 1024];
                while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                    let asked = String::from_utf8_lossy(&buffer).starts_with("POST /check ");
                    let body =
                        format!(r#"{{"decision":"{}"}}"#, if asked { "block" } else { "ask" });
                    let head =
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
                    let text = format!("{head}{}\r\n\r\n{body}", body.len());
                    stream.write_all(text.as_bytes()).await.unwrap();
                }
            });
        }
    });
    let url = "unix:guard.sock:/check".to_owned();
    let spec =
        hook(folder.path(), Handler::Http { url, method: "POST".into(), headers: Vec::new() });
    let engine = Engine::builder().hook(spec).build();
    for _ in 0..3 {
        let outcome = engine.fire(call()).await;
        assert_eq!(outcome.decision, Decision::Deny, "{:?}", outcome.notes);
    }
    assert_eq!(connections.load(Ordering::Relaxed), 1, "the connection is kept");
}

#[tokio::test]
async fn a_closure_that_blocks_past_its_deadline_is_reported_and_holds_up_nobody() {
    let engine = Engine::builder().build();
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    engine.on_blocking::<PreToolUse>(move |call| {
        if call.command() == Some("block") {
            let _ = wait.lock().unwrap().recv();
        }
        ToolAction::pass()
    });
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "block" } });
    let blocked = Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap());
    // The one that blocks waits for what comes after the other, on one and the same thread.
    let other = async {
        let outcome = engine.fire(call()).await;
        drop(release);
        outcome
    };
    let (first, second) = tokio::join!(engine.fire(blocked), other);
    assert_eq!((first.decision, second.decision), (Decision::Pass, Decision::Pass));
}

#[tokio::test]
async fn a_closure_that_takes_too_long_has_failed() {
    let engine = Engine::builder().build();
    let (_keep, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    engine.on_blocking::<PreToolUse>(move |_| {
        let _ = wait.lock().unwrap().recv_timeout(Duration::from_secs(15));
        ToolAction::pass()
    });
    let started = Instant::now();
    let outcome = engine.fire(call()).await;
    // A gate's closure has ten seconds.
    assert_eq!((failure(&outcome), outcome.decision), (Some(FailureKind::TimedOut), Decision::Ask));
    assert!(started.elapsed() < Duration::from_secs(14), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_panic_is_the_failure_of_its_closure_also_on_a_thread_of_its_own() {
    let engine = Engine::builder().build();
    engine.on_blocking::<PreToolUse>(|_| panic!("no"));
    let outcome = engine.fire(call()).await;
    assert_eq!(
        (failure(&outcome), outcome.decision),
        (Some(FailureKind::Signalled), Decision::Ask)
    );
}

#[tokio::test]
async fn managed_hooks_fail_closed() {
    let folder = TempDir::new().unwrap();
    let mut spec = hook(folder.path(), command("exit 1"));
    spec.layer = Layer::Managed;
    spec.on_failure = Some(OnFailure::Allow);
    let outcome = Engine::builder().hook(spec).build().fire(call()).await;
    assert_eq!((outcome.decision, outcome.failed_open()), (Decision::Deny, 0));
}

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// In a process of its own: what other tests use up is not the hook's doing.
#[test]
fn a_gigabyte_of_output_grows_the_process_by_less_than_eight_megabytes() {
    const INSIDE: &str = "MEMORY_TEST_INSIDE";
    if std::env::var_os(INSIDE).is_none() {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "--test-threads", "1"])
            .arg("handlers::a_gigabyte_of_output_grows_the_process_by_less_than_eight_megabytes")
            .env(INSIDE, "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = TempDir::new().unwrap();
    let spec = |text| hook(folder.path(), command(text));
    let quiet = Engine::builder().hook(spec("echo hi")).build();
    let loud = Engine::builder().hook(spec("head -c 1073741824 /dev/zero; exit 2")).build();
    let _ = runtime.block_on(quiet.fire(call()));
    let before = resident();
    let outcome = runtime.block_on(loud.fire(call()));
    let grown = resident().saturating_sub(before);
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(grown < 8 << 20, "{grown} bytes");
}

#[tokio::test]
async fn a_thousand_hooks_that_hang_do_not_use_up_the_descriptors() {
    let folder = TempDir::new().unwrap();
    let mut spec = hook(folder.path(), command("sleep infinity"));
    spec.timeout = Some(Duration::from_secs(1));
    spec.on_failure = Some(OnFailure::Deny);
    let engine = Engine::builder().hook(spec).build();
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    let most = Arc::new(AtomicUsize::new(0));
    let watch = async {
        loop {
            most.fetch_max(open(), Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let outcomes = tokio::select! {
        outcomes = join_all((0..1000).map(|_| engine.fire(call()))) => outcomes,
        () = watch => unreachable!("it watches for ever"),
    };
    assert!(outcomes.iter().all(|it| it.decision == Decision::Deny));
    let used = most.load(Ordering::Relaxed).saturating_sub(before);
    assert!(used < Limits::default().processes * 6, "{used} descriptors");
}

#[tokio::test]
async fn a_long_text_for_the_model_is_cut_and_kept_whole_for_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let text = r#"printf '{"hookSpecificOutput":{"additionalContext":"'; head -c 20000 /dev/zero | tr '\0' x; printf '"}}'"#;
    let engine = Engine::builder().journal(folder.path().join("state"));
    let outcome = engine.hook(hook(folder.path(), command(text))).build().fire(call()).await;
    assert_eq!(outcome.context.iter().map(String::len).collect::<Vec<_>>(), [10_000]);
    assert!(outcome.notes.iter().any(|it| it.code() == "text_cut"), "{:?}", outcome.notes);
    let kept: Vec<_> = fs::read_dir(folder.path().join("state/texts")).unwrap().collect();
    let path = kept[0].as_ref().unwrap().path();
    assert_eq!(fs::read(&path).unwrap().len(), 20_000);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

/// A hook that is done is not kept waiting: the answer of one that hangs comes at its deadline.
#[tokio::test]
async fn a_deadline_is_kept_though_the_hook_ignores_being_asked() {
    let folder = TempDir::new().unwrap();
    let mut spec =
        hook(folder.path(), command("trap '' TERM; sleep infinity & wait; sleep infinity"));
    spec.timeout = Some(Duration::from_millis(300));
    let engine = Engine::builder().hook(spec).build();
    let outcome = engine.fire(call()).await;
    let took = outcome.runs().next().unwrap().took;
    assert_eq!(failure(&outcome), Some(FailureKind::TimedOut));
    assert!(took < Duration::from_secs(5), "{took:?}");
    engine.drain(Duration::from_secs(1)).await;
}

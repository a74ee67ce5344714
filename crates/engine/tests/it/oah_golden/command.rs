//! Command hooks: how a process ends and what it prints.

use std::sync::Arc;
use std::time::Duration;

use becket::core::hook::Handler;
use becket::core::outcome::{Run, Tally};
use becket::core::plan::plan;
use becket::core::registry::Registry;
use becket::core::reply::{Captured, Exit, Reply};
use becket::core::verdict::FailureKind;
use becket::core::wire::wire;
use becket::{Decision, Dialect, Outcome};
use serde_json::{Map, Value, json};

use super::row::{CommandRow, golden};
use super::seen::{answer, ran};
use super::workspace::{Workspace, event, tool_call};

/// A workspace with one command hook `h`.
fn workspace(mut handler: Map<String, Value>) -> Workspace {
    handler.insert("type".to_owned(), "command".into());
    let workspace = Workspace::with_hook(&json!({
        "name": "h",
        "events": ["before_tool_dispatch"],
        "handler": handler,
    }));
    workspace.write("sub/file", "");
    workspace
}

async fn run(handler: Value) -> Outcome {
    let Value::Object(handler) = handler else { panic!("a handler is an object") };
    workspace(handler).fire("before_tool_dispatch", tool_call()).await
}

async fn run_command(command: &str) -> Outcome {
    run(json!({ "command": command })).await
}

fn answered(outcome: &Outcome) -> Option<Value> {
    let ran = ran(outcome);
    let [(hook, run)] = ran[..] else { panic!("{ran:?}") };
    assert_eq!(run.settled.failure, None);
    answer(hook, run)
}

fn failure(outcome: &Outcome) -> Option<(FailureKind, String)> {
    assert_eq!(outcome.decision, Decision::Pass, "a failure never blocks here");
    assert!(!outcome.is_blocked());
    let run = outcome.runs().next().expect("the hook ran");
    run.settled.failure.as_ref().map(|it| (it.kind, it.message.clone()))
}

fn failure_kind(outcome: &Outcome) -> Option<FailureKind> {
    failure(outcome).map(|(kind, _)| kind)
}

#[tokio::test]
async fn every_recorded_command_does_what_it_did() {
    for case in golden().command {
        let CommandRow { label, handler } = case.given;
        if !handler.contains_key("command") {
            refused_without_command(&label, handler);
            let outcome = without_command();
            case.seen.check_hooks(&label, &outcome);
            case.seen.check_answer(&label, &outcome);
            continue;
        }
        let outcome = workspace(handler).fire("before_tool_dispatch", tool_call()).await;
        case.seen.check_hooks(&label, &outcome);
        case.seen.check_answer(&label, &outcome);
    }
}

/// What becomes, below the loader, of a hook with no command: a shell runs nothing and is content.
fn without_command() -> Outcome {
    let engine = workspace(Map::from_iter([("command".to_owned(), "x".into())])).builder().build();
    let mut spec = engine.snapshot().hooks().next().unwrap().spec().clone();
    spec.handler = Handler::shell(String::new());
    let registry = Arc::new(Registry::from(vec![spec]));
    let event = event("before_tool_dispatch", tool_call());
    let mut plan = plan(&registry, &event);
    let mut tally = Tally::new(Arc::clone(&registry), event);
    for (id, hook) in plan.next(&mut tally).unwrap() {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let reply = Reply::Exited { end: Exit::Code(0), stdout, stderr };
        let verdict = wire(Dialect::Oah).verdict(hook, tally.event(), &reply);
        let settled = hook.on_failure(tally.event().kind()).settle(verdict);
        tally.absorb(id, Run { reply, settled, took: Duration::ZERO });
    }
    tally.finish(false)
}

/// The row was recorded below the loader; through a file it is a load error.
fn refused_without_command(label: &str, handler: Map<String, Value>) {
    let workspace = workspace(handler);
    let engine = workspace.builder().build();
    assert!(engine.is_refused(), "{label}");
    assert_eq!(engine.snapshot().hooks().count(), 0, "{label}");
    let [problem] = engine.diagnostics() else { panic!("{label}: {:?}", engine.diagnostics()) };
    assert_eq!(problem.origin.file.parent(), Some(workspace.hooks().as_path()), "{label}");
    assert_eq!(problem.origin.line, 3, "{label}: the line of `handler`");
    assert!(problem.message.contains("`command`"), "{label}: {problem}");
}

#[tokio::test]
async fn a_command_that_says_nothing_means_nothing() {
    for command in [
        "true",
        "cat >/dev/null",
        "printf '\\n\\t '",
        "echo only to stderr >&2",
        "kill -9 $$",
        "kill $$",
    ] {
        let outcome = run_command(command).await;
        assert_eq!(answered(&outcome), None, "{command}");
        assert_eq!(outcome.decision, Decision::Pass, "{command}");
        assert_eq!(outcome.notes, [], "{command}");
    }
}

#[tokio::test]
async fn one_object_is_found_in_whatever_surrounds_it() {
    for printed in [
        r#"{"decision":"block","reason":"r"}"#,
        "```json\n{\"decision\":\"block\",\"reason\":\"r\"}\n```",
        r#"[{"decision":"block","reason":"r"}]"#,
        "first line\n{\n \"decision\" : \"block\",\n \"reason\" : \"r\"\n}\nlast line",
    ] {
        let workspace = Workspace::with_hook(&json!({
            "name": "h",
            "events": ["before_tool_dispatch"],
            "handler": { "type": "command", "command": "cat >/dev/null; cat printed" },
        }));
        workspace.write("printed", printed);
        let outcome = workspace.fire("before_tool_dispatch", tool_call()).await;
        assert_eq!(
            answered(&outcome),
            Some(json!({ "decision": "block", "reason": "r" })),
            "{printed}"
        );
        assert_eq!(outcome.reasons[0].text, "r", "{printed}");
    }
}

#[tokio::test]
async fn what_is_not_one_object_is_a_failure_and_the_event_goes_on() {
    for command in [
        r#"echo '{"decision":"block"} {"decision":"block"}'"#,
        r#"echo '{"decision":"block"}'; echo '{"continue":false}'"#,
        "echo '{decision: block}'",
        r#"echo '{"decision":"block"'"#,
        r#"echo '"block"'"#,
        "echo null",
        "echo false",
        "echo 1",
        "echo '{}}'",
    ] {
        let outcome = run_command(command).await;
        assert_eq!(failure_kind(&outcome), Some(FailureKind::BadOutput), "{command}");
    }
}

#[tokio::test]
async fn an_answer_is_kept_as_it_was_given_whatever_it_means() {
    let given =
        json!({ "continue": true, "decision": null, "foo": [1], "hookSpecificOutput": "x" });
    let outcome = run_command(&format!("echo '{given}'")).await;
    assert_eq!(answered(&outcome), Some(given));
    assert_eq!(outcome.decision, Decision::Pass);
    let outcome = run_command("echo '{}'").await;
    assert_eq!(answered(&outcome), Some(json!({})));
}

#[tokio::test]
async fn exit_code_2_blocks_with_what_stderr_says_and_stdout_does_not_matter() {
    for (command, reason) in [
        ("printf ' first\\nsecond \\n' >&2; exit 2", "first\nsecond"),
        ("echo why >&2; echo '{\"decision\":\"approve\"}'; exit 2", "why"),
        ("echo why >&2; echo '{\"reason\":\"other\",\"stopReason\":\"third\"}'; exit 2", "why"),
        ("echo why >&2; echo no json; exit 2", "why"),
    ] {
        let outcome = run_command(command).await;
        assert_eq!(
            answered(&outcome),
            Some(json!({ "continue": false, "stopReason": reason })),
            "{command}"
        );
        assert_eq!(outcome.decision, Decision::Deny, "{command}");
        assert_eq!(outcome.reasons[0].text, reason, "{command}");
    }
    let outcome = run_command("printf ' \\n' >&2; exit 2").await;
    assert!(outcome.reasons[0].text.contains("printf"), "{:?}", outcome.reasons);
}

#[tokio::test]
async fn any_other_exit_code_is_a_failure_whatever_was_printed() {
    for code in [1, 3, 42, 125, 128, 255] {
        let command = format!("echo '{{\"decision\":\"block\"}}'; echo because >&2; exit {code}");
        let (kind, message) = failure(&run_command(&command).await).unwrap();
        assert_eq!(kind, FailureKind::BadExit, "{code}");
        assert!(message.contains(&code.to_string()) && message.ends_with("because"), "{message}");
    }
}

#[tokio::test]
async fn what_was_printed_before_a_signal_counts() {
    let outcome = run_command("echo '{\"decision\":\"block\",\"reason\":\"r\"}'; kill -9 $$").await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.reasons[0].text, "r");
    let outcome = run_command("echo half; kill -9 $$").await;
    assert_eq!(failure_kind(&outcome), Some(FailureKind::BadOutput));
}

#[tokio::test]
async fn a_block_that_is_followed_by_a_hang_is_a_timeout_like_any_other() {
    for command in
        ["echo '{\"decision\":\"block\"}'; exec sleep 9", "trap '' TERM; sleep 9 & wait; sleep 9"]
    {
        let outcome = run(json!({ "command": command, "timeout_seconds": 1 })).await;
        assert_eq!(failure_kind(&outcome), Some(FailureKind::TimedOut), "{command}");
        let took = outcome.runs().next().unwrap().took;
        assert!(took < Duration::from_secs(4), "{command}: {took:?}");
    }
}

#[tokio::test]
async fn a_child_that_holds_the_pipe_is_waited_for_where_there_is_time() {
    let command = "(sleep 1; echo '{\"reason\":\"late\"}') & exit 0";
    let outcome = run(json!({ "command": command, "timeout_seconds": 20 })).await;
    assert_eq!(answered(&outcome), Some(json!({ "reason": "late" })));
}

#[tokio::test]
async fn a_command_runs_in_the_workspace_with_the_environment_it_asks_for() {
    let workspace = workspace(Map::from_iter([
        (
            "command".to_owned(),
            "printf '{\"reason\":\"%s %s %s\"}' \"$PWD\" \"$OPENHARNESS_WORKSPACE_ROOT\" \"$MINE\""
                .into(),
        ),
        ("environment".to_owned(), json!({ "MINE": "own ${secrets.X}" })),
    ]));
    let outcome = workspace.fire("before_tool_dispatch", tool_call()).await;
    let path = workspace.path().display();
    assert_eq!(
        answered(&outcome),
        Some(json!({ "reason": format!("{path} {path} own ${{secrets.X}}") }))
    );
}

#[tokio::test]
async fn a_working_directory_may_be_absolute_and_must_exist() {
    let print = "printf '{\"reason\":\"%s\"}' \"$PWD\"";
    let outcome = run(json!({ "command": print, "cwd": "/usr" })).await;
    assert_eq!(answered(&outcome), Some(json!({ "reason": "/usr" })));
    for cwd in ["/nope/nope", "./sub/file"] {
        let outcome = run(json!({ "command": print, "cwd": cwd })).await;
        assert_eq!(failure_kind(&outcome), Some(FailureKind::NotStarted), "{cwd}");
    }
}

#[tokio::test]
async fn a_hook_that_reads_none_of_a_large_envelope_harms_nobody() {
    let workspace = workspace(Map::from_iter([(
        "command".to_owned(),
        "exec <&-; echo '{\"reason\":\"r\"}'".into(),
    )]));
    let fields = json!({ "tool_name": "Write", "tool_input": { "content": "x".repeat(2 << 20) } });
    let outcome = workspace.fire("before_tool_dispatch", fields).await;
    assert_eq!(answered(&outcome), Some(json!({ "reason": "r" })));
}

#[tokio::test]
async fn the_envelope_has_the_words_of_the_original() {
    let workspace = Workspace::answering("before_tool_dispatch", &[""; 0], &json!({}));
    let fields = json!({
        "session_id": "ses_1", "agent_name": "builder", "tool_use_id": "call_1",
        "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let outcome = workspace.fire("before_tool_dispatch", fields).await;
    assert_eq!(outcome.event.kind().name_in(Dialect::Oah), Some("before_tool_dispatch"));
    assert_eq!(
        workspace.told("a"),
        json!({
            "workspace_id": "ws_1", "session_id": "ses_1", "run_id": "run_1",
            "cwd": workspace.path(), "hook_event_name": "before_tool_dispatch",
            "agent_name": "builder", "effective_agent_name": "builder",
            "trigger_type": "message", "run_status": "running",
            "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_call_id": "call_1",
        })
    );
}

#[tokio::test]
async fn what_the_shell_cannot_start_was_not_started() {
    for command in ["no_such_zz", "/no/such/zz", "./sub/file", "./sub"] {
        let outcome = run_command(command).await;
        assert_eq!(failure_kind(&outcome), Some(FailureKind::NotStarted), "{command}");
    }
}

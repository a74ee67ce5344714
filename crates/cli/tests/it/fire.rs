//! `becket fire`: events through real hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::becket::Bench;

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"npm test"}}"#;

fn answering(answer: &Value) -> String {
    format!("cat >/dev/null; printf '%s' '{answer}'")
}

#[test]
fn the_outcome_is_one_json_object_of_the_documented_shape() {
    let answer = json!({ "decision": "block", "reason": "rm -rf /" });
    let bench = Bench::new().with_hook("guard", "before_tool_dispatch", &answering(&answer)).with_file(
        ".openharness/hooks/fmt.yaml",
        "name: fmt\nevents: [before_tool_dispatch]\nmatcher: Edit|Write\nhandler: { type: command, command: \"true\" }\n",
    );
    let ran = bench.fire("PreToolUse", CALL, &["--json"]);
    assert_eq!(ran.code, 2);
    let mut outcome = ran.json();
    let keys: Vec<_> = outcome.as_object().unwrap().keys().cloned().collect();
    let documented = [
        "event",
        "decision",
        "effects",
        "reasons",
        "patched",
        "context",
        "messages",
        "hooks",
        "notes",
        "generation",
        "trace",
    ];
    assert_eq!(keys, documented);
    assert_eq!(outcome["hooks"][1]["duration_us"].as_u64().map(|it| it > 0), Some(true));
    let hooks = bench.path(".openharness/hooks");
    outcome["hooks"][1].as_object_mut().unwrap().shift_remove("duration_us");
    assert_eq!(
        outcome["hooks"],
        json!([
            { "name": "fmt", "dialect": "oah", "source": format!("{}:1", hooks.join("fmt.yaml").display()), "state": "skipped",
              "mode": "enforce",
              "skip": { "code": "matcher", "text": "matcher `Edit|Write` does not match tool name `Bash`" } },
            { "name": "guard", "dialect": "oah", "source": format!("{}:1", hooks.join("guard.yaml").display()), "state": "ran",
              "mode": "enforce",
              "reply": { "kind": "exited", "code": 0, "stdout": answer.to_string(), "stderr": "", "truncated": false },
              "verdict": { "decision": "deny", "reason": "rm -rf /", "answer": answer } },
        ])
    );
    assert_eq!(outcome["event"], "PreToolUse");
    assert_eq!(outcome["effects"], json!([{ "kind": "deny_tool" }]));
    assert_eq!(outcome["reasons"], json!([{ "hook": "guard", "text": "rm -rf /" }]));
    assert_eq!(outcome["trace"].as_str().map(str::len), Some(36));
}

#[test]
fn the_exit_code_says_pass_block_or_ask() {
    let bench = |command: &str| Bench::new().with_hook("a", "before_tool_dispatch", command);
    assert_eq!(bench("true").fire("PreToolUse", CALL, &[]).code, 0);
    assert_eq!(bench("exit 2").fire("PreToolUse", CALL, &[]).code, 2);
    assert_eq!(
        bench(&answering(&json!({ "continue": false }))).fire("PreToolUse", CALL, &[]).code,
        2
    );
    assert_eq!(bench("exit 1").fire("PreToolUse", CALL, &[]).code, 0);
    assert_eq!(bench("exit 1").fire("PreToolUse", CALL, &["--strict"]).code, 2);
    let asking = bench("exit 1").with_file(
        ".openharness/hooks/a.yaml",
        "name: a\nevents: [before_tool_dispatch]\non_failure: ask\nhandler: { type: command, command: exit 1 }\n",
    );
    assert_eq!(asking.fire("PreToolUse", CALL, &[]).code, 3);
    assert_eq!(asking.fire("PreToolUse", CALL, &["--headless"]).code, 2);
}

#[test]
fn an_event_may_be_named_in_any_dialect() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "exit 2");
    for name in [
        "PreToolUse",
        "before_tool_dispatch",
        "PRE_TOOL_USE",
        "pre_tool_use",
        "preToolUse",
        "BeforeTool",
    ] {
        assert_eq!(bench.fire(name, CALL, &[]).code, 2, "{name}");
    }
}

#[test]
fn the_event_on_the_command_line_wins_over_the_payload_and_says_so() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "exit 2");
    let payload = r#"{"hook_event_name":"after_tool_dispatch","tool_name":"Bash","tool_input":{}}"#;
    let outcome = bench.fire("PreToolUse", payload, &["--json"]).json();
    assert_eq!(outcome["decision"], "deny");
    assert_eq!(outcome["notes"][0]["code"], "event_name_differs");
    let same = r#"{"hook_event_name":"before_tool_dispatch","tool_name":"Bash","tool_input":{}}"#;
    assert_eq!(bench.fire("PreToolUse", same, &["--json"]).json()["notes"], json!([]));
}

#[test]
fn the_payload_may_stand_in_a_file() {
    let bench =
        Bench::new().with_hook("a", "before_tool_dispatch", "exit 2").with_file("event.json", CALL);
    let file = bench.path("event.json");
    assert_eq!(bench.fire("PreToolUse", "", &["--input", file.to_str().unwrap()]).code, 2);
    assert_eq!(bench.fire("PreToolUse", CALL, &["--input", "-"]).code, 2);
}

#[test]
fn hooks_of_a_project_nobody_approved_do_not_run() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "touch ran; exit 2");
    let ran = bench.run(&["fire", "PreToolUse", "--json"], CALL);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["hooks"][0]["skip"]["code"], "untrusted");
    assert_eq!(ran.json()["notes"][0]["code"], "untrusted");
    assert!(!bench.path("ran").exists());
}

#[test]
fn every_event_is_recorded_once_for_its_owner_only() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "true");
    let traces: Vec<_> = (0..3)
        .map(|_| bench.fire("PreToolUse", CALL, &["--json"]).json()["trace"].clone())
        .collect();
    bench.fire("PreToolUse", CALL, &["--no-journal"]);
    let journal = bench.path("state/becket/journal.jsonl");
    assert_eq!(fs::metadata(&journal).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(journal).unwrap();
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let recorded: Vec<_> = records.iter().map(|record| record["trace"].clone()).collect();
    assert_eq!(recorded, traces);
    assert_eq!(records[0]["input"]["tool_input"], json!({ "command": "npm test" }));
    assert_eq!(records[0]["outcome"]["decision"], "pass");
}

#[test]
fn a_journal_that_cannot_be_written_is_noted_and_stops_nothing() {
    let bench = Bench::new()
        .with_hook("a", "before_tool_dispatch", "exit 2")
        .with_file("state", "a file where a folder should be");
    let ran = bench.fire("PreToolUse", CALL, &["--json"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.json()["notes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|note| note["code"] == "journal_unwritable")
    );
}

#[test]
fn a_script_lends_prompt_hooks_a_model() {
    let hook = "name: a\nevents: [before_tool_dispatch]\nhandler: { type: prompt, prompt: { inline: Safe? }, timeout_seconds: 5 }\n";
    let script =
        "replies:\n  - when: npm test\n    reply: { decision: block, reason: no tests today }\n";
    let bench =
        Bench::new().with_file(".openharness/hooks/a.yaml", hook).with_file("model.yaml", script);
    let outcome =
        bench.fire("PreToolUse", CALL, &["--json", "--model-script", "model.yaml"]).json();
    assert_eq!(outcome["reasons"], json!([{ "hook": "a", "text": "no tests today" }]));
    let without = bench.fire("PreToolUse", CALL, &["--json"]).json();
    assert_eq!(without["hooks"][0]["failure"]["kind"], "not_started");
    let broken = bench.with_file("model.yaml", "replies: [").fire(
        "PreToolUse",
        CALL,
        &["--json", "--model-script", "model.yaml"],
    );
    assert_eq!((broken.code, broken.error()["line"].as_u64()), (78, Some(1)));
}

#[test]
fn a_custom_event_of_the_settings_can_be_fired() {
    let bench = Bench::new()
        .with_file(
            ".becket/settings.yaml",
            "events:\n  deploy: { subject: target, block: refuse }\n",
        )
        .with_hook("a", "deploy", "exit 2");
    let ran = bench.fire("deploy", r#"{"target":"production"}"#, &["--json"]);
    assert_eq!((ran.code, ran.json()["effects"].clone()), (2, json!([{ "kind": "refuse" }])));
}

#[test]
fn a_secret_in_the_environment_is_not_inherited_by_hooks() {
    let bench = Bench::new().with_hook(
        "a",
        "before_tool_dispatch",
        "printf '%s' \"${BECKET_SECRET_T-none}\" > seen",
    );
    let hooks = bench.path(".openharness/hooks");
    let mut command = crate::becket::command(bench.folder.path());
    command
        .env("BECKET_SECRET_T", "s3cr3t")
        .args(["fire", "run_completed", "--dialect", "oah", "--hooks"])
        .arg(hooks);
    let bench =
        bench.with_hook("a", "run_completed", "printf '%s' \"${BECKET_SECRET_T-none}\" > seen");
    assert!(command.stdin(std::process::Stdio::null()).output().unwrap().status.success());
    assert_eq!(fs::read_to_string(bench.path("seen")).unwrap(), "none");
}

#[test]
fn the_record_holds_what_was_asked_and_what_became_of_it() {
    let patch =
        json!({ "hookSpecificOutput": { "patch": { "tool_input": { "command": "echo safe" } } } });
    let hook = format!(
        "name: a\nevents: [before_tool_dispatch]\ncapabilities: [patch_tool_input]\nhandler: {{ type: command, command: {} }}\n",
        serde_json::to_string(&answering(&patch)).unwrap()
    );
    let bench = Bench::new().with_file(".openharness/hooks/a.yaml", &hook);
    let payload =
        r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf /"},"hook_event_name":"Stop"}"#;
    assert_eq!(bench.fire("PreToolUse", payload, &[]).code, 0);
    let record: Value = serde_json::from_str(
        &fs::read_to_string(bench.path("state/becket/journal.jsonl")).unwrap(),
    )
    .unwrap();
    assert_eq!(record["input"]["tool_input"], json!({ "command": "rm -rf /" }));
    assert_eq!(record["outcome"]["patched"]["tool_input"], json!({ "command": "echo safe" }));
    assert_eq!(record["outcome"]["notes"][0]["code"], "event_name_differs");
}

#[test]
fn without_a_home_there_is_a_note_instead_of_a_record() {
    let bench = Bench::new().with_hook("a", "run_completed", "true");
    let mut command = crate::becket::command(bench.folder.path());
    command.env("XDG_STATE_HOME", "").env("HOME", "").args([
        "fire",
        "run_completed",
        "--json",
        "--dialect",
        "oah",
        "--hooks",
    ]);
    let output = command
        .arg(bench.path(".openharness/hooks"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        outcome["notes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|note| note["code"] == "journal_unwritable")
    );
    assert!(!bench.path(".local").exists());
}

#[test]
fn a_workspace_is_found_from_inside_it_too() {
    let bench = Bench::new()
        .with_hook("a", "before_tool_dispatch", "sh ./.openharness/hooks/scripts/no.sh")
        .with_file(".openharness/hooks/scripts/no.sh", "exit 2");
    let inside = bench.path(".openharness/hooks");
    let args = ["fire", "PreToolUse", "--dialect", "oah", "--hooks", ".", "--no-journal"];
    assert_eq!(crate::becket::run_in(&inside, &args, CALL).code, 2);
}

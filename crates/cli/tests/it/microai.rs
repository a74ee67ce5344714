//! The six use cases of seed 004, by what they leave behind, and its own test object.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::becket::{Ran, copy, has, repository, run_in};

/// A copy of an example, since hooks leave things behind.
struct Example {
    folder: TempDir,
}

impl Example {
    fn new(name: &str) -> Self {
        let folder = TempDir::new().unwrap();
        copy(&repository().join("examples/hooks").join(name), folder.path());
        let example = Self { folder };
        // What a hook does is looked at here, not how long a busy machine takes for it.
        let settings = example.read(".claude/settings.json");
        let patient = settings.replace("\"timeout\": 1000", "\"timeout\": 30000");
        example.write(".claude/settings.json", &patient);
        example
    }

    /// A workspace with these hooks.
    fn with(hooks: &Value) -> Self {
        let example = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(example.folder.path().join(".claude")).unwrap();
        example.write(".claude/settings.json", &json!({ "hooks": hooks }).to_string());
        example
    }

    fn fire(&self, event: &str, fields: &Value, more: &[&str]) -> Ran {
        let mut args = vec!["fire", event, "--dialect", "microai", "--hooks"];
        args.extend([".claude/settings.json", "--no-journal"]);
        args.extend(more);
        run_in(self.folder.path(), &args, &fields.to_string())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }
}

#[test]
fn audit_logging_keeps_every_call_and_prompt_as_one_line() {
    if !has("jq", "microai-audit-log") {
        return;
    }
    let example = Example::new("microai-audit-log");
    let nasty = "echo \"it's\" > $HOME\n`id`";
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": nasty }, "session_id": "s1",
        "timestamp": "2025-12-31T10:30:00Z" });
    assert_eq!(example.fire("PreToolUse", &call, &[]).code, 0);
    let prompt = json!({ "prompt": "fix \"it\"", "session_id": "s1", "user_name": "taipm",
        "timestamp": "2025-12-31T10:31:00Z" });
    assert_eq!(example.fire("UserPromptSubmit", &prompt, &[]).code, 0);
    let lines: Vec<Value> = example
        .read("audit.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = [
        json!({ "timestamp": "2025-12-31T10:30:00Z", "session": "s1", "tool": "Bash", "input": { "command": nasty } }),
        json!({ "timestamp": "2025-12-31T10:31:00Z", "session": "s1", "type": "prompt", "user": "taipm", "content": "fix \"it\"" }),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn command_validation_refuses_what_is_dangerous_and_says_why() {
    let example = Example::new("microai-validate-command");
    let call = |command: &str| json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    let ran = example.fire("PreToolUse", &call("sudo rm x"), &["--json"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    let outcome = ran.json();
    let reason = json!([{ "hook": "PreToolUse[0]", "text": "not allowed here: sudo" }]);
    assert_eq!(outcome["reasons"], reason);
    assert_eq!(outcome["effects"], json!([{ "kind": "deny_tool" }]));
    assert_eq!(example.fire("PreToolUse", &call("git status"), &[]).code, 0);
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": "sudo " } });
    assert_eq!(example.fire("PreToolUse", &read, &[]).code, 0);
}

#[test]
fn notifications_tell_of_files_and_of_the_end() {
    let example = Example::new("microai-notify");
    let write =
        json!({ "tool_name": "Write", "tool_input": { "file_path": "a.txt" }, "tool_output": {} });
    let ran = example.fire("PostToolUse", &write, &["--json"]);
    assert_eq!((ran.code, ran.json()["hooks"][0]["state"].as_str()), (0, Some("queued")));
    let read = json!({ "tool_name": "Read", "tool_input": {}, "tool_output": {} });
    assert_eq!(example.fire("PostToolUse", &read, &[]).code, 0);
    assert_eq!(example.fire("SessionEnd", &json!({ "session_id": "s1" }), &[]).code, 0);
    let expected = "written: {\"file_path\":\"a.txt\"}\nsession s1 has ended\n";
    assert_eq!(example.read("notifications.txt"), expected);
}

#[test]
fn a_file_is_backed_up_before_it_is_edited() {
    if !has("jq", "microai-backup") {
        return;
    }
    let example = Example::new("microai-backup");
    example.write("a b.txt", "before\n");
    let edit =
        json!({ "tool_name": "Edit", "tool_input": { "file_path": "a b.txt", "old_string": "x" } });
    assert_eq!(example.fire("PreToolUse", &edit, &[]).code, 0);
    example.write("a b.txt", "after\n");
    let missing = json!({ "tool_name": "Edit", "tool_input": { "file_path": "gone.txt" } });
    assert_eq!(example.fire("PreToolUse", &missing, &[]).code, 0);
    let days: Vec<_> = fs::read_dir(example.folder.path().join(".backups")).unwrap().collect();
    assert_eq!(days.len(), 1, "{days:?}");
    let day = days[0].as_ref().unwrap();
    let copies: Vec<_> = fs::read_dir(day.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert!(copies[0].file_name().unwrap().to_str().unwrap().starts_with("a b.txt."));
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), "before\n");
}

#[test]
fn statistics_add_up_what_a_session_did() {
    let example = Example::new("microai-statistics");
    let session = json!({ "session_id": "s1", "timestamp": "2025-12-31T10:30:00Z" });
    assert_eq!(example.fire("SessionStart", &session, &[]).code, 0);
    for (session, tool) in [("s1", "Bash"), ("s1", "Read"), ("s1", "Bash"), ("s2", "Edit")] {
        let call = json!({ "session_id": session, "tool_name": tool, "tool_input": {}, "tool_output": {} });
        assert_eq!(example.fire("PostToolUse", &call, &[]).code, 0);
    }
    assert_eq!(example.fire("SessionEnd", &session, &[]).code, 0);
    let expected = "session s1, from 2025-12-31T10:30:00Z, tools: 3\n  Bash 2\n  Read 1\n";
    assert_eq!(example.read("stats-s1.txt"), expected);
}

#[test]
fn what_a_session_start_prints_is_told_to_the_model() {
    if !has("git", "microai-inject-context") {
        return;
    }
    let example = Example::new("microai-inject-context");
    let context =
        || example.fire("SessionStart", &json!({}), &["--json"]).json()["context"].clone();
    assert_eq!(context(), json!(["## Where the project stands\n\nnot a git repository"]));
    let made = Command::new("git").args(["init", "-q"]).current_dir(example.folder.path()).status();
    assert!(made.unwrap().success());
    let expected = "## Where the project stands\n\n?? .claude/\n?? README.md\n\n## What was done last\nnothing is committed yet";
    let found = context();
    let text = found[0].as_str().unwrap().replace("?? state/\n", "");
    assert_eq!(text, expected);
}

#[test]
fn the_specification_s_own_test_object_is_printed_on_request() {
    let example = Example::with(&json!({ "PreToolUse": [
        { "matcher": "Bash", "command": "echo logged" },
        { "matcher": "Bash(git:*)", "command": "echo validated" },
        { "matcher": "Read", "command": "echo read" },
    ] }));
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": "git status" } });
    let ran = example.fire("PreToolUse", &call, &["--format", "microai"]);
    let expected = json!({
        "hook_type": "PreToolUse", "hooks_matched": 2, "hooks_executed": 2, "blocked": false,
        "outputs": [
            { "hook": 0, "exit_code": 0, "output": "logged" },
            { "hook": 1, "exit_code": 0, "output": "validated" },
        ],
    });
    assert_eq!((ran.code, ran.json()), (0, expected));
}

#[test]
fn the_test_object_tells_what_matched_and_did_not_run() {
    let example = Example::with(&json!({ "PreToolUse": [
        { "command": "echo x", "condition": "false" },
        { "command": "echo no >&2; exit 3", "continueOnFailure": false },
        { "command": "echo later" },
    ] }));
    let call = json!({ "tool_name": "Bash", "tool_input": {} });
    let ran = example.fire("PreToolUse", &call, &["--format", "microai"]);
    let expected = json!({
        "hook_type": "PreToolUse", "hooks_matched": 3, "hooks_executed": 1, "blocked": true,
        "outputs": [{ "hook": 1, "exit_code": 3, "output": "no" }],
    });
    assert_eq!((ran.code, ran.json()), (2, expected));
}

#[test]
fn every_example_checks_without_a_finding() {
    for name in
        ["audit-log", "validate-command", "notify", "backup", "statistics", "inject-context"]
    {
        let hooks = format!("examples/hooks/microai-{name}/.claude/settings.json");
        let args = ["check", "--dialect", "microai", "--hooks", &hooks, "--deny-warnings"];
        let ran = run_in(&repository(), &args, "");
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout, ran.stderr);
    }
}

//! What a command gets and what its end means.

use std::time::{Duration, Instant};

use becket::core::outcome::State;
use becket::core::verdict::FailureKind;
use becket::{Compat, Decision, EffectKind, EventKind};
use serde_json::{Value, json};

use super::workspace::{Workspace, event};

const BOTH: [Compat; 2] = [Compat::Exact, Compat::Safe];

fn call(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command }, "session_id": "abc123" })
}

/// A command that leaves a variable's value behind, byte by byte.
fn keep(names: &[&str]) -> String {
    let lines: Vec<_> =
        names.iter().map(|name| format!("printf %s \"${name}\" > seen-{name}")).collect();
    lines.join(" && ")
}

#[tokio::test]
async fn special_characters_arrive_intact_and_are_never_run() {
    let nasty = "a'b\"c`touch pwned`$(touch pwned);touch pwned\n\\ ü 漢 * ~ \t${IFS}!#&|<>";
    for compat in BOTH {
        let names = ["TOOL_NAME", "INPUT", "TIMESTAMP", "SESSION_ID"];
        let workspace = Workspace::with("PreToolUse", &json!({ "command": keep(&names) }));
        let mut fields = call(nasty);
        fields["session_id"] = nasty.into();
        fields["timestamp"] = "2025-12-31T10:30:00Z".into();
        let outcome = workspace.fire(compat, EventKind::PreToolUse, fields).await;
        assert_eq!((outcome.decision, outcome.notes), (Decision::Pass, vec![]));
        let input: Value = serde_json::from_str(&workspace.read("seen-INPUT")).unwrap();
        assert_eq!(input, json!({ "command": nasty }));
        assert_eq!(workspace.read("seen-SESSION_ID"), nasty);
        assert_eq!(workspace.read("seen-TOOL_NAME"), "Bash");
        assert_eq!(workspace.read("seen-TIMESTAMP"), "2025-12-31T10:30:00Z");
        assert!(!workspace.path("pwned").exists());
    }
}

#[tokio::test]
async fn a_prompt_with_its_person_and_a_session_with_its_place() {
    let workspace = Workspace::new(&json!({
        "UserPromptSubmit": [{ "command": keep(&["PROMPT", "USER_NAME", "SESSION_ID"]) }],
        "SessionStart": [{ "command": keep(&["PROJECT_ROOT", "PLATFORM", "AGENT_NAME", "TIMESTAMP"]) }],
    }));
    let fields = json!({ "prompt": "it's \"me\"", "user_name": "taipm", "session_id": "s" });
    let _ = workspace.fire(Compat::Exact, EventKind::UserPromptSubmit, fields).await;
    assert_eq!(workspace.read("seen-PROMPT"), "it's \"me\"");
    assert_eq!(workspace.read("seen-USER_NAME"), "taipm");
    let fields = json!({ "platform": "claude-code", "agent_name": "go-dev" });
    let _ = workspace.fire(Compat::Exact, EventKind::SessionStart, fields).await;
    assert_eq!(
        workspace.read("seen-PROJECT_ROOT"),
        workspace.path("").to_str().unwrap().trim_end_matches('/')
    );
    assert_eq!(workspace.read("seen-PLATFORM"), "claude-code");
    assert_eq!(workspace.read("seen-AGENT_NAME"), "go-dev");
    // Nobody said when: the engine did.
    let time = workspace.read("seen-TIMESTAMP");
    let shape = time.replace(|c: char| c.is_ascii_digit(), "0");
    assert_eq!(shape, "0000-00-00T00:00:00Z");
}

#[tokio::test]
async fn nothing_is_said_on_standard_input() {
    let workspace = Workspace::with("PreToolUse", &json!({ "command": "cat > seen" }));
    let _ = workspace.fire(Compat::Safe, EventKind::PreToolUse, call("ls")).await;
    assert_eq!(workspace.read("seen"), "");
}

#[tokio::test]
async fn a_value_too_long_for_a_variable_is_cut_and_kept_whole_in_a_file_in_safe_only() {
    let long = "x".repeat(300_000);
    let command = "printf %s \"${#INPUT}\" > length; cp \"$INPUT_FILE\" whole";
    let workspace = Workspace::with("PreToolUse", &json!({ "command": command }));
    let outcome = workspace.fire(Compat::Safe, EventKind::PreToolUse, call(&long)).await;
    assert_eq!(workspace.read("length"), "120000");
    let whole: Value = serde_json::from_str(&workspace.read("whole")).unwrap();
    assert_eq!(whole, json!({ "command": long }));
    assert_eq!(outcome.notes[0].code(), "compat");
    let outcome = workspace.fire(Compat::Exact, EventKind::PreToolUse, call(&long)).await;
    let [(_, State::Ran(run))] = &outcome.hooks()[..] else { panic!("it was tried") };
    let failure = run.settled.failure.as_ref().unwrap();
    assert_eq!((failure.kind, outcome.decision), (FailureKind::NotStarted, Decision::Pass));
}

#[tokio::test]
async fn a_zero_byte_cannot_keep_a_hook_from_running_in_safe() {
    let workspace = Workspace::with("UserPromptSubmit", &json!({ "command": keep(&["PROMPT"]) }));
    let fields = json!({ "prompt": "a\0b" });
    let outcome = workspace.fire(Compat::Safe, EventKind::UserPromptSubmit, fields).await;
    assert_eq!(workspace.read("seen-PROMPT"), "a\u{fffd}b");
    assert_eq!(outcome.notes[0].code(), "compat");
}

#[tokio::test]
async fn only_a_hook_that_must_not_fail_blocks_and_says_why_with_its_own_words() {
    for (command, goes_on, reason) in [
        ("echo no >&2; echo out; exit 1", false, Some("no")),
        ("echo out; exit 2", false, Some("out")),
        ("exit 3", false, Some("hook `PreToolUse[0]` exited with code 3")),
        ("echo no >&2; exit 1", true, None),
        ("echo no >&2", false, None),
    ] {
        for compat in BOTH {
            let entry = json!({ "command": command, "continueOnFailure": goes_on });
            let workspace = Workspace::with("PreToolUse", &entry);
            let outcome = workspace.fire(compat, EventKind::PreToolUse, call("ls")).await;
            let reasons: Vec<_> = outcome.reasons.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(reasons, Vec::from_iter(reason), "{command}");
            assert_eq!(outcome.is_blocked(), reason.is_some(), "{command}");
            if outcome.is_blocked() {
                assert_eq!(outcome.effects[0].kind, EffectKind::DenyTool);
            }
        }
    }
}

#[tokio::test]
async fn a_hung_hook_is_ended_and_counts_as_its_flag_says() {
    for (goes_on, decision) in [(true, Decision::Pass), (false, Decision::Deny)] {
        let entry = json!({ "command": "sleep 30 & sleep 30; wait", "timeout": 300, "continueOnFailure": goes_on });
        let workspace = Workspace::with("PreToolUse", &entry);
        let started = Instant::now();
        let outcome = workspace.fire(Compat::Exact, EventKind::PreToolUse, call("ls")).await;
        assert!(started.elapsed() < Duration::from_secs(15));
        assert_eq!(outcome.decision, decision);
        let run = outcome.runs().next().unwrap();
        assert_eq!(run.settled.failure.as_ref().unwrap().kind, FailureKind::TimedOut);
    }
}

#[tokio::test]
async fn a_hook_that_cannot_be_found_or_is_killed_fails_and_is_told_apart() {
    for (command, kind) in [
        ("no-such-command-anywhere", FailureKind::NotStarted),
        ("kill -9 $$", FailureKind::Signalled),
        ("exit 1", FailureKind::BadExit),
    ] {
        let workspace = Workspace::with("PreToolUse", &json!({ "command": command }));
        let outcome = workspace.fire(Compat::Exact, EventKind::PreToolUse, call("ls")).await;
        let run = outcome.runs().next().unwrap();
        assert_eq!(run.settled.failure.as_ref().unwrap().kind, kind, "{command}");
        let strict = json!({ "command": command, "continueOnFailure": false });
        let workspace = Workspace::with("PreToolUse", &strict);
        let outcome = workspace.fire(Compat::Exact, EventKind::PreToolUse, call("ls")).await;
        assert_eq!(outcome.decision, Decision::Deny, "{command}");
    }
}

#[tokio::test]
async fn after_the_first_block_no_later_hook_runs() {
    let workspace = Workspace::new(&json!({ "PreToolUse": [
        { "command": "touch a" },
        { "command": "exit 1", "continueOnFailure": false },
        { "command": "touch c" },
    ] }));
    for compat in BOTH {
        let outcome = workspace.fire(compat, EventKind::PreToolUse, call("ls")).await;
        assert_eq!(outcome.decision, Decision::Deny);
        assert!(workspace.path("a").exists() && !workspace.path("c").exists());
    }
}

#[tokio::test]
async fn nobody_waits_for_a_hook_after_the_tool() {
    let command = "until [ -e go ]; do sleep 0.05; done; printf %s \"$OUTPUT\" > seen; exit 1";
    let entry = json!({ "command": command, "timeout": 30000, "continueOnFailure": false });
    for compat in BOTH {
        let workspace = Workspace::with("PostToolUse", &entry);
        let engine = workspace.builder(compat).build();
        let fields = json!({ "tool_name": "Bash", "tool_input": {}, "tool_output": { "n": 1 } });
        // The hook ends only after the event has: were it waited for, this would hang.
        let outcome = engine.fire(event(EventKind::PostToolUse, fields)).await;
        assert!(matches!(outcome.hooks()[..], [(_, State::Queued)]));
        assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Pass, false));
        workspace.write("go", "");
        engine.drain(Duration::from_secs(30)).await;
        assert_eq!(workspace.read("seen"), "{\"n\":1}");
    }
}

#[tokio::test]
async fn a_condition_has_the_variables_of_its_hook() {
    let entry = json!({ "condition": "test \"$TOOL_NAME\" = Bash", "command": "touch ran" });
    for (tool, runs) in [("Bash", true), ("Read", false)] {
        let workspace = Workspace::with("PreToolUse", &entry);
        let fields = json!({ "tool_name": tool, "tool_input": {} });
        let outcome = workspace.fire(Compat::Exact, EventKind::PreToolUse, fields).await;
        assert_eq!(workspace.path("ran").exists(), runs);
        let [(_, state)] = &outcome.hooks()[..] else { panic!("one hook") };
        assert_eq!(matches!(state, State::Skipped(skip) if skip.code() == "condition"), !runs);
    }
}

#[tokio::test]
async fn a_condition_that_cannot_be_tried_skips_in_exact_and_fails_in_safe() {
    for condition in ["sleep 30", "kill -9 $$"] {
        let entry =
            json!({ "condition": condition, "command": "touch ran", "continueOnFailure": false });
        for (compat, decision) in [(Compat::Exact, Decision::Pass), (Compat::Safe, Decision::Deny)]
        {
            let workspace = Workspace::with("PreToolUse", &entry);
            let outcome = workspace.fire(compat, EventKind::PreToolUse, call("ls")).await;
            assert_eq!(outcome.decision, decision, "{condition}");
            assert!(!workspace.path("ran").exists());
        }
    }
}

#[tokio::test]
async fn a_rewrite_by_another_hook_is_what_later_patterns_look_at() {
    let workspace =
        Workspace::with("PreToolUse", &json!({ "matcher": "Bash(git:*)", "command": "touch ran" }));
    workspace.write(
        ".openharness/hooks/a.yaml",
        "name: a\nevents: [before_tool_dispatch]\ncapabilities: [rewrite_tool_request]\nhandler:\n  type: command\n  \
         command: cat >/dev/null; cat answer.json\n  timeout_seconds: 20\n",
    );
    let patch = json!({ "hookSpecificOutput": { "hookEventName": "before_tool_dispatch",
        "patch": { "tool_input": { "command": "git status" } } } });
    workspace.write("answer.json", &patch.to_string());
    let engine = becket::Engine::builder()
        .workspace(workspace.path(""))
        .hooks(becket::Dialect::Oah, workspace.path(".openharness/hooks"))
        .hooks(becket::Dialect::Microai, workspace.path(".claude"))
        .build();
    let outcome = engine.fire(event(EventKind::PreToolUse, call("ls"))).await;
    assert_eq!(outcome.patched.len(), 1, "{:?}", outcome.notes);
    assert!(workspace.path("ran").exists());
}

//! What is read, what is refused, and what is told about it.

use becket::core::outcome::State;
use becket::{Compat, Dialect, Engine, EventKind};
use serde_json::{Value, json};

use super::workspace::Workspace;

/// The findings about one entry of one event, as code and line.
fn findings(compat: Compat, settings: &str) -> (Vec<(&'static str, usize)>, usize) {
    let workspace = Workspace::new(&json!({}));
    workspace.write(".claude/settings.json", settings);
    let engine = workspace.builder(compat).lint(true).build();
    assert!(!engine.is_refused());
    let found = engine.diagnostics().iter().map(|it| (it.code.name(), it.origin.line)).collect();
    (found, engine.snapshot().hooks().count())
}

fn codes(compat: Compat, settings: &Value) -> (Vec<&'static str>, usize) {
    let (found, hooks) = findings(compat, &serde_json::to_string_pretty(settings).unwrap());
    (found.into_iter().map(|it| it.0).collect(), hooks)
}

fn entry(entry: &Value) -> Value {
    json!({ "hooks": { "PreToolUse": [entry] } })
}

#[test]
fn the_recorded_bad_inputs_are_told_by_their_codes() {
    let (dots, hooks) = findings(Compat::Safe, r#"{"hooks":{"PostToolUse":[...]}}"#);
    assert_eq!((dots, hooks), (vec![("E_PARSE", 1)], 0));
    for (given, code, hooks) in [
        (json!({ "matcher": "Bash(git:*", "command": "true" }), "E_MATCHER", 0),
        (json!({ "matcher": "Bash(git:* push)", "command": "true" }), "W_MATCHER_NEVER", 1),
        (json!({ "matcher": "Bash", "command": "true", "timeout": 5 }), "W_TIMEOUT_UNIT", 1),
        (
            json!({ "matcher": "Bash", "command": "true", "continueOnFailure": "false" }),
            "E_SCHEMA",
            0,
        ),
        (json!({ "matcher": "Bash", "command": "run.sh $INPUT" }), "W_UNQUOTED_VAR", 1),
    ] {
        assert_eq!(codes(Compat::Safe, &entry(&given)), (vec![code], hooks), "{given}");
    }
}

#[test]
fn every_kind_of_bad_entry_is_refused_alone_in_safe() {
    for (bad, code) in [
        (json!("text"), "E_SCHEMA"),
        (json!(null), "E_SCHEMA"),
        (json!({}), "E_FIELD"),
        (json!({ "command": "" }), "E_FIELD"),
        (json!({ "command": 1 }), "E_SCHEMA"),
        (json!({ "command": ["a"] }), "E_SCHEMA"),
        (json!({ "command": "a", "matcher": 1 }), "E_SCHEMA"),
        (json!({ "command": "a", "matcher": ["Bash"] }), "E_SCHEMA"),
        (json!({ "command": "a", "matcher": "Bash)" }), "E_MATCHER"),
        (json!({ "command": "a", "timeout": "5000" }), "E_TIMEOUT"),
        (json!({ "command": "a", "timeout": -1 }), "E_TIMEOUT"),
        (json!({ "command": "a", "timeout": 1.5 }), "E_TIMEOUT"),
        (json!({ "command": "a", "timeout": 3_600_001 }), "E_TIMEOUT"),
        (json!({ "command": "a", "continueOnFailure": 0 }), "E_SCHEMA"),
        (json!({ "command": "a", "condition": false }), "E_SCHEMA"),
        (json!({ "command": "a", "continue_on_failure": false }), "E_UNKNOWN_FIELD"),
        (json!({ "comand": "a" }), "E_UNKNOWN_FIELD"),
        (
            json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "a" }] }),
            "E_NESTED",
        ),
    ] {
        let good = json!({ "matcher": "Bash", "command": "true" });
        let settings = json!({ "hooks": { "PreToolUse": [good, bad, good] } });
        let (found, hooks) = codes(Compat::Safe, &settings);
        assert_eq!((found[0], hooks), (code, 2), "{bad}: {found:?}");
    }
}

#[test]
fn exact_makes_do_with_what_is_left_and_tells_all_the_same() {
    for (given, code, hooks) in [
        (json!({ "command": "a", "timeout": "5000" }), "E_TIMEOUT", 1),
        (json!({ "command": "a", "continueOnFailure": "false" }), "E_SCHEMA", 1),
        (json!({ "command": "a", "continue_on_failure": false }), "E_UNKNOWN_FIELD", 1),
        (json!({ "matcher": "Bash(", "command": "a" }), "E_MATCHER", 1),
        (json!({ "matcher": 1, "command": "a" }), "E_SCHEMA", 0),
        (json!({ "matcher": "Bash" }), "E_FIELD", 0),
    ] {
        let (found, count) = codes(Compat::Exact, &entry(&given));
        assert_eq!((found[0], count), (code, hooks), "{given}: {found:?}");
    }
}

#[test]
fn events_are_known_by_their_exact_names() {
    for (event, code) in [
        ("preToolUse", "E_UNKNOWN_EVENT"),
        ("PRE_TOOL_USE", "E_UNKNOWN_EVENT"),
        ("pre_tool_use", "E_UNKNOWN_EVENT"),
        ("before_tool_dispatch", "E_UNKNOWN_EVENT"),
        ("PreToolUsage", "E_UNKNOWN_EVENT"),
        ("Lunch", "E_UNKNOWN_EVENT"),
        ("PreCompact", "W_EVENT_OTHER_DIALECT"),
        ("Stop", "W_EVENT_OTHER_DIALECT"),
        ("PostToolUseFailure", "W_EVENT_OTHER_DIALECT"),
    ] {
        let good = json!([{ "matcher": "Bash", "command": "true" }]);
        let settings = json!({ "hooks": { event: [{ "command": "true" }], "PreToolUse": good } });
        for compat in [Compat::Safe, Compat::Exact] {
            assert_eq!(codes(compat, &settings), (vec![code], 1), "{event}");
        }
    }
}

#[test]
fn whole_files_of_the_wrong_shape_are_told() {
    for (text, code) in [
        ("", "E_PARSE"),
        ("[]", "E_SCHEMA"),
        ("{\"hooks\": []}", "E_SCHEMA"),
        ("{\"hooks\": {\"PreToolUse\": {\"command\": \"a\"}}}", "E_SCHEMA"),
        ("{\"Hooks\": {\"PreToolUse\": []}}", "E_UNKNOWN_FIELD"),
    ] {
        assert_eq!(findings(Compat::Safe, text), (vec![(code, 1)], 0), "{text}");
    }
    for text in ["{}", "{\"hooks\": null}", "{\"permissions\": {\"allow\": []}, \"env\": {}}"] {
        assert_eq!(findings(Compat::Safe, text), (vec![], 0), "{text}");
    }
}

#[test]
fn a_key_that_stands_twice_costs_its_own_entry_in_safe_and_the_last_one_counts_in_exact() {
    let text = "{\"hooks\": {\"SessionEnd\": [\n{\"command\": \"a\", \"command\": \"b\"},\n{\"command\": \"c\"}]}}";
    assert_eq!(findings(Compat::Safe, text), (vec![("E_DUP_KEY", 2)], 1));
    assert_eq!(findings(Compat::Exact, text), (vec![("E_DUP_KEY", 2)], 2));
    let text = "{\"hooks\": {\"SessionEnd\": [{\"command\": \"a\"}],\n\"SessionEnd\": [{\"command\": \"b\"}]}}";
    assert_eq!(findings(Compat::Safe, text), (vec![("E_DUP_KEY", 2)], 2));
    assert_eq!(findings(Compat::Exact, text), (vec![("E_DUP_KEY", 2)], 1));
}

#[test]
fn comments_are_read_in_safe_and_void_the_file_in_exact() {
    let text = "{\n// team rules\n\"hooks\": {\"SessionEnd\": [{\"command\": \"true\"},]}}";
    assert_eq!(findings(Compat::Safe, text), (vec![("W_JSONC", 0)], 1));
    let (found, hooks) = findings(Compat::Exact, text);
    assert_eq!((found[0].0, hooks), ("E_PARSE", 0));
}

#[tokio::test]
async fn the_team_s_hooks_come_before_the_local_ones() {
    let workspace = Workspace::new(&json!({ "PreToolUse": [{ "command": "echo team >> seen" }] }));
    let local = json!({ "hooks": {
        "PreToolUse": [{ "command": "echo local >> seen" }],
        "SessionEnd": [{ "command": "true" }],
    } });
    workspace.write(".claude/settings.local.json", &local.to_string());
    let call = json!({ "tool_name": "Bash", "tool_input": {} });
    for compat in [Compat::Safe, Compat::Exact] {
        let outcome = workspace.fire(compat, EventKind::PreToolUse, call.clone()).await;
        let hooks = outcome.hooks();
        let names: Vec<_> = hooks.iter().map(|it| it.0.name()).collect();
        assert_eq!(names, ["PreToolUse[0]", "PreToolUse[1]"]);
        assert!(hooks[1].0.spec().origin.file.ends_with("settings.local.json"));
    }
    assert_eq!(workspace.read("seen"), "team\nlocal\n".repeat(2));
}

#[tokio::test]
async fn one_broken_file_does_not_take_the_other_with_it() {
    let workspace = Workspace::new(&json!({ "PreToolUse": [{ "command": "touch ran" }] }));
    workspace.write(".claude/settings.local.json", "{ broken");
    for compat in [Compat::Safe, Compat::Exact] {
        let call = json!({ "tool_name": "Bash", "tool_input": {} });
        let outcome = workspace.fire(compat, EventKind::PreToolUse, call).await;
        assert!(matches!(outcome.hooks()[..], [(_, State::Ran(_))]));
        assert_eq!(outcome.notes[0].code(), "not_in_force");
    }
}

#[test]
fn a_folder_stands_for_the_settings_in_it_and_may_hold_only_local_ones() {
    let workspace = Workspace::new(&json!({ "SessionEnd": [{ "command": "true" }] }));
    let count = |path: &str| {
        let engine = Engine::builder().hooks(Dialect::Microai, workspace.path(path)).build();
        assert!(engine.diagnostics().is_empty());
        engine.snapshot().hooks().count()
    };
    assert_eq!(count(".claude"), 1);
    std::fs::rename(
        workspace.path(".claude/settings.json"),
        workspace.path(".claude/settings.local.json"),
    )
    .unwrap();
    assert_eq!(count(".claude"), 1);
    assert_eq!(count(".claude/settings.local.json"), 1);
    std::fs::remove_file(workspace.path(".claude/settings.local.json")).unwrap();
    assert_eq!(count(".claude"), 0);
}

#[test]
fn a_hook_without_a_timeout_or_with_zero_has_five_seconds() {
    let workspace = Workspace::new(&json!({ "SessionEnd": [
        { "command": "a" }, { "command": "b", "timeout": 0 }, { "command": "c", "timeout": 250 },
    ] }));
    let registry = workspace.builder(Compat::Exact).build().snapshot();
    let limits: Vec<_> =
        registry.hooks().map(|hook| hook.timeout(&EventKind::SessionEnd).0.as_millis()).collect();
    assert_eq!(limits, [5000, 5000, 250]);
}

#[test]
fn lints_tell_how_a_hook_would_not_do_its_work() {
    for (event, given, expected) in [
        ("PreToolUse", json!({ "matcher": "bash", "command": "true" }), "W_MATCHER_NEVER"),
        ("PreToolUse", json!({ "matcher": "Edit|Write", "command": "true" }), "W_MATCHER_NEVER"),
        ("PreToolUse", json!({ "matcher": "mcp__*", "command": "true" }), "W_MATCHER_NEVER"),
        (
            "PostToolUse",
            json!({ "matcher": "Bash(domain:x.com)", "command": "true" }),
            "W_MATCHER_NEVER",
        ),
        ("PreToolUse", json!({ "matcher": "Bash(git:*)", "command": "true" }), "W_PREFIX"),
        ("SessionStart", json!({ "matcher": "Bash", "command": "true" }), "W_MATCHER_IGNORED"),
        ("PreToolUse", json!({ "matcher": "*", "command": "true" }), "W_SLOW_FOR_ALL"),
        ("PreToolUse", json!({ "command": "true", "timeout": 2000 }), "W_SLOW_FOR_ALL"),
        (
            "PreToolUse",
            json!({ "matcher": "Bash", "command": "security-check.sh" }),
            "W_CANNOT_BLOCK",
        ),
        (
            "PreToolUse",
            json!({ "matcher": "Bash", "command": "grep x || exit 1" }),
            "W_NEVER_BLOCKS",
        ),
        (
            "SessionStart",
            json!({ "command": "true", "continueOnFailure": false }),
            "W_CANNOT_BLOCK",
        ),
        ("PreToolUse", json!({ "matcher": "Bash", "command": "echo \"$PROMPT\"" }), "W_VARIABLE"),
        (
            "PreToolUse",
            json!({ "matcher": "Bash", "command": "eval \"$INPUT\"" }),
            "E_TEMPLATE_IN_SHELL",
        ),
        (
            "PreToolUse",
            json!({ "matcher": "Bash", "command": "true", "condition": "test $INPUT" }),
            "W_UNQUOTED_VAR",
        ),
        (
            "PreToolUse",
            json!({ "matcher": "Bash", "command": "/bin/sh -c \"$INPUT\"" }),
            "E_TEMPLATE_IN_SHELL",
        ),
        ("PreToolUse", json!({ "matcher": "Bash", "command": "./gone.sh" }), "W_SCRIPT_NOT_HERE"),
        (
            "PreToolUse",
            json!({ "matcher": "Bash", "command": "true", "note": "x" }),
            "W_UNKNOWN_FIELD",
        ),
    ] {
        let settings = json!({ "hooks": { event: [given] } });
        assert_eq!(codes(Compat::Safe, &settings), (vec![expected], 1), "{given}");
    }
}

#[test]
fn a_good_file_has_nothing_to_tell() {
    let settings = json!({ "hooks": {
        "PreToolUse": [
            { "matcher": "*", "command": "echo \"$TOOL_NAME $INPUT\" >> log", "timeout": 1000 },
            { "matcher": "Edit", "command": "git checkout -b \"$SESSION_ID\"" },
            { "matcher": "Bash", "command": "validate.sh \"$INPUT\"", "continueOnFailure": false },
        ],
        "PostToolUse": [{ "matcher": "*", "command": "jq -c --arg x \"$TOOL_NAME\" ." }],
        "UserPromptSubmit": [{ "command": "echo \"$PROMPT\" >> log" }],
        "SessionStart": [{ "command": "echo \"$SESSION_ID at $TIMESTAMP\"" }],
        "SessionEnd": [{ "command": "git checkout main", "condition": "test -d ." }],
    } });
    assert_eq!(codes(Compat::Safe, &settings), (vec![], 7));
}

//! Settings of Claude Code as the command line sees them.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use serde_json::{Value, json};

use crate::becket::Bench;

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;

fn settings(command: &str) -> String {
    let hook = json!({ "type": "command", "command": command });
    json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] } }).to_string()
}

fn both_shapes() -> Bench {
    let nested = json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] });
    let flat = json!({ "matcher": "Bash", "command": "true", "timeout": 900 });
    let settings = json!({ "hooks": { "PreToolUse": [nested, flat] } });
    Bench::new().with_file(".claude/settings.json", &settings.to_string())
}

fn told(list: &Value) -> Vec<(&str, &str, &str)> {
    let hooks = list["hooks"].as_array().unwrap().iter();
    hooks
        .map(|hook| {
            let key = |name: &str| hook[name].as_str().unwrap();
            (key("dialect"), key("scope"), key("state"))
        })
        .collect()
}

#[test]
fn each_entry_of_a_shared_file_is_listed_in_its_own_dialect() {
    let list = both_shapes().run(&["list", "--json"], "").json();
    let expected = [("claude-code", "project", "untrusted"), ("microai", "project", "untrusted")];
    assert_eq!(told(&list), expected);
    assert_eq!(list["refused"], json!([]));
}

#[test]
fn a_shared_file_has_no_fault_and_read_in_one_dialect_the_other_shape_has() {
    let bench = both_shapes();
    assert_eq!(bench.run(&["check"], "").code, 0);
    for (dialect, code) in [("claude-code", "E_FLAT"), ("microai", "E_NESTED")] {
        let args = ["check", "--json", "--dialect", dialect, "--hooks", ".claude/settings.json"];
        let ran = bench.run(&args, "");
        assert_eq!(ran.json()["problems"][0]["code"], code, "{dialect}");
        assert_eq!(ran.code, 1, "{dialect}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_once() {
    let bench = Bench::new().with_file(".claude/settings.json", "{");
    let found = bench.run(&["check", "--json"], "").json();
    assert_eq!(found["problems"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn the_person_s_own_settings_are_in_force_and_the_project_s_wait() {
    let bench = Bench::new()
        .with_file("home/.claude/settings.json", &settings("echo no >&2; exit 2"))
        .with_file(".claude/settings.json", &settings("touch ran"));
    let ran = bench.run(&["fire", "PreToolUse", "--json"], CALL);
    let outcome = ran.json();
    assert_eq!((ran.code, &outcome["reasons"][0]["text"]), (2, &json!("no")));
    assert_eq!(outcome["hooks"][1]["skip"]["code"], "untrusted");
    assert!(!bench.path("ran").exists());
}

#[test]
fn explain_says_why_a_hook_that_is_switched_off_stays_out() {
    let off = json!({ "disableAllHooks": true, "hooks": { "PreToolUse": [
        { "hooks": [{ "type": "command", "command": "touch ran" }] } ] } });
    let bench = Bench::new().with_file("home/.claude/settings.json", &off.to_string());
    let ran = bench.run(&["explain", "PreToolUse"], CALL);
    assert!(ran.stdout.contains("`disableAllHooks` in the user settings"), "{}", ran.stdout);
}

#[test]
fn explain_and_fire_run_the_same_command_below_two_matchers_once() {
    let hook = json!({ "type": "command", "command": "true" });
    let twice = json!({ "hooks": { "PreToolUse": [
        { "matcher": "Bash", "hooks": [hook] }, { "matcher": "*", "hooks": [hook] } ] } });
    let bench = Bench::new().with_file("home/.claude/settings.json", &twice.to_string());
    for args in [["explain", "PreToolUse"], ["fire", "PreToolUse"]] {
        let ran = bench.run(&[args[0], args[1], "--json"], CALL).json();
        assert!(ran.to_string().contains("already does the same"), "{args:?}: {ran}");
    }
}

#[test]
fn a_plugin_is_read_where_it_is_named() {
    let bench = Bench::new().with_file(
        "plug/hooks/hooks.json",
        &settings("test -f \"$CLAUDE_PLUGIN_ROOT/hooks/hooks.json\" && exit 2"),
    );
    let args =
        ["fire", "PreToolUse", "--dialect", "claude-code", "--hooks", "plug/hooks/hooks.json"];
    assert_eq!(bench.run(&args, CALL).code, 2);
}

#[test]
fn exact_runs_on_without_a_file_that_holds_a_broken_entry() {
    let broken = json!({ "hooks": { "PreToolUse": [
        { "hooks": [{ "type": "command", "command": "exit 2" }] },
        { "hooks": [{ "type": "command" }] } ] } });
    let bench = Bench::new().with_file("home/.claude/settings.json", &broken.to_string());
    let safe = bench.run(&["fire", "PreToolUse", "--json"], CALL);
    let exact = bench.run(&["fire", "PreToolUse", "--json", "--compat", "exact"], CALL);
    assert_eq!((safe.code, exact.code), (2, 0));
    assert_eq!(exact.json()["notes"][0]["code"], "not_in_force");
}

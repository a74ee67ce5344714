//! One project that holds hook files of every dialect at once.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::io::Write;
use std::process::Stdio;

use becket::Dialect;
use becket::core::config::READABLE;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::becket::{command, copy, repository};

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"git push"},"session_id":"s"}"#;

/// What runs, in the order in which it runs: layer, then `order`, then place, then file.
const ORDER: [(&str, &str); 9] = [
    ("becket", "first"),
    ("becket", "guard"),
    ("oah", "check"),
    ("t15", "hooks[0]"),
    ("lcc-s08", "PreToolUse[0]"),
    ("claude-code", "PreToolUse[0].hooks[0]"),
    ("microai", "PreToolUse[0]"),
    ("openharness", "notes/pre_tool_use[0]"),
    ("becket", "mine"),
];

/// A copy of the project, and somebody who lives elsewhere.
struct Desk {
    project: TempDir,
    home: TempDir,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { project: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
        copy(&repository().join("fixtures/all-dialects"), desk.project.path());
        desk
    }

    /// The same, with the project approved.
    fn approved() -> Self {
        let desk = Self::new();
        let shown = desk.run(&["trust"], "");
        desk.run(&["trust", "--yes", shown["digest"].as_str().unwrap()], "");
        desk
    }

    fn run(&self, args: &[&str], input: &str) -> Value {
        let mut child = command(self.project.path())
            .env("HOME", self.home.path())
            .env("XDG_STATE_HOME", self.home.path().join("state"))
            .args(args)
            .arg("--json")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input may be gone by now.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
    }
}

fn names(report: &Value) -> Vec<(String, String)> {
    let text = |hook: &Value, field: &str| hook[field].as_str().unwrap().to_owned();
    let hooks = report["hooks"].as_array().unwrap().iter();
    hooks.map(|it| (text(it, "dialect"), text(it, "name"))).collect()
}

fn expected() -> Vec<(String, String)> {
    ORDER.iter().map(|(dialect, name)| ((*dialect).to_owned(), (*name).to_owned())).collect()
}

#[test]
fn every_dialect_that_is_read_has_a_hook_here() {
    for dialect in READABLE.map(Dialect::name) {
        assert!(ORDER.iter().any(|it| it.0 == dialect), "{dialect}");
    }
}

#[test]
fn a_list_shows_them_all_in_the_order_in_which_they_run() {
    let list = Desk::new().run(&["list"], "");
    assert_eq!(names(&list), expected());
    assert_eq!(list["refused"], json!([]));
}

#[test]
fn an_explanation_says_why_for_each() {
    let plan = Desk::new().run(&["explain", "PreToolUse"], CALL);
    assert_eq!(names(&plan), expected());
    for hook in plan["hooks"].as_array().unwrap() {
        assert_eq!(hook["skip"]["code"], "untrusted", "{hook}");
    }
    let plan = Desk::approved().run(&["explain", "PreToolUse"], CALL);
    assert_eq!(names(&plan), expected());
    let whys: Vec<&str> =
        plan["hooks"].as_array().unwrap().iter().map(|it| it["why"].as_str().unwrap()).collect();
    let matches = |matcher: &str| format!("matcher `{matcher}` matches tool name `Bash`");
    assert_eq!(
        whys,
        [
            matches("Bash|Edit").as_str(),
            &matches("Bash(git push *)"),
            &matches("Bash"),
            "it has no matcher, so it runs for every such event",
            &matches("Bash"),
            &matches("Bash"),
            &matches("Bash(git:*)"),
            &matches("Bash"),
            &matches("Bash"),
        ]
    );
}

#[test]
fn an_event_runs_them_with_the_meaning_that_each_file_has_in_its_own_system() {
    let desk = Desk::approved();
    let report = desk.run(&["fire", "PreToolUse"], CALL);
    assert_eq!(names(&report), expected());
    let log = fs::read_to_string(desk.project.path().join("order.log")).unwrap();
    let said = [
        "becket/first",
        "becket/guard",
        "oah",
        "t15",
        "lcc-s08",
        "claude-code",
        "microai",
        "openharness",
        "becket/mine",
    ];
    assert_eq!(log.lines().collect::<Vec<_>>(), said);

    let hook = |at: usize| &report["hooks"][at];
    // Only Claude Code's exit code 2 is a block that counts.
    assert_eq!(
        (&report["decision"], &report["effects"]),
        (&json!("deny"), &json!([{ "kind": "deny_tool" }]))
    );
    assert_eq!(
        report["reasons"],
        json!([{ "hook": "PreToolUse[0].hooks[0]", "text": "ask first" }])
    );
    assert_eq!((&hook(1)["mode"], &hook(1)["counted"]), (&json!("shadow"), &json!(false)));
    assert_eq!(hook(1)["verdict"]["decision"], "deny");
    // Exit code 1 is a failure that is logged, and exit code 2 of learn-claude-code tells the model.
    for failed in [2, 3, 6, 7] {
        assert_eq!(hook(failed)["failure"]["kind"], "bad_exit", "{}", hook(failed));
        assert_eq!(hook(failed)["verdict"]["decision"], "pass", "{}", hook(failed));
    }
    assert_eq!(report["context"], json!(["mind the gap"]));
}

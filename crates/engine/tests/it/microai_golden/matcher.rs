//! Which calls a pattern selects: three published readings, and ours.

use becket::core::outcome::State;
use becket::core::skip::Skip;
use becket::{Compat, EventKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::workspace::Workspace;

const ROWS: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/microai/matcher.json"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    tool: String,
    param: String,
    pattern: String,
    spec08: Reading,
    guide10: Reading,
    minimal_adapter: Reading,
}

/// What one of the three makes of a row.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(untagged)]
enum Reading {
    Says(bool),
    Silent(Undefined),
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
enum Undefined {
    #[serde(rename = "undefined")]
    Undefined,
}

impl Row {
    /// The text of seed 004 for names; for parentheses what the three agree upon, else the one that
    /// reads globs, domains and `*(…)` at all.
    fn expected(&self) -> bool {
        if !self.pattern.contains('(') {
            return self.pattern == "*" || self.pattern == self.tool;
        }
        let all = [self.spec08, self.guide10, self.minimal_adapter];
        let said: Vec<bool> = all
            .iter()
            .filter_map(|it| match it {
                Reading::Says(said) => Some(*said),
                Reading::Silent(Undefined::Undefined) => None,
            })
            .collect();
        if said.iter().all(|it| *it == said[0]) {
            return said[0];
        }
        self.minimal_adapter == Reading::Says(true)
    }
}

/// A call of a tool whose parameter is this.
fn call(tool: &str, parameter: &str) -> Value {
    let field = match tool {
        "Bash" => "command",
        "Read" | "Write" | "Edit" => "file_path",
        "Glob" | "Grep" => "pattern",
        "WebFetch" => "url",
        _ => "value",
    };
    json!({ "tool_name": tool, "tool_input": { field: parameter, "more": 1 } })
}

async fn skip(compat: Compat, pattern: &str, call: Value) -> Option<Skip> {
    let workspace =
        Workspace::with("PreToolUse", &json!({ "matcher": pattern, "command": "true" }));
    let outcome = workspace.fire(compat, EventKind::PreToolUse, call).await;
    match &outcome.hooks()[..] {
        [(_, State::Ran(run))] => {
            assert_eq!(run.settled.failure, None);
            None
        }
        [(_, State::Skipped(skip))] => Some(skip.clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_recorded_pattern_selects_what_it_must() {
    let rows: Vec<Row> = serde_json::from_str(ROWS).expect("every field of every row is known");
    assert_eq!(rows.len(), 37);
    for row in rows {
        for compat in [Compat::Exact, Compat::Safe] {
            let skip = skip(compat, &row.pattern, call(&row.tool, &row.param)).await;
            assert_eq!(skip.is_none(), row.expected(), "{row:?}: {skip:?}");
        }
    }
}

#[tokio::test]
async fn what_lies_next_to_the_recorded_patterns() {
    for (pattern, tool, parameter, selected) in [
        ("Bash", "BashOutput", "x", false),
        ("*", "mcp__fs__read", "x", true),
        ("", "Bash", "x", true),
        ("Bash(git:*)", "Bash", "git", true),
        ("Bash(git:*)", "Bash", " git status", false),
        ("Bash(git:*)", "Edit", "git", false),
        ("Bash(npm run:*)", "Bash", "npm  run", false),
        ("Bash(*)", "Bash", "cat a/b", true),
        ("Bash(*push*)", "Bash", "git push origin a/b", true),
        ("Bash(rm -rf /)", "Bash", "rm -rf /tmp", false),
        ("Read(*.md)", "Read", "src/a.md", false),
        ("Read(*.md)", "Read", "a.md", true),
        ("Read(**)", "Read", "/a/b", true),
        ("Read(src/*)", "Read", "src/a/b", false),
        ("Edit(src/**/test/*.rs)", "Edit", "src/a/b/test/x.rs", true),
        ("Edit(src/**/test/*.rs)", "Edit", "src/test/x.rs", true),
        ("Write(secret.txt)", "Write", "secret.txt", true),
        ("Write(secret.txt)", "Write", "a/secret.txt", false),
        ("*(domain:x.com)", "WebFetch", "https://x.com/", true),
        ("WebFetch(domain:x.com)", "WebFetch", "https://x.com.evil.example/", false),
        ("WebFetch(https://x.com/*)", "WebFetch", "https://x.com/a/b", true),
        ("Grep(TODO)", "Grep", "TODO", true),
    ] {
        let skip = skip(Compat::Exact, pattern, call(tool, parameter)).await;
        assert_eq!(skip.is_none(), selected, "{pattern} on {tool} {parameter}: {skip:?}");
    }
}

#[tokio::test]
async fn a_call_that_does_not_fit_is_told_with_the_part_that_was_looked_at() {
    let skip = skip(Compat::Safe, "Bash(git:*)", call("Bash", "ls -l")).await.unwrap();
    assert_eq!(skip.to_string(), "matcher `Bash(git:*)` does not match tool input `ls -l`");
}

#[tokio::test]
async fn a_pattern_that_does_not_close_never_fires_in_exact_and_is_refused_in_safe() {
    let entry = json!({ "matcher": "Bash(git:*", "command": "true" });
    let invalid = skip(Compat::Exact, "Bash(git:*", call("Bash", "git")).await;
    assert!(matches!(invalid, Some(Skip::MatcherInvalid { .. })), "{invalid:?}");
    let workspace = Workspace::with("PreToolUse", &entry);
    let outcome = workspace.fire(Compat::Safe, EventKind::PreToolUse, call("Bash", "git")).await;
    assert_eq!(outcome.hooks().len(), 0);
    assert_eq!(outcome.notes[0].code(), "not_in_force");
}

#[tokio::test]
async fn among_many_hooks_those_are_found_whose_tool_and_parameter_fit() {
    let mut entries: Vec<Value> =
        (0..40).map(|n| json!({ "matcher": format!("Tool{n}(x:*)"), "command": "true" })).collect();
    entries.push(json!({ "matcher": "Bash(git:*)", "command": "true" }));
    entries.push(json!({ "matcher": "Bash(ls:*)", "command": "true" }));
    entries.push(json!({ "matcher": "*(*push)", "command": "true" }));
    entries.push(json!({ "matcher": "Bash", "command": "true" }));
    let workspace = Workspace::new(&json!({ "PreToolUse": entries }));
    let engine = workspace.builder(Compat::Safe).build();
    // The first event scans, the second one looks up.
    for _ in 0..2 {
        let event = super::workspace::event(EventKind::PreToolUse, call("Bash", "git push"));
        let outcome = engine.fire(event).await;
        let hooks = outcome.hooks();
        let ran = hooks.iter().filter(|it| matches!(it.1, State::Ran(_)));
        let names: Vec<_> = ran.map(|it| it.0.name().to_owned()).collect();
        assert_eq!(names, ["PreToolUse[40]", "PreToolUse[42]", "PreToolUse[43]"]);
    }
}

//! Globs, and what they are tried on.

use serde_json::{Value, json};

use super::row::golden;
use super::workspace::{Workspace, event};

fn matches(matcher: Option<&str>, payload: &serde_json::Map<String, Value>) -> bool {
    let named = payload.get("event").and_then(Value::as_str).filter(|it| *it != "e");
    let name = named.unwrap_or("pre_tool_use");
    let hook = json!({ "type": "command", "command": "true", "matcher": matcher });
    let engine = Workspace::new(name, &[hook]).builder().build();
    engine.would_run(&event(name, payload.clone()))
}

#[test]
fn every_recorded_matcher_matches_what_it_matched() {
    for row in golden().matcher {
        let found = matches(row.matcher.as_deref(), &row.payload);
        assert_eq!(found, row.matches, "{:?} on {:?}", row.matcher, row.payload);
    }
}

#[test]
fn a_glob_is_anchored_and_knows_no_alternatives() {
    let tool = |name: &str| json!({ "tool_name": name }).as_object().cloned().unwrap();
    for (matcher, name, expected) in [
        ("*_file", "read_file", true),
        ("read", "read_file", false),
        ("read|write", "read", false),
        ("[rw]*", "write", true),
        ("[!r]*", "read", false),
        ("b*h", "b\nh", true),
        (".*", "bash", false),
        ("[", "[", true),
        ("[]]", "]", true),
        ("?", "é", true),
        ("bash ", "bash", false),
    ] {
        assert_eq!(matches(Some(matcher), &tool(name)), expected, "{matcher} {name}");
    }
}

#[test]
fn the_first_field_that_holds_something_is_the_subject() {
    let fields = |value: Value| value.as_object().cloned().unwrap();
    assert!(matches(Some("p"), &fields(json!({ "event": "user_prompt_submit", "prompt": "p" }))));
    assert!(matches(Some("p"), &fields(json!({ "tool_name": "", "prompt": "p" }))));
    assert!(matches(Some("pre_tool_use"), &fields(json!({ "tool_name": 0 }))));
    assert!(!matches(Some("auto"), &fields(json!({ "event": "post_compact", "trigger": "auto" }))));
    assert!(matches(
        Some("post_*"),
        &fields(json!({ "event": "post_compact", "trigger": "auto" }))
    ));
}

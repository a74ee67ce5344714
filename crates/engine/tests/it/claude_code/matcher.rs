//! The recorded matchers: plain ones as matchers, those about a call as `if`.

use becket::Compat;
use serde::Deserialize;
use serde_json::{Value, json};

use super::workspace::{Workspace, fire, fixtures};

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    matcher: String,
    tool_name: String,
    tool_input: Value,
    fires: Value,
}

/// Rows that mean something else here, and why.
const OTHER: [(&str, &str); 3] = [
    ("matcher-035", "an event in a matcher is our own dialect's"),
    ("matcher-032", "the home of the row is not the home of this test"),
    ("matcher-026", "a command that cannot be analysed: the hook runs, whatever its rule"),
];

#[tokio::test]
async fn every_recorded_matcher_fires_as_recorded() {
    let text = std::fs::read_to_string(fixtures("safety/matcher_cases.jsonl")).unwrap();
    let mut seen = 0;
    for line in text.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        if OTHER.iter().any(|it| it.0 == row.id) {
            continue;
        }
        seen += 1;
        let about_call = row.matcher.contains('(') && !row.matcher.starts_with('(');
        let hook = json!({ "type": "command", "command": "exit 2" });
        let group = if about_call {
            json!({ "hooks": [{ "type": "command", "command": "exit 2", "if": row.matcher }] })
        } else {
            json!({ "matcher": row.matcher, "hooks": [hook] })
        };
        let workspace = Workspace::new(&json!({ "hooks": { "PreToolUse": [group] } }));
        let engine = workspace.builder(Compat::Safe).build();
        if row.fires == "load_error" {
            assert_eq!(engine.snapshot().hooks().count(), 0, "{}", row.id);
            assert!(
                engine.diagnostics().iter().any(becket::core::diagnostic::Diagnostic::is_error),
                "{}",
                row.id
            );
            continue;
        }
        let root = workspace.path().display().to_string();
        let input = row.tool_input.to_string().replace("/tmp/proj", &root);
        let input: Value = serde_json::from_str(&input).unwrap();
        let fields = json!({ "tool_name": row.tool_name, "tool_input": input, "cwd": root });
        let outcome = fire(&engine, "PreToolUse", fields).await;
        assert_eq!(Value::from(outcome.is_blocked()), row.fires, "{}: {}", row.id, row.matcher);
    }
    assert_eq!(seen, 35);
}

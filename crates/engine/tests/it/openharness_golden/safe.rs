//! What `safe` mends.

use becket::{Compat, Decision};
use serde_json::{Value, json};

use super::row::output;
use super::workspace::{Workspace, fire, tool_call};

async fn told(command: &str, fields: Value) -> (String, Vec<&'static str>) {
    let workspace = Workspace::new("pre_tool_use", &[json!({ "command": command })]);
    let engine = workspace.builder().compat(Compat::Safe).build();
    let outcome = fire(&engine, "pre_tool_use", fields).await;
    let notes = outcome.notes.iter().map(becket::core::outcome::Note::code).collect();
    (output(&outcome.runs().next().unwrap().reply), notes)
}

fn with(text: &str) -> Value {
    json!({ "tool_name": "t", "tool_input": { "c": text } })
}

#[tokio::test]
async fn no_payload_becomes_part_of_the_command_whatever_quotes_stand_around_it() {
    let evil = "'; touch pwned; echo \" $(touch pwned) `touch pwned` \\";
    let expected = serde_json::to_string(evil).unwrap();
    for command in [
        "printf %s $ARGUMENTS",
        "printf %s '$ARGUMENTS'",
        "printf %s \"$ARGUMENTS\"",
        "printf %s \"$(printf %s $ARGUMENTS)\"",
        "cat <<EOF\n$ARGUMENTS\nEOF",
        "printf %s \"it's $ARGUMENTS\"",
    ] {
        let command = format!("{command}\ntest ! -e pwned || echo PWNED");
        let (said, _) = told(&command, with(evil)).await;
        assert!(said.contains(&expected), "{command}: {said}");
        assert!(!said.contains("PWNED"), "{command}: {said}");
    }
}

#[tokio::test]
async fn a_payload_too_long_for_a_variable_still_arrives() {
    let long = "x".repeat(300_000);
    for command in [
        "printf %s \"$OPENHARNESS_HOOK_PAYLOAD\" | wc -c",
        "printf %s $ARGUMENTS | wc -c",
        "printf %s '$ARGUMENTS' | wc -c",
        "wc -c <\"$OPENHARNESS_HOOK_PAYLOAD_FILE\"",
    ] {
        let (said, notes) = told(command, with(&long)).await;
        let length = said.trim().parse::<usize>().unwrap();
        assert!(length > 300_000 && length < 300_100, "{command}: {said}");
        assert!(notes.contains(&"compat"), "{command}: {notes:?}");
    }
}

#[tokio::test]
async fn a_group_of_claude_code_in_a_plugin_runs_as_claude_code_would_run_it() {
    let workspace = Workspace::with_settings(&json!({}));
    workspace.write("p/plugin.json", "{}");
    let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": "bash|Bash", "hooks": [
        { "type": "command", "command": "basename \"$CLAUDE_PLUGIN_ROOT\" >&2; exit 2", "timeout": 5 }
    ] }] } });
    workspace.write("p/hooks/hooks.json", &hooks.to_string());
    let engine = workspace.builder_on("p").compat(Compat::Safe).build();
    let outcome = fire(&engine, "pre_tool_use", tool_call()).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.reasons[0].text, "p");
    assert!(outcome.notes.iter().any(|it| it.code() == "compat"));
}

//! The recorded answers: what each means, where failures pass and where they refuse.

use std::fs;

use becket::core::event::Event;
use becket::core::reply::{Captured, Reply};
use becket::core::verdict::FailureKind;
use becket::core::wire::wire;
use becket::{Compat, Decision, Dialect, EventKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::workspace::{Workspace, fire, fixtures};

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    event: String,
    #[serde(default)]
    exit: Option<i32>,
    #[serde(default)]
    stdout: Value,
    #[serde(default)]
    stderr: Value,
    #[serde(default)]
    file: Value,
    expect: Expected,
}

#[derive(Debug, Deserialize)]
struct Expected {
    verdict_fail_open: String,
    verdict_fail_closed: String,
    status: String,
}

/// Rows that are not about one answer of one hook.
const ELSEWHERE: [(&str, &str); 3] = [
    ("out-stop_block_9", "how often an agent is kept going is counted by the harness"),
    ("out-flood", "what a flood costs is measured with the handlers"),
    ("out-patch_no_cap", "capabilities are of another dialect"),
];

fn rows(prefix: &str) -> Vec<Row> {
    let text = fs::read_to_string(fixtures("safety/bad_inputs/handler_output.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let rows = rows.into_iter().map(|it| serde_json::from_value::<Row>(it).unwrap());
    rows.filter(|row| row.id.starts_with(prefix)).collect()
}

fn decision(word: &str) -> Decision {
    match word {
        "none" => Decision::Pass,
        "allow" => Decision::Allow,
        "ask" => Decision::Ask,
        "deny" => Decision::Deny,
        other => panic!("`{other}` is no decision"),
    }
}

fn failure(status: &str) -> Option<FailureKind> {
    match status {
        "crashed" => Some(FailureKind::BadExit),
        "not_started" => Some(FailureKind::NotStarted),
        "killed" => Some(FailureKind::Signalled),
        "invalid_output" => Some(FailureKind::BadOutput),
        _ => None,
    }
}

/// The bytes a stream is recorded with, or those that its recipe makes.
fn bytes(row: &Row, stream: &Value) -> Vec<u8> {
    match (stream, row.id.as_str()) {
        (Value::String(name), _) => fs::read(fixtures("safety/bad_inputs").join(name)).unwrap(),
        (Value::Null, _) => Vec::new(),
        (_, "out-huge_json") => {
            let reason = "x".repeat(9 << 20);
            json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse",
                "permissionDecision": "deny", "permissionDecisionReason": reason } })
            .to_string()
            .into_bytes()
        }
        (_, "out-context_5mb") => json!({ "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit", "additionalContext": "x".repeat(5 << 20) } })
        .to_string()
        .into_bytes(),
        (_, "out-depth") => {
            let open = r#"{"x":"#.repeat(1000);
            format!(r#"{open}{{"decision":"block"}}{}"#, "}".repeat(1000)).into_bytes()
        }
        (_, "out-stderr_flood") => vec![b'x'; 1 << 20],
        (_, other) => panic!("nobody knows how to make `{other}`"),
    }
}

#[tokio::test]
async fn every_recorded_answer_of_a_command_means_what_was_recorded() {
    let mut seen = 0;
    for row in rows("out-") {
        if ELSEWHERE.iter().any(|it| it.0 == row.id) {
            continue;
        }
        let end = row.exit.map_or("kill -9 $$".to_owned(), |code| format!("exit {code}"));
        let command = format!("cat out; cat err >&2; {end}");
        for (policy, word) in [
            (Value::Null, &row.expect.verdict_fail_open),
            ("block".into(), &row.expect.verdict_fail_closed),
        ] {
            let mut hook = json!({ "type": "command", "command": command });
            if !policy.is_null() {
                hook["onFailure"] = policy;
            }
            let event = row.event.clone();
            let rules =
                if row.id == "out-patch_to_denied" { json!(["Bash(rm:*)"]) } else { json!([]) };
            let workspace = Workspace::new(&json!({
                "hooks": { event.as_str(): [{ "hooks": [hook] }] }, "permissions": { "deny": rules },
            }));
            workspace.write("out", &bytes(&row, &row.stdout));
            workspace.write("err", &bytes(&row, &row.stderr));
            let fields =
                json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "prompt": "x" });
            let outcome = fire(&workspace.builder(Compat::Safe).build(), &event, fields).await;
            assert_eq!(outcome.decision, decision(word), "{}: {:?}", row.id, outcome.notes);
            let found = outcome.runs().next().unwrap().settled.failure.as_ref().map(|it| it.kind);
            if let (Decision::Pass, Some(kind)) = (outcome.decision, failure(&row.expect.status)) {
                assert_eq!(found, Some(kind), "{}", row.id);
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 44);
}

fn tool_event() -> Event {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap())
}

/// What the grammar makes of a reply to one hook.
fn meaning(hook: &Value, reply: &Reply) -> Decision {
    let workspace = Workspace::hook("PreToolUse", hook);
    let engine = workspace.builder(Compat::Safe).build();
    let snapshot = engine.snapshot();
    let hook = snapshot.hooks().next().unwrap();
    let verdict = wire(Dialect::ClaudeCode).verdict(hook, &tool_event(), reply);
    hook.on_failure(&EventKind::PreToolUse).settle(verdict).verdict.decision
}

#[test]
fn every_recorded_answer_of_a_model_means_what_was_recorded() {
    let mut seen = 0;
    for row in rows("llm-") {
        let text =
            fs::read_to_string(fixtures("safety/bad_inputs").join(row.file.as_str().unwrap()));
        let hook = json!({ "type": "prompt", "prompt": "fine?" });
        let found = meaning(&hook, &Reply::Text { text: text.unwrap(), usage: None });
        assert_eq!(found, decision(&row.expect.verdict_fail_open), "{}", row.id);
        seen += 1;
    }
    assert_eq!(seen, 13);
}

#[test]
fn every_recorded_answer_of_a_server_means_what_was_recorded() {
    let mut seen = 0;
    // What concerns the connection itself is tested with the handlers.
    for row in rows("http-").iter().filter(|it| it.file.is_string() && it.id != "http-chunk_cut") {
        let raw = fs::read(fixtures("safety/bad_inputs").join(row.file.as_str().unwrap())).unwrap();
        let raw = String::from_utf8(raw).unwrap().replace("\r\n", "\n");
        let (head, body) = raw.split_once("\n\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let reply = Reply::Http {
            status,
            json: head.contains("application/json"),
            body: Captured::whole(body),
        };
        for (policy, word) in [
            ("continue", &row.expect.verdict_fail_open),
            ("block", &row.expect.verdict_fail_closed),
        ] {
            let hook = json!({ "type": "http", "url": "http://127.0.0.1:1/", "onFailure": policy });
            assert_eq!(meaning(&hook, &reply), decision(word), "{}, {policy}", row.id);
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
}

//! Recorded malformed payloads, each answered as recorded.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;

use serde_json::Value;

use crate::becket::{Bench, Ran, command, repository};

fn rows() -> Vec<Value> {
    let path = repository().join("fixtures/safety/bad_inputs/payloads.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The bytes of a row; those that are too large to be kept are made.
fn bytes(row: &Value) -> Vec<u8> {
    let written = |content: usize| {
        format!(
            "{{\"tool_name\":\"Write\",\"tool_input\":{{\"content\":\"{}\"}}}}",
            "x".repeat(content)
        )
    };
    match row["id"].as_str().unwrap() {
        "pay-deep" => {
            let nested = "[".repeat(5000) + &"]".repeat(5000);
            format!("{{\"tool_name\":\"Bash\",\"tool_input\":{nested}}}").into_bytes()
        }
        "pay-huge" => written(80 << 20).into_bytes(),
        "pay-large_ok" => written(8 << 20).into_bytes(),
        "pay-depth_env" => br#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec(),
        _ => {
            let file = row["file"].as_str().unwrap();
            fs::read(repository().join("fixtures/safety/bad_inputs").join(file)).unwrap()
        }
    }
}

fn fire(bench: &Bench, payload: &[u8], more: &[&str]) -> Ran {
    use std::io::Write;
    use std::process::Stdio;
    let said = serde_json::from_slice::<Value>(payload).ok();
    let event = said.as_ref().and_then(|it| it.get("hook_event_name")?.as_str());
    let mut child = command(bench.folder.path())
        .args(["fire", event.unwrap_or("PreToolUse"), "--json", "--no-journal"])
        .args(more)
        .env("BECKET_DEPTH", "-5")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever finds the first megabytes too much does not wait for the rest.
    let _ = child.stdin.take().unwrap().write_all(payload);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn every_recorded_payload_is_taken_or_refused_as_recorded() {
    let bench = Bench::new();
    let rows = rows();
    assert_eq!(rows.len(), 29);
    for row in &rows {
        let (id, expect) = (&row["id"], &row["expect"]);
        let ran = fire(&bench, &bytes(row), &[]);
        if expect["accept"] == true {
            assert_eq!(ran.code, 0, "{id}: {}", ran.stderr);
            assert_eq!(ran.json()["decision"], "pass", "{id}");
        } else if id == "pay-unknown_event" {
            // The event is an argument here, so this is wrong usage.
            assert_eq!(ran.code, 64, "{id}");
        } else {
            assert_eq!((ran.code, &ran.error()["code"]), (65, &expect["code"]), "{id}");
            assert_eq!(ran.stdout, "", "{id}");
        }
    }
}

#[test]
fn odd_calls_are_taken_and_no_rule_is_fooled_by_them() {
    let bench = Bench::new().with_file("rules.yaml", "deny: ['Bash(rm *)']\n");
    let rules = ["--rules", "rules.yaml"];
    let answer =
        |payload: &str| fire(&bench, payload.as_bytes(), &rules).json()["decision"].clone();
    let call = |tool: &str, command: &str| {
        format!("{{\"tool_name\":\"{tool}\",\"tool_input\":{{\"command\":{command}}}}}")
    };
    assert_eq!(answer(&call("Bash", "\"rm x\"")), "deny");
    assert_eq!(answer(&call("Bash", "[\"rm\", \"x\"]")), "deny");
    // What cannot be read is asked about, and a name that only looks like another is another.
    assert_eq!(answer(&call("Bash", "7")), "ask");
    assert_eq!(answer("{\"tool_name\":\"Bash\",\"tool_input\":{}}"), "ask");
    assert_eq!(answer(&call("Bash ", "\"rm x\"")), "pass");
}

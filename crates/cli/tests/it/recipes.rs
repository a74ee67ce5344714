//! The recipes of `examples/hooks`, by what they leave behind.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::becket::{Ran, copy, has, repository, run_with};

/// A copy of a recipe, since hooks leave things behind.
struct Recipe {
    folder: TempDir,
    hooks: [&'static str; 2],
    variables: Vec<(&'static str, String)>,
}

impl Recipe {
    fn new(name: &str, dialect: &'static str, hooks: &'static str) -> Self {
        let folder = TempDir::new().unwrap();
        copy(&repository().join("examples/hooks").join(name), folder.path());
        Self { folder, hooks: [dialect, hooks], variables: Vec::new() }
    }

    fn fire(&self, event: &str, fields: &Value) -> Ran {
        let [dialect, hooks] = self.hooks;
        let args = ["fire", event, "--dialect", dialect, "--hooks", hooks, "-C", "."];
        let args = [&args[..], &["--json", "--no-journal"]].concat();
        run_with(self.folder.path(), &args, &fields.to_string(), &self.variables)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        let output =
            Command::new("git").args(args).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn no_secret_is_left_in_the_request_that_the_model_gets() {
    if !has("jq", "redact-secrets") {
        return;
    }
    let recipe = Recipe::new("redact-secrets", "oah", ".openharness/hooks");
    let request: Value = serde_json::from_str(&recipe.read("request.json")).unwrap();
    let ran = recipe.fire("before_model_call", &request);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let sent = ran.json()["patched"]["model_request"].clone();
    let messages = json!([
        { "role": "system", "content": "You help." },
        { "role": "user", "content": "deploy with password=[redacted], then go on" },
        { "role": "user", "content": [{ "type": "text", "text": "OPENAI_KEY is [redacted]" }] },
    ]);
    assert_eq!(sent["messages"], messages);
    assert_eq!((&sent["model"], &sent["temperature"]), (&json!("m"), &json!(0.2)));
    for secret in ["hunter2", "sk-abcdefghijklmnopqrstuvwx"] {
        assert!(!sent.to_string().contains(secret), "{sent}");
    }
}

#[test]
fn a_request_that_cannot_be_looked_through_is_not_sent() {
    let recipe = Recipe::new("redact-secrets", "oah", ".openharness/hooks");
    let script = ".openharness/hooks/scripts/redact.sh";
    recipe.write(script, &recipe.read(script).replace("jq -c", "no-such-program"));
    let request = json!({ "model_ref": "m", "model_request": { "messages": [] } });
    let ran = recipe.fire("before_model_call", &request);
    assert_eq!((ran.code, ran.json()["decision"].as_str()), (2, Some("deny")), "{}", ran.stdout);
}

#[test]
fn only_tools_on_the_list_are_called() {
    let recipe = Recipe::new("allow-list", "t15", "hooks.yaml");
    let call =
        |tool: &str| recipe.fire("PRE_TOOL_USE", &json!({ "tool_name": tool, "tool_input": {} }));
    assert_eq!(call("Read").code, 0);
    let denied = call("Bash");
    assert_eq!(denied.code, 2, "{}", denied.stdout);
    let outcome = denied.json();
    assert_eq!(outcome["effects"], json!([{ "kind": "deny_tool" }]));
    let reason = outcome["reasons"][0]["text"].as_str().unwrap();
    assert_eq!(reason.trim(), "Bash is not on the list of allowed tools");
    // A name is compared whole, and nothing in it is a pattern or a command.
    for tool in ["Rea", "Read.", ".*", "; true", "-e Read"] {
        assert_eq!(call(tool).code, 2, "{tool}");
    }
    fs::remove_file(recipe.folder.path().join("allowed-tools.txt")).unwrap();
    assert_eq!(call("Read").code, 2);
}

#[test]
fn a_file_is_formatted_after_it_was_written() {
    if !has("jq", "auto-format") {
        return;
    }
    let recipe = Recipe::new("auto-format", "openharness", "settings.json");
    recipe.write("a b.json", "{\"a\":1}");
    recipe.write("broken.json", "{\"a\":");
    recipe.write("notes.txt", "one  \ntwo\t\nthree");
    for (tool, file) in [
        ("write_file", "a b.json"),
        ("write_file", "broken.json"),
        ("edit_file", "notes.txt"),
        ("write_file", "gone.txt"),
    ] {
        let call = json!({ "tool_name": tool, "tool_input": { "path": file }, "tool_output": "" });
        let ran = recipe.fire("post_tool_use", &call);
        assert_eq!((ran.code, &ran.json()["hooks"][0]["failure"]), (0, &Value::Null), "{file}");
    }
    assert_eq!(recipe.read("a b.json"), "{\n  \"a\": 1\n}\n");
    assert_eq!(recipe.read("broken.json"), "{\"a\":");
    assert_eq!(recipe.read("notes.txt").trim_end(), "one\ntwo\nthree");
    let left: Vec<_> = fs::read_dir(recipe.folder.path()).unwrap().collect();
    assert!(left.iter().all(|it| !it.as_ref().unwrap().path().ends_with("formatted")));
}

#[test]
fn what_was_written_is_in_the_index_of_git() {
    if !has("git", "git-add") || !has("jq", "git-add") {
        return;
    }
    let recipe = Recipe::new("git-add", "lcc-s08", ".hooks.json");
    recipe.git(&["init", "-q"]);
    let files = [("a b.txt", "write_file", "x".repeat(20_000)), ("-n", "edit_file", String::new())];
    for (file, tool, content) in &files {
        recipe.write(file, content);
        let call = json!({ "tool_name": tool, "tool_input": { "content": content, "path": file }, "tool_output": "done" });
        let ran = recipe.fire("PostToolUse", &call);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
    }
    recipe.write("other.txt", "");
    let read = json!({ "tool_name": "read_file", "tool_input": { "path": "other.txt" }, "tool_output": "" });
    assert_eq!(recipe.fire("PostToolUse", &read).code, 0);
    assert_eq!(recipe.git(&["diff", "--cached", "--name-only"]), "-n\na b.txt\n");
}

#[test]
fn the_end_of_a_run_is_told_to_a_channel() {
    if !has("curl", "slack-notification") || !has("jq", "slack-notification") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/services/T/B/X", listener.local_addr().unwrap());
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = whole_request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").unwrap();
        request
    });
    let mut recipe = Recipe::new("slack-notification", "oah", ".openharness/hooks");
    recipe.variables.push(("SLACK_WEBHOOK_URL", url));
    let run = json!({ "run_id": "r \"1\"", "trigger_type": "message", "effective_agent_name": "builder" });
    let ran = recipe.fire("run_failed", &run);
    assert_eq!((ran.code, &ran.json()["hooks"][0]["failure"]), (0, &Value::Null), "{}", ran.stdout);
    let request = heard.join().unwrap();
    let (top, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(top.starts_with("POST /services/T/B/X HTTP/1.1\r\n"), "{top}");
    assert!(top.to_lowercase().contains("content-type: application/json"), "{top}");
    let said: Value = serde_json::from_str(body).unwrap();
    assert_eq!(said, json!({ "text": "builder: run_failed (run r \"1\")" }));
}

#[test]
fn without_an_address_nobody_is_told_and_the_run_is_none_the_worse() {
    let recipe = Recipe::new("slack-notification", "oah", ".openharness/hooks");
    let ran = recipe.fire("run_completed", &json!({ "run_id": "r", "trigger_type": "message" }));
    assert_eq!(ran.code, 0);
    let failure = ran.json()["hooks"][0]["failure"].clone();
    assert_eq!(failure["kind"], "bad_exit", "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("SLACK_WEBHOOK_URL"), "{failure}");
}

/// A request with the body that its length announces.
fn whole_request(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|it| it.strip_prefix("content-length: ")).unwrap();
            if body.len() >= length.trim().parse().unwrap() {
                return text;
            }
        }
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the request ended early: {text}");
        bytes.extend(&buffer[..count]);
    }
}

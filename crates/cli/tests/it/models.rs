//! Models that settings name, asked over loopback.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::becket::{Bench, run_with};

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#;

/// One request: its first line with its headers, and its body.
type Asked = (String, Value);

/// A provider that gives one answer to everybody.
fn provider(status: &str, answer: &Value) -> (u16, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, asked) = channel();
    let answer = answer.to_string();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n");
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let mut reader = BufReader::new(&stream);
            let (mut text, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
                text.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let _ = tell.send((text, serde_json::from_slice(&body).unwrap()));
            let text = format!("{head}content-length: {}\r\n\r\n{answer}", answer.len());
            (&stream).write_all(text.as_bytes()).unwrap();
        }
    });
    (port, asked)
}

/// A workspace with a prompt hook, and a person's settings that name its model.
fn bench(provider: &str, base_url: &str) -> Bench {
    let hook = "name: judge\nevents: [PreToolUse]\nrole: guard\n\
        handler: { type: prompt, prompt: { inline: is this safe? }, model_ref: platform/judge, timeout_seconds: 20 }\n";
    let settings = format!(
        "models:\n  platform/judge: {{ provider: {provider}, model: judge-1, base_url: '{base_url}', key: JUDGE }}\n\
         secrets: {{ file: secrets.env }}\n"
    );
    let bench = Bench::new()
        .with_file(".becket/hooks/judge.yaml", hook)
        .with_file("config/becket/settings.yaml", &settings)
        .with_file("config/becket/secrets.env", "JUDGE=canary-key\n");
    let secrets = bench.path("config/becket/secrets.env");
    std::fs::set_permissions(secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
    bench
}

fn fire(bench: &Bench) -> crate::becket::Ran {
    let hooks = bench.path(".becket/hooks");
    let args =
        ["fire", "PreToolUse", "--json", "--dialect", "becket", "--hooks", hooks.to_str().unwrap()];
    let config = bench.path("config").to_str().unwrap().to_owned();
    run_with(bench.folder.path(), &args, CALL, &[("XDG_CONFIG_HOME", config)])
}

#[test]
fn a_model_that_speaks_openai_s_protocol_can_refuse() {
    let answer = json!({
        "choices": [{ "message": { "content": "{\"ok\": false, \"reason\": \"it deletes everything\"}" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 40, "completion_tokens": 9 },
    });
    let (port, asked) = provider("200 OK", &answer);
    let bench = bench("openai", &format!("http://127.0.0.1:{port}/v1"));
    let ran = fire(&bench);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    let outcome = ran.json();
    assert_eq!(outcome["reasons"][0]["text"], "it deletes everything");
    assert_eq!(outcome["hooks"][0]["reply"]["output_tokens"], 9);
    let (head, body) = asked.recv().unwrap();
    assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
    assert!(head.to_lowercase().contains("authorization: bearer canary-key"), "{head}");
    assert_eq!(body["model"], "judge-1");
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("rm -rf /"));
    assert!(!ran.stdout.contains("canary"), "the key is nobody's business");
    let journal = std::fs::read_to_string(bench.path("state/becket/journal.jsonl")).unwrap();
    assert!(!journal.contains("canary"));
}

#[test]
fn a_model_that_speaks_anthropic_s_protocol_has_no_objection() {
    let answer = json!({
        "content": [{ "type": "text", "text": "{\"ok\": true}" }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 40, "output_tokens": 5 },
    });
    let (port, asked) = provider("200 OK", &answer);
    let ran = fire(&bench("anthropic", &format!("http://127.0.0.1:{port}")));
    assert_eq!((ran.code, &ran.json()["decision"]), (0, &json!("pass")));
    let (head, body) = asked.recv().unwrap();
    assert!(
        head.starts_with("POST /v1/messages ") && head.contains("x-api-key: canary-key"),
        "{head}"
    );
    assert!(body["max_tokens"].is_u64());
}

#[test]
fn an_error_of_the_provider_is_a_failure_of_the_hook() {
    let answer = json!({ "error": { "message": "slow down" } });
    let (port, _asked) = provider("429 Too Many", &answer);
    let ran = fire(&bench("openai", &format!("http://127.0.0.1:{port}/v1")));
    assert_eq!(ran.code, 2);
    let failure = &ran.json()["hooks"][0]["failure"];
    assert_eq!(failure["kind"], "unreachable");
    assert!(failure["message"].as_str().unwrap().contains("429"), "{failure}");
}

#[test]
fn a_key_that_is_missing_and_a_model_that_is_not_named_start_nothing() {
    let bench = bench("openai", "http://127.0.0.1:9");
    let bench = bench.with_file("config/becket/secrets.env", "OTHER=x\n");
    let failure = fire(&bench).json()["hooks"][0]["failure"].clone();
    assert_eq!(failure["kind"], "not_started");
    assert!(failure["message"].as_str().unwrap().contains("JUDGE"), "{failure}");
    let settings = "models:\n  platform/other: { provider: openai, model: m }\n";
    let bench = bench.with_file("config/becket/settings.yaml", settings);
    let failure = fire(&bench).json()["hooks"][0]["failure"].clone();
    assert_eq!(failure["kind"], "not_started");
    assert!(failure["message"].as_str().unwrap().contains("platform/judge"), "{failure}");
    let config = bench.path("config").to_str().unwrap().to_owned();
    let hooks = bench.path(".becket/hooks");
    let args = ["check", "--json", "--dialect", "becket", "--hooks", hooks.to_str().unwrap()];
    let checked = run_with(bench.folder.path(), &args, "", &[("XDG_CONFIG_HOME", config)]);
    assert_eq!(checked.code, 1, "{}", checked.stdout);
    assert!(checked.stdout.contains("platform/judge"), "{}", checked.stdout);
}

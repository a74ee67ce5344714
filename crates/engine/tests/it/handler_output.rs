//! Answers that are cut, doubled, misspelt, flooded or forged, as recorded in `fixtures/safety/bad_inputs`.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket::core::config::Place;
use becket::core::diagnostic::Origin;
use becket::core::hook::{Handler, HookSpec, Layer, Text};
use becket::core::reply::Usage;
use becket::core::verdict::{FailureKind, OnFailure};
use becket::port::{Addresses, Answer, Model, ModelRequest, Resolver, Spoken};
use becket::{Builder, Compat, Decision, Dialect, Engine, Event, EventKind, Outcome};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/safety/bad_inputs")
}

fn rows(handler: &str) -> Vec<Value> {
    let text = fs::read(fixtures().join("handler_output.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(rows.len(), 73);
    rows.into_iter().filter(|row| row["handler"] == handler).collect()
}

/// Rows that say something else than this engine does, each with the reason.
const OTHERWISE: [(&str, &str); 3] = [
    // Rules are judged by others; the rewrite is asserted here.
    ("out-patch_to_denied", "rules judge the rewritten call: the tests of rules"),
    // Counting blocks of Stop is the loop's: it knows how often it went on.
    ("out-stop_block_9", "the cap on Stop blocks: the tests of the loop"),
    // What lies between the kept beginning and the kept end may refuse, so a closed gate stays closed.
    ("out-context_5mb", "an answer that was cut off is a failure"),
];

fn engine(folder: &Path, row: &Value, handler: Handler, policy: OnFailure) -> Builder {
    let place = Place {
        dialect: Dialect::Becket,
        compat: Compat::Safe,
        layer: Layer::CommandLine,
        source: Arc::new(folder.to_path_buf()),
        workspace: Arc::new(folder.to_path_buf()),
        disabled: None,
        events: Vec::new(),
    };
    let kind = EventKind::named(row["event"].as_str().unwrap()).unwrap();
    let spec = place.hook("h".into(), vec![kind], handler, Origin::default());
    let timeout = Some(std::time::Duration::from_mins(1));
    Engine::builder().workspace(folder).hook(HookSpec { on_failure: Some(policy), timeout, ..spec })
}

async fn fire(engine: Builder, row: &Value) -> Outcome {
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "prompt": "hi" });
    let kind = EventKind::named(row["event"].as_str().unwrap()).unwrap();
    engine.build().fire(Event::new(kind, fields.as_object().cloned().unwrap())).await
}

fn check(row: &Value, policy: OnFailure, outcome: &Outcome) {
    let id = row["id"].as_str().unwrap();
    let key = if policy == OnFailure::Allow { "verdict_fail_open" } else { "verdict_fail_closed" };
    // Prompt rows say `ask` where the policy of the rows is to ask.
    let expected = row["expect"][key].as_str().unwrap();
    let decision = match expected {
        "none" => Decision::Pass,
        "allow" => Decision::Allow,
        "ask" => Decision::Ask,
        "deny" => Decision::Deny,
        other => panic!("{id}: {other}"),
    };
    assert_eq!(outcome.decision, decision, "{id}: {:?}", outcome.runs().next());
    if row["expect"]["patch_applied"] == false {
        assert!(outcome.patched.is_empty(), "{id}");
    }
    let run = outcome.runs().next().unwrap();
    let failure = run.settled.failure.as_ref().map(|it| it.kind);
    let kept = run.settled.verdict.remarks.iter().any(|it| it.code == "objection_kept");
    let fits = match row["expect"]["status"].as_str().unwrap() {
        "ok" | "noisy_output" | "conflict" | "patch_refused" => failure.is_none(),
        "crashed" | "http_error" => failure == Some(FailureKind::BadExit) || kept,
        "killed" => failure == Some(FailureKind::Signalled) || kept,
        "not_started" => failure == Some(FailureKind::NotStarted),
        // An exit code that refuses is not asked for a valid answer beside it.
        "invalid_output" => {
            let by_exit = row["exit"] == 2 && decision == Decision::Deny;
            matches!(
                failure,
                Some(FailureKind::BadOutput | FailureKind::TooLarge | FailureKind::Unreachable)
            ) || kept
                || by_exit
        }
        "truncated" => {
            let cut = outcome.notes.iter().any(|it| it.code() == "truncated");
            cut || matches!(failure, Some(FailureKind::Unreachable | FailureKind::BadOutput))
        }
        "connect_error" => failure == Some(FailureKind::Unreachable),
        "address_refused" => failure == Some(FailureKind::Refused),
        // Where no provider says so, a refusal is text like any other.
        "refused" => failure == Some(FailureKind::BadOutput),
        other => panic!("{id}: {other}"),
    };
    assert!(fits, "{id}: {:?} {:?}", run.settled, outcome.notes);
}

/// A command that prints what a row says.
fn printing(row: &Value) -> String {
    let print = |key: &str, to: &str| match &row[key] {
        Value::String(file) => format!("cat '{}'{to}; ", fixtures().join(file).display()),
        generated => match generated["generate"].as_str().unwrap() {
            "valid deny with a 9 MiB reason" => String::from(
                r#"printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"'; head -c 9437184 /dev/zero | tr '\0' x; printf '"}}'; "#,
            ),
            "4 GiB of 'y'" => "head -c 300000000 /dev/zero | tr '\\0' y; ".to_owned(),
            "1 GiB" => format!("head -c 300000000 /dev/zero{to}; "),
            "1000 nested objects around a decision" => format!(
                "printf '%s' '{}\"decision\":\"block\"{}'; ",
                "{\"a\":".repeat(1000),
                "}".repeat(1000)
            ),
            "additionalContext of 5 MiB" => String::from(
                r#"printf '{"hookSpecificOutput":{"additionalContext":"'; head -c 5242880 /dev/zero | tr '\0' x; printf '"}}'; "#,
            ),
            other => panic!("{other}"),
        },
    };
    let end = match (row["exit"].as_i64(), row["signal"].as_i64()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("kill -{signal} $$"),
        (None, None) => panic!("{row}"),
    };
    format!("{}{}{end}", print("stdout", ""), print("stderr", " >&2"))
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "what is not run is counted aloud")]
async fn every_recorded_output_of_a_command_means_what_it_should() {
    let rows = rows("command");
    assert_eq!(rows.len(), 47);
    for row in &rows {
        if let Some((id, why)) = OTHERWISE.iter().find(|it| row["id"] == it.0) {
            eprintln!("{id}: {why}");
            continue;
        }
        for policy in [OnFailure::Allow, OnFailure::Deny] {
            let folder = TempDir::new().unwrap();
            let (command, environment) = (printing(row), Vec::new());
            let handler = Handler::Command { command, args: None, cwd: None, environment };
            let outcome = fire(engine(folder.path(), row, handler, policy), row).await;
            check(row, policy, &outcome);
        }
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_keeps_a_closed_gate_closed() {
    let rows = rows("command");
    let row = rows.iter().find(|row| row["id"] == "out-context_5mb").unwrap();
    for (policy, decision) in
        [(OnFailure::Allow, Decision::Pass), (OnFailure::Deny, Decision::Deny)]
    {
        let folder = TempDir::new().unwrap();
        let (command, environment) = (printing(row), Vec::new());
        let handler = Handler::Command { command, args: None, cwd: None, environment };
        let outcome = fire(engine(folder.path(), row, handler, policy), row).await;
        assert_eq!((outcome.decision, outcome.context.len()), (decision, 0));
        assert!(outcome.notes.iter().any(|it| it.code() == "truncated"));
    }
}

/// A server that says what a row says, whatever it is asked.
async fn saying(bytes: Vec<u8>) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let bytes = bytes.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 64 * 1024];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                // What was sent is lost when the connection is reset: the other side goes first.
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    address
}

struct Metadata;

impl Resolver for Metadata {
    fn resolve(&self, _: String) -> Addresses<'_> {
        Box::pin(std::future::ready(Ok(vec!["169.254.169.254".parse().unwrap()])))
    }
}

fn raw(row: &Value) -> Vec<u8> {
    let json = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match &row["file"] {
        Value::String(file) => fs::read(fixtures().join(file)).unwrap(),
        generated => match generated["generate"].as_str().unwrap() {
            "2 MiB of headers" => {
                let header = format!("x-pad: {}\r\n", "x".repeat(8000)).repeat(260);
                format!("{json}{header}content-length: 2\r\n\r\n{{}}").into_bytes()
            }
            text if text.starts_with("Content-Encoding") => {
                format!("{json}content-encoding: gzip\r\ncontent-length: 9\r\n\r\n\u{1f}packed")
                    .into_bytes()
            }
            "10 MiB JSON" => {
                let body = format!(r#"{{"reason":"{}"}}"#, "x".repeat(10 << 20));
                format!("{json}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
            }
            _ => Vec::new(),
        },
    }
}

#[tokio::test]
async fn every_recorded_answer_of_a_server_means_what_it_should() {
    let rows = rows("http");
    assert_eq!(rows.len(), 13);
    for row in &rows {
        let url = match row["id"].as_str().unwrap() {
            "http-refused" => {
                let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
                format!("http://{closed}/")
            }
            "http-dns_rebind" => "http://rebind.test:9/".to_owned(),
            _ => format!("http://{}/", saying(raw(row)).await),
        };
        for policy in [OnFailure::Allow, OnFailure::Deny] {
            let folder = TempDir::new().unwrap();
            let handler =
                Handler::Http { url: url.clone(), method: "POST".into(), headers: Vec::new() };
            let mut engine = engine(folder.path(), row, handler, policy);
            if row["id"] == "http-dns_rebind" {
                engine = engine.resolver(Arc::new(Metadata));
            }
            check(row, policy, &fire(engine, row).await);
        }
    }
}

struct Says(String);

impl Model for Says {
    fn ask(&self, _: ModelRequest) -> Answer<'_> {
        let usage = Some(Usage { input_tokens: 7, output_tokens: 2 });
        Box::pin(std::future::ready(Ok(Spoken { usage, ..self.0.as_str().into() })))
    }
}

#[tokio::test]
async fn every_recorded_answer_of_a_model_means_what_it_should() {
    let rows = rows("prompt");
    assert_eq!(rows.len(), 13);
    for row in &rows {
        // Where these rows say `closed`, they mean the policy of prompt hooks: to ask.
        for policy in [OnFailure::Allow, OnFailure::Ask] {
            let folder = TempDir::new().unwrap();
            let text = fs::read_to_string(fixtures().join(row["file"].as_str().unwrap())).unwrap();
            let handler = Handler::Prompt { prompt: Text::Inline("judge".into()), model_ref: None };
            let engine = engine(folder.path(), row, handler, policy).model(Arc::new(Says(text)));
            check(row, policy, &fire(engine, row).await);
        }
    }
}

/// What a question cost stands in the record.
#[tokio::test]
async fn what_a_question_took_is_reported() {
    let folder = TempDir::new().unwrap();
    let row = json!({ "event": "PreToolUse" });
    let handler = Handler::Prompt { prompt: Text::Inline("judge".into()), model_ref: None };
    let model = Arc::new(Says(r#"{"ok":true}"#.into()));
    let engine = engine(folder.path(), &row, handler, OnFailure::Ask).model(model);
    let outcome = fire(engine, &row).await;
    let report = serde_json::to_value(becket::core::report::Report::from(&outcome)).unwrap();
    let reply = &report["hooks"][0]["reply"];
    assert_eq!((&reply["input_tokens"], &reply["output_tokens"]), (&json!(7), &json!(2)));
    assert!(report["hooks"][0]["duration_us"].is_u64());
}

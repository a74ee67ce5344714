//! HTTP hooks, against a server on the loopback interface.

use becket::core::verdict::FailureKind;
use becket::{Decision, Outcome};
use serde_json::{Map, Value, json};

use super::row::{HttpRow, golden};
use super::server::Server;
use super::workspace::{Workspace, tool_call};

async fn call(server: &Server, path: &str, mut handler: Map<String, Value>) -> Outcome {
    handler.insert("type".to_owned(), "http".into());
    handler.insert("url".to_owned(), server.url(path).await.into());
    let workspace = Workspace::with_hook(&json!({
        "name": "h",
        "events": ["before_tool_dispatch"],
        "handler": handler,
    }));
    workspace.fire("before_tool_dispatch", tool_call()).await
}

async fn call_by(method: &str, path: &str, server: &Server) -> Outcome {
    call(server, path, Map::from_iter([("method".to_owned(), method.into())])).await
}

fn failure(outcome: &Outcome) -> Option<FailureKind> {
    assert_eq!(outcome.decision, Decision::Pass, "a failure never blocks here");
    assert!(!outcome.is_blocked());
    Some(outcome.runs().next()?.settled.failure.as_ref()?.kind)
}

#[tokio::test]
async fn every_recorded_exchange_goes_as_it_went_and_looks_the_same_to_the_server() {
    let golden = golden();
    let server = Server::start().await;
    for case in golden.http {
        let HttpRow { path, handler } = case.given;
        let outcome = call(&server, &path, handler).await;
        case.seen.check_hooks(&path, &outcome);
        case.seen.check_answer(&path, &outcome);
    }
    assert_eq!(server.requests_for("ok"), golden.http_seen);
}

#[tokio::test]
async fn an_answer_without_a_body_means_nothing() {
    let server = Server::start().await;
    for path in ["empty", "blank", "204"] {
        let outcome = call(&server, path, Map::new()).await;
        assert_eq!(failure(&outcome), None, "{path}");
        assert_eq!(outcome.runs().next().unwrap().settled.verdict.answer, None, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_or_cannot_be_read_is_a_failure() {
    let server = Server::start().await;
    for (path, kind) in [
        ("refused", FailureKind::Unreachable),
        ("two", FailureKind::BadOutput),
        ("401", FailureKind::BadExit),
        ("404", FailureKind::BadExit),
        ("503", FailureKind::BadExit),
    ] {
        assert_eq!(failure(&call(&server, path, Map::new()).await), Some(kind), "{path}");
    }
}

#[tokio::test]
async fn every_good_status_is_read_and_an_object_is_found_in_noise() {
    let server = Server::start().await;
    for path in ["200", "201", "202", "noise"] {
        let outcome = call(&server, path, Map::new()).await;
        assert_eq!(outcome.decision, Decision::Deny, "{path}");
        assert_eq!(outcome.reasons[0].text, "http no", "{path}");
    }
}

#[tokio::test]
async fn a_get_request_fails_before_it_is_sent_and_the_other_methods_carry_the_envelope() {
    let server = Server::start().await;
    assert_eq!(failure(&call_by("GET", "ok", &server).await), Some(FailureKind::NotStarted));
    assert_eq!(server.requests_for("ok"), []);
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        assert_eq!(call_by(method, "ok", &server).await.decision, Decision::Deny, "{method}");
        let request = server.requests_for("ok").pop().unwrap();
        assert_eq!(request.method, method);
        assert!(request.body_keys.unwrap().contains(&"tool_input".to_owned()), "{method}");
    }
}

#[tokio::test]
async fn a_redirect_keeps_what_the_fetch_standard_keeps() {
    let server = Server::start().await;
    for (path, method, then, with_body) in [
        ("redir301", "POST", "GET", false),
        ("redir302", "POST", "GET", false),
        ("redir303", "POST", "GET", false),
        ("redir303", "PUT", "GET", false),
        ("redir302", "PUT", "PUT", true),
        ("redir307", "POST", "POST", true),
        ("redir308", "POST", "POST", true),
    ] {
        let outcome = call_by(method, path, &server).await;
        assert_eq!(outcome.decision, Decision::Deny, "{path} {method}");
        let request = server.requests_for("ok").pop().unwrap();
        assert_eq!(
            (request.method.as_str(), request.body_keys.is_some()),
            (then, with_body),
            "{path} {method}"
        );
        assert_eq!(request.ct.is_some(), with_body, "{path} {method}");
    }
}

#[tokio::test]
async fn a_secret_stays_as_it_is_written() {
    let server = Server::start().await;
    let headers = json!({ "Authorization": "Bearer ${secrets.T}" });
    let outcome = call(&server, "ok", Map::from_iter([("headers".to_owned(), headers)])).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(server.requests_for("ok")[0].auth.as_deref(), Some("Bearer ${secrets.T}"));
}

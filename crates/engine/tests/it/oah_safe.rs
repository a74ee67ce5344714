//! Open Agent Harness hooks in `safe`, where a server or a host is needed: what the cases of `spec/` cannot show.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use becket::core::config::WorkspaceKind;
use becket::core::outcome::State;
use becket::core::skip::Skip;
use becket::core::verdict::FailureKind;
use becket::port::Secrets;
use becket::{Compat, CustomEvent, Decision, EffectKind, Event, EventKind, Outcome, Trust};
use serde_json::{Value, json};

use crate::oah_golden::server::Server;
use crate::oah_golden::workspace::{Workspace, fire, tool_call};

fn http_hook(url: &str, more: &Value) -> Value {
    let mut handler = json!({ "type": "http", "url": url, "timeout_seconds": 20 });
    handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    json!({ "name": "h", "events": ["before_tool_dispatch"], "handler": handler })
}

async fn call(url: &str, more: &Value) -> Outcome {
    let workspace = Workspace::with_hook(&http_hook(url, more));
    let secrets = Secrets::from_fn(|name| (name == "HOOK_TOKEN").then(|| "t".to_owned()));
    let engine = workspace.builder().compat(Compat::Safe).secrets(secrets).build();
    fire(&engine, "before_tool_dispatch", tool_call()).await
}

fn failure(outcome: &Outcome) -> Option<FailureKind> {
    outcome.runs().next().unwrap().settled.failure.as_ref().map(|it| it.kind)
}

#[tokio::test]
async fn a_server_can_block() {
    let server = Server::start().await;
    let outcome = call(&server.url("ok").await, &json!({})).await;
    assert_eq!((outcome.decision, outcome.reasons[0].text.as_str()), (Decision::Deny, "http no"));
}

#[tokio::test]
async fn the_deadline_covers_the_body_too() {
    let server = Server::start().await;
    let outcome = call(&server.url("slowbody").await, &json!({ "timeout_seconds": 1 })).await;
    assert_eq!(failure(&outcome), Some(FailureKind::TimedOut));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let server = Server::start().await;
    let outcome = call(&server.url("redir").await, &json!({})).await;
    assert_eq!((outcome.decision, failure(&outcome)), (Decision::Pass, Some(FailureKind::BadExit)));
    assert!(server.requests_for("ok").is_empty());
}

#[tokio::test]
async fn a_refusal_in_a_failed_answer_still_counts() {
    let server = Server::start().await;
    let outcome = call(&server.url("400").await, &json!({})).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(outcome.notes.iter().any(|note| note.code() == "objection_kept"));
    assert_eq!(
        failure(&call(&server.url("500").await, &json!({})).await),
        Some(FailureKind::BadExit)
    );
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_unreachable() {
    let server = Server::start().await;
    let outcome = call(&server.url("refused").await, &json!({})).await;
    assert_eq!(
        (outcome.decision, failure(&outcome)),
        (Decision::Pass, Some(FailureKind::Unreachable))
    );
}

#[tokio::test]
async fn an_address_out_of_bounds_is_refused_before_anything_is_sent() {
    for url in ["http://169.254.169.254/latest", "http://[fe80::1]/", "http://0.0.0.0:1/"] {
        assert_eq!(failure(&call(url, &json!({})).await), Some(FailureKind::Refused), "{url}");
    }
}

#[tokio::test]
async fn a_secret_reaches_its_header_and_an_unknown_one_stops_the_request() {
    let server = Server::start().await;
    let url = server.url("ok").await;
    let known =
        call(&url, &json!({ "headers": { "Authorization": "Bearer ${secrets.HOOK_TOKEN}" } }))
            .await;
    assert_eq!(known.decision, Decision::Deny);
    assert_eq!(server.requests_for("ok")[0].auth.as_deref(), Some("Bearer t"));
    let outcome =
        call(&url, &json!({ "headers": { "Authorization": "Bearer ${secrets.NOPE}" } })).await;
    assert_eq!(failure(&outcome), Some(FailureKind::NotStarted));
    assert_eq!(server.requests_for("ok").len(), 1, "nothing was sent");
}

#[tokio::test]
async fn the_word_of_the_host_decides_of_what_kind_a_workspace_is() {
    let workspace = Workspace::new();
    workspace.add_command("a", "before_tool_dispatch", &[] as &[&str], "exit 2");
    let chat = workspace.builder().compat(Compat::Safe).workspace_kind(WorkspaceKind::Chat).build();
    let outcome = fire(&chat, "before_tool_dispatch", tool_call()).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert_eq!(outcome.hooks()[0].1, State::Skipped(Skip::WrongKind { kind: "chat".into() }));
    workspace.write(".openharness/settings.yaml", "kind: chat\n");
    let project =
        workspace.builder().compat(Compat::Safe).workspace_kind(WorkspaceKind::Project).build();
    assert_eq!(fire(&project, "before_tool_dispatch", tool_call()).await.decision, Decision::Deny);
}

#[tokio::test]
async fn hooks_that_a_workspace_brings_along_run_only_when_the_host_trusts_them() {
    let workspace = Workspace::new();
    workspace.add_command("a", "before_tool_dispatch", &[] as &[&str], "touch ran; exit 2");
    let builder = || becket::Engine::builder().workspace(workspace.path());
    let withheld =
        fire(&builder().discover(Trust::Withheld).build(), "before_tool_dispatch", tool_call())
            .await;
    assert_eq!((withheld.decision, workspace.path().join("ran").exists()), (Decision::Pass, false));
    let given =
        fire(&builder().discover(Trust::Given).build(), "before_tool_dispatch", tool_call()).await;
    assert_eq!((given.decision, workspace.path().join("ran").exists()), (Decision::Deny, true));
}

#[tokio::test]
async fn an_event_of_the_host_can_be_hooked_by_files() {
    let workspace = Workspace::new();
    workspace.add_command("a", "deploy", &[] as &[&str], "echo not today >&2; exit 2");
    let deploy =
        CustomEvent { name: "deploy".into(), subject: None, block: Some(EffectKind::FailRun) };
    let engine = workspace.builder().compat(Compat::Safe).event(deploy).build();
    let kind: EventKind = engine.event_named("deploy").unwrap();
    let outcome = engine.fire(Event::new(kind, serde_json::Map::new())).await;
    assert_eq!(
        (outcome.effects[0].kind, outcome.reasons[0].text.as_str()),
        (EffectKind::FailRun, "not today")
    );
}

#[tokio::test]
async fn more_hooks_than_may_run_ask_and_say_so() {
    let workspace = Workspace::new();
    for number in 0..258 {
        workspace.add_command(
            &format!("h{number}"),
            "before_tool_dispatch",
            &[] as &[&str],
            "true",
        );
    }
    let outcome = fire(
        &workspace.builder().compat(Compat::Safe).build(),
        "before_tool_dispatch",
        tool_call(),
    )
    .await;
    assert_eq!(outcome.decision, Decision::Ask);
    let skipped =
        outcome.hooks().iter().filter(|(_, state)| *state == State::Skipped(Skip::TooMany)).count();
    assert_eq!((skipped, outcome.runs().count()), (2, 256));
    assert!(outcome.notes.iter().any(|note| note.code() == "too_many_hooks"));
}

/// A rewrite makes later matchers look again; what must not run still must not.
#[tokio::test]
async fn a_rewritten_model_does_not_wake_hooks_that_nobody_trusts() {
    let workspace = Workspace::new();
    workspace.add_hook(&json!({
        "name": "sleeper", "events": ["before_model_call"], "matcher": "other",
        "handler": { "type": "command", "command": "touch ran" },
    }));
    let engine =
        becket::Engine::builder().workspace(workspace.path()).discover(Trust::Withheld).build();
    engine.on::<becket::point::PreModelCall>(|_| {
        becket::point::RequestAction::rewrite(json!({ "model_ref": "platform/other" }))
    });
    let request = json!({ "model_ref": "platform/m", "model_request": { "canonicalModelRef": "platform/m" } });
    let outcome = fire(&engine, "before_model_call", request).await;
    assert_eq!(outcome.event.text("model_ref"), Some("platform/other"));
    assert_eq!(outcome.hooks()[1].1, State::Skipped(Skip::Untrusted));
    assert!(!workspace.path().join("ran").exists());
}

#[tokio::test]
async fn a_refusal_before_a_server_hangs_or_goes_away_still_counts() {
    let server = Server::start().await;
    for path in ["hangs", "cut"] {
        let outcome = call(&server.url(path).await, &json!({ "timeout_seconds": 1 })).await;
        assert_eq!(
            (outcome.decision, outcome.reasons[0].text.as_str()),
            (Decision::Deny, "http no"),
            "{path}"
        );
        assert!(outcome.notes.iter().any(|note| note.code() == "objection_kept"), "{path}");
    }
}

/// What a repository says of itself must not switch off the guards that a person named.
#[tokio::test]
async fn a_chat_workspace_ignores_its_own_hooks_and_no_others() {
    let (guards, project) = (Workspace::new(), Workspace::new());
    guards.add_command("guard", "before_tool_dispatch", &[] as &[&str], "exit 2");
    project.add_command("own", "before_tool_dispatch", &[] as &[&str], "exit 2");
    project.write(".openharness/settings.yaml", "kind: chat\n");
    let builder = becket::Engine::builder().workspace(project.path()).discover(Trust::Given);
    let engine = builder.hooks(becket::Dialect::Oah, guards.hooks()).build();
    let outcome = fire(&engine, "before_tool_dispatch", tool_call()).await;
    assert_eq!((outcome.decision, outcome.reasons[0].by.name()), (Decision::Deny, "guard"));
    assert_eq!(outcome.hooks()[1].1, State::Skipped(Skip::WrongKind { kind: "chat".into() }));
}

#[tokio::test]
async fn a_block_ends_its_own_group_and_others_still_see_the_event() {
    let workspace = Workspace::new();
    workspace.add_command("a", "before_tool_dispatch", &[] as &[&str], "exit 2");
    workspace.add_command("b", "before_tool_dispatch", &[] as &[&str], "touch ran");
    let engine = workspace.builder().compat(Compat::Safe).build();
    engine.on::<becket::point::PreToolUse>(|_| {
        becket::point::ToolAction::rewrite(json!({ "command": "x" })).with_message("seen")
    });
    let outcome = fire(&engine, "before_tool_dispatch", tool_call()).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.messages, ["seen"], "the host's closure stands in a group of its own");
    assert!(outcome.patched.is_empty() && !workspace.path().join("ran").exists());
}

#[tokio::test]
async fn settings_that_cannot_be_read_and_places_without_hooks_are_noted() {
    let workspace = Workspace::new();
    workspace.write(".openharness/settings.yaml", "kind: [\n");
    let outcome = fire(
        &workspace.builder().compat(Compat::Safe).build(),
        "before_tool_dispatch",
        tool_call(),
    )
    .await;
    let codes: Vec<_> = outcome.notes.iter().map(becket::Note::code).collect();
    assert_eq!(codes, ["settings", "no_hooks"]);
}

#[tokio::test]
async fn an_event_of_the_host_cannot_take_a_name_that_is_taken() {
    let workspace = Workspace::new();
    workspace.add_command("a", "before_tool_dispatch", &[] as &[&str], "exit 2");
    let event = CustomEvent { name: "PreToolUse".into(), subject: None, block: None };
    let engine = workspace.builder().compat(Compat::Safe).event(event).build();
    assert_eq!(engine.event_named("PreToolUse"), Some(EventKind::PreToolUse));
    assert!(engine.diagnostics()[0].message.contains("exists already"));
}

/// The first event tries each matcher; later ones look all literals up at once.
#[tokio::test]
async fn looking_up_many_hooks_at_once_finds_what_trying_each_finds() {
    let workspace = Workspace::new();
    let matchers = [
        "Bash",
        "^Bash$",
        "^Ba.*h$",
        "Edit|Bash",
        "sh+$",
        "^(Read|Write)$",
        "Glob",
        "B?ash",
        "(",
        "x{2}",
    ];
    for number in 0..60 {
        let matcher = matchers[number % matchers.len()];
        let handler = json!({ "type": "command", "command": "true" });
        workspace.add_hook(&json!({
            "name": format!("h{number}"), "events": ["before_tool_dispatch"], "matcher": matcher, "handler": handler,
        }));
    }
    let engine = workspace.builder().compat(Compat::Safe).build();
    let ran = |outcome: &Outcome| -> Vec<String> {
        let hooks = outcome.hooks().into_iter();
        hooks
            .filter(|(_, state)| matches!(state, State::Ran(_)))
            .map(|(hook, _)| hook.name().to_owned())
            .collect()
    };
    let first = fire(&engine, "before_tool_dispatch", tool_call()).await;
    let second = fire(&engine, "before_tool_dispatch", tool_call()).await;
    assert_eq!(ran(&first).len(), 36, "six of the ten matchers match `Bash`");
    assert_eq!((ran(&second), &second.notes), (ran(&first), &first.notes));
}

//! Prompt and agent hooks: one question to a model.

use std::sync::{Arc, Mutex};

use becket::core::verdict::FailureKind;
use becket::port::{Answer, Model, ModelRequest, PortError};
use becket::{Decision, Outcome};
use serde_json::{Map, Value, json};

use super::process::assert_raised;
use super::row::{Case, golden};
use super::workspace::{Workspace, fire, hook};

/// A model that says what it is told to, and remembers what it was asked.
struct Host {
    answer: Result<String, PortError>,
    after: std::time::Duration,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Host {
    fn new(answer: Result<String, PortError>) -> Arc<Self> {
        Arc::new(Self { answer, after: std::time::Duration::ZERO, asked: Mutex::default() })
    }

    fn saying(text: &str) -> Arc<Self> {
        Self::new(Ok(text.to_owned()))
    }
}

impl Model for Host {
    fn ask(&self, request: ModelRequest) -> Answer<'_> {
        self.asked.lock().unwrap().push(request);
        Box::pin(async move {
            tokio::time::sleep(self.after).await;
            self.answer.clone().map(Into::into)
        })
    }
}

async fn ask(kind: &str, opts: &Map<String, Value>, host: &Arc<Host>) -> Outcome {
    let workspace = Workspace::new("pre_tool_use", &[hook(kind, ("prompt", "P $ARGUMENTS"), opts)]);
    let engine = workspace.builder().model(Arc::<Host>::clone(host)).build();
    fire(&engine, "pre_tool_use", json!({ "tool_name": "bash" })).await
}

#[tokio::test]
async fn every_recorded_question_is_asked_and_answered_as_it_was() {
    let mut lengths = Vec::new();
    for Case { given: row, seen } in golden().model_hooks {
        let kind = if row.kind == "AgentHookDefinition" { "agent" } else { "prompt" };
        let host = match row.fake.get("exc") {
            Some(why) => Host::new(Err(PortError::Failed(why.clone()))),
            None => Host::saying(&row.model_text),
        };
        let outcome = ask(kind, &row.opts, &host).await;
        match (&seen.raised, &seen.msg) {
            (Some(raised), Some(msg)) => {
                assert_raised(raised, &outcome, FailureKind::Unreachable);
                assert_eq!(&outcome.reasons[0].text, msg);
            }
            _ => seen.check(&row.model_text, &outcome),
        }
        let asked = host.asked.lock().unwrap().clone();
        let [request] = &asked[..] else { panic!("{asked:?}") };
        assert_eq!(request.model_ref.as_deref().unwrap_or("default-m"), row.request.model);
        assert_eq!(request.max_tokens, Some(row.request.max_tokens));
        // The recording called the executor without the event's name, which the program always gives.
        let user = request.prompt.replace(r#", "event": "pre_tool_use""#, "");
        assert_eq!(user, row.request.user);
        lengths.push((row.request.system_len, request.system.as_ref().unwrap().len()));
    }
    // An agent is told more than a model that is only asked, here as there.
    for (theirs, ours) in &lengths {
        assert!(lengths.iter().all(|it| theirs.cmp(&it.0) == ours.cmp(&it.1)), "{lengths:?}");
    }
}

#[tokio::test]
async fn every_recorded_answer_is_judged_as_it_was() {
    for row in golden().model_verdict {
        let outcome = ask("prompt", &Map::new(), &Host::saying(&row.text)).await;
        let run = outcome.runs().next().unwrap();
        assert_eq!(outcome.decision == Decision::Pass, row.parsed.ok, "{:?}", row.text);
        let reason = match &row.parsed.reason {
            Some(Value::String(text)) => Some(text.clone()),
            other => other.as_ref().map(ToString::to_string),
        };
        match (row.parsed.ok, reason) {
            // The reason of a yes is kept in the answer.
            (true, Some(reason)) => {
                assert_eq!(run.settled.verdict.answer.as_ref().unwrap()["reason"], json!(reason));
            }
            (true, None) => assert_eq!(outcome.reasons, [], "{:?}", row.text),
            (false, Some(reason)) if reason == "hook returned invalid JSON" => {
                assert!(!outcome.reasons[0].text.is_empty());
            }
            (false, reason) => assert_eq!(Some(outcome.reasons[0].text.clone()), reason),
        }
    }
}

#[tokio::test]
async fn a_yes_is_a_yes_in_any_case_and_an_objection_needs_the_flag() {
    for text in ["YES", "yes\n", " True ", "{\"ok\":true}", "\n{ \"ok\" : true }\n"] {
        let outcome = ask("agent", &Map::new(), &Host::saying(text)).await;
        assert_eq!(outcome.decision, Decision::Pass, "{text:?}");
    }
    let no = Map::from_iter([("block_on_failure".to_owned(), false.into())]);
    let outcome = ask("prompt", &no, &Host::saying("{\"ok\": false, \"reason\": \"r\"}")).await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert!(outcome.notes.iter().any(|it| it.code() == "objection_without_effect"));
    let outcome =
        ask("prompt", &Map::new(), &Host::saying("{\"ok\": false, \"reason\": \"\"}")).await;
    assert_eq!(outcome.reasons[0].text, "{\"ok\": false, \"reason\": \"\"}");
}

#[tokio::test]
async fn the_deadline_of_a_question_is_not_kept() {
    let opts = Map::from_iter([("timeout_seconds".to_owned(), 1.into())]);
    let host = Arc::new(Host {
        answer: Ok("ok".to_owned()),
        after: std::time::Duration::from_millis(1300),
        asked: Mutex::default(),
    });
    assert_eq!(ask("prompt", &opts, &host).await.decision, Decision::Pass);
}

#[tokio::test]
async fn a_hook_may_name_its_model() {
    let opts = Map::from_iter([("model".to_owned(), "big".into())]);
    for kind in ["prompt", "agent"] {
        let host = Host::saying("ok");
        ask(kind, &opts, &host).await.decision.name();
        assert_eq!(host.asked.lock().unwrap()[0].model_ref.as_deref(), Some("big"), "{kind}");
    }
}

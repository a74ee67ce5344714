//! An outcome as the JSON object of our contract: what `fire --json` prints and the journal keeps.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::decision::{Effect, EffectKind};
use crate::event::Event;
use crate::hook::{Hook, Mode};
use crate::outcome::{Author, Note, Outcome, Reason, Run, State};
use crate::reply::{Captured, Exit, Reply};
use crate::verdict::Settled;

/// An outcome and what became of each hook.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(title = "Outcome")]
pub struct Report {
    /// The canonical name of the event.
    pub event: String,
    /// `pass`, `allow`, `ask` or `deny`.
    pub decision: &'static str,
    /// Everything the harness must do, strongest first; empty when nothing is blocked.
    pub effects: Vec<EffectReport>,
    /// Why, in configured order.
    pub reasons: Vec<ReasonReport>,
    /// The whole new value of each part that was rewritten.
    pub patched: Map<String, Value>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the person.
    pub messages: Vec<String>,
    /// What else hooks ask of the harness, by name, such as `session_title` or `watch_paths`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(default)]
    pub extras: Map<String, Value>,
    /// What became of every hook registered for the event, in configured order.
    pub hooks: Vec<HookReport>,
    /// What went otherwise than a hook wished.
    pub notes: Vec<NoteReport>,
    /// Which version of the configuration was in force.
    pub generation: u64,
    /// The id under which the journal keeps it.
    pub trace: String,
}

/// One thing the harness must do.
#[derive(Debug, JsonSchema, Serialize)]
pub struct EffectReport {
    /// Such as `deny_tool`.
    pub kind: &'static str,
    /// The message to go on with (`continue_loop`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Why the run ends (`stop_loop`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One reason.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ReasonReport {
    /// The hook that gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// The rule that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What was said.
    pub text: String,
}

/// What became of one hook.
#[derive(Debug, JsonSchema, Serialize)]
pub struct HookReport {
    /// Its name.
    pub name: String,
    /// Its dialect.
    pub dialect: &'static str,
    /// Where it was written, as `file:line`.
    pub source: String,
    /// `ran`, `skipped` or `queued`.
    pub state: &'static str,
    /// `enforce`, `warn`, `shadow` or `canary`.
    pub mode: &'static str,
    /// Whether its verdict counted; told only where it did not, because of its mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<bool>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<CodeAndText>,
    /// What it gave back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Value>,
    /// What that was taken to mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictReport>,
    /// Why it has no verdict of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureReport>,
    /// How long it took, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

/// A code for machines and a text for people.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CodeAndText {
    /// Never changes.
    pub code: &'static str,
    /// One sentence.
    pub text: String,
}

/// A hook's verdict.
#[derive(Debug, JsonSchema, Serialize)]
pub struct VerdictReport {
    /// `pass`, `allow`, `ask` or `deny`.
    pub decision: &'static str,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it wants the run to end.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(default)]
    pub stop: bool,
    /// The object it answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
}

/// Why a hook has no verdict of its own.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FailureReport {
    /// Such as `timed_out`.
    pub kind: &'static str,
    /// What happened.
    pub message: String,
}

/// A note.
#[derive(Debug, JsonSchema, Serialize)]
pub struct NoteReport {
    /// Never changes.
    pub code: &'static str,
    /// The hook it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// One sentence.
    pub text: String,
}

impl From<&Outcome> for Report {
    fn from(outcome: &Outcome) -> Self {
        let patched =
            outcome.patched.iter().map(|(scope, value)| (scope.field().to_owned(), value.clone()));
        Self {
            event: outcome.event.kind().name().to_owned(),
            decision: outcome.decision.name(),
            effects: outcome.effects.iter().map(EffectReport::new).collect(),
            reasons: outcome.reasons.iter().map(ReasonReport::new).collect(),
            patched: patched.collect(),
            context: outcome.context.clone(),
            messages: outcome.messages.clone(),
            extras: outcome.extras.clone(),
            hooks: outcome
                .hooks()
                .iter()
                .map(|(hook, state)| HookReport::new(hook, state, &outcome.event))
                .collect(),
            notes: outcome.notes.iter().map(NoteReport::new).collect(),
            generation: outcome.generation,
            trace: outcome.trace.clone(),
        }
    }
}

impl EffectReport {
    fn new(effect: &Effect) -> Self {
        let text = effect.text.clone();
        let (message, reason) = match effect.kind {
            EffectKind::ContinueLoop => (text, None),
            _ => (None, text),
        };
        Self { kind: effect.kind.name(), message, reason }
    }
}

impl ReasonReport {
    fn new(reason: &Reason) -> Self {
        let (hook, rule) = match &reason.by {
            Author::Hook(name) => (Some(name.clone()), None),
            Author::Rule(rule) => (None, Some(rule.clone())),
        };
        Self { hook, rule, text: reason.text.clone() }
    }
}

impl NoteReport {
    fn new(note: &Note) -> Self {
        Self { code: note.code(), hook: note.hook().map(str::to_owned), text: note.to_string() }
    }
}

impl HookReport {
    fn new(hook: &Hook, state: &State<'_>, event: &Event) -> Self {
        let spec = hook.spec();
        let origin = &spec.origin;
        let source = match origin.line {
            0 => origin.file.display().to_string(),
            line => format!("{}:{line}", origin.file.display()),
        };
        let blank = Self {
            name: spec.name.clone(),
            dialect: spec.dialect.name(),
            source,
            state: "skipped",
            mode: spec.mode.name(),
            counted: None,
            skip: None,
            reply: None,
            verdict: None,
            failure: None,
            duration_us: None,
        };
        match state {
            State::Skipped(skip) => Self {
                skip: Some(CodeAndText { code: skip.code(), text: skip.to_string() }),
                ..blank
            },
            State::Queued => Self { state: "queued", ..blank },
            State::Ran(Run { reply, settled, took }) => Self {
                state: "ran",
                counted: (hook.mode(event) != Mode::Enforce).then_some(false),
                reply: Some(reply_report(reply, settled.verdict.hide_output)),
                verdict: Some(VerdictReport::new(settled)),
                failure: settled.failure.as_ref().map(|failure| FailureReport {
                    kind: failure.kind.name(),
                    message: failure.message.clone(),
                }),
                duration_us: Some(u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
                ..blank
            },
        }
    }
}

impl VerdictReport {
    fn new(settled: &Settled) -> Self {
        let verdict = &settled.verdict;
        Self {
            decision: verdict.decision.name(),
            reason: verdict.reason.clone(),
            stop: verdict.stop.is_some(),
            answer: verdict.answer.clone(),
        }
    }
}

/// The raw reply; a hook may ask that its own output is not shown.
fn reply_report(reply: &Reply, hidden: bool) -> Value {
    let text = |captured: &Captured| if hidden { String::new() } else { captured.text() };
    let mut report = match reply {
        Reply::Exited { end, stdout, stderr } => {
            let (kind, key, number) = match end {
                Exit::Code(code) => ("exited", "code", code),
                Exit::Signal(signal) => ("signalled", "signal", signal),
            };
            serde_json::json!({
                "kind": kind, key: number, "stdout": text(stdout), "stderr": text(stderr),
                "truncated": stdout.truncated || stderr.truncated,
            })
        }
        Reply::Http { status, body, .. } => serde_json::json!({
            "kind": "http", "status": status, "body": text(body), "truncated": body.truncated,
        }),
        Reply::CutOff { body, .. } => serde_json::json!({
            "kind": "cut_off", "body": text(body), "truncated": true,
        }),
        Reply::Text { text, usage } => {
            let text = if hidden { "" } else { text };
            let mut report =
                serde_json::json!({ "kind": "text", "text": text, "truncated": false });
            if let (Some(usage), Some(report)) = (usage, report.as_object_mut()) {
                report.insert("input_tokens".to_owned(), usage.input_tokens.into());
                report.insert("output_tokens".to_owned(), usage.output_tokens.into());
            }
            report
        }
        Reply::InProcess(_) => serde_json::json!({ "kind": "in_process" }),
        Reply::TimedOut { limit, stdout, stderr } => serde_json::json!({
            "kind": "timed_out", "limit_ms": u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            "stdout": text(stdout), "stderr": text(stderr), "truncated": stdout.truncated || stderr.truncated,
        }),
        Reply::NotAsked | Reply::ConditionFalse { .. } | Reply::Failed(_) => {
            serde_json::json!({ "kind": "none" })
        }
    };
    if let (true, Some(report)) = (hidden, report.as_object_mut()) {
        report.insert("hidden".to_owned(), true.into());
    }
    report
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_false(value: &bool) -> bool {
    !*value
}

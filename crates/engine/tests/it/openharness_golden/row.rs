//! The recorded file, read so strictly that a field which nobody asserts is an error.

use std::collections::BTreeMap;

use becket::core::outcome::Run;
use becket::core::reply::{Exit, Reply};
use becket::{Decision, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const GOLDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/openharness/golden.json"));

/// Every recorded row.
pub(super) fn golden() -> Golden {
    crate::golden::read(GOLDEN)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Golden {
    pub(super) matcher: Vec<MatcherRow>,
    #[serde(rename = "inject_arguments")]
    _inject_arguments: Vec<Value>,
    pub(super) model_verdict: Vec<VerdictRow>,
    pub(super) command: Vec<Case<CommandRow>>,
    pub(super) model_hooks: Vec<Case<ModelRow>>,
    pub(super) http: Vec<Case<HttpRow>>,
    pub(super) http_request_seen: Value,
    pub(super) aggregate: Vec<AggregateRow>,
    pub(super) schema: Vec<SchemaRow>,
    pub(super) settings_event_names: Vec<EventRow>,
    pub(super) plugins: Vec<PluginRow>,
    /// Asserted where files change under a running engine.
    #[serde(rename = "hot_reload")]
    _hot_reload: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatcherRow {
    pub(super) payload: Map<String, Value>,
    pub(super) matcher: Option<String>,
    pub(super) matches: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictRow {
    pub(super) text: String,
    pub(super) parsed: Parsed,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parsed {
    pub(super) ok: bool,
    pub(super) reason: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandRow {
    pub(super) command: String,
    pub(super) opts: Map<String, Value>,
    pub(super) payload: Option<String>,
    pub(super) cwd: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelRow {
    pub(super) kind: String,
    pub(super) model_text: String,
    pub(super) opts: Map<String, Value>,
    pub(super) fake: BTreeMap<String, String>,
    pub(super) request: RequestRow,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestRow {
    pub(super) model: String,
    pub(super) max_tokens: u32,
    pub(super) user: String,
    pub(super) system_len: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpRow {
    pub(super) path: String,
    pub(super) opts: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AggregateRow {
    pub(super) name: String,
    pub(super) hooks: Vec<Value>,
    pub(super) ran: usize,
    pub(super) outputs: Vec<String>,
    pub(super) blocked: bool,
    pub(super) reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaRow {
    pub(super) input: Value,
    pub(super) accepted: bool,
    #[serde(rename = "as")]
    pub(super) class: Option<String>,
    pub(super) value: Option<Value>,
    pub(super) errors: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventRow {
    pub(super) event: String,
    pub(super) registered: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PluginRow {
    pub(super) plugin: String,
    pub(super) files: BTreeMap<String, Value>,
    pub(super) parsed: Option<BTreeMap<String, Vec<String>>>,
    pub(super) registered: Option<BTreeMap<String, usize>>,
    pub(super) ran: Option<usize>,
    pub(super) blocked: Option<bool>,
    pub(super) summary: Option<String>,
    pub(super) summary_raised: Option<String>,
    pub(super) raised: Option<String>,
}

/// How the original tells of one hook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HookRow {
    hook_type: String,
    success: bool,
    output: String,
    blocked: bool,
    reason: String,
    metadata: Value,
}

pub(super) type Case<T> = crate::golden::Case<T, Seen>;

/// What came of one event: of each hook, and of all; or that the program gave up.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    results: Option<Vec<HookRow>>,
    blocked: Option<bool>,
    reason: Option<String>,
    pub(super) raised: Option<String>,
    pub(super) msg: Option<String>,
    /// Indicative only.
    #[serde(rename = "secs")]
    _secs: f64,
}

impl crate::golden::Seen for Seen {
    const FIELDS: &'static [&'static str] =
        &["results", "blocked", "reason", "raised", "msg", "secs"];
}

impl Seen {
    pub(super) fn check(&self, label: &str, outcome: &Outcome) {
        check(label, self.results.as_deref().expect("the hook ran"), outcome);
        let whole = (self.blocked.unwrap(), self.reason.as_deref().unwrap());
        check_whole(label, whole, outcome);
    }
}

fn check(label: &str, rows: &[HookRow], outcome: &Outcome) {
    let runs: Vec<&Run> = outcome.runs().collect();
    assert_eq!(runs.len(), rows.len(), "{label}");
    let hooks = outcome.hooks();
    for ((row, run), (hook, _)) in rows.iter().zip(runs).zip(hooks) {
        assert_eq!(hook.spec().handler.kind(), row.hook_type, "{label}");
        assert_eq!(succeeded(run), row.success, "{label}: {run:?}");
        assert_eq!(output(&run.reply), ours(&row.output), "{label}");
        assert_eq!(run.settled.verdict.decision == Decision::Deny, row.blocked, "{label}");
        assert_eq!(metadata(&run.reply), row.metadata, "{label}");
        if row.blocked {
            check_reason(label, &row.reason, run.settled.verdict.reason.as_deref());
        } else {
            // It repeats the output, or says in the program's words how the hook ended.
            assert!(
                row.reason.is_empty()
                    || ours(&row.reason) == output(&run.reply)
                    || !from_hook(&row.reason),
                "{label}"
            );
        }
    }
}

fn check_whole(label: &str, (blocked, reason): (bool, &str), outcome: &Outcome) {
    assert_eq!(outcome.is_blocked(), blocked, "{label}");
    assert_eq!(outcome.decision == Decision::Deny, blocked, "{label}");
    match outcome.reasons.first() {
        Some(first) => check_reason(label, reason, Some(&first.text)),
        None => assert_eq!(reason, "", "{label}"),
    }
}

/// What the hook said is told word for word; what the program says about it, in our words.
fn check_reason(label: &str, recorded: &str, found: Option<&str>) {
    let found = found.expect("a block has a reason");
    if from_hook(recorded) {
        assert_eq!(found, ours(recorded), "{label}");
    } else {
        assert!(!found.is_empty(), "{label}");
    }
}

fn from_hook(reason: &str) -> bool {
    let own =
        ["command hook ", "http hook ", "hook returned invalid JSON", "hook rejected the event"];
    !reason.is_empty() && !own.iter().any(|it| reason.starts_with(it))
}

/// The recording's shell stood in another folder.
fn ours(text: &str) -> String {
    text.replace("/usr/bin/bash", "/bin/bash")
}

fn succeeded(run: &Run) -> bool {
    let answer = run.settled.verdict.answer.as_ref();
    run.settled.failure.is_none() && answer.and_then(|it| it.get("ok")) != Some(&json!(false))
}

/// What the original calls the output of a hook; of one that took too long it keeps nothing.
pub(super) fn output(reply: &Reply) -> String {
    match reply {
        Reply::Exited { stdout, stderr, .. } => {
            let parts = [stdout.text(), stderr.text()].map(|it| it.trim().to_owned());
            parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Reply::Http { body, .. } => body.text(),
        Reply::Text { text, .. } => text.clone(),
        _ => String::new(),
    }
}

fn metadata(reply: &Reply) -> Value {
    match reply {
        Reply::Exited { end: Exit::Code(code), .. } => json!({ "returncode": code }),
        Reply::Exited { end: Exit::Signal(signal), .. } => json!({ "returncode": -signal }),
        Reply::Http { status, .. } => json!({ "status_code": status }),
        _ => json!({}),
    }
}

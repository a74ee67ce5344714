//! What was seen in a row, held against an outcome of ours.
//!
//! The original's own prose is compared by class; what a hook wrote is compared exactly.

use std::time::Duration;

use becket::core::hook::{Handler, Hook};
use becket::core::outcome::{Run, State};
use becket::core::reply::{Exit, Reply};
use becket::core::verdict::{Failure, FailureKind};
use becket::{Decision, Effect, EffectKind, Note, Outcome};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// How much later than its deadline a hook that timed out may be answered here.
const LATE: Duration = Duration::from_millis(1_800);
/// How much longer than in the recording anything else may take here.
const SLACK: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// Absent is not the same as null: a patch may replace a value by null.
    #[serde(default, deserialize_with = "present")]
    pub(super) value: Option<Value>,
    pub(super) thrown: Option<Thrown>,
    secs: f64,
    notices: Vec<Notice>,
    steps: Vec<Step>,
    audits: Vec<Audit>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Thrown {
    name: String,
    code: String,
    status: u16,
    message: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Notice {
    event: String,
    code: String,
    msg: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    name: String,
    status: String,
    output: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Audit {
    status: String,
    patch: Option<Value>,
    error: Option<String>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl crate::golden::Seen for Seen {
    const FIELDS: &'static [&'static str] =
        &["value", "thrown", "secs", "notices", "steps", "audits"];
}

impl Seen {
    /// Checks what became of each hook: steps, audits, notices and time.
    pub(super) fn check_hooks(&self, at: &str, outcome: &Outcome) {
        let ran = ran(outcome);
        let names: Vec<_> = ran.iter().map(|(hook, _)| hook.name()).collect();
        let steps: Vec<_> = self.steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, steps, "{at}: which hooks ran");
        assert_eq!(self.audits.len(), steps.len(), "{at}: an audit for each step");
        for ((step, audit), (hook, run)) in self.steps.iter().zip(&self.audits).zip(&ran) {
            step.check(at, audit, hook, run);
            self.check_time(at, hook, run);
        }
        self.check_notices(at, outcome);
    }

    /// Checks whether the event was blocked, and with which words.
    pub(super) fn check_end(&self, at: &str, outcome: &Outcome, effect: EffectKind) {
        let Some(thrown) = &self.thrown else {
            assert_eq!(outcome.decision, Decision::Pass, "{at}");
            assert!(!outcome.is_blocked(), "{at}: {:?}", outcome.effects);
            assert_eq!(outcome.reasons, [], "{at}");
            return;
        };
        let class = (thrown.name.as_str(), thrown.code.as_str(), thrown.status);
        assert_eq!(class, ("AppError", "hook_blocked", 409), "{at}");
        assert_eq!(outcome.decision, Decision::Deny, "{at}");
        assert_eq!(outcome.effects, [Effect::of(effect)], "{at}");
        let [reason] = &outcome.reasons[..] else { panic!("{at}: {:?}", outcome.reasons) };
        assert_eq!(
            Some(reason.by.name()),
            self.steps.last().map(|step| step.name.as_str()),
            "{at}"
        );
        if thrown.message == format!("Hook {} blocked execution.", reason.by.name()) {
            assert!(reason.text.contains(reason.by.name()), "{at}: {}", reason.text);
        } else {
            assert_eq!(reason.text, thrown.message, "{at}");
        }
    }

    /// Checks what a single hook answered, and that it blocked exactly when it said so.
    pub(super) fn check_answer(&self, at: &str, outcome: &Outcome) {
        let ran = ran(outcome);
        let [(hook, run)] = ran[..] else { panic!("{at}: {ran:?}") };
        assert_eq!(answer(hook, run), self.value, "{at}");
        let field = |name: &str| self.value.as_ref().and_then(|value| value.get(name));
        let blocks =
            field("continue") == Some(&json!(false)) || field("decision") == Some(&json!("block"));
        assert_eq!(outcome.is_blocked(), blocks, "{at}");
        assert_eq!(outcome.decision == Decision::Deny, blocks, "{at}");
    }

    fn check_notices(&self, at: &str, outcome: &Outcome) {
        let failed = self.steps.iter().filter(|step| step.status == "failed");
        let expected: Vec<_> = failed.map(|step| (step.name.as_str(), step.error())).collect();
        let noticed: Vec<_> = self.notices.iter().map(|notice| notice.msg.as_str()).collect();
        let errors: Vec<_> = expected.iter().map(|(_, error)| *error).collect();
        assert_eq!(noticed, errors, "{at}: a notice for each failure");
        for notice in &self.notices {
            assert_eq!(notice.event, "hook.notice", "{at}");
            let known = ["hook_execution_failed", "agent_not_found"];
            assert!(known.contains(&notice.code.as_str()), "{at}: {}", notice.code);
        }
        let notes = outcome.notes.iter().filter_map(|note| match note {
            Note::Failed { hook, kind, .. } => Some((hook.as_str(), *kind)),
            _ => None,
        });
        let kinds: Vec<_> =
            expected.iter().map(|(name, error)| (*name, kind_meant(error))).collect();
        assert_eq!(notes.collect::<Vec<_>>(), kinds, "{at}: a note for each notice");
    }

    /// A hook that timed out is answered at its deadline, also where the original waited on.
    fn check_time(&self, at: &str, hook: &Hook, run: &Run) {
        let timed_out =
            run.settled.failure.as_ref().map(|it| it.kind) == Some(FailureKind::TimedOut);
        if let Some(limit) = hook.spec().timeout.filter(|_| timed_out) {
            assert!((limit..limit + LATE).contains(&run.took), "{at}: {:?}", run.took);
        } else {
            let most = Duration::from_secs_f64(self.secs) + SLACK;
            assert!(run.took < most, "{at}: {:?}", run.took);
        }
    }
}

impl Step {
    fn check(&self, at: &str, audit: &Audit, hook: &Hook, run: &Run) {
        assert_eq!(audit.status, self.status, "{at}");
        match (self.status.as_str(), &run.settled.failure) {
            ("completed", None) => {
                let answer = answer(hook, run);
                assert_eq!(step_output(answer.as_ref()), self.output, "{at}");
                assert_eq!(proposed(answer.as_ref()), audit.patch.as_ref(), "{at}");
                assert_eq!(audit.error, None, "{at}");
            }
            ("failed", Some(failure)) => {
                assert_eq!(self.output.len(), 1, "{at}: only the error");
                assert_eq!(audit.error.as_deref(), Some(self.error()), "{at}");
                assert_eq!(audit.patch, None, "{at}");
                check_failure(at, failure, self.error());
            }
            (status, failure) => panic!("{at}: the original {status}, ours {failure:?}"),
        }
    }

    fn error(&self) -> &str {
        self.output["errorMessage"].as_str().expect("an error is text")
    }
}

/// The hooks that ran, in the order in which they did.
pub(super) fn ran(outcome: &Outcome) -> Vec<(&Hook, &Run)> {
    let hooks = outcome.hooks().into_iter();
    let ran: Vec<_> = hooks
        .filter_map(|(hook, state)| match state {
            State::Ran(run) => Some((hook, run)),
            State::Queued | State::Skipped(_) => None,
        })
        .collect();
    assert!(outcome.runs().eq(ran.iter().map(|(_, run)| *run)), "run order is configured order");
    ran
}

/// What a hook answered; for exit code 2, what the original makes of it.
pub(super) fn answer(hook: &Hook, run: &Run) -> Option<Value> {
    let Reply::Exited { end: Exit::Code(2), stderr, .. } = &run.reply else {
        return run.settled.verdict.answer.clone();
    };
    let Handler::Command { command, .. } = &hook.spec().handler else {
        panic!("only a command exits")
    };
    assert_eq!(run.settled.verdict.decision, Decision::Deny);
    let reason = run.settled.verdict.reason.clone().expect("a block has a reason");
    let reason = match stderr.text().trim() {
        "" => {
            assert!(reason.contains(command.as_str()), "{reason}");
            format!("Hook blocked execution: {command}")
        }
        _ => reason,
    };
    Some(json!({ "continue": false, "stopReason": reason }))
}

/// The original keeps of an answer, in the step of a run, the fields it knows.
fn step_output(answer: Option<&Value>) -> Map<String, Value> {
    let Some(answer) = answer.and_then(Value::as_object) else {
        return Map::from_iter([("result".to_owned(), Value::Null)]);
    };
    let flags = ["continue", "suppressOutput"];
    let others = ["stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"];
    let kept = |(key, value): &(&String, &Value)| {
        let empty = value.is_null() || value.as_str() == Some("");
        flags.contains(&key.as_str()) || others.contains(&key.as_str()) && !empty
    };
    answer.iter().filter(kept).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The patch that the original writes into its audit, granted or not.
fn proposed(answer: Option<&Value>) -> Option<&Value> {
    answer?.get("hookSpecificOutput")?.get("patch").filter(|it| it.is_object() || it.is_array())
}

/// What the original says, and the kind of failure it means by it.
const SAID: [(&str, FailureKind); 9] = [
    ("invalid JSON output", FailureKind::BadOutput),
    ("timed out after", FailureKind::TimedOut),
    ("exited with code", FailureKind::BadExit),
    ("HTTP hook returned", FailureKind::BadExit),
    ("ENOENT", FailureKind::NotStarted),
    ("was not found in workspace", FailureKind::NotStarted),
    ("method cannot have body", FailureKind::NotStarted),
    ("fetch failed", FailureKind::Unreachable),
    // The shell says this, each shell in its own way.
    (": not found", FailureKind::NotStarted),
];

fn meaning(error: &str) -> Option<FailureKind> {
    SAID.iter().find(|(phrase, _)| error.contains(phrase)).map(|(_, kind)| *kind)
}

fn kind_meant(error: &str) -> FailureKind {
    meaning(error).unwrap_or(FailureKind::BadExit)
}

fn check_failure(at: &str, failure: &Failure, error: &str) {
    assert_eq!(failure.kind, kind_meant(error), "{at}: {failure}");
    if meaning(error).is_none() {
        assert!(failure.message.ends_with(error), "{at}: the hook's own words: {failure}");
    } else if failure.kind == FailureKind::BadExit {
        let codes = error.split([' ', '.']).filter(|word| word.parse::<u16>().is_ok());
        for code in codes {
            assert!(failure.message.contains(code), "{at}: which code: {failure}");
        }
    }
}

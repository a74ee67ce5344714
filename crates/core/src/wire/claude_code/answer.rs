//! The answer object: what it says in general, before the event gives it its meaning.

use serde_json::{Map, Value};

use super::{is_exact, specific};
use crate::decision::Decision;
use crate::event::Event;
use crate::hook::Hook;
use crate::verdict::{Remark, Stop, Verdict};

/// Why an object is not an answer.
#[derive(Debug)]
pub(super) struct Bad(pub(super) String);

/// An object that was read.
#[derive(Debug)]
pub(super) struct Answer(Verdict);

/// The fields that every event knows.
const FIELDS: [&str; 8] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "terminalSequence",
    "hookSpecificOutput",
];

/// Whether an answer seems to stand in a text, among other things.
pub(super) fn stands_in(text: &str) -> bool {
    let braced = text.find('{').and_then(|at| text.get(at..)).unwrap_or_default();
    FIELDS.iter().any(|field| *field != "reason" && braced.contains(&format!("\"{field}\"")))
}

impl Answer {
    /// Reads an object. What the original would not accept is an error.
    pub(super) fn read(
        hook: &Hook,
        event: &Event,
        object: Map<String, Value>,
    ) -> Result<Self, Bad> {
        let mut verdict = Verdict::default();
        general(hook, event, &object, &mut verdict)?;
        match object.get("hookSpecificOutput") {
            Some(Value::Object(inner)) => specific::read(hook, event, inner, &mut verdict)?,
            Some(Value::Null) | None => (),
            Some(_) => return Err(Bad("`hookSpecificOutput` is not an object".to_owned())),
        }
        misplaced(hook, &object, &mut verdict);
        verdict.answer = Some(Value::Object(object));
        Ok(Self(verdict))
    }

    pub(super) fn verdict(self) -> Verdict {
        self.0
    }
}

fn general(
    hook: &Hook,
    event: &Event,
    object: &Map<String, Value>,
    verdict: &mut Verdict,
) -> Result<(), Bad> {
    let reason = text(object, "reason")?;
    match text(object, "decision")?.as_deref() {
        None => (),
        Some("approve") => verdict.decision = Decision::Allow,
        Some("block") => *verdict = specific::block(event, reason, hook),
        // A slip in a refusal is a refusal.
        Some(word) if !is_exact(hook) && refuses(word) => {
            *verdict = specific::block(event, reason, hook);
            let text = format!("`decision` is `{word}`; the original knows `block` only");
            verdict.remarks.push(Remark { code: "compat", text });
        }
        Some(word) => return Err(Bad(format!("`decision` is `{word}`, not `approve` or `block`"))),
    }
    if flag(object, "continue")? == Some(false) {
        verdict.stop = Some(Stop { reason: text(object, "stopReason")? });
    }
    verdict.hide_output = flag(object, "suppressOutput")?.unwrap_or_default();
    let message = text(object, "systemMessage")?.filter(|it| !it.is_empty());
    verdict.messages.extend(message);
    if text(object, "terminalSequence")?.is_some() {
        let text = "its `terminalSequence` is not passed on".to_owned();
        verdict.remarks.push(Remark { code: "not_passed_on", text });
    }
    for key in object.keys().filter(|it| !FIELDS.contains(&it.as_str())) {
        let text = format!("its answer has the field `{key}`, which means nothing here");
        verdict.remarks.push(Remark { code: "unknown_field", text });
    }
    Ok(())
}

fn refuses(word: &str) -> bool {
    ["block", "deny"].iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// A permission beside `hookSpecificOutput` is read by nobody; a refusal there still counts in safe.
fn misplaced(hook: &Hook, object: &Map<String, Value>, verdict: &mut Verdict) {
    let Some(word) = object.get("permissionDecision").and_then(Value::as_str) else { return };
    let decision = match word.to_ascii_lowercase().as_str() {
        "deny" => Decision::Deny,
        "ask" | "defer" => Decision::Ask,
        _ => return,
    };
    if is_exact(hook) || verdict.decision >= decision {
        return;
    }
    let reason = object.get("permissionDecisionReason").and_then(Value::as_str);
    verdict.decision = decision;
    verdict.reason = reason.map(str::to_owned).or_else(|| verdict.reason.take());
    let text = "its refusal stands outside `hookSpecificOutput`, where the original does not look";
    verdict.remarks.push(Remark { code: "compat", text: text.to_owned() });
}

pub(super) fn flag(object: &Map<String, Value>, key: &str) -> Result<Option<bool>, Bad> {
    match object.get(key) {
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(Value::Null) | None => Ok(None),
        Some(other) => Err(Bad(format!("`{key}` is {other}, not true or false"))),
    }
}

pub(super) fn text(object: &Map<String, Value>, key: &str) -> Result<Option<String>, Bad> {
    match object.get(key) {
        Some(Value::String(value)) => Ok(Some(value.clone())),
        Some(Value::Null) | None => Ok(None),
        Some(other) => Err(Bad(format!("`{key}` is {other}, not text"))),
    }
}

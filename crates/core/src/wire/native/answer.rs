//! Our own answer object: what it says, and what that means.

use serde_json::{Map, Value};

use crate::decision::Decision;
use crate::event::Event;
use crate::hook::Hook;
use crate::patch::{Change, Patch, Scope};
use crate::verdict::{Remark, Stop, Verdict};

/// What a hook answered, with types and words checked.
#[derive(Debug)]
pub(super) struct Answer(Verdict);

const FIELDS: [&str; 8] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "ok",
    "hookSpecificOutput",
];
const SPECIFIC: [&str; 6] = [
    "hookEventName",
    "additionalContext",
    "patch",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
];

impl Answer {
    /// Reads an answer; anything in it that is not as it should be is an error.
    pub(super) fn read(value: Value, hook: &Hook, event: &Event) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Err("the answer is not an object".to_owned());
        };
        let mut verdict = Verdict::default();
        let reading = Fields { object: &object };
        let (words, reason) = (reading.text("decision")?, reading.text("reason")?);
        let decisions = [
            words.as_deref().map(decision).transpose()?,
            // A yes is no objection, and nothing more.
            reading.flag("ok")?.map(|ok| if ok { Decision::Pass } else { Decision::Deny }),
        ];
        verdict.reason = reason;
        if reading.flag("continue")? == Some(false) {
            let reason = reading.text("stopReason")?.or_else(|| verdict.reason.clone());
            verdict.stop = Some(Stop { reason });
        } else {
            reading.text("stopReason")?;
        }
        verdict.hide_output = reading.flag("suppressOutput")? == Some(true);
        verdict.messages.extend(reading.text("systemMessage")?.filter(|it| !it.is_empty()));
        let mut said: Vec<Decision> = decisions.into_iter().flatten().collect();
        reading.unknown(&FIELDS, &mut verdict);
        if let Some(specific) = reading.object("hookSpecificOutput")? {
            said.extend(read_specific(&Fields { object: specific }, hook, event, &mut verdict)?);
        }
        verdict.decision = said.iter().copied().max().unwrap_or_default();
        if said.iter().any(|it| *it != verdict.decision) {
            let text = "its answer says two things; the stronger counts".to_owned();
            verdict.remarks.push(Remark { code: "conflict", text });
        }
        verdict.answer = Some(Value::Object(object.clone()));
        Ok(Self(verdict))
    }

    /// What the answer means; who may not grant anything has said nothing by allowing.
    pub(super) fn verdict(self, grants: bool) -> Verdict {
        let mut verdict = self.0;
        if verdict.decision == Decision::Allow && !grants {
            verdict.decision = Decision::Pass;
            let text = "a model may object and cannot grant: its yes counts as no objection";
            verdict.remarks.push(Remark { code: "no_grant", text: text.to_owned() });
        }
        verdict
    }
}

fn read_specific(
    reading: &Fields<'_>,
    hook: &Hook,
    event: &Event,
    verdict: &mut Verdict,
) -> Result<Option<Decision>, String> {
    if let Some(name) = reading.text("hookEventName")?
        && event.kind().name_in(hook.spec().dialect) != Some(&*name)
        && crate::event::EventKind::named(&name).as_ref() != Some(event.kind())
    {
        return Err(format!("the answer speaks of `{name}`, not of `{}`", event.kind().name()));
    }
    verdict.context.extend(reading.text("additionalContext")?.filter(|it| !it.is_empty()));
    for (key, value) in reading.object("patch")?.into_iter().flatten() {
        if let Some(scope) = Scope::named(key) {
            add_patch(scope, value, event, verdict)?;
        } else {
            let text = format!("its patch of `{key}` means nothing here");
            verdict.remarks.push(Remark { code: "unknown_field", text });
        }
    }
    if let Some(input) = reading.object("updatedInput")? {
        add_patch(Scope::ToolInput, &Value::Object(input.clone()), event, verdict)?;
    }
    if let Some(reason) = reading.text("permissionDecisionReason")? {
        verdict.reason.get_or_insert(reason);
    }
    reading.unknown(&SPECIFIC, verdict);
    reading.text("permissionDecision")?.as_deref().map(decision).transpose()
}

/// Adds a rewrite, unless it is one that no tool could be called with.
fn add_patch(
    scope: Scope,
    value: &Value,
    event: &Event,
    verdict: &mut Verdict,
) -> Result<(), String> {
    if scope == Scope::ToolInput {
        if value.as_object().is_some_and(Map::is_empty)
            && event.field("tool_input").and_then(Value::as_object).is_some_and(|it| !it.is_empty())
        {
            return Err("the rewritten tool input is empty".to_owned());
        }
        if holds_nul(value) {
            return Err("the rewritten tool input holds a NUL character".to_owned());
        }
    }
    verdict.patches.push(Patch { scope, change: Change::Merge(value.clone()) });
    Ok(())
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(entries) => {
            entries.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn decision(word: &str) -> Result<Decision, String> {
    match word {
        "block" | "deny" => Ok(Decision::Deny),
        "ask" | "defer" => Ok(Decision::Ask),
        "approve" | "allow" => Ok(Decision::Allow),
        other => Err(format!("`{other}` is not a decision: one of `allow`, `ask` and `deny`")),
    }
}

/// The fields of one object, each of which has one type.
struct Fields<'o> {
    object: &'o Map<String, Value>,
}

impl<'o> Fields<'o> {
    fn text(&self, key: &str) -> Result<Option<String>, String> {
        match self.object.get(key) {
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Null) | None => Ok(None),
            Some(other) => Err(format!("`{key}` is {other}, not text")),
        }
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, String> {
        match self.object.get(key) {
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::Null) | None => Ok(None),
            Some(other) => Err(format!("`{key}` is {other}, not true or false")),
        }
    }

    fn object(&self, key: &str) -> Result<Option<&'o Map<String, Value>>, String> {
        match self.object.get(key) {
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(Value::Null) | None => Ok(None),
            Some(_) => Err(format!("`{key}` is not an object")),
        }
    }

    fn unknown(&self, known: &[&str], verdict: &mut Verdict) {
        for key in self.object.keys().filter(|key| !known.contains(&key.as_str())) {
            let text = format!("its answer has the field `{key}`, which means nothing here");
            verdict.remarks.push(Remark { code: "unknown_field", text });
        }
    }
}

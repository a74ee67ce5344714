//! The object that a hook may print on exit 0, as the program takes it and as it is meant.

use serde_json::{Map, Value};

use super::super::objection::Objection;
use super::super::python;
use crate::decision::Decision;
use crate::event::{Event, EventKind};
use crate::patch::{Change, Patch, Scope};
use crate::verdict::{Remark, Verdict};

const FIELDS: [&str; 3] = ["updatedInput", "additionalContext", "permissionDecision"];

const COUNTS: &str = "its `permissionDecision` counts; the original ignores it";

/// What the program makes of a hook's output: what it does not understand is nothing.
pub(super) fn loose(event: &Event, output: &str) -> Verdict {
    let Ok(Value::Object(object)) = serde_json::from_str(output) else {
        return Verdict::default();
    };
    let mut verdict = Verdict::default();
    if let Some(input) = object.get("updatedInput").filter(|_| event.is_about_a_tool()) {
        verdict.patches.push(rewrite(input));
    }
    verdict.context.extend(object.get("additionalContext").map(python::text));
    if object.contains_key("permissionDecision") {
        let text = "its `permissionDecision` is ignored, as in the original";
        verdict.remarks.push(Remark { code: "compat", text: text.to_owned() });
    }
    verdict.answer = Some(Value::Object(object));
    verdict
}

/// What the object means. A wrong type is an error, unless the hook refuses all the same.
pub(super) fn strict(event: &Event, object: Map<String, Value>) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    let mut wrong = Vec::new();
    for (key, value) in &object {
        let known = match (key.as_str(), value) {
            (_, Value::Null) => Ok(()),
            ("permissionDecision", value) => decide(event, value, &mut verdict),
            ("updatedInput", Value::Object(_)) => {
                verdict.patches.push(rewrite(value));
                let text = "its `updatedInput` reaches the tool; the original's loop drops it";
                verdict.remarks.push(compat(text));
                Ok(())
            }
            ("updatedInput", other) => Err(format!("`updatedInput` is {other}, not an object")),
            ("additionalContext", Value::String(text)) => {
                verdict.context.extend(Some(text.clone()).filter(|it| !it.is_empty()));
                Ok(())
            }
            ("additionalContext", other) => {
                Err(format!("`additionalContext` is {other}, not text"))
            }
            (other, _) => {
                verdict.remarks.push(unknown(other));
                Ok(())
            }
        };
        wrong.extend(known.err());
    }
    if !wrong.is_empty() && !verdict.objects() {
        return Err(wrong.join("; "));
    }
    verdict.remarks.extend(wrong.into_iter().map(|text| Remark { code: "bad_output", text }));
    verdict.answer = Some(Value::Object(object));
    Ok(verdict)
}

/// The verdict of a hook of whose answer only the refusal can be used.
pub(super) fn refusal(found: &Objection) -> Verdict {
    let decision = if found.blocks { Decision::Deny } else { Decision::Ask };
    Verdict { decision, remarks: vec![compat(COUNTS)], ..Verdict::default() }
}

/// Whether a decision means something: before a tool runs only.
pub(super) fn decides(event: &Event) -> bool {
    *event.kind() == EventKind::PreToolUse
}

fn decide(event: &Event, value: &Value, verdict: &mut Verdict) -> Result<(), String> {
    let decisions = [Decision::Allow, Decision::Ask, Decision::Deny];
    let named = decisions.into_iter().find(|it| Some(it.name()) == value.as_str());
    let Some(decision) = named else {
        return Err(format!("`permissionDecision` is {value}, not \"allow\", \"ask\" or \"deny\""));
    };
    if decides(event) {
        verdict.decision = decision;
        verdict.remarks.push(compat(COUNTS));
    } else {
        let text =
            "its `permissionDecision` is ignored: it means something before a tool runs only";
        verdict.remarks.push(compat(text));
    }
    Ok(())
}

fn rewrite(input: &Value) -> Patch {
    Patch { scope: Scope::ToolInput, change: Change::Merge(input.clone()) }
}

fn compat(text: &str) -> Remark {
    Remark { code: "compat", text: text.to_owned() }
}

fn unknown(field: &str) -> Remark {
    let known = FIELDS.map(|it| format!("`{it}`")).join(", ");
    let text = format!(
        "its answer has the field `{field}`, which means nothing here; it may have {known}"
    );
    Remark { code: "unknown_field", text }
}

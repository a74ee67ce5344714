//! The unified answer object: what it says, and what that means.

use serde_json::{Map, Value};

use super::super::objection::Objection;
use crate::decision::Decision;
use crate::event::{Event, EventKind};
use crate::hook::Hook;
use crate::patch::{Change, Patch, Scope};
use crate::profile::{OutputCodec, Profile, StopMeaning, TextsGo};
use crate::verdict::{Remark, Stop, Verdict};

/// What a hook answered, with types checked.
#[derive(Debug, Default)]
pub(super) struct Answer {
    goes_on: bool,
    stop_reason: Option<String>,
    suppress_output: bool,
    system_message: Option<String>,
    blocks: bool,
    reason: Option<String>,
    event_name: Option<String>,
    additional_context: Option<String>,
    patch: Map<String, Value>,
    remarks: Vec<Remark>,
    object: Map<String, Value>,
}

const FIELDS: [&str; 7] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
];
const SPECIFIC: [&str; 3] = ["hookEventName", "additionalContext", "patch"];

impl Answer {
    /// Reads an object; where the profile is strict, a wrong type is an error.
    pub(super) fn read(profile: &Profile, object: Map<String, Value>) -> Result<Self, String> {
        let strict = profile.output == OutputCodec::UnifiedStrict;
        let mut answer = Self { goes_on: true, ..Self::default() };
        answer.goes_on = flag(&object, "continue", strict)?.unwrap_or(true);
        let suppress = flag(&object, "suppressOutput", strict)?;
        answer.suppress_output =
            suppress.unwrap_or_else(|| object.get("suppressOutput").is_some_and(is_truthy));
        answer.stop_reason = text(&object, "stopReason", strict)?;
        answer.system_message = text(&object, "systemMessage", strict)?;
        answer.reason = text(&object, "reason", strict)?;
        let decision = text(&object, "decision", strict)?;
        answer.blocks = decision.as_deref() == Some("block");
        if strict && let Some(other) = decision.filter(|it| it != "block") {
            return Err(format!("`decision` is `{other}`; the only one there is is `block`"));
        }
        match object.get("hookSpecificOutput") {
            Some(Value::Object(specific)) => answer.read_specific(specific, strict)?,
            Some(Value::Null) | None => (),
            Some(_) if strict => return Err("`hookSpecificOutput` is not an object".to_owned()),
            Some(_) => (),
        }
        answer.remark_unknown(&object, &FIELDS);
        answer.object = object;
        Ok(answer)
    }

    fn read_specific(&mut self, specific: &Map<String, Value>, strict: bool) -> Result<(), String> {
        self.event_name = text(specific, "hookEventName", strict)?;
        self.additional_context = text(specific, "additionalContext", strict)?;
        match specific.get("patch") {
            Some(Value::Object(patch)) => self.patch.clone_from(patch),
            Some(Value::Null) | None => (),
            Some(_) if strict => return Err("`patch` is not an object".to_owned()),
            Some(_) => (),
        }
        self.remark_unknown(specific, &SPECIFIC);
        Ok(())
    }

    fn remark_unknown(&mut self, object: &Map<String, Value>, known: &[&str]) {
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            self.remark(
                "unknown_field",
                format!("its answer has the field `{key}`, which means nothing here"),
            );
        }
    }

    fn remark(&mut self, code: &'static str, text: String) {
        self.remarks.push(Remark { code, text });
    }

    /// What the answer means for this event, by the rules of the hook's dialect.
    pub(super) fn verdict(mut self, hook: &Hook, event: &Event) -> Verdict {
        let profile = hook.profile();
        let name = event.kind().name_in(hook.spec().dialect).unwrap_or_default();
        if let Some(other) = self.event_name.take().filter(|it| it != name) {
            self.remark(
                "event_mismatch",
                format!("its answer speaks of `{other}`; it was asked about `{name}`"),
            );
        }
        let mut verdict = match profile.stop {
            StopMeaning::Blocks => self.block_or_pass(),
            StopMeaning::EndsRun => self.decide(),
        };
        // A block ends the matter where the original throws: nothing else of the answer counts.
        let thrown = profile.stop == StopMeaning::Blocks && verdict.decision == Decision::Deny;
        if !thrown {
            self.patches(event, &mut verdict);
            match profile.texts {
                TextsGo::ToTheirReaders => self.tell_readers(event, &mut verdict),
                TextsGo::IntoTheValue => self.write_into_value(event, &mut verdict),
            }
        }
        verdict.remarks = self.remarks;
        verdict.answer = Some(Value::Object(self.object));
        verdict
    }

    fn block_or_pass(&self) -> Verdict {
        if self.goes_on && !self.blocks {
            return Verdict::default();
        }
        let reason = self.stop_reason.clone().or_else(|| self.reason.clone());
        Verdict { decision: Decision::Deny, reason, ..Verdict::default() }
    }

    fn decide(&mut self) -> Verdict {
        let mut verdict = Verdict::default();
        if self.blocks {
            verdict.decision = Decision::Deny;
            verdict.reason = self.reason.clone().or_else(|| self.stop_reason.clone());
        }
        if !self.goes_on {
            let reason = self.stop_reason.clone().or_else(|| self.reason.clone());
            verdict.stop = Some(Stop { reason });
            self.remark(
                "compat",
                "`continue: false` ends the run; the original program only blocks".to_owned(),
            );
        }
        verdict
    }

    fn patches(&mut self, event: &Event, verdict: &mut Verdict) {
        for (key, value) in std::mem::take(&mut self.patch) {
            match Scope::named(&key) {
                Some(scope) => verdict.patches.push(Patch { scope, change: Change::Merge(value) }),
                None => {
                    self.remark(
                        "unknown_field",
                        format!("its patch of `{key}` means nothing here"),
                    );
                }
            }
        }
        // Patches of what this event has come first, so that their order is the event's.
        verdict.patches.sort_by_key(|patch| !event.kind().rewrites().contains(&patch.scope));
    }

    fn tell_readers(&mut self, event: &Event, verdict: &mut Verdict) {
        if let Some(text) = self.system_message.take().filter(|it| !it.is_empty()) {
            verdict.messages.push(text);
            self.remark(
                "compat",
                "its message goes to the person; the original shows it to the model".to_owned(),
            );
        }
        if let Some(text) = self.additional_context.take().filter(|it| !it.is_empty()) {
            verdict.context.push(text);
            if value_of(event).is_none() {
                self.remark(
                    "compat",
                    "its context reaches the model; the original ignores it here".to_owned(),
                );
            }
        }
        if self.suppress_output {
            verdict.hide_output = true;
            if *event.kind() == EventKind::PostToolUse {
                let text =
                    "`suppressOutput` hides the hook's own output; the original empties the tool's";
                self.remark("compat", text.to_owned());
            }
        }
    }

    fn write_into_value(&mut self, event: &Event, verdict: &mut Verdict) {
        if self.suppress_output && *event.kind() == EventKind::PostToolUse {
            verdict.patches.push(Patch { scope: Scope::ToolOutput, change: Change::Blank });
        }
        let texts = [self.system_message.take(), self.additional_context.take()];
        let texts: Vec<_> = texts.into_iter().flatten().filter(|it| !it.is_empty()).collect();
        match value_of(event) {
            _ if texts.is_empty() => (),
            Some(scope) => verdict.patches.push(Patch { scope, change: Change::Annotate(texts) }),
            None => {
                self.remark("compat", "its texts are ignored here, as in the original".to_owned());
            }
        }
    }
}

/// What a refusal means whose company could not be read.
pub(super) fn refusal(hook: &Hook, event: &Event, found: Objection) -> Verdict {
    let Objection { blocks, asks: _, stops, reason, stop_reason } = found;
    let answer = Answer { goes_on: !stops, blocks, reason, stop_reason, ..Answer::default() };
    Verdict { answer: None, ..answer.verdict(hook, event) }
}

/// The value into which the original writes a hook's texts.
fn value_of(event: &Event) -> Option<Scope> {
    match event.kind() {
        EventKind::PreToolUse => None,
        kind => kind.rewrites().first().copied(),
    }
}

fn flag(object: &Map<String, Value>, key: &str, strict: bool) -> Result<Option<bool>, String> {
    match object.get(key) {
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(Value::Null) | None => Ok(None),
        Some(other) if strict => Err(format!("`{key}` is {other}, not true or false")),
        Some(_) => Ok(None),
    }
}

/// What JavaScript takes for true: the original asks no more of this one flag.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

fn text(object: &Map<String, Value>, key: &str, strict: bool) -> Result<Option<String>, String> {
    match object.get(key) {
        Some(Value::String(value)) => Ok(Some(value.clone())),
        Some(Value::Null) | None => Ok(None),
        Some(other) if strict => Err(format!("`{key}` is {other}, not text")),
        Some(_) => Ok(None),
    }
}

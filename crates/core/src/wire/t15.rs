//! Seed 000 as it is written: the payload on standard input, `{...}` in commands and prompts.

use serde_json::{Map, Value};

use super::openharness::{MAX_TEXT, answered, ended, judge, late, system};
use super::{Envelope, Question, Wire, sealed};
use crate::event::Event;
use crate::hook::{Handler, Hook, Text, weave};
use crate::reply::{Exit, Reply};
use crate::verdict::{Failure, FailureKind, Verdict};

/// The placeholders, each with the variable through which its value reaches a command.
const PLACEHOLDERS: [(&str, &str); 4] = [
    ("{tool_name}", "T15_TOOL_NAME"),
    ("{args}", "T15_ARGS"),
    ("{file}", "T15_FILE"),
    ("{result}", "T15_RESULT"),
];

/// The grammar of seed 000.
#[derive(Debug)]
pub(super) struct T15;

impl sealed::Sealed for T15 {}

impl Wire for T15 {
    fn envelope(&self, hook: &Hook, event: &Event) -> Envelope {
        let dialect = hook.spec().dialect;
        let mut payload = Map::new();
        let name = event.kind().name_in(dialect).unwrap_or_default();
        payload.insert("event".to_owned(), name.into());
        for (field, value) in event.fields() {
            payload.entry(field.clone()).or_insert_with(|| value.clone());
        }
        let text = text_of(hook);
        let used = PLACEHOLDERS.iter().filter(|(placeholder, _)| text.contains(placeholder));
        let short = |value: &String| value.len() < MAX_TEXT;
        let variables = used
            .filter_map(|(placeholder, variable)| {
                Some(((*variable).to_owned(), value(placeholder, event).filter(short)?))
            })
            .collect();
        let body = Value::Object(payload).to_string().into_bytes();
        Envelope { body, variables, spills: Vec::new() }
    }

    fn command(&self, _: &Hook, event: &Event, command: &str) -> Result<String, Failure> {
        for (placeholder, variable) in PLACEHOLDERS.iter().filter(|it| wants(command, it.0)) {
            let Some(value) = value(placeholder, event) else { return Err(missing(placeholder)) };
            if value.len() + variable.len() + 1 > MAX_TEXT {
                let message = format!(
                    "the value of `{placeholder}` is too long for a command; the payload on standard input has it"
                );
                return Err(Failure::new(FailureKind::NotStarted, message));
            }
        }
        let wanted = |rest: &str| {
            let row = PLACEHOLDERS.iter().find(|row| rest.starts_with(row.0))?;
            Some((row.0.len(), row.1))
        };
        Ok(weave(command, wanted).text)
    }

    fn question(&self, hook: &Hook, event: &Event, text: &str, _: &Envelope) -> Question {
        // A question with a hole in it is not asked; the verdict says why.
        let task = filled(text, event).unwrap_or_default();
        Question { system: Some(system(hook)), task, input: String::new() }
    }

    fn verdict(&self, hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
        match reply {
            Reply::Exited { end: Exit::Code(0), .. } | Reply::ConditionFalse { .. } => {
                Ok(Verdict::default())
            }
            Reply::Exited { end, stdout, .. } => Err(ended(*end).saying(stdout.text().trim_end())),
            Reply::Http { .. } => answered(event, reply),
            Reply::Text { text, .. } => judge(hook, event, text),
            Reply::NotAsked => Err(filled(&text_of(hook), event).err().unwrap_or_else(|| {
                Failure::new(FailureKind::NotStarted, "there is nothing to ask: the text is empty")
            })),
            Reply::InProcess(verdict) => Ok(Verdict::clone(verdict)),
            Reply::TimedOut { limit, stdout, .. } => {
                Err(late(*limit).saying(stdout.text().trim_end()))
            }
            Reply::CutOff { failure, .. } | Reply::Failed(failure) => Err(failure.clone()),
        }
    }
}

/// The text of a hook in which placeholders may stand.
fn text_of(hook: &Hook) -> String {
    match &hook.spec().handler {
        Handler::Command { command, .. } => command.clone(),
        Handler::Prompt { prompt: Text::Inline(text), .. }
        | Handler::Agent { task: Text::Inline(text), .. } => text.clone(),
        Handler::Prompt { .. }
        | Handler::Agent { .. }
        | Handler::Http { .. }
        | Handler::McpTool { .. }
        | Handler::InProcess(_) => String::new(),
    }
}

/// Whether a command wants this value; `${file}` is the shell's own.
fn wants(command: &str, placeholder: &str) -> bool {
    let marked = weave(command, |rest| rest.starts_with(placeholder).then_some((1, "")));
    marked.text != weave(command, |_| None).text
}

/// A question with its values in place, or why there is none.
fn filled(text: &str, event: &Event) -> Result<String, Failure> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        filled.push_str(before);
        let row = PLACEHOLDERS.iter().find(|row| tail.starts_with(row.0));
        if let Some((placeholder, _)) = row {
            filled.push_str(&value(placeholder, event).ok_or_else(|| missing(placeholder))?);
        } else {
            filled.push('{');
        }
        let length = row.map_or(1, |(placeholder, _)| placeholder.len());
        rest = tail.get(length..).unwrap_or_default();
    }
    Ok(filled + rest)
}

fn missing(placeholder: &str) -> Failure {
    let message = format!("the event has no value for `{placeholder}`");
    Failure::new(FailureKind::NotStarted, message)
}

/// The value of a placeholder, as text.
fn value(placeholder: &str, event: &Event) -> Option<String> {
    let input = event.field("tool_input");
    let value = match placeholder {
        "{tool_name}" => event.field("tool_name"),
        "{args}" => input,
        "{file}" => input.and_then(|it| it.get("file_path").or_else(|| it.get("path"))),
        "{result}" => event.field("tool_output"),
        _ => None,
    };
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

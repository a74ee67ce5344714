//! HKUDS/OpenHarness: the event in variables and `$ARGUMENTS`, the answer in the exit code.

mod model;

use serde_json::{Map, Value, json};

use super::{Envelope, Question, Wire, python, sealed};
use crate::event::{Event, EventKind};
use crate::hook::{Handler, Hook, weave};
use crate::reply::{Captured, Exit, Reply};
use crate::verdict::{Failure, FailureKind, Reach, Remark, Verdict};

pub(super) use self::model::{judge, system};

const PLACEHOLDER: &str = "$ARGUMENTS";
const EVENT: &str = "OPENHARNESS_HOOK_EVENT";
const PAYLOAD: &str = "OPENHARNESS_HOOK_PAYLOAD";
/// Where the payload lies when it is too long for a variable; never in the original.
const PAYLOAD_FILE: &str = "OPENHARNESS_HOOK_PAYLOAD_FILE";
/// The longest text that the kernel hands to a process as one argument or variable.
pub(super) const MAX_TEXT: usize = 128 * 1024 - 1;

/// What the original tells at each event, in its order.
const FIELDS: [(EventKind, &[&str]); 10] = [
    (EventKind::SessionStart, &["cwd", "event"]),
    (EventKind::SessionEnd, &["cwd", "event"]),
    (EventKind::UserPromptSubmit, &["event", "prompt"]),
    (EventKind::PreToolUse, &["tool_name", "tool_input", "event"]),
    (EventKind::PostToolUse, &["tool_name", "tool_input", "tool_output", "tool_is_error", "event"]),
    (EventKind::Notification, &["event", "notification_type", "tool_name", "reason"]),
    (EventKind::Stop, &["event", "stop_reason"]),
    (
        EventKind::SubagentStop,
        &[
            "event",
            "agent_id",
            "task_id",
            "backend_type",
            "status",
            "return_code",
            "description",
            "subagent_type",
            "team",
            "mode",
        ],
    ),
    (
        EventKind::PreCompact,
        &[
            "event",
            "trigger",
            "model",
            "message_count",
            "token_count",
            "preserve_recent",
            "attachments",
            "discovered_tools",
        ],
    ),
    (
        EventKind::PostCompact,
        &[
            "event",
            "trigger",
            "model",
            "pre_compact_message_count",
            "post_compact_message_count",
            "pre_compact_tokens",
            "post_compact_tokens",
            "attachments",
            "discovered_tools",
        ],
    ),
];

/// What every event of ours carries, and no payload of the original's.
const OURS: [&str; 5] = ["cwd", "run_id", "session_id", "workspace_id", "hook_event_name"];

/// The grammar of `OpenHarness`.
#[derive(Debug)]
pub(super) struct OpenHarness;

impl sealed::Sealed for OpenHarness {}

impl Wire for OpenHarness {
    fn envelope(&self, hook: &Hook, event: &Event) -> Envelope {
        let payload = Value::Object(payload(hook, event));
        let name = event.kind().name_in(hook.spec().dialect).unwrap_or_default();
        let body = json!({ "event": name, "payload": payload }).to_string().into_bytes();
        let text = python::ascii_json(&payload);
        let mut variables = vec![(EVENT.to_owned(), name.to_owned())];
        let mut spills = Vec::new();
        if spills_over(hook, &text) {
            spills.push((PAYLOAD_FILE.to_owned(), text.into_bytes()));
        } else {
            variables.push((PAYLOAD.to_owned(), text));
        }
        Envelope { body, variables, spills }
    }

    fn command(&self, hook: &Hook, event: &Event, command: &str) -> Result<String, Failure> {
        let text = python::ascii_json(&Value::Object(payload(hook, event)));
        if !splices(hook) && spills_over(hook, &text) {
            // A variable of the shell alone has no bound, so the command works as it is written.
            let load = format!("{PAYLOAD}=$(cat \"${PAYLOAD_FILE}\")\n");
            return Ok(load + &referring(command));
        }
        Ok(if splices(hook) { spliced(command, &text) } else { referring(command) })
    }

    fn question(&self, hook: &Hook, event: &Event, text: &str, _: &Envelope) -> Question {
        let payload = python::ascii_json(&Value::Object(payload(hook, event)));
        let task = text.replace(PLACEHOLDER, &payload);
        Question { system: Some(system(hook)), task, input: String::new() }
    }

    fn verdict(&self, hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
        let remarks = differences(hook, event);
        match verdict(hook, event, reply) {
            Ok(mut verdict) => {
                verdict.remarks.extend(remarks);
                Ok(verdict)
            }
            Err(failure) => {
                let told = remarks.iter().map(|it| format!("; {}", it.text));
                let message = told.fold(failure.message, |message, it| message + &it);
                Err(Failure { message, ..failure })
            }
        }
    }
}

/// The payload of an event as the original would have it.
fn payload(hook: &Hook, event: &Event) -> Map<String, Value> {
    let dialect = hook.spec().dialect;
    let name = || Value::from(event.kind().name_in(dialect).unwrap_or_default());
    let mut payload = Map::new();
    for field in fields(event.kind()) {
        let value = match *field {
            "event" => Some(event.field("event").cloned().unwrap_or_else(name)),
            other => event.field(other).cloned(),
        };
        payload.extend(value.map(|value| ((*field).to_owned(), value)));
    }
    if splices(hook) {
        payload.extend(others(event).map(|(name, value)| (name.clone(), value.clone())));
    }
    payload
}

fn fields(kind: &EventKind) -> &'static [&'static str] {
    FIELDS.iter().find(|row| row.0 == *kind).map_or(&["event"], |row| row.1)
}

/// What a host says at a compaction beyond what is documented: the original passes all of it on.
fn others(event: &Event) -> impl Iterator<Item = (&String, &Value)> {
    let compacts = matches!(event.kind(), EventKind::PreCompact | EventKind::PostCompact);
    let known = fields(event.kind());
    event.fields().iter().filter(move |(name, _)| {
        compacts && !known.contains(&name.as_str()) && !OURS.contains(&name.as_str())
    })
}

/// Whether values are put into command and payload as the original does it, mishaps included.
fn splices(hook: &Hook) -> bool {
    hook.profile().splices_values
}

/// The original's way: the text itself, quoted for a place outside of quotes.
pub(super) fn spliced(command: &str, payload: &str) -> String {
    command.replace(PLACEHOLDER, &python::shell_word(payload))
}

/// Our way: a reference, so that the payload is never read as shell.
fn referring(command: &str) -> String {
    weave(command, |rest| rest.starts_with(PLACEHOLDER).then_some((PLACEHOLDER.len(), PAYLOAD)))
        .text
}

fn spills_over(hook: &Hook, payload: &str) -> bool {
    let runs = matches!(hook.spec().handler, Handler::Command { .. });
    runs && !splices(hook) && payload.len() + PAYLOAD.len() + 1 > MAX_TEXT
}

/// In what this run differs from one of the original's.
fn differences(hook: &Hook, event: &Event) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if splices(hook) {
        return remarks;
    }
    let mut remark = |text: String| remarks.push(Remark { code: "compat", text });
    let text = python::ascii_json(&Value::Object(payload(hook, event)));
    if spills_over(hook, &text) {
        remark(format!(
            "the payload is too long for a variable and lies in `${PAYLOAD_FILE}`; the original fails"
        ));
    }
    if others(event).next().is_some() {
        let text =
            "it is told what is documented; the original passes on everything the host keeps";
        remark(text.to_owned());
    }
    remarks
}

fn verdict(hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
    match reply {
        Reply::Exited { end: Exit::Code(0), stdout, stderr } => {
            Ok(succeeded(event, &output(stdout, stderr)))
        }
        Reply::Exited { end, stdout, stderr } => Err(ended(*end).saying(output(stdout, stderr))),
        Reply::Http { .. } => answered(event, reply),
        Reply::Text { text, .. } => judge(hook, event, text),
        Reply::NotAsked => {
            Err(Failure::new(FailureKind::NotStarted, "there is nothing to ask: the text is empty"))
        }
        Reply::InProcess(verdict) => Ok(Verdict::clone(verdict)),
        Reply::TimedOut { limit, .. } => Err(late(*limit)),
        Reply::ConditionFalse { .. } => Ok(Verdict::default()),
        Reply::CutOff { failure, .. } | Reply::Failed(failure) => {
            Err(escaped(hook, event, failure.clone()))
        }
    }
}

/// How a process ended that did not end well.
pub(super) fn ended(end: Exit) -> Failure {
    match end {
        Exit::Code(code) => Failure::new(FailureKind::BadExit, format!("exited with code {code}")),
        Exit::Signal(signal) => {
            Failure::new(FailureKind::Signalled, format!("ended by signal {signal}"))
        }
    }
}

pub(super) fn late(limit: std::time::Duration) -> Failure {
    Failure::new(FailureKind::TimedOut, format!("no answer within {} s", limit.as_secs()))
}

/// What an HTTP exchange means: the status decides, and the body is only told.
pub(super) fn answered(event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
    match reply {
        Reply::Http { status: 200..=299, body, .. } => Ok(succeeded(event, &body.text())),
        Reply::Http { status, body, .. } => {
            let message = format!("the server answered with status {status}");
            Err(Failure::new(FailureKind::BadExit, message).saying(body.text()))
        }
        _ => Ok(Verdict::default()),
    }
}

/// What a hook printed is told to the model after a compaction, and nowhere else.
fn succeeded(event: &Event, output: &str) -> Verdict {
    let told = *event.kind() == EventKind::PostCompact && !output.is_empty();
    Verdict { context: told.then(|| output.to_owned()).into_iter().collect(), ..Verdict::default() }
}

/// What the original does not catch ends the call, or the run, whatever the hook says.
fn escaped(hook: &Hook, event: &Event, failure: Failure) -> Failure {
    let caught = matches!(hook.spec().handler, Handler::Http { .. });
    match event.block_in(hook.spec().dialect) {
        _ if caught || !hook.profile().exceptions_escape => failure,
        Some(_) => Failure { reach: Reach::Event, ..failure },
        None => Failure { reach: Reach::Run, ..failure },
    }
}

/// Both streams, each without the space around it.
fn output(stdout: &Captured, stderr: &Captured) -> String {
    let (out, err) = (stdout.text(), stderr.text());
    let parts = [out.trim(), err.trim()].into_iter().filter(|it| !it.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{python, referring, spliced};
    use serde_json::Value;

    const GOLDEN: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/openharness/golden.json"
    ));

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        template: String,
        payload: Value,
        shell_escape: bool,
        result: String,
    }

    #[test]
    fn every_recorded_placeholder_is_filled_in_as_it_was() {
        let golden: Value = serde_json::from_str(GOLDEN).unwrap();
        let rows: Vec<Row> = serde_json::from_value(golden["inject_arguments"].clone()).unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            let payload = python::ascii_json(&row.payload);
            let found = if row.shell_escape {
                spliced(&row.template, &payload)
            } else {
                row.template.replace(super::PLACEHOLDER, &payload)
            };
            assert_eq!(found, row.result, "{}", row.template);
        }
    }

    #[test]
    fn in_safe_the_payload_is_never_part_of_the_command() {
        assert_eq!(referring("a $ARGUMENTS"), "a \"${OPENHARNESS_HOOK_PAYLOAD}\"");
        assert_eq!(referring("a $ARGUMENTS_X"), "a \"${OPENHARNESS_HOOK_PAYLOAD}\"_X");
        assert_eq!(referring("a \"$ARGUMENTS\""), "a \"${OPENHARNESS_HOOK_PAYLOAD}\"");
        assert_eq!(referring("a ${ARGUMENTS}"), "a ${ARGUMENTS}");
    }
}

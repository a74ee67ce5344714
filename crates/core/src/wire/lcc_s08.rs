//! learn-claude-code's file hooks: the event in variables, the answer in the exit code,
//! and on exit 0 in a small object.

mod answer;

use super::objection::{self, Sign, Signs};
use super::unified::{ended, first_lines, seconds};
use super::{Envelope, Question, Wire, python, sealed};
use crate::event::{Event, EventKind};
use crate::hook::Hook;
use crate::profile::{ExitMeaning, OutputCodec, WithoutSubject};
use crate::reply::{Captured, Exit, Reply};
use crate::verdict::{Failure, FailureKind, Remark, Verdict};

/// The fields that refuse.
const SIGNS: Signs = &[
    (r#""permissionDecision""#, Some(r#""deny""#), Sign::Blocks),
    (r#""permissionDecision""#, Some(r#""ask""#), Sign::Asks),
];

/// How many characters of a value a variable holds.
const MAX_VARIABLE: usize = 10_000;

/// The grammar of learn-claude-code's file hooks.
#[derive(Debug)]
pub(super) struct LccS08;

impl sealed::Sealed for LccS08 {}

impl Wire for LccS08 {
    fn envelope(&self, hook: &Hook, event: &Event) -> Envelope {
        let mut envelope = Envelope::default();
        for (name, value) in variables(hook, event) {
            let mut held: String = value.chars().take(MAX_VARIABLE).collect();
            if hook.profile().fit_variables {
                held = held.replace('\0', "\u{fffd}");
                if held.len() < value.len() {
                    envelope.spills.push((format!("{name}_FILE"), value.into_bytes()));
                }
            }
            envelope.variables.push((name.to_owned(), held));
        }
        envelope
    }

    fn question(&self, _hook: &Hook, _event: &Event, text: &str, _: &Envelope) -> Question {
        Question { task: text.to_owned(), ..Question::default() }
    }

    fn verdict(&self, hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
        let mut verdict = judge(hook, event, reply)?;
        verdict.remarks.extend(differences(hook, event));
        Ok(verdict)
    }
}

/// Every variable with its whole value.
fn variables(hook: &Hook, event: &Event) -> Vec<(&'static str, String)> {
    let profile = hook.profile();
    // The program sets none where it is given nothing about a tool.
    if profile.without_subject == WithoutSubject::EmptyName && !event.is_about_a_tool() {
        return Vec::new();
    }
    let name = event.kind().name_in(hook.spec().dialect).unwrap_or(event.kind().name());
    let input = event.field("tool_input").map_or_else(|| "{}".to_owned(), python::json);
    let mut variables = vec![
        ("HOOK_EVENT", name.to_owned()),
        ("HOOK_TOOL_NAME", event.text("tool_name").unwrap_or_default().to_owned()),
        ("HOOK_TOOL_INPUT", input),
    ];
    if let Some(output) = event.field("tool_output") {
        // Tools of the original return text; of anything else a hook can make more as JSON.
        let shown = match output.as_str() {
            Some(text) => text.to_owned(),
            None if profile.fit_variables => python::json(output),
            None => python::text(output),
        };
        variables.push(("HOOK_TOOL_OUTPUT", shown));
    }
    variables
}

/// Where the hook was treated otherwise than by the original, whatever it answered.
fn differences(hook: &Hook, event: &Event) -> Vec<Remark> {
    let profile = hook.profile();
    let mut remarks = Vec::new();
    if profile.fit_variables {
        let long = variables(hook, event).into_iter();
        for (name, _) in long.filter(|it| it.1.chars().nth(MAX_VARIABLE).is_some()) {
            let text = format!(
                "`{name}` holds the first {MAX_VARIABLE} characters, as in the original; \
                 all of it is in the file that `{name}_FILE` names"
            );
            remarks.push(Remark { code: "compat", text });
        }
    }
    remarks
}

fn judge(hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
    match reply {
        Reply::Exited { end, stdout, stderr } => exited(hook, event, *end, (stdout, stderr)),
        Reply::TimedOut { limit, stdout, .. } => {
            let message = format!("no answer within {}", seconds(*limit));
            objection_or(hook, event, stdout, Failure::new(FailureKind::TimedOut, message))
        }
        Reply::InProcess(verdict) => Ok(Verdict::clone(verdict)),
        Reply::ConditionFalse { .. } => Ok(Verdict::default()),
        Reply::CutOff { failure, .. } | Reply::Failed(failure) => Err(failure.clone()),
        Reply::Http { .. } | Reply::Text { .. } | Reply::NotAsked => {
            Err(Failure::new(FailureKind::BadOutput, "hooks of this dialect are commands"))
        }
    }
}

fn exited(
    hook: &Hook,
    event: &Event,
    end: Exit,
    (stdout, stderr): (&Captured, &Captured),
) -> Result<Verdict, Failure> {
    let loose = hook.profile().output == OutputCodec::Lcc;
    let is_text = |it: &Captured| std::str::from_utf8(&it.bytes).is_ok();
    if loose && !(is_text(stdout) && is_text(stderr)) {
        // The program gives up on a hook whose output it cannot decode, whatever its exit code.
        return Err(Failure::new(FailureKind::BadOutput, "the output is not UTF-8"));
    }
    let (meaning, failure) = ended(hook, end, stderr);
    match meaning {
        ExitMeaning::Answer if loose => Ok(answer::loose(event, &stdout.text())),
        ExitMeaning::Answer => read(hook, event, stdout),
        ExitMeaning::Block => Ok(block(hook, event, stderr)),
        ExitMeaning::Inject => Ok(inject(hook, event, stdout, stderr)),
        ExitMeaning::Fail => objection_or(hook, event, stdout, failure),
        ExitMeaning::Ignore => Ok(Verdict::default()),
    }
}

fn block(hook: &Hook, event: &Event, stderr: &Captured) -> Verdict {
    let mut verdict = match said(stderr) {
        why if why.is_empty() => Verdict::deny(format!("blocked by hook `{}`", hook.name())),
        why => Verdict::deny(why),
    };
    if hook.profile().output == OutputCodec::LccStrict && *event.kind() == EventKind::PostToolUse {
        let text = "its block makes the result an error; the original's loop passes over it";
        verdict.remarks.push(Remark { code: "compat", text: text.to_owned() });
    }
    verdict
}

fn inject(hook: &Hook, event: &Event, stdout: &Captured, stderr: &Captured) -> Verdict {
    let failure = Failure::new(FailureKind::BadExit, "exited with code 2");
    let mut verdict = objection_or(hook, event, stdout, failure).unwrap_or_default();
    verdict.context.extend(Some(said(stderr)).filter(|it| !it.is_empty()));
    verdict
}

/// Reads an answer that came with exit code 0. What does not look like an object is a log.
fn read(hook: &Hook, event: &Event, stdout: &Captured) -> Result<Verdict, Failure> {
    let text = stdout.text();
    if !text.contains('{') {
        return Ok(Verdict::default());
    }
    let failure = match serde_json::from_str(&text) {
        Ok(serde_json::Value::Object(object)) => match answer::strict(event, object) {
            Ok(verdict) => return Ok(verdict),
            Err(message) => Failure::new(FailureKind::BadOutput, message),
        },
        Ok(_) | Err(_) if stdout.is_cut() => {
            Failure::new(FailureKind::TooLarge, "the output is longer than what is kept")
        }
        Ok(_) | Err(_) => {
            let shown = first_lines(text.trim());
            let message = format!("the output is not one JSON object and nothing else: `{shown}`");
            Failure::new(FailureKind::BadOutput, message)
        }
    };
    objection_or(hook, event, stdout, failure)
}

/// A refusal that arrived, in whatever company, is never lost.
fn objection_or(
    hook: &Hook,
    event: &Event,
    output: &Captured,
    failure: Failure,
) -> Result<Verdict, Failure> {
    if !hook.profile().keep_objections || !answer::decides(event) {
        return Err(failure);
    }
    let Some(found) = objection::find(&output.text(), output.is_cut(), SIGNS) else {
        return Err(failure);
    };
    let mut verdict = answer::refusal(&found);
    verdict.remarks.push(objection::kept(&failure));
    Ok(verdict)
}

/// What a hook said, as the program reads it: without blanks around it, and with plain line ends.
fn said(stderr: &Captured) -> String {
    stderr.text().replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

//! The grammar of the `MicroAI` adapter specification: variables in, an exit code back.

use super::{Envelope, Question, Wire, root_variable, sealed};
use crate::config::microai_variables;
use crate::event::Event;
use crate::hook::Hook;
use crate::reply::{Captured, Exit, Reply};
use crate::verdict::{Failure, FailureKind, OnFailure, Remark, Verdict};

/// What `$PLATFORM` says where the event does not: the adapter is ours.
const PLATFORM: &str = "becket";

/// The longest value that a system takes as a variable, with room for its name.
const MAX_VARIABLE: usize = 120_000;

/// The grammar of the specification.
#[derive(Debug)]
pub(super) struct Microai;

impl sealed::Sealed for Microai {}

impl Wire for Microai {
    fn envelope(&self, hook: &Hook, event: &Event) -> Envelope {
        let mut envelope = Envelope::default();
        for (name, value) in values(hook, event) {
            let (value, mended) =
                if hook.profile().fit_variables { fitted(value) } else { (value, None) };
            if let Some(Mended::Cut(whole)) = mended {
                envelope.spills.push((format!("{name}_FILE"), whole.into_bytes()));
            }
            envelope.variables.push((name.to_owned(), value));
        }
        envelope
    }

    fn question(&self, _: &Hook, _: &Event, text: &str, _: &Envelope) -> Question {
        Question { system: None, task: text.to_owned(), input: String::new() }
    }

    fn verdict(&self, hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
        let mut verdict = verdict(hook, event, reply)?;
        if hook.profile().fit_variables {
            verdict.remarks.extend(mended(hook, event));
        }
        Ok(verdict)
    }
}

/// The variables of an event with their values.
fn values(hook: &Hook, event: &Event) -> Vec<(&'static str, String)> {
    let names = microai_variables(event.kind());
    let text = |field: &str| event.text(field).unwrap_or_default().to_owned();
    let json = |field: &str| event.field(field).map(ToString::to_string).unwrap_or_default();
    let value = |name: &str| match name {
        "TOOL_NAME" => text("tool_name"),
        "INPUT" => json("tool_input"),
        "OUTPUT" => json("tool_output"),
        "TIMESTAMP" => event.time().to_owned(),
        "SESSION_ID" => text("session_id"),
        "PROMPT" => text("prompt"),
        "USER_NAME" => event.user().to_owned(),
        "PROJECT_ROOT" => root_variable(hook).map(|it| it.1).unwrap_or_default(),
        "PLATFORM" => event.text("platform").unwrap_or(PLATFORM).to_owned(),
        "AGENT_NAME" => {
            event.text("effective_agent_name").map_or_else(|| text("agent_name"), str::to_owned)
        }
        _ => String::new(),
    };
    names.iter().map(|name| (*name, value(name))).collect()
}

/// What was done to a value so that it can be a variable.
enum Mended {
    /// It is too long; this is all of it.
    Cut(String),
    /// It holds characters that no variable can hold.
    Replaced,
}

/// A value that fits a variable: a process whose environment does not fit is never started.
fn fitted(value: String) -> (String, Option<Mended>) {
    let clean = value.replace('\0', "\u{fffd}");
    if clean.len() > MAX_VARIABLE {
        let end = (0..=MAX_VARIABLE).rev().find(|at| clean.is_char_boundary(*at)).unwrap_or(0);
        let cut = clean.get(..end).unwrap_or_default().to_owned();
        return (cut, Some(Mended::Cut(value)));
    }
    let replaced = clean.len() != value.len();
    (clean, replaced.then_some(Mended::Replaced))
}

fn mended(hook: &Hook, event: &Event) -> Vec<Remark> {
    let told = values(hook, event).into_iter().filter_map(|(name, value)| {
        let length = value.len();
        let text = match fitted(value).1? {
            Mended::Cut(_) => format!(
                "`${name}` has {length} bytes, more than a variable can hold: it was cut, and `${name}_FILE` \
                 names a file with all of it; the original would not have started the hook"
            ),
            Mended::Replaced => format!(
                "`${name}` holds a zero byte, which no variable can; it was replaced, \
                 while the original would not have started the hook"
            ),
        };
        Some(Remark { code: "compat", text })
    });
    told.collect()
}

/// What the end of a command means.
fn verdict(hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
    match reply {
        Reply::Exited { end: Exit::Code(0), stdout, .. } => Ok(said(hook, event, stdout)),
        Reply::Exited { end: Exit::Code(code), stdout, stderr } => {
            let why = why(stdout, stderr);
            // A shell says with these codes that there was nothing to run.
            let kind = match code {
                126 | 127 => FailureKind::NotStarted,
                _ => FailureKind::BadExit,
            };
            let objects = hook.on_failure(event.kind()) == OnFailure::Deny;
            match why {
                Some(why) if objects && kind == FailureKind::BadExit => Ok(Verdict::deny(why)),
                None if objects && kind == FailureKind::BadExit => {
                    Ok(Verdict::deny(format!("hook `{}` exited with code {code}", hook.name())))
                }
                Some(why) => {
                    Err(Failure::new(kind, format!("exited with code {code}: {}", short(&why))))
                }
                None => Err(Failure::new(kind, format!("exited with code {code}"))),
            }
        }
        Reply::Exited { end: Exit::Signal(signal), .. } => {
            Err(Failure::new(FailureKind::Signalled, format!("ended by signal {signal}")))
        }
        Reply::TimedOut { limit, .. } => {
            let message = format!("no answer within {} ms", limit.as_millis());
            Err(Failure::new(FailureKind::TimedOut, message))
        }
        Reply::InProcess(verdict) => Ok(Verdict::clone(verdict)),
        Reply::ConditionFalse { .. } => Ok(Verdict::default()),
        Reply::CutOff { failure, .. } | Reply::Failed(failure) => Err(failure.clone()),
        Reply::Http { .. } | Reply::Text { .. } | Reply::NotAsked => {
            Err(Failure::new(FailureKind::NotStarted, "this dialect has commands only"))
        }
    }
}

/// What a command that ended well has printed, where anybody reads it.
fn said(hook: &Hook, event: &Event, stdout: &Captured) -> Verdict {
    let text = stdout.text();
    let profile = hook.profile();
    if text.trim().is_empty() || !profile.context_from.contains(event.kind()) {
        return Verdict::default();
    }
    let mut remarks = Vec::new();
    if profile.context_added.contains(event.kind()) {
        let text = format!(
            "what it printed at `{}` is told to the model; the original reads it at `SessionStart` only",
            event.kind().name()
        );
        remarks.push(Remark { code: "compat", text });
    }
    Verdict { context: vec![text.trim_end().to_owned()], remarks, ..Verdict::default() }
}

/// Why a hook objects: what it wrote to standard error, else what it printed.
fn why(stdout: &Captured, stderr: &Captured) -> Option<String> {
    let texts = [stderr.text(), stdout.text()];
    texts.iter().map(|it| it.trim()).find(|it| !it.is_empty()).map(str::to_owned)
}

fn short(text: &str) -> String {
    const MAX: usize = 200;
    let short: String = text.chars().take(MAX).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

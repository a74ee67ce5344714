//! How a handler is spoken to: the envelope it receives and the meaning of its answer.
//!
//! One grammar is one file; several dialects may share one.

mod claude_code;
mod lcc_s08;
mod microai;
mod native;
mod object;
mod objection;
mod openharness;
pub mod python;
mod schema;
mod t15;
mod unified;

use crate::dialect::Dialect;
use crate::event::Event;
use crate::hook::Hook;
use crate::reply::Reply;
use crate::verdict::{Failure, Verdict};

pub use self::schema::envelope_schema;

/// What a handler receives: standard input or body, and variables.
///
/// Built once for all hooks of a wave that speak the same dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Envelope {
    /// The event as JSON.
    pub body: Vec<u8>,
    /// Variables for the environment of a command.
    pub variables: Vec<(String, String)>,
    /// Values too long for a variable: each goes into a file of its own, and the variable names it.
    pub spills: Vec<(String, Vec<u8>)>,
}

/// What a model or an agent is asked.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Question {
    /// Who it is to be, where a dialect says so.
    pub system: Option<String>,
    /// The hook's own text.
    pub task: String,
    /// How to answer, and the event as data; empty where the text already holds them.
    pub input: String,
}

/// One grammar. Implemented in this module only.
pub trait Wire: Sync + sealed::Sealed {
    /// Puts an event into the words of a hook's dialect.
    fn envelope(&self, hook: &Hook, event: &Event) -> Envelope;

    /// The command as it is given to the shell; dialects with placeholders fill them in.
    fn command(&self, _hook: &Hook, _event: &Event, command: &str) -> Result<String, Failure> {
        Ok(command.to_owned())
    }

    /// What a model or an agent is asked with the hook's text.
    fn question(&self, hook: &Hook, event: &Event, text: &str, envelope: &Envelope) -> Question;

    /// What a handler's raw answer means.
    ///
    /// This says *that* a hook failed. What a failure means is decided elsewhere:
    /// see [`OnFailure`](crate::verdict::OnFailure).
    fn verdict(&self, hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure>;
}

mod sealed {
    pub trait Sealed {}
}

/// The grammar that a dialect's handlers speak.
pub fn wire(dialect: Dialect) -> &'static dyn Wire {
    match dialect {
        Dialect::OpenHarness => &openharness::OpenHarness,
        Dialect::T15 => &t15::T15,
        Dialect::Becket => &native::Native,
        Dialect::Oah => &unified::Unified,
        Dialect::ClaudeCode => &claude_code::ClaudeCode,
        Dialect::LccS08 => &lcc_s08::LccS08,
        Dialect::Microai => &microai::Microai,
    }
}

/// The variable that tells a command where its workspace is, where the dialect has one.
fn root_variable(hook: &Hook) -> Option<(String, String)> {
    let root = hook.spec().workspace.to_string_lossy().into_owned();
    hook.profile().root_variable.map(|name| (name.to_owned(), root))
}

/// The event as data for a model: one JSON object, so that nothing in it can end the data early.
fn data(hook: &Hook, envelope: &Envelope) -> String {
    let body = serde_json::from_slice::<serde_json::Value>(&envelope.body).unwrap_or_default();
    serde_json::json!({ "hook": hook.name(), "envelope": body }).to_string()
}

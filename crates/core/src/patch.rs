//! What a hook may rewrite, and the rewrite itself.

mod merge;
mod message;

use serde_json::Value;

pub use self::merge::{Merged, changed_places};

/// A part of an event that hooks may rewrite.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Scope {
    /// The text a person typed.
    Prompt,
    /// What will be sent to the model, before it is a request.
    Context,
    /// The request about to be sent.
    ModelRequest,
    /// What the model answered.
    ModelResponse,
    /// The arguments of a tool call.
    ToolInput,
    /// What a tool returned.
    ToolOutput,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 6] = [
        Self::Prompt,
        Self::Context,
        Self::ModelRequest,
        Self::ModelResponse,
        Self::ToolInput,
        Self::ToolOutput,
    ];

    /// The field of an event that holds it, which is also its key in a patch.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Context => "context",
            Self::ModelRequest => "model_request",
            Self::ModelResponse => "model_response",
            Self::ToolInput => "tool_input",
            Self::ToolOutput => "tool_output",
        }
    }

    /// The scope with this field name.
    pub fn named(field: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.field() == field)
    }
}

/// Permission, declared in a hook's configuration, to change one thing.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Capability {
    /// May rewrite this part of the event.
    Rewrite(Scope),
    /// May hide what a tool returned.
    SuppressOutput,
}

/// How a patch and the value it meets become one value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum MergeRule {
    /// The patch is the new value.
    Replace,
    /// Two objects: the patch's keys replace those of the value. Anything else: replace.
    Shallow,
    /// Objects merge at every depth; `messages` is replaced and invalid ones are dropped.
    Deep,
    /// Only the settings a model request has, each with its type.
    ModelRequest,
    /// Only `text` and `finishReason`.
    ModelResponse,
}

/// A rewrite that a hook asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// What to rewrite.
    pub scope: Scope,
    /// How.
    pub change: Change,
}

/// One way to rewrite a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Merge this value in, by the dialect's rule for the scope.
    Merge(Value),
    /// Write text into the value itself, as some systems do with a hook's messages.
    Annotate(Vec<String>),
    /// Empty it.
    Blank,
}

impl Change {
    /// The new value; `None` when the patch does not fit the scope at all.
    pub fn apply(&self, rule: MergeRule, scope: Scope, current: &Value) -> Option<Merged> {
        match self {
            Self::Merge(patch) => merge::merge(rule, current, patch),
            Self::Annotate(texts) => message::annotate(scope, current, texts).map(Merged::clean),
            Self::Blank => Some(Merged::clean(Value::String(String::new()))),
        }
    }
}

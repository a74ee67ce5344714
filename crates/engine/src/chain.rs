//! The in-process registry of seed 001: callbacks in order, and the first that answers ends the chain.
//!
//! This is a registry of its own, beside [`Engine::on`](crate::Engine::on): there every
//! hook is heard and the strongest answer counts, here the first answer is the only one.
//!
//! ```
//! use becket::chain::{Args, Block, Chain};
//! use serde_json::json;
//!
//! let mut chain: Chain<String> = Chain::new();
//! chain.register_hook("PreToolUse", |args| {
//!     let command = args.block().and_then(|it| it.input.get("command")?.as_str());
//!     Ok(command.is_some_and(|it| it.contains("sudo")).then(|| json!("not as root")))
//! })?;
//!
//! let mut block = Block::new("t1", "bash", json!({ "command": "sudo ls" }));
//! let answer = chain.trigger_hooks("PreToolUse", Args::PreToolUse { block: &mut block })?;
//! assert_eq!(answer, Some(json!("not as root")));
//! # Ok::<(), becket::chain::ChainError<String>>(())
//! ```

use std::fmt;

use becket_core::dialect::Compat;
use becket_core::wire::python;
use serde_json::Value;

/// The events a chain has, in the order in which a loop meets them.
pub const EVENTS: [&str; 4] = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];

/// A tool call as the model wrote it. Callbacks may change it in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The id that links call and result.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub input: Value,
}

impl Block {
    /// A tool call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Self { id: id.into(), name: name.into(), input }
    }
}

/// What an event hands to its callbacks.
#[derive(Debug)]
pub enum Args<'a> {
    /// A person has sent a prompt.
    UserPromptSubmit {
        /// What they wrote.
        query: &'a str,
    },
    /// A tool is about to run.
    PreToolUse {
        /// The call.
        block: &'a mut Block,
    },
    /// A tool has run.
    PostToolUse {
        /// The call.
        block: &'a mut Block,
        /// What the tool returned.
        output: &'a Value,
    },
    /// The loop is about to end.
    Stop {
        /// The conversation.
        messages: &'a mut Vec<Value>,
    },
}

impl Args<'_> {
    /// The event they belong to.
    pub const fn event(&self) -> &'static str {
        match self {
            Self::UserPromptSubmit { .. } => "UserPromptSubmit",
            Self::PreToolUse { .. } => "PreToolUse",
            Self::PostToolUse { .. } => "PostToolUse",
            Self::Stop { .. } => "Stop",
        }
    }

    /// The prompt, where there is one.
    pub fn query(&self) -> Option<&str> {
        match self {
            Self::UserPromptSubmit { query } => Some(query),
            Self::PreToolUse { .. } | Self::PostToolUse { .. } | Self::Stop { .. } => None,
        }
    }

    /// The tool call, where there is one.
    pub fn block(&mut self) -> Option<&mut Block> {
        match self {
            Self::PreToolUse { block } | Self::PostToolUse { block, .. } => Some(block),
            Self::UserPromptSubmit { .. } | Self::Stop { .. } => None,
        }
    }

    /// What the tool returned, once it has.
    pub fn output(&self) -> Option<&Value> {
        match self {
            Self::PostToolUse { output, .. } => Some(output),
            Self::UserPromptSubmit { .. } | Self::PreToolUse { .. } | Self::Stop { .. } => None,
        }
    }

    /// The conversation, where the loop is about to end.
    pub fn messages(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Stop { messages } => Some(messages),
            Self::UserPromptSubmit { .. } | Self::PreToolUse { .. } | Self::PostToolUse { .. } => {
                None
            }
        }
    }
}

/// Why a chain has no answer.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub enum ChainError<E> {
    /// There is no such event.
    #[error("there is no event `{0}`; there are {list}", list = EVENTS.join(", "))]
    UnknownEvent(String),
    /// The event was triggered with what belongs to another one.
    #[error("`{event}` was triggered with the arguments of `{given}`")]
    WrongArguments {
        /// The event that was triggered.
        event: String,
        /// The event that the arguments belong to.
        given: &'static str,
    },
    /// A callback failed; those after it were not called.
    #[error("a hook failed")]
    Hook(E),
}

type Callback<E> = Box<dyn FnMut(&mut Args<'_>) -> Result<Option<Value>, E> + Send>;

/// Callbacks by event, each list in the order of registration.
pub struct Chain<E> {
    hooks: [Vec<Callback<E>>; EVENTS.len()],
}

impl<E> Chain<E> {
    /// A registry without callbacks.
    pub fn new() -> Self {
        Self { hooks: std::array::from_fn(|_| Vec::new()) }
    }

    /// Hangs a callback on an event, after those that are there.
    pub fn register_hook(
        &mut self,
        event: &str,
        callback: impl FnMut(&mut Args<'_>) -> Result<Option<Value>, E> + Send + 'static,
    ) -> Result<(), ChainError<E>> {
        self.hooks_of(event)?.push(Box::new(callback));
        Ok(())
    }

    /// Calls the callbacks of an event in order, until one answers or fails.
    ///
    /// Any answer ends the chain, also an empty text or `false`; whether it *blocks* is
    /// for the loop to say, and [`is_true`](python::is_true) tells as the document's loop does.
    pub fn trigger_hooks(
        &mut self,
        event: &str,
        mut args: Args<'_>,
    ) -> Result<Option<Value>, ChainError<E>> {
        let hooks = self.hooks_of(event)?;
        if args.event() != event {
            return Err(ChainError::WrongArguments {
                event: event.to_owned(),
                given: args.event(),
            });
        }
        for hook in hooks {
            if let Some(answer) = hook(&mut args).map_err(ChainError::Hook)? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    fn hooks_of(&mut self, event: &str) -> Result<&mut Vec<Callback<E>>, ChainError<E>> {
        let hooks = EVENTS.iter().zip(&mut self.hooks).find(|it| *it.0 == event).map(|it| it.1);
        hooks.ok_or_else(|| ChainError::UnknownEvent(event.to_owned()))
    }
}

impl<E> Default for Chain<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> fmt::Debug for Chain<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(EVENTS.iter().zip(self.hooks.iter().map(Vec::len))).finish()
    }
}

/// What an answer to `UserPromptSubmit` tells the model: nothing in the document, its text in `safe`.
pub fn prompt_context(compat: Compat, answer: Option<&Value>) -> Option<String> {
    match compat {
        Compat::Exact => None,
        Compat::Safe => answer.filter(|it| python::is_true(it)).map(python::text),
    }
}

/// How often `Stop` may keep a loop going: as long as it likes in the document, a few times in `safe`.
pub const fn max_resumes(compat: Compat) -> usize {
    match compat {
        Compat::Exact => usize::MAX,
        Compat::Safe => 8,
    }
}

/// What a blocking answer tells the model in place of a result; `None` where the answer does not block.
pub fn refusal(answer: Option<&Value>) -> Option<String> {
    answer.filter(|it| python::is_true(it)).map(python::text)
}

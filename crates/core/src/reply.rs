//! What a handler gave back, before anybody interprets it.

use std::time::Duration;

use crate::verdict::{Failure, Verdict};

/// The raw answer of one handler. Failing is one of the answers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// A process ended.
    Exited {
        /// How.
        end: Exit,
        /// Standard output.
        stdout: Captured,
        /// Standard error.
        stderr: Captured,
    },
    /// An HTTP exchange came to its end.
    Http {
        /// The status code.
        status: u16,
        /// Whether the answer calls itself JSON.
        json: bool,
        /// The body.
        body: Captured,
    },
    /// A model or agent answered.
    Text {
        /// What it said.
        text: String,
        /// What that took, where it is known.
        usage: Option<Usage>,
    },
    /// Nobody was asked: the prompt or task is empty.
    NotAsked,
    /// A closure of the host answered.
    InProcess(Box<Verdict>),
    /// An exchange failed; part of the answer may have arrived.
    CutOff {
        /// Why.
        failure: Failure,
        /// What had arrived by then.
        body: Captured,
    },
    /// The handler did not answer in time and was ended.
    TimedOut {
        /// How long it had.
        limit: Duration,
        /// What it had written by then.
        stdout: Captured,
        /// What it had written to standard error by then.
        stderr: Captured,
    },
    /// The condition of the hook did not hold, so it was not called.
    ConditionFalse {
        /// What the condition's command exited with.
        code: i32,
    },
    /// There is no answer at all.
    Failed(Failure),
}

/// What an answer of a model took.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Usage {
    /// The tokens it read.
    pub input_tokens: u64,
    /// The tokens it wrote.
    pub output_tokens: u64,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exit {
    /// By itself, with a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// The part of a stream that was kept.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Captured {
    /// The bytes, up to the bound.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub truncated: bool,
    /// Whether a process that was left behind may have had more to say.
    pub held: bool,
}

impl Captured {
    /// All of a text.
    pub fn whole(text: impl Into<Vec<u8>>) -> Self {
        Self { bytes: text.into(), ..Self::default() }
    }

    /// Whether its end is missing, or may be.
    pub fn is_cut(&self) -> bool {
        self.truncated || self.held
    }

    /// The bytes as text; what is not UTF-8 shows as replacement characters.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

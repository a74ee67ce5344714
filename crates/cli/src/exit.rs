//! Exit codes: the only place where they are numbers.

use std::process::ExitCode;

use becket::{Decision, Outcome};

/// How a command ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    /// All is well: pass or allow.
    Fine,
    /// A check, case or comparison failed.
    Findings,
    /// Something must not happen. Never means anything else.
    Blocked,
    /// A person has to be asked.
    Ask,
    /// The command line is wrong.
    Usage,
    /// Input data cannot be read.
    Data,
    /// Something becket needs is not there.
    Unavailable,
    /// A signal ended the command.
    Signal(u8),
    /// A bug in becket.
    Bug,
    /// The configuration cannot be used.
    Config,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Blocked => 2,
            Exit::Ask => 3,
            Exit::Usage => 64,
            Exit::Data => 65,
            Exit::Unavailable => 69,
            Exit::Signal(number) => 128 + number,
            Exit::Bug => 70,
            Exit::Config => 78,
        })
    }
}

impl From<&Outcome> for Exit {
    fn from(outcome: &Outcome) -> Self {
        match outcome.decision {
            _ if outcome.is_blocked() => Self::Blocked,
            Decision::Deny => Self::Blocked,
            Decision::Ask => Self::Ask,
            Decision::Pass | Decision::Allow => Self::Fine,
        }
    }
}

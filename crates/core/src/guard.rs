//! The built-in guard: commands that no agent should run unasked.
//!
//! `guards: [catastrophic]` denies what destroys a machine, a repository's history, a database or
//! credentials, and asks about what is merely risky. It looks at what a command line would start, never
//! at its letters: `echo 'rm -rf /'` is none of its business.

mod spot;
mod call;
mod file;
mod flow;
mod sql;
mod history;

use crate::decision::Decision;
use crate::shell::{Analysis, DoubtKind, Place};

/// What the guard has against a command line.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Objection {
    /// Ask or deny.
    pub decision: Decision,
    /// The command it is about.
    pub part: String,
    /// What it would do.
    pub why: &'static str,
}

/// What one check has found.
type Found = Option<(Decision, &'static str)>;

const DENY: fn(&'static str) -> Found = |why| Some((Decision::Deny, why));
const ASK: fn(&'static str) -> Found = |why| Some((Decision::Ask, why));

/// The strongest objection to a command line, if there is one.
pub fn catastrophic(analysis: &Analysis) -> Option<Objection> {
    let mut strongest: Option<Objection> = None;
    let mut object = |found: Found, part: &str| {
        if let Some((decision, why)) = found
            && strongest.as_ref().is_none_or(|it| it.decision < decision)
        {
            const SHOWN: usize = 200;
            strongest = Some(Objection { decision, part: part.chars().take(SHOWN).collect(), why });
        }
    };
    let loads = analysis.commands.iter().any(flow::loads);
    for (at, command) in analysis.commands.iter().enumerate() {
        // An alias runs nothing by itself.
        if command.place == Place::Alias {
            continue;
        }
        for found in checks(analysis, at, loads) {
            if found.is_some() {
                object(found, &command.shown());
            }
        }
    }
    for doubt in &analysis.doubts {
        object(doubted(doubt.kind), &doubt.seen);
    }
    strongest
}

fn checks(analysis: &Analysis, at: usize, loads: bool) -> [Found; 6] {
    let Some(command) = analysis.commands.get(at) else { return [None; 6] };
    let helps =
        command.arguments().iter().any(|it| matches!(it.known(), Some("--help" | "--version")));
    if helps {
        return [None; 6];
    }
    [
        call::check(command),
        file::check(command),
        file::redirects(command),
        history::check(command),
        sql::check(analysis, at, command),
        flow::check(analysis, at, loads),
    ]
}

/// What cannot be seen is asked about where it is likely to hide something.
fn doubted(kind: DoubtKind) -> Found {
    match kind {
        DoubtKind::Unreadable | DoubtKind::TooLarge => ASK("it cannot be taken apart"),
        DoubtKind::Network => ASK("it opens a connection from the shell"),
        DoubtKind::UnknownCommand
        | DoubtKind::UnknownText
        | DoubtKind::Code
        | DoubtKind::Evaluation
        | DoubtKind::Environment
        | DoubtKind::Disguise
        | DoubtKind::Renaming
        | DoubtKind::Writing
        | DoubtKind::Expansion => None,
    }
}

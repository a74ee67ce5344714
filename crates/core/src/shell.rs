//! Which programs may a command line start?
//!
//! ```text
//! text ─grammar→ commands as written ─unfold→ + what wrappers, nested shells and flags start
//!                       │                                          │
//!                       └────────── doubts: what cannot be seen ───┘
//! ```
//!
//! The reader is our own: it is linear, bounded in depth, and knows of every character whether it was quoted.
//! What it cannot read, or will not because of a limit, is a [`Doubt`] and never silence. Allowing needs a proof
//! over all commands ([`judge::allows`]); forbidding looks through every disguise ([`judge::hits`]).

mod word;
mod brace;
mod read;
mod dollar;
mod grammar;
mod compound;
mod crude;
mod suspect;
mod option;
mod wrapper;
mod sed;
mod code;
mod git;
mod environment;
mod builtin;
mod nested;
mod program;
mod unfold;
mod operand;
pub mod pattern;
pub mod judge;

use std::fmt;
use std::ops::Range;

pub use self::operand::Operand;
pub use self::word::{Piece, Word};

/// A longer text is not read as a whole.
pub const MAX_BYTES: usize = 64 * 1024;
/// Deeper nesting is not followed.
pub const MAX_DEPTH: usize = 32;
/// More commands are not listed.
pub const MAX_COMMANDS: usize = 10_000;

/// A command line, taken apart.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Analysis {
    /// The text as it came.
    pub text: String,
    /// Every simple command that may start, in the order it was met.
    pub commands: Vec<Command>,
    /// What could not be seen, or is not what it seems.
    pub doubts: Vec<Doubt>,
}

/// One simple command.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Command {
    /// Name and arguments.
    pub words: Vec<Word>,
    /// `NAME=value` in front of it, or alone.
    pub assignments: Vec<Assignment>,
    /// Where its descriptors come from and go to.
    pub redirects: Vec<Redirect>,
    /// Where it stands.
    pub place: Place,
    /// The command that starts it, when it is not the shell itself.
    pub by: Option<usize>,
    /// The commands in its substitutions, which stand right before it.
    pub inner: Range<usize>,
    /// The pipelines it is part of, outermost first: number and stage.
    pub pipes: Vec<(u32, u32)>,
}

/// `NAME=value`, `NAME+=value` or `NAME[subscript]=value`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What it becomes.
    pub value: Word,
}

/// A redirection.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// A file, a descriptor or a text, as the kind says.
    pub target: Word,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `<>` and so on
    Write,
    /// `>&1`, `<&-`
    Duplicate,
    /// `<<<` and `<<`: the text itself
    Text,
}

/// Where a command stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// In the open.
    #[default]
    Plain,
    /// In `$(…)`, backticks, `<(…)`, or in text that the shell evaluates.
    Substitution,
    /// In the body of a function.
    Function,
    /// Behind a program that starts another: `sudo`, `env`, `xargs`.
    Wrapped,
    /// In text that another shell, or `eval` or `trap`, runs.
    Nested,
    /// On another machine or in a container.
    Remote,
    /// What an alias would stand for.
    Alias,
    /// Seen in text that could not be read properly.
    Crude,
}

impl Place {
    /// Where that is, for people; nothing where it stands in the open.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Substitution => "in a substitution",
            Self::Function => "in a function",
            Self::Wrapped => "started by another program",
            Self::Nested => "in text that a shell runs",
            Self::Remote => "on another machine",
            Self::Alias => "behind an alias",
            Self::Crude => "seen in text that could not be read",
        }
    }
}

/// Something that cannot be seen, or that is not what it seems.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Doubt {
    /// What kind of doubt.
    pub kind: DoubtKind,
    /// The spelling that raised it, shortened.
    pub seen: String,
    /// The command that raised it, when it was one.
    pub command: Option<usize>,
}

/// The kinds of doubt.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum DoubtKind {
    /// The text does not end properly, or is no shell text.
    Unreadable,
    /// Over a limit: length, depth, number of commands.
    TooLarge,
    /// The name of a command is not known before it runs.
    UnknownCommand,
    /// Text is run that is not known before it runs.
    UnknownText,
    /// A program is given code that may start others.
    Code,
    /// A value is evaluated again as an expression or as a prompt.
    Evaluation,
    /// The environment makes a program start another, or another in its place.
    Environment,
    /// A connection is opened by a redirection.
    Network,
    /// Characters that cannot be seen or that look like others.
    Disguise,
    /// A name means something else from here on: a function, an alias, a hash entry.
    Renaming,
    /// A file is written by the program itself.
    Writing,
    /// A value is expanded in a place where it may become an option or a name.
    Expansion,
}

impl DoubtKind {
    /// Whether a program may start that is not among the commands.
    pub fn hides(self) -> bool {
        match self {
            Self::Unreadable
            | Self::TooLarge
            | Self::UnknownCommand
            | Self::UnknownText
            | Self::Code
            | Self::Environment
            | Self::Network => true,
            Self::Evaluation
            | Self::Disguise
            | Self::Renaming
            | Self::Writing
            | Self::Expansion => false,
        }
    }

    /// What it means, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Unreadable => "cannot be read as shell text",
            Self::TooLarge => "is over a limit of the analysis",
            Self::UnknownCommand => "starts a program whose name is not known before it runs",
            Self::UnknownText => "runs text that is not known before it runs",
            Self::Code => "gives a program code that may start others",
            Self::Evaluation => "evaluates a value once more",
            Self::Environment => "changes which programs are started through the environment",
            Self::Network => "opens a connection by a redirection",
            Self::Disguise => "contains characters that cannot be seen or look like others",
            Self::Renaming => "makes a name mean something else",
            Self::Writing => "makes a program write files",
            Self::Expansion => "depends on a value that is not known before it runs",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.seen, self.kind.meaning())
    }
}

impl Analysis {
    /// Takes a command line apart. Never fails, never panics, and takes linear time.
    pub fn of(text: &str) -> Self {
        unfold::analyse(text)
    }

    /// Whether some program may start that is not among the commands.
    pub fn hides(&self) -> Option<&Doubt> {
        self.doubts.iter().find(|doubt| doubt.kind.hides())
    }

    /// Whether the output of one command flows into another.
    pub fn feeds(&self, from: usize, to: usize) -> bool {
        let (Some(from), Some(to)) = (self.commands.get(from), self.commands.get(to)) else {
            return false;
        };
        from.pipes
            .iter()
            .any(|(id, stage)| to.pipes.iter().any(|(other, later)| id == other && stage < later))
    }

    fn doubt(&mut self, kind: DoubtKind, seen: &str) {
        self.doubt_at(kind, seen, None);
    }

    fn doubt_at(&mut self, kind: DoubtKind, seen: &str, command: Option<usize>) {
        const SHOWN: usize = 60;
        const KEPT: usize = 64;
        let seen: String = seen.chars().take(SHOWN).collect();
        let doubt = Doubt { kind, seen, command };
        if !self.doubts.contains(&doubt) && (self.doubts.len() < KEPT || !self.has(kind)) {
            self.doubts.push(doubt);
        }
    }

    fn has(&self, kind: DoubtKind) -> bool {
        self.doubts.iter().any(|doubt| doubt.kind == kind)
    }
}

impl Command {
    /// The program's name without its folder, when it is known.
    pub fn name(&self) -> Option<&str> {
        self.words.first().and_then(Word::base_name)
    }

    /// The arguments.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The command as one line, for people.
    pub fn shown(&self) -> String {
        let words: Vec<String> = self.words.iter().map(Word::shown).collect();
        words.join(" ")
    }
}

//! Does this hook care about this event?

mod ecma;
mod items;
mod pattern;

use std::sync::OnceLock;

use serde_json::Value;

use self::ecma::{Flavour, Program};
use self::items::Items;
use self::pattern::Parameter;
use crate::event::{Event, EventKind};
use crate::glob;
use crate::rule::Rule;

/// The language a dialect writes its matchers in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum MatcherLanguage {
    /// The dialect has no matchers.
    Nothing,
    /// A tool's exact name, or `*`.
    Name,
    /// An anchored glob, as Python's `fnmatch` reads it.
    Glob,
    /// An ECMAScript regular expression with the `u` flag, found anywhere in the subject.
    EcmaRegex,
    /// Names separated by `|`, in which nothing is special.
    Names,
    /// Names separated by `|` or `,`; anything else is a regular expression, as JavaScript reads it
    /// without flags.
    NamesOrRegex,
    /// `Tool`, `Tool(pattern)` or `*`.
    ToolPattern,
    /// Names, names with stars, rules and regular expressions for the whole name, separated by `|` or `,`.
    Items,
}

/// What a matcher is tried on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The name, such as that of a tool.
    pub name: &'s str,
    /// What the tool was called with, for the languages that look at it.
    pub input: Option<&'s Value>,
    /// The event itself, for the languages that have rules.
    pub event: Option<&'s Event>,
}

impl<'s> From<&'s str> for Subject<'s> {
    fn from(name: &'s str) -> Self {
        Self { name, input: None, event: None }
    }
}

/// A matcher ready to be tried. Regular expressions are compiled when first needed:
/// a hundred of them would cost a cold start more than everything else together.
#[derive(Debug)]
pub struct Matcher {
    text: Option<String>,
    test: Test,
}

#[derive(Debug)]
enum Test {
    Any,
    /// One of these is the subject.
    Exact(Vec<String>),
    /// One of these occurs in the subject.
    Contains(Vec<String>),
    Glob(String),
    Regex {
        /// What every match contains: where it is missing, nothing has to be compiled.
        literal: Option<String>,
        flavour: Flavour,
        program: OnceLock<Result<Program, MatcherError>>,
    },
    /// A tool, or any, called with something.
    Call {
        /// The tool's name; none for any.
        tool: Vec<String>,
        parameter: Parameter,
    },
    /// A list of our own.
    Items(Items),
    /// The pattern is wrong.
    Wrong(MatcherError),
}

/// Whether a matcher matched.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fit<'m> {
    /// It did.
    Yes,
    /// It did not.
    No,
    /// It cannot: the pattern is wrong.
    Never(&'m MatcherError),
}

/// Why a pattern was refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct MatcherError {
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// A subject longer than this is not searched with a backtracking engine; the hook runs.
const MAX_SUBJECT: usize = 1024;

impl Matcher {
    /// A matcher for everything.
    pub const fn any() -> Self {
        Self { text: None, test: Test::Any }
    }

    /// Reads a matcher. Whether a regular expression is valid shows in [`Matcher::validate`].
    pub fn new(language: MatcherLanguage, text: &str) -> Self {
        let names =
            |separators: &[char]| text.split(separators).map(|it| it.trim().to_owned()).collect();
        let kind = match language {
            MatcherLanguage::Nothing => Test::Any,
            MatcherLanguage::Name
            | MatcherLanguage::ToolPattern
            | MatcherLanguage::Names
            | MatcherLanguage::NamesOrRegex
            | MatcherLanguage::Items
                if text == "*" || text.is_empty() =>
            {
                Test::Any
            }
            MatcherLanguage::Name => Test::Exact(vec![text.to_owned()]),
            MatcherLanguage::Glob if text.is_empty() => Test::Any,
            MatcherLanguage::Glob => Test::Glob(text.to_owned()),
            MatcherLanguage::Names => Test::Exact(names(&['|'])),
            MatcherLanguage::NamesOrRegex if is_name_list(text) => {
                Test::Exact(with_old_names(names(&['|', ','])))
            }
            MatcherLanguage::EcmaRegex => regex_test(text, Flavour::Unicode),
            MatcherLanguage::NamesOrRegex => regex_test(text, Flavour::Plain),
            MatcherLanguage::ToolPattern => tool_test(text),
            MatcherLanguage::Items => Test::Items(Items::read(text)),
        };
        Self { text: Some(text.to_owned()), test: kind }
    }

    /// The matcher as written.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Tries the matcher.
    pub fn fit<'s>(&self, subject: impl Into<Subject<'s>>) -> Fit<'_> {
        let subject = subject.into();
        let name = subject.name;
        let yes = match &self.test {
            Test::Any => true,
            Test::Exact(names) => names.iter().any(|it| it == name),
            Test::Contains(parts) => parts.iter().any(|part| name.contains(part.as_str())),
            Test::Glob(glob) => glob::matches(glob, name),
            Test::Regex { literal: Some(literal), .. } if !name.contains(literal.as_str()) => false,
            Test::Regex { .. } if name.len() > MAX_SUBJECT => true,
            Test::Regex { program, flavour, .. } => match self.program(*flavour, program) {
                Ok(program) => program.is_match(name),
                Err(error) => return Fit::Never(error),
            },
            Test::Call { tool, parameter } => {
                (tool.is_empty() || tool.iter().any(|it| it == name)) && parameter.fits(&subject)
            }
            Test::Items(items) => return items.fit(&subject),
            Test::Wrong(error) => return Fit::Never(error),
        };
        if yes { Fit::Yes } else { Fit::No }
    }

    /// Whether it looks at what a tool was called with, and not only at the name.
    pub fn reads_input(&self) -> bool {
        match &self.test {
            Test::Call { .. } => true,
            Test::Items(items) => items.reads_input(),
            Test::Any
            | Test::Exact(_)
            | Test::Contains(_)
            | Test::Glob(_)
            | Test::Regex { .. }
            | Test::Wrong(_) => false,
        }
    }

    /// The one event it is about, where it names one itself.
    pub fn event(&self) -> Option<&EventKind> {
        self.items().and_then(Items::event)
    }

    /// The plain names of a list of our own.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items().into_iter().flat_map(Items::names)
    }

    /// The rules of a list of our own.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.items().into_iter().flat_map(Items::rules)
    }

    fn items(&self) -> Option<&Items> {
        if let Test::Items(items) = &self.test { Some(items) } else { None }
    }

    /// A part that is read as a rule and may have been meant as a regular expression.
    pub fn doubt(&self) -> Option<String> {
        self.items().and_then(Items::doubt)
    }

    /// The part of a call that did not fit, where the name alone does not tell.
    pub(crate) fn tried_input(&self, subject: &Subject<'_>) -> Option<String> {
        match &self.test {
            Test::Call { tool, .. }
                if tool.is_empty() || tool.iter().any(|it| it == subject.name) =>
            {
                Some(pattern::shown(subject))
            }
            Test::Items(items) if items.is_about(subject.name) => Some(pattern::shown(subject)),
            Test::Items(_)
            | Test::Call { .. }
            | Test::Any
            | Test::Exact(_)
            | Test::Contains(_)
            | Test::Glob(_)
            | Test::Regex { .. }
            | Test::Wrong(_) => None,
        }
    }

    /// Says what is wrong with the pattern, if anything is.
    pub fn validate(&self) -> Result<(), &MatcherError> {
        match &self.test {
            Test::Regex { program, flavour, .. } => {
                self.program(*flavour, program).as_ref().map(|_| ())
            }
            Test::Items(items) => items.validate(),
            Test::Wrong(error) => Err(error),
            Test::Any | Test::Exact(_) | Test::Contains(_) | Test::Glob(_) | Test::Call { .. } => {
                Ok(())
            }
        }
    }

    /// The literals of which one must occur in a matching subject; `None` when there are none.
    ///
    /// A registry with thousands of hooks looks all of them up at once.
    pub(crate) fn literals(&self) -> Option<&[String]> {
        match &self.test {
            Test::Exact(parts) | Test::Contains(parts) => Some(parts),
            Test::Call { tool, .. } if !tool.is_empty() => Some(tool),
            Test::Regex { literal: Some(literal), .. } => Some(std::slice::from_ref(literal)),
            Test::Items(items) => items.literals(),
            Test::Any | Test::Glob(_) | Test::Regex { .. } | Test::Call { .. } | Test::Wrong(_) => {
                None
            }
        }
    }

    fn program<'m>(
        &'m self,
        flavour: Flavour,
        cell: &'m OnceLock<Result<Program, MatcherError>>,
    ) -> &'m Result<Program, MatcherError> {
        cell.get_or_init(|| Program::new(self.text.as_deref().unwrap_or_default(), flavour))
    }
}

fn regex_test(text: &str, flavour: Flavour) -> Test {
    match ecma::literal_alternatives(text) {
        Some(ecma::Literals::Anywhere(parts)) => Test::Contains(parts),
        Some(ecma::Literals::Whole(names)) => Test::Exact(names),
        None => {
            let (literal, program) = (ecma::required_literal(text), OnceLock::new());
            Test::Regex { literal, flavour, program }
        }
    }
}

fn tool_test(text: &str) -> Test {
    match pattern::read(text) {
        Ok((name, None)) => Test::Exact(vec![name.to_owned()]),
        Ok((name, Some(parameter))) => {
            let tool = if name == "*" { Vec::new() } else { vec![name.to_owned()] };
            Test::Call { tool, parameter }
        }
        Err(error) => Test::Wrong(error),
    }
}

fn is_name_list(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_-|, ".contains(c))
}

/// A tool that was renamed, under both of its names.
const RENAMED: [&str; 2] = ["Task", "Agent"];

/// Names in a list that stand for a renamed tool hit it under either name.
fn with_old_names(mut names: Vec<String>) -> Vec<String> {
    if names.iter().any(|it| RENAMED.contains(&it.as_str())) {
        names.extend(RENAMED.map(str::to_owned));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{Fit, Matcher, MatcherLanguage};

    fn fits(language: MatcherLanguage, pattern: &str, subject: &str) -> bool {
        Matcher::new(language, pattern).fit(subject) == Fit::Yes
    }

    #[test]
    fn a_name_is_exact_and_a_star_is_all() {
        assert!(fits(MatcherLanguage::Name, "Bash", "Bash"));
        assert!(!fits(MatcherLanguage::Name, "Bash", "BashOutput"));
        assert!(fits(MatcherLanguage::Name, "*", "anything"));
    }

    #[test]
    fn a_nested_repetition_does_not_hang() {
        let subject = "a".repeat(800) + "!";
        assert!(!fits(MatcherLanguage::EcmaRegex, "^(a+)+$", &subject));
    }
}

//! Our own matchers: names, names with stars, rules and regular expressions, in one list.
//!
//! Whatever an item is, it is about the whole name: no item is found in the middle of another.

use std::sync::OnceLock;

use super::ecma::{self, Flavour, Program};
use super::{Fit, MatcherError, Subject};
use crate::event::{Event, EventKind};
use crate::glob;
use crate::rule::{Call, Hit, Rule, RuleError};

/// A matcher taken apart.
#[derive(Debug)]
pub(super) struct Items {
    /// The one event it is about, where it names one.
    event: Option<EventKind>,
    list: Vec<Item>,
    /// The literals of which one occurs in everything that matches.
    literals: Option<Vec<String>>,
}

#[derive(Debug)]
enum Item {
    /// The whole name.
    Name(String),
    /// The whole name, with stars for anything.
    Stars(String),
    /// A tool and what it is called with.
    Rule(Rule),
    /// A regular expression for the whole name.
    Regex { text: String, program: OnceLock<Result<Program, MatcherError>> },
    /// Nothing that can be read.
    Wrong(MatcherError),
}

impl Items {
    pub(super) fn read(text: &str) -> Self {
        let (event, list) = match text.split_once(':') {
            Some((name, rest)) if !rest.is_empty() => match EventKind::named(name.trim()) {
                Some(kind) => (Some(kind), rest),
                None => (None, text),
            },
            Some(_) | None => (None, text),
        };
        let list: Vec<Item> = split(list).into_iter().map(|it| Item::read(it.trim())).collect();
        let literals = list.iter().map(Item::literal).collect();
        Self { event, list, literals }
    }

    pub(super) fn fit(&self, subject: &Subject<'_>) -> Fit<'_> {
        let kind = subject.event.map(Event::kind);
        if self.event.as_ref().is_some_and(|wanted| kind.is_some_and(|kind| kind != wanted)) {
            return Fit::No;
        }
        let mut fit = Fit::No;
        for item in &self.list {
            match item.fit(subject) {
                Fit::Yes => return Fit::Yes,
                Fit::Never(error) => fit = Fit::Never(error),
                Fit::No => (),
            }
        }
        fit
    }

    /// Whether any item looks at what a tool is called with.
    pub(super) fn reads_input(&self) -> bool {
        self.list.iter().any(|item| matches!(item, Item::Rule(rule) if rule.reads_input()))
    }

    /// Whether a rule is about this tool, so that what it is called with decided.
    pub(super) fn is_about(&self, tool: &str) -> bool {
        self.list.iter().any(|item| matches!(item, Item::Rule(rule) if rule.is_about(tool)))
    }

    pub(super) fn validate(&self) -> Result<(), &MatcherError> {
        self.list.iter().try_for_each(|item| match item {
            Item::Wrong(error) => Err(error),
            Item::Regex { text, program } => compiled(text, program).as_ref().map(|_| ()),
            Item::Name(_) | Item::Stars(_) | Item::Rule(_) => Ok(()),
        })
    }

    pub(super) fn literals(&self) -> Option<&[String]> {
        self.literals.as_deref()
    }

    /// The event it is about, where it names one.
    pub(super) fn event(&self) -> Option<&EventKind> {
        self.event.as_ref()
    }

    /// The plain names among the items.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter_map(|item| match item {
            Item::Name(name) => Some(name.as_str()),
            Item::Stars(_) | Item::Rule(_) | Item::Regex { .. } | Item::Wrong(_) => None,
        })
    }

    /// The rules among the items.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.list.iter().filter_map(|item| match item {
            Item::Rule(rule) => Some(rule),
            Item::Name(_) | Item::Stars(_) | Item::Regex { .. } | Item::Wrong(_) => None,
        })
    }

    /// An item that may have been meant as something else, and what to write then.
    pub(super) fn doubt(&self) -> Option<String> {
        self.list.iter().find_map(|item| match item {
            Item::Rule(rule) if !rule.knows_its_tool() && rule.to_string().contains('|') => {
                Some(rule.to_string())
            }
            Item::Rule(_)
            | Item::Name(_)
            | Item::Stars(_)
            | Item::Regex { .. }
            | Item::Wrong(_) => None,
        })
    }
}

impl Item {
    fn read(text: &str) -> Self {
        if text.is_empty() {
            return Self::Wrong(MatcherError {
                message: "a matcher has an empty item".to_owned(),
                hint: Some("write names between `|`, or `*` for everything".to_owned()),
            });
        }
        if text.chars().all(|c| is_in_name(c) || c == '*') && !text.contains(".*") {
            let text = text.to_owned();
            return if text.contains('*') { Self::Stars(text) } else { Self::Name(text) };
        }
        if is_rule(text) {
            return match Rule::parse(text) {
                Ok(rule) => Self::Rule(rule),
                Err(RuleError { message, hint }) => {
                    Self::Wrong(MatcherError { message, hint: Some(hint) })
                }
            };
        }
        match ecma::literal_alternatives(text) {
            Some(ecma::Literals::Whole(mut names)) if names.len() == 1 => {
                Self::Name(names.pop().unwrap_or_default())
            }
            Some(_) | None => Self::Regex { text: text.to_owned(), program: OnceLock::new() },
        }
    }

    fn fit(&self, subject: &Subject<'_>) -> Fit<'_> {
        let yes = match self {
            Self::Name(name) => name == subject.name,
            Self::Stars(stars) => glob::matches(stars, subject.name),
            // What nobody can tell counts: a guard that stays out is worth nothing.
            Self::Rule(rule) => {
                let call = subject.event.and_then(Call::of);
                call.is_some_and(|call| rule.hits(&call) != Hit::No)
            }
            Self::Regex { .. } if subject.name.len() > super::MAX_SUBJECT => true,
            Self::Regex { text, program } => match compiled(text, program) {
                Ok(program) => program.is_match(subject.name),
                Err(error) => return Fit::Never(error),
            },
            Self::Wrong(error) => return Fit::Never(error),
        };
        if yes { Fit::Yes } else { Fit::No }
    }

    fn literal(&self) -> Option<String> {
        match self {
            Self::Name(name) => Some(name.clone()),
            Self::Regex { text, .. } => ecma::required_literal(text),
            // A rule is about every tool of its kind, under whatever name.
            Self::Stars(_) | Self::Rule(_) | Self::Wrong(_) => None,
        }
    }
}

/// The expression for the whole name. It must also be one by itself: `a)|(b` is not.
fn compiled<'i>(
    text: &str,
    program: &'i OnceLock<Result<Program, MatcherError>>,
) -> &'i Result<Program, MatcherError> {
    program.get_or_init(|| {
        Program::new(text, Flavour::Unicode)?;
        Program::new(&format!("^(?:{text})$"), Flavour::Unicode)
    })
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || "_-./:@ ".contains(c)
}

/// A name, and after it one pair of parentheses to the very end, or one that never closes.
fn is_rule(text: &str) -> bool {
    let Some((tool, rest)) = text.split_once('(') else { return false };
    let mut depth = 1_usize;
    let closes = rest.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => (),
        }
        (depth == 0).then_some(at + 1)
    });
    let named = !tool.is_empty() && tool.chars().all(|c| is_in_name(c) && c != '.');
    named && closes.is_none_or(|at| at == rest.len())
}

/// The items of a list. What stands in brackets belongs to one of them.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut escaped, mut start) = (0_usize, false, 0);
    let mut items = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '|' | ',' if depth == 0 => {
                items.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => (),
        }
    }
    items.push(text.get(start..).unwrap_or_default());
    items
}

#[cfg(test)]
mod tests {
    use super::super::{Fit, Matcher, MatcherLanguage};
    use super::Items;

    fn fits(pattern: &str, subject: &str) -> bool {
        Matcher::new(MatcherLanguage::Items, pattern).fit(subject) == Fit::Yes
    }

    #[test]
    fn every_item_is_about_the_whole_name() {
        for (pattern, subject, expected) in [
            ("Edit, Write", "Write", true),
            ("mcp__fs__*", "mcp__fs__read", true),
            ("mcp__fs__*", "mcp__fsx", false),
            ("*_file|Bash", "read_file", true),
            ("Notebook.+", "NotebookX", true),
            ("Notebook[ER].*", "MyNotebookEdit", false),
            ("Bash,mcp__.*", "mcp__x", true),
            ("Bash(Output)?", "BashOutput", true),
            ("mcp__(a|b)__x", "mcp__b__x", true),
            ("^Bash$|Read", "Read", true),
            ("(?!Bash).*", "Bash", false),
            ("a{1,2}", "aa", true),
            ("platform/openai-default|workspace/x", "platform/openai-default", true),
            ("v1.5", "v1x5", false),
        ] {
            assert_eq!(fits(pattern, subject), expected, "{pattern} on {subject}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_wrong_and_never_silent() {
        for pattern in ["[", "Bash(git:*", "Bash||Edit", "a)|(b", "Bash()", "*a)"] {
            assert!(Matcher::new(MatcherLanguage::Items, pattern).validate().is_err(), "{pattern}");
        }
    }

    #[test]
    fn what_looks_like_a_rule_and_like_an_expression_is_told() {
        assert_eq!(
            Items::read("Notebook(Edit|Read)").doubt().as_deref(),
            Some("Notebook(Edit|Read)")
        );
        assert_eq!(Items::read("Bash(a | b)").doubt(), None);
        assert_eq!(Items::read("mcp__(a|b)__x").doubt(), None);
    }
}

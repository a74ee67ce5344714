//! ECMAScript regular expressions, as `new RegExp(text, "u")` or `new RegExp(text)` reads them.

mod cost;
mod linear;

use std::sync::OnceLock;

use self::cost::Cost;
use super::MatcherError;

/// A compiled expression.
///
/// The backtracking engine reads the language exactly and is cheap to set up. Where a
/// subject could keep it busy for ever, an engine that takes linear time takes over.
#[derive(Debug)]
pub(super) struct Program {
    backtracking: Box<regress::Regex>,
    /// The steps it may take; `None` when they grow exponentially with the subject.
    cost: Option<Cost>,
    linear: OnceLock<Option<regex::Regex>>,
    pattern: String,
}

/// With which flags an expression is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Flavour {
    /// `u`: only what is special may be escaped.
    Unicode,
    /// None: whatever is escaped stands for itself.
    Plain,
}

/// A longer pattern is refused: the compiler recurses as deep as it is long.
const MAX_PATTERN: usize = 4096;
/// What the backtracking engine may take, some ten milliseconds' worth.
const MAX_STEPS: usize = 4_000_000;

impl Program {
    pub(super) fn new(pattern: &str, flavour: Flavour) -> Result<Self, MatcherError> {
        if pattern.len() > MAX_PATTERN {
            let message = format!("the pattern is longer than {MAX_PATTERN} bytes");
            return Err(MatcherError { message, hint: None });
        }
        let unicode = flavour == Flavour::Unicode;
        let flags = regress::Flags { unicode, ..regress::Flags::default() };
        let backtracking = regress::Regex::with_flags(pattern, flags)
            .map(Box::new)
            .map_err(|error| refuse(pattern, &error.text))?;
        let (linear, pattern, cost) = (OnceLock::new(), pattern.to_owned(), Cost::of(pattern));
        let program = Self { backtracking, cost, linear, pattern };
        if cost.is_none() && program.linear().is_none() {
            return Err(endless(&program.pattern));
        }
        Ok(program)
    }

    pub(super) fn is_match(&self, subject: &str) -> bool {
        let steps = self.cost.map(|cost| cost.steps(subject.len()));
        if steps.is_some_and(|it| it <= MAX_STEPS) {
            return self.backtracking.find(subject).is_some();
        }
        // Where the linear engine cannot read the pattern, nobody can say in time: the hook runs.
        self.linear().is_none_or(|linear| linear.is_match(subject))
    }

    fn linear(&self) -> Option<&regex::Regex> {
        self.linear.get_or_init(|| linear::compile(&self.pattern)).as_ref()
    }
}

fn endless(pattern: &str) -> MatcherError {
    MatcherError {
        message: format!(
            "`{pattern}` could take for ever: it repeats something that itself repeats or has alternatives"
        ),
        hint: Some(
            "write it without look-around and back-references, or without the outer repetition"
                .to_owned(),
        ),
    }
}

fn refuse(pattern: &str, why: &str) -> MatcherError {
    let hint = match pattern {
        "*" => Some("write `.*`, or leave the matcher out to match everything".to_owned()),
        _ if pattern.starts_with("(?i)") => Some(
            "inline flags do not exist in this dialect; spell both cases, such as `[Bb]ash`"
                .to_owned(),
        ),
        _ if pattern.contains('(') && pattern.contains(":*)") => Some(
            "this dialect matches tool names by regular expression; write the name, such as `Bash`"
                .to_owned(),
        ),
        _ => None,
    };
    MatcherError {
        message: format!("`{pattern}` is not a regular expression: {}", why.to_lowercase()),
        hint,
    }
}

/// What an expression without any operator but `|` and outer anchors looks for.
#[derive(Debug, PartialEq)]
pub(super) enum Literals {
    /// One of these, anywhere in the subject.
    Anywhere(Vec<String>),
    /// One of these, as the whole subject.
    Whole(Vec<String>),
}

/// Recognises the patterns people mostly write, which need no regular expression at all.
pub(super) fn literal_alternatives(pattern: &str) -> Option<Literals> {
    let whole = pattern.strip_prefix('^').and_then(|it| it.strip_suffix('$'));
    let grouped = whole.and_then(|it| it.strip_prefix('(')?.strip_suffix(')'));
    let grouped = grouped.map(|it| it.strip_prefix("?:").unwrap_or(it));
    match (grouped, whole) {
        (Some(group), _) => alternatives(group).map(Literals::Whole),
        // In `^a|b$` each anchor belongs to one side only.
        (None, Some(text)) if !text.contains('|') => alternatives(text).map(Literals::Whole),
        (None, Some(_)) => None,
        (None, None) => alternatives(pattern).map(Literals::Anywhere),
    }
}

/// The characters that mean something else than themselves.
const OPERATORS: &str = r"\^$.?*+()[]{}";

fn alternatives(text: &str) -> Option<Vec<String>> {
    let plain = |part: &str| !part.is_empty() && !part.contains(|c| OPERATORS.contains(c));
    let parts: Vec<&str> = text.split('|').collect();
    parts.iter().all(|part| plain(part)).then(|| parts.into_iter().map(str::to_owned).collect())
}

/// A text that every match of the expression contains, if its beginning shows one.
pub(super) fn required_literal(pattern: &str) -> Option<String> {
    if pattern.contains('|') {
        return None;
    }
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let end = pattern.find(|c| OPERATORS.contains(c)).unwrap_or(pattern.len());
    let (literal, rest) = pattern.split_at_checked(end)?;
    let mut literal = literal.to_owned();
    // What may occur no times at all is not required.
    if rest.starts_with(['?', '*', '{']) {
        literal.pop();
    }
    Some(literal).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Flavour, Literals, MAX_PATTERN, Program, literal_alternatives};
    use proptest::prelude::*;

    fn literal_match(pattern: &str, subject: &str) -> Option<bool> {
        Some(match literal_alternatives(pattern)? {
            Literals::Anywhere(parts) => parts.iter().any(|part| subject.contains(part.as_str())),
            Literals::Whole(names) => names.iter().any(|name| name == subject),
        })
    }

    proptest! {
        #[test]
        fn the_shortcut_and_the_engine_agree(
            pattern in r"\^?\(?(Bash|Edit|mcp__x|a/b|\|){1,4}\)?\$?",
            subject in "(Bash|Edit|Output|mcp__x|a/b){0,3}",
        ) {
            if let (Some(quick), Ok(program)) = (literal_match(&pattern, &subject), Program::new(&pattern, Flavour::Unicode)) {
                prop_assert_eq!(quick, program.is_match(&subject), "{} on {}", pattern, subject);
            }
        }

        #[test]
        fn a_subject_without_the_required_literal_never_matches(
            pattern in r"\^?[ab]{0,3}(\?|\*|\+|\{0,1\}|\.|\(b\)|\[ab\]|\$)?[ab]{0,2}",
            subject in "[abc]{0,6}",
        ) {
            if let (Some(literal), Ok(program)) = (super::required_literal(&pattern), Program::new(&pattern, Flavour::Unicode)) {
                prop_assert!(subject.contains(&literal) || !program.is_match(&subject), "{} on {}", pattern, subject);
            }
        }

        #[test]
        fn no_pattern_makes_the_compiler_panic(pattern in ".{0,40}", subject in ".{0,20}") {
            if let Ok(program) = Program::new(&pattern, Flavour::Unicode) {
                program.is_match(&subject);
            }
        }
    }

    #[test]
    fn no_pattern_takes_for_ever() {
        let patterns = ["^(a|a)*$", "^(a|aa)+$", "^(a?){30}a{30}$", "a*a*a*a*a*b", ".*.*.*=x"];
        for pattern in patterns {
            let program = Program::new(pattern, Flavour::Unicode).unwrap();
            assert!(!program.is_match(&("a".repeat(1000) + "!")), "{pattern}");
        }
        for pattern in ["(?=(a+)+b)a", r"(a+)+\1b"] {
            assert!(
                Program::new(pattern, Flavour::Unicode).unwrap_err().message.contains("for ever"),
                "{pattern}"
            );
        }
        let names =
            Program::new("^(?!.*(delete|drop|remove))(?:(?!secret|key).)*$", Flavour::Unicode)
                .unwrap();
        assert!(names.is_match("mcp__a_rather_long_name_of_a_server__and_of_its_tool"));
        assert!(!names.is_match("mcp__a_rather_long_name_of_a_server__drop_everything"));
        let polynomial = Program::new("(?=a)a*a*a*a*a*b", Flavour::Unicode).unwrap();
        assert!(polynomial.is_match(&"a".repeat(1000)), "the hook runs");
        assert!(!polynomial.is_match("aaaa"));
    }

    #[test]
    fn a_long_pattern_is_refused_and_does_not_overflow_the_stack() {
        assert!(Program::new(&"a|".repeat(MAX_PATTERN / 2), Flavour::Unicode).is_ok());
        assert!(Program::new(&"a|".repeat(MAX_PATTERN), Flavour::Unicode).is_err());
    }
}

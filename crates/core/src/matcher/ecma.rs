//! ECMAScript regular expressions, as `new RegExp(text, "u")` reads them.

use super::MatcherError;

/// A compiled expression.
#[derive(Debug)]
pub(super) enum Program {
    /// The usual case: the same engine family the original uses.
    Backtracking(regress::Regex),
    /// Where backtracking could take for ever and the pattern allows a linear search.
    Linear(regex::Regex),
}

impl Program {
    pub(super) fn new(pattern: &str) -> Result<Self, MatcherError> {
        let flags = regress::Flags { unicode: true, ..regress::Flags::default() };
        let program = regress::Regex::with_flags(pattern, flags)
            .map_err(|error| refuse(pattern, &error.text))?;
        if has_nested_repetition(pattern)
            && let Ok(linear) = regex::Regex::new(pattern)
        {
            return Ok(Self::Linear(linear));
        }
        Ok(Self::Backtracking(program))
    }

    pub(super) fn is_match(&self, subject: &str) -> bool {
        match self {
            Self::Backtracking(program) => program.find(subject).is_some(),
            Self::Linear(program) => program.is_match(subject),
        }
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

fn alternatives(text: &str) -> Option<Vec<String>> {
    const OPERATORS: &str = r"\^$.?*+()[]{}";
    let plain = |part: &str| !part.is_empty() && !part.contains(|c| OPERATORS.contains(c));
    let parts: Vec<&str> = text.split('|').collect();
    parts.iter().all(|part| plain(part)).then(|| parts.into_iter().map(str::to_owned).collect())
}

/// Whether a repetition stands inside a repeated group, as in `(a+)+`.
fn has_nested_repetition(pattern: &str) -> bool {
    let mut groups = vec![false];
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            _ if in_class => (),
            '(' => groups.push(false),
            ')' => {
                let inner = groups.pop().unwrap_or_default();
                let repeated = matches!(chars.peek(), Some('*' | '+' | '{'));
                if inner && repeated {
                    return true;
                }
                if let Some(outer) = groups.last_mut() {
                    *outer |= inner || repeated;
                }
            }
            '*' | '+' | '{' => {
                if let Some(group) = groups.last_mut() {
                    *group = true;
                }
            }
            _ => (),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Literals, Program, has_nested_repetition, literal_alternatives};
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
            if let (Some(quick), Ok(program)) = (literal_match(&pattern, &subject), Program::new(&pattern)) {
                prop_assert_eq!(quick, program.is_match(&subject), "{} on {}", pattern, subject);
            }
        }

        #[test]
        fn no_pattern_makes_the_compiler_panic(pattern in ".{0,40}", subject in ".{0,20}") {
            if let Ok(program) = Program::new(&pattern) {
                program.is_match(&subject);
            }
        }
    }

    #[test]
    fn nested_repetition_is_seen_and_plain_repetition_is_not() {
        for pattern in ["(a+)+", "((a)*)*", "(a|b+c)*", "((a+))+"] {
            assert!(has_nested_repetition(pattern), "{pattern}");
        }
        for pattern in ["a+b+", "(ab)+", "(a+)", r"(a\+)+", "([+*])+"] {
            assert!(!has_nested_repetition(pattern), "{pattern}");
        }
    }
}

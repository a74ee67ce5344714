//! The part of ECMAScript's language that a linear engine can read, in that engine's spelling.

use std::iter::Peekable;
use std::str::Chars;

/// What `\s` means in ECMAScript.
const SPACE: &str =
    r"\t-\r\x20\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Z_a-z";
/// What `.` does not match.
const LINE_END: &str = r"\n\r\u{2028}\u{2029}";

/// Compiles a pattern that is known to be valid; `None` where the engine cannot do the same.
pub(super) fn compile(pattern: &str) -> Option<regex::Regex> {
    regex::Regex::new(&translate(pattern)?).ok()
}

/// The same expression for the linear engine. What is not listed is not translated.
fn translate(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '.' => push_class(&mut out, "^", LINE_END),
            '\\' => match chars.next()? {
                // Words are made of ASCII there; here that has to be said.
                'b' => out.push_str(r"(?-u:\b)"),
                escape => translate_escape(escape, Inside::Pattern, &mut out)?,
            },
            '[' => translate_class(&mut chars, &mut out)?,
            '(' if chars.next_if_eq(&'?').is_some() => {
                chars.next_if_eq(&':')?;
                out.push_str("(?:");
            }
            other => out.push(other),
        }
    }
    Some(out)
}

#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Pattern,
    Class,
}

fn translate_escape(escape: char, inside: Inside, out: &mut String) -> Option<()> {
    match escape {
        'd' => push_class(out, "", DIGIT),
        'D' => push_class(out, "^", DIGIT),
        'w' => push_class(out, "", WORD),
        'W' => push_class(out, "^", WORD),
        's' => push_class(out, "", SPACE),
        'S' => push_class(out, "^", SPACE),
        'f' | 'n' | 'r' | 't' | 'v' | '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')'
        | '[' | ']' | '{' | '}' | '|' | '/' => out.extend(['\\', escape]),
        '-' if inside == Inside::Class => out.push_str(r"\-"),
        _ => return None,
    }
    Some(())
}

fn translate_class(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    // `[]` and `[^]` mean nothing and anything; the other engine reads on.
    if chars.peek() == Some(&']') {
        return None;
    }
    let mut last = None;
    for c in chars.by_ref().take_while(|c| *c != ']') {
        match (last, c) {
            (Some('\\'), escape) => {
                translate_escape(escape, Inside::Class, out)?;
                last = None;
                continue;
            }
            (_, '\\') => (),
            // Operators there: a nested class, and `&&`, `--` and `~~`.
            (Some('-'), '-') => return None,
            (_, '[' | '&' | '~') => out.extend(['\\', c]),
            (_, other) => out.push(other),
        }
        last = Some(c);
    }
    out.push(']');
    Some(())
}

fn push_class(out: &mut String, negation: &str, ranges: &str) {
    out.extend(["[", negation, ranges, "]"]);
}

#[cfg(test)]
mod tests {
    use super::compile;
    use proptest::prelude::*;

    fn original(pattern: &str) -> Option<regress::Regex> {
        let flags = regress::Flags { unicode: true, ..regress::Flags::default() };
        regress::Regex::with_flags(pattern, flags).ok()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn both_engines_agree(
            pattern in r"(a|é|B|_|-|\.|\^|\$|\||\*|\+|\?|\{1,2\}|\(|\(\?:|\)|\[|\[\^|\]|&|~|\\[dDwWsSbBnt./]){1,8}",
            subject in "[aéB_.&~/\\-\\[\\]7٣ſK \t\n\r\u{85}\u{a0}\u{feff}\u{2028}]{0,6}",
        ) {
            if let (Some(original), Some(linear)) = (original(&pattern), compile(&pattern)) {
                prop_assert_eq!(
                    linear.is_match(&subject),
                    original.find(&subject).is_some(),
                    "{} on {:?}", pattern, subject
                );
            }
        }
    }

    #[test]
    fn what_means_something_else_there_is_not_translated() {
        for pattern in ["(?=a)", "(?<n>a)", r"(a)\1", "[]", "[^]", "[+--]", r"\B", r"\u{1f600}"] {
            assert!(compile(pattern).is_none(), "{pattern}");
        }
    }
}

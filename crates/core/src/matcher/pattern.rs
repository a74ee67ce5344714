//! `Tool(parameter)`: the patterns that look at what a tool was called with.
//!
//! Three published readings of these patterns disagree. Where they agree we follow them;
//! where not, a star in a path stays within one folder, `**/` may also stand for no
//! folder at all, and a star anywhere else stands for anything.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use super::{MatcherError, Subject};

/// The field of each tool that a pattern is tried on. Of other tools it is the whole input, as JSON.
const PARAMETERS: [(&str, &str, Reading); 7] = [
    ("Bash", "command", Reading::Text),
    ("Read", "file_path", Reading::Path),
    ("Write", "file_path", Reading::Path),
    ("Edit", "file_path", Reading::Path),
    ("Glob", "pattern", Reading::Path),
    ("Grep", "pattern", Reading::Path),
    ("WebFetch", "url", Reading::Text),
];

/// What a star means in a parameter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reading {
    /// Anything but a slash.
    Path,
    /// Anything.
    Text,
}

/// What stands between the parentheses of a pattern.
#[derive(Debug)]
pub(super) enum Parameter {
    /// The parameter itself.
    Exact(String),
    /// `git:*`: what it begins with.
    Prefix(String),
    /// `domain:x.com`: the host of a URL; with `*.` also every host below it.
    Domain { base: String, below: bool },
    /// Anything with a star.
    Glob { text: String, path: OnceLock<Option<Regex>>, plain: OnceLock<Option<Regex>> },
}

/// A pattern taken apart: the tool, and what is said about its parameter.
pub(super) fn read(text: &str) -> Result<(&str, Option<Parameter>), MatcherError> {
    let wrong = |message: String, hint: &str| MatcherError { message, hint: Some(hint.to_owned()) };
    let Some((tool, rest)) = text.split_once('(') else {
        return if text.contains(')') {
            let message = format!("`{text}` has a closing parenthesis without an opening one");
            Err(wrong(message, "write `Tool` or `Tool(pattern)`"))
        } else {
            Ok((text, None))
        };
    };
    let Some(inside) = rest.strip_suffix(')') else {
        let message =
            format!("`{text}` has an opening parenthesis and does not end with a closing one");
        return Err(wrong(message, "write `Tool(pattern)`"));
    };
    if tool.is_empty() || inside.is_empty() {
        let message = format!("`{text}` says nothing about {}", missing(tool));
        return Err(wrong(message, "write `Tool`, `Tool(pattern)` or `*`"));
    }
    Ok((tool, Some(Parameter::read(inside))))
}

const fn missing(tool: &str) -> &'static str {
    if tool.is_empty() { "which tool is meant" } else { "the parameter between its parentheses" }
}

impl Parameter {
    fn read(text: &str) -> Self {
        if let Some(prefix) = text.strip_suffix(":*") {
            return Self::Prefix(prefix.to_owned());
        }
        if let Some(domain) = text.strip_prefix("domain:") {
            let base = domain.strip_prefix("*.");
            return Self::Domain {
                base: base.unwrap_or(domain).to_lowercase(),
                below: base.is_some(),
            };
        }
        if text.contains('*') {
            let (path, plain) = (OnceLock::new(), OnceLock::new());
            return Self::Glob { text: text.to_owned(), path, plain };
        }
        Self::Exact(text.to_owned())
    }

    /// Whether the parameter of a call is as the pattern says.
    pub(super) fn fits(&self, subject: &Subject<'_>) -> bool {
        let (value, reading) = parameter(subject);
        match self {
            Self::Exact(text) => *text == value,
            Self::Prefix(prefix) => value.starts_with(prefix.as_str()),
            Self::Domain { base, below } => host(&value).is_some_and(|host| {
                let rest = host.strip_suffix(base.as_str());
                rest.is_some_and(|rest| rest.is_empty() || *below && rest.ends_with('.'))
            }),
            Self::Glob { text, path, plain } => {
                let cell = if reading == Reading::Path { path } else { plain };
                let compiled = cell.get_or_init(|| Regex::new(&expression(text, reading)).ok());
                compiled.as_ref().is_some_and(|it| it.is_match(&value))
            }
        }
    }
}

/// What a pattern with parentheses is tried on.
pub(super) fn shown(subject: &Subject<'_>) -> String {
    parameter(subject).0.into_owned()
}

fn parameter<'s>(subject: &Subject<'s>) -> (Cow<'s, str>, Reading) {
    let row = PARAMETERS.iter().find(|row| row.0 == subject.name);
    let reading = row.map_or(Reading::Text, |row| row.2);
    let value = match (subject.input, row) {
        (None, _) => Cow::Borrowed(""),
        (Some(Value::String(text)), _) => Cow::Borrowed(text.as_str()),
        (Some(input), Some(row)) => {
            Cow::Borrowed(input.get(row.1).and_then(Value::as_str).unwrap_or_default())
        }
        (Some(input), None) => Cow::Owned(input.to_string()),
    };
    (value, reading)
}

/// The host of a URL, in small letters.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.trim().split_once("://")?;
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => host.split(':').next()?,
    };
    Some(host.trim_end_matches('.').to_lowercase())
}

/// A glob as a regular expression for the whole value.
fn expression(glob: &str, reading: Reading) -> String {
    let mut regex = String::from("(?s)^");
    let mut rest = glob;
    let mut open = 0_usize;
    while let Some(c) = rest.chars().next() {
        let path = reading == Reading::Path;
        let at_start = rest.len() == glob.len() || regex.ends_with('/');
        let (part, taken) = match c {
            '*' if path && at_start && rest.starts_with("**/") => ("(?:.*/)?", 3),
            '*' if rest.starts_with("**") => (".*", 2),
            '*' if path => ("[^/]*", 1),
            '*' => (".*", 1),
            '?' if path => ("[^/]", 1),
            '{' if path && is_choice(rest) => ("(?:", 1),
            ',' if open > 0 => ("|", 1),
            '}' if open > 0 => (")", 1),
            _ => ("", c.len_utf8()),
        };
        match part {
            "(?:" => open += 1,
            ")" => open -= 1,
            _ => (),
        }
        let taken = rest.split_at_checked(taken).unwrap_or((rest, ""));
        if part.is_empty() {
            regex.push_str(&regex::escape(taken.0));
        } else {
            regex.push_str(part);
        }
        rest = taken.1;
    }
    regex + "$"
}

/// Whether braces open a choice such as `{ts,tsx}`.
fn is_choice(rest: &str) -> bool {
    let inside = rest.get(1..).and_then(|it| it.split_once('}'));
    inside.is_some_and(|(inside, _)| inside.contains(',') && !inside.contains('{'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Fit, Matcher, MatcherLanguage, Subject};

    fn fits(pattern: &str, tool: &str, input: &Value) -> bool {
        let subject = Subject { name: tool, input: Some(input), event: None };
        Matcher::new(MatcherLanguage::ToolPattern, pattern).fit(subject) == Fit::Yes
    }

    #[test]
    fn a_prefix_is_looked_for_in_the_command_and_not_in_the_json() {
        let git = json!({ "command": "git push", "description": "x" });
        assert!(fits("Bash(git:*)", "Bash", &git));
        assert!(fits("Bash(git p:*)", "Bash", &git));
        assert!(fits("Bash(:*)", "Bash", &git));
        assert!(!fits("Bash(push:*)", "Bash", &git));
        assert!(!fits("Read(git:*)", "Bash", &git));
        assert!(!fits("Bash(git:*)", "Bash", &json!({ "description": "git" })));
    }

    #[test]
    fn a_star_in_a_path_stays_within_its_folder_and_elsewhere_it_does_not() {
        let path = |it: &str| json!({ "file_path": it });
        assert!(!fits("Read(*.md)", "Read", &path("src/a.md")));
        assert!(fits("Read(**.md)", "Read", &path("src/a.md")));
        assert!(fits("Bash(*)", "Bash", &json!({ "command": "cat a/b\nls" })));
        assert!(fits("Read(**/*.go)", "Read", &path("main.go")));
        assert!(!fits("Read(src**/x)", "Read", &path("srcx")));
        assert!(fits("Edit(src/*.{ts,tsx})", "Edit", &path("src/a.tsx")));
        assert!(!fits("Edit(src/*.{ts,tsx})", "Edit", &path("src/a.js")));
        assert!(!fits("Edit(src/**)", "Edit", &path("src")));
        assert!(fits("Edit(*+(x).rs)", "Edit", &path("a+(x).rs")));
    }

    #[test]
    fn a_domain_is_the_host_and_nothing_that_looks_like_it() {
        let url = |it: &str| json!({ "url": it });
        for (pattern, address, expected) in [
            ("WebFetch(domain:github.com)", "https://GitHub.com:443/a", true),
            ("WebFetch(domain:github.com)", "https://github.com@evil.example/", false),
            ("WebFetch(domain:github.com)", "https://evil.example/?https://github.com", false),
            ("WebFetch(domain:github.com)", "https://notgithub.com/", false),
            ("WebFetch(domain:*.x.com)", "https://a.b.x.com/", true),
            ("WebFetch(domain:*.x.com)", "https://x.com.", true),
            ("WebFetch(domain:*.x.com)", "https://ax.com/", false),
            ("WebFetch(domain:github.com)", "github.com", false),
        ] {
            assert_eq!(fits(pattern, "WebFetch", &url(address)), expected, "{pattern} {address}");
        }
    }

    #[test]
    fn other_tools_are_matched_by_their_input_as_json() {
        let input = json!({ "query": "x" });
        assert!(fits("mcp__db__run(*\"query\"*)", "mcp__db__run", &input));
        assert!(!fits("mcp__db__run(x)", "mcp__db__run", &input));
        assert!(fits("*(x)", "Anything", &json!("x")));
    }

    #[test]
    fn parentheses_that_do_not_close_are_wrong() {
        for pattern in ["Bash(git:*", "Bash)", "(x)", "Bash()", "Bash(x) "] {
            let matcher = Matcher::new(MatcherLanguage::ToolPattern, pattern);
            assert!(matcher.validate().is_err(), "{pattern}");
            assert!(matches!(matcher.fit("Bash"), Fit::Never(_)), "{pattern}");
        }
    }
}

//! What can be told about a shell command without running it.

use std::ops::Range;
use std::path::Path;

use super::tree::Problems;
use super::{Code, World};

/// Reports scripts that do not exist and characters that cannot be seen.
pub(super) fn lint(
    command: &str,
    start: &Path,
    at: &Range<usize>,
    (world, problems): (&dyn World, &mut Problems<'_>),
) {
    if command.chars().any(is_invisible) {
        problems.report(Code::Invisible, at, "the command holds characters that cannot be seen");
    }
    // Only words that can be nothing but the path of a script are looked for.
    let plain = |word: &&str| !word.contains(|c| "$`*?[]{}()|&;<>\"'\\=".contains(c));
    for word in command.split_whitespace().filter(plain) {
        let script = word.starts_with("./") || word.starts_with("../");
        let path = start.join(word);
        if script && path.extension().is_some() && !world.has_file(&path) {
            let hint = "paths start from the workspace, or from the handler's `cwd`";
            problems.report_with_hint(
                Code::ScriptMissing,
                at,
                format!("`{word}` does not exist"),
                hint,
            );
        }
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The first of these variables that stands in a command without quotes around it.
pub(super) fn unquoted<'v>(command: &str, variables: &[&'v str]) -> Option<&'v str> {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for (at, c) in command.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !single => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if !single && !double => {
                let rest = command.get(at + 1..).unwrap_or_default();
                let rest = rest.strip_prefix('{').unwrap_or(rest);
                let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let name = rest.split(|c| !in_name(c)).next().unwrap_or_default();
                let known = variables.iter().copied().find(|it| *it == name);
                if known.is_some() {
                    return known;
                }
            }
            _ => (),
        }
    }
    None
}

/// Whether a command says that it ends with this code.
pub(super) fn exits_with(command: &str, code: u8) -> bool {
    let code = code.to_string();
    let words: Vec<&str> =
        command.split(|c: char| c.is_whitespace() || ";&|(){}'\"".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
    words.windows(2).any(|pair| pair.first() == Some(&"exit") && pair.get(1) == Some(&&*code))
}

#[cfg(test)]
mod tests {
    use super::{exits_with, unquoted};

    #[test]
    fn only_a_variable_outside_of_quotes_is_split_by_the_shell() {
        for (command, found) in [
            ("echo $IN", true),
            ("echo ${IN}", true),
            ("echo ${IN:-x}", true),
            ("echo \"a\" $IN", true),
            ("echo \"$IN\"", false),
            ("echo \"a \\\" $IN\"", false),
            ("echo '$IN'", false),
            ("echo \\$IN", false),
            ("echo $INPUT", false),
            ("echo \"it's $IN\"", false),
        ] {
            assert_eq!(unquoted(command, &["IN"]).is_some(), found, "{command}");
        }
    }

    #[test]
    fn an_exit_code_is_found_as_a_word() {
        assert!(exits_with("grep x && exit 2", 2) && exits_with("(exit 2)", 2));
        assert!(exits_with("sh -c 'exit 2'", 2) && exits_with("if a; then exit 2; fi", 2));
        assert!(!exits_with("exit 20", 2) && !exits_with("exits 2", 2) && !exits_with("exit", 2));
    }
}

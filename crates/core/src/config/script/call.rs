//! What one program of a command is given to run.

use crate::shell::{Command, Piece, Word};

/// Programs that read a script, or a command after `-c`.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];
/// Other programs that read a script.
const INTERPRETERS: [&str; 6] = ["python", "python3", "node", "ruby", "perl", "php"];

/// Whether the program reads scripts.
pub(super) fn interprets(command: &Command) -> bool {
    let among = |names: &[&str]| command.name().is_some_and(|it| names.contains(&it));
    among(&SHELLS) || among(&INTERPRETERS)
}

/// The script that an interpreter is given; none where the program text stands in the command.
pub(super) fn script(command: &Command) -> Option<&Word> {
    let shell = command.name().is_some_and(|it| SHELLS.contains(&it));
    let flags: &[char] = if shell { &['c'] } else { &['c', 'e', 'm', 'p', 'r'] };
    let first = command.arguments().iter().find(|it| {
        let inline = it.lead().starts_with('-') && it.lead().ends_with(flags);
        !it.may_be_option() || inline || it.lead() == "--eval"
    })?;
    (interprets(command) && !first.may_be_option()).then_some(first)
}

/// What a shell is given to read as a command.
pub(super) fn evaluated(command: &Command) -> &[Word] {
    let arguments = command.arguments();
    if command.name() == Some("eval") {
        return arguments;
    }
    let is_flag = |it: &Word| matches!(it.known(), Some("-c" | "-lc"));
    let flag = arguments.iter().position(is_flag).filter(|_| interprets(command));
    // What comes after the command are its arguments, and stays one word each.
    flag.and_then(|at| arguments.get(at + 1..at + 2)).unwrap_or_default()
}

/// The variables of a word that the shell splits into several.
pub(super) fn split_variables(word: &Word) -> impl Iterator<Item = &str> {
    word.pieces().iter().filter_map(|piece| match piece {
        Piece::Unknown { source, splits: true } => {
            let name = source.trim_start_matches(['$', '{']);
            let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.split(|c| !in_name(c)).next()
        }
        Piece::Unknown { .. } | Piece::Text(_) | Piece::Glob(_) | Piece::Home => None,
    })
}

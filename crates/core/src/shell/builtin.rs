//! The shell's own commands that run, rename or evaluate something.

use super::program::{Start, Starts, joined};
use super::word::Word;
use super::{Command, DoubtKind, Place};

/// Builtins that take the names of variables; a subscript in such a name is evaluated.
const NAMING: &[&str] = &[
    "printf",
    "read",
    "let",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "test",
    "[",
    "[[",
    "mapfile",
    "readarray",
    "wait",
    "getopts",
];

/// What a builtin starts.
pub(super) fn starts(name: &str, arguments: &[Word], command: &Command, starts: &mut Starts) {
    let operands = || arguments.iter().filter(|word| !word.lead().starts_with('-'));
    match name {
        "eval" => {
            let words: Vec<Word> =
                arguments.iter().skip_while(|it| it.known() == Some("--")).cloned().collect();
            starts.text(joined(&words), Place::Nested);
        }
        "trap" => {
            if let (Some(handler), Some(_)) = (operands().next(), operands().nth(1)) {
                starts.text(handler.clone(), Place::Nested);
            }
        }
        "." | "source" => source(operands().next(), command, starts),
        "alias" => {
            for (_, value) in operands().filter_map(|word| word.split_assignment()) {
                starts.doubt(DoubtKind::Renaming, &command.shown());
                starts.text(value, Place::Alias);
            }
        }
        "hash" if arguments.first().is_some_and(|it| it.lead().starts_with("-p")) => {
            starts.doubt(DoubtKind::Renaming, &command.shown());
            let attached = arguments
                .first()
                .and_then(|it| it.without("-p"))
                .filter(|it| !it.pieces().is_empty());
            let path = attached.or_else(|| arguments.get(1).cloned());
            starts.words(path.into_iter().collect(), Place::Alias);
        }
        "enable" if arguments.iter().any(|it| it.lead().starts_with("-f")) => {
            starts.doubt(DoubtKind::Code, &command.shown());
        }
        "bind" if arguments.iter().any(|it| it.lead().starts_with("-x")) => {
            starts.doubt(DoubtKind::Code, &command.shown());
        }
        "jobs" if arguments.first().and_then(Word::known) == Some("-x") => {
            starts.words(arguments.get(1..).unwrap_or_default().to_vec(), Place::Wrapped);
        }
        "fc" => starts.doubt(DoubtKind::UnknownText, &command.shown()),
        "shopt" | "set" if arguments.iter().any(|it| it.lead() == "expand_aliases") => {
            starts.doubt(DoubtKind::Renaming, &command.shown());
        }
        "unset" if arguments.iter().any(|it| it.known() == Some("-f")) => {
            starts.doubt(DoubtKind::Renaming, &command.shown());
        }
        "export" | "declare" | "typeset" | "readonly" | "local" => {
            for word in operands() {
                if let Some((name, value)) = word.split_assignment() {
                    let name = name.trim_end_matches('+').to_owned();
                    super::environment::assigned(&super::Assignment { name, value }, starts);
                }
            }
        }
        _ => {}
    }
    if NAMING.contains(&name) {
        named(name, arguments, starts);
    }
}

/// `. file` is a script like any other; what comes from nowhere is not.
fn source(file: Option<&Word>, command: &Command, starts: &mut Starts) {
    let Some(file) = file else { return };
    let text = super::program::own_input(command);
    let device = file.lead().starts_with("/dev/") || file.lead().starts_with("/proc/");
    match text {
        Some(super::program::Input::Text(text)) if device => starts.text(text, Place::Nested),
        _ if device || file.is_open() => starts.doubt(DoubtKind::UnknownText, &command.shown()),
        _ => starts.doubt(DoubtKind::Renaming, &command.shown()),
    }
}

/// Names of variables with subscripts in them.
fn named(name: &str, arguments: &[Word], starts: &mut Starts) {
    let only_variable = matches!(name, "printf");
    let arguments = match arguments.iter().position(|it| it.lead().starts_with("-v")) {
        Some(at) if only_variable => arguments.get(at..at + 2).unwrap_or_default(),
        _ if only_variable => return,
        _ => arguments,
    };
    let tests = matches!(name, "test" | "[" | "[[");
    let mut before = "";
    for word in arguments {
        let lead = word.lead();
        let subscript = lead.contains('[') && lead.len() > 1 && lead != "[[";
        let hidden = lead.contains("$(") || lead.contains('`') || lead.contains("${");
        let is_name = !tests || matches!(before, "-v" | "-R");
        if subscript && hidden {
            starts.0.push(Start::Evaluated(lead.to_owned()));
            starts.doubt(DoubtKind::Evaluation, lead);
        } else if name == "let" && lead.bytes().any(|it| it.is_ascii_alphabetic())
            || word.is_open() && is_name
        {
            starts.doubt(DoubtKind::Evaluation, &word.shown());
        }
        before = lead;
    }
}

//! Shells that are given text: `bash -c`, `ssh host`, `watch`, a script on standard input.

use super::option::{Options, values};
use super::program::{Input, Starts, joined};
use super::word::Word;
use super::{DoubtKind, Place};

/// Shells whose language is close enough to bash.
pub(super) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "ash", "rbash", "yash", "fish", "csh",
    "tcsh", "osh", "bash5", "oksh", "posh",
];

/// Whether a program takes commands from its standard input.
pub(super) fn reads_commands(name: &str) -> bool {
    let others = matches!(name, "at" | "batch" | "ed" | "red" | "parallel");
    SHELLS.contains(&name) || others || super::code::reads_code(name)
}

/// What a program that runs shell text starts.
pub(super) fn starts(name: &str, arguments: &[Word], input: &Input, starts: &mut Starts) {
    match name {
        _ if SHELLS.contains(&name) => shell(name, arguments, input, starts),
        "ssh" | "slogin" | "mosh" | "rsh" => ssh(arguments, starts),
        "watch" => {
            let options = Options { letters: "n", names: &["interval"] };
            let words = arguments.get(options.end(arguments)..).unwrap_or_default();
            if !words.is_empty() {
                starts.text(joined(words), Place::Nested);
            }
        }
        "hyperfine" => {
            let set = values(arguments, "pcs", &["prepare", "cleanup", "setup"]);
            for text in BENCHMARK.operands(arguments).into_iter().chain(&set) {
                starts.text(text.clone(), Place::Nested);
            }
        }
        "at" | "batch" => read(name, input, starts),
        "ed" | "red" => edited(name, input, starts),
        "sg" => {
            if let Some(text) = arguments.last().filter(|_| arguments.len() > 1) {
                starts.text(text.clone(), Place::Nested);
            }
        }
        "capsh" => {
            let at = arguments.iter().position(|it| matches!(it.known(), Some("--" | "==")));
            let behind = at.and_then(|at| arguments.get(at + 1..)).unwrap_or_default();
            let mut words = vec![Word::text("bash")];
            words.extend(behind.iter().cloned());
            starts.words(words, Place::Nested);
        }
        "socat" => addresses(arguments, starts),
        "tmux" | "screen" => {
            if arguments.iter().any(|it| it.known().is_some_and(|it| TYPING.contains(&it))) {
                starts.doubt(DoubtKind::UnknownText, name);
            }
            for word in arguments.iter().filter(|it| it.shown().contains(' ')) {
                starts.text(word.clone(), Place::Nested);
            }
        }
        _ => {}
    }
}

/// Ways to type into another terminal.
const TYPING: [&str; 7] =
    ["send-keys", "send", "stuff", "run-shell", "run", "if-shell", "pipe-pane"];

const BENCHMARK: Options = Options {
    letters: "wrmMpcnDLPS",
    names: &["warmup", "runs", "prepare", "cleanup", "setup", "export-json", "export-markdown"],
};

/// An editor that runs what stands behind `!`.
fn edited(name: &str, input: &Input, starts: &mut Starts) {
    match input {
        Input::Text(text) => {
            if let Some((_, command)) = text.shown().split_once('!') {
                starts.doubt(DoubtKind::Code, &text.shown());
                starts.text(Word::text(command), Place::Nested);
            }
        }
        Input::Unknown => starts.doubt(DoubtKind::UnknownText, name),
        Input::Nothing | Input::File => {}
    }
}

/// `socat - EXEC:command,pty`
fn addresses(arguments: &[Word], starts: &mut Starts) {
    for word in arguments {
        let shown = word.shown();
        let upper = shown.to_ascii_uppercase();
        if ["EXEC:", "SYSTEM:", "SHELL:"].iter().any(|it| upper.contains(it)) {
            let behind = shown.split_once(':').map_or("", |(_, text)| text);
            let command = behind.split(',').next().unwrap_or_default();
            starts.text(Word::text(command), Place::Nested);
        }
    }
}

fn shell(name: &str, arguments: &[Word], input: &Input, starts: &mut Starts) {
    let mut words = arguments.iter().peekable();
    let (mut text, mut stdin) = (false, false);
    while let Some(word) = words.peek() {
        let lead = word.lead();
        if !lead.starts_with(['-', '+']) || lead == "-" {
            break;
        }
        words.next();
        match lead {
            "--" => break,
            "--rcfile" | "--init-file" => {
                words.next();
                starts.doubt(DoubtKind::Environment, lead);
            }
            _ if lead.starts_with("--") => {
                text |= name == "fish" && lead == "--command";
            }
            _ => {
                text |= lead.starts_with('-') && lead.contains('c');
                stdin |= lead.contains('s');
                // `-o pipefail`, `-eo pipefail`, `-O extglob`
                if lead.ends_with(['o', 'O']) {
                    words.next();
                }
            }
        }
    }
    match words.next() {
        Some(command) if text => starts.text(command.clone(), Place::Nested),
        None if text => {}
        Some(script) if !stdin => {
            let lead = script.lead();
            if matches!(lead, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
                read(name, input, starts);
            } else if script.is_open() || lead.starts_with("/dev/") {
                starts.doubt(DoubtKind::UnknownText, &format!("{name} {}", script.shown()));
            }
        }
        _ => read(name, input, starts),
    }
}

/// A script on standard input.
fn read(name: &str, input: &Input, starts: &mut Starts) {
    match input {
        Input::Text(text) => starts.text(text.clone(), Place::Nested),
        Input::Unknown => starts.doubt(DoubtKind::UnknownText, name),
        Input::Nothing | Input::File => {}
    }
}

const SSH: Options = Options { letters: "BbcDEeFIiJLlmOoPpQRSWw", names: &[] };

fn ssh(arguments: &[Word], starts: &mut Starts) {
    for setting in values(arguments, "o", &[]) {
        let lower = setting.lead().to_ascii_lowercase();
        if ["proxycommand", "localcommand", "knownhostscommand", "permitlocalcommand"]
            .iter()
            .any(|it| lower.starts_with(it))
        {
            let command = setting.shown();
            let command = command.split_once(['=', ' ']).map_or("", |(_, command)| command);
            starts.doubt(DoubtKind::Code, &setting.shown());
            starts.text(Word::text(command), Place::Nested);
        }
    }
    let end = SSH.end(arguments);
    let behind = arguments.get(end + 1..).unwrap_or_default();
    let behind = behind.get(SSH.end(behind)..).unwrap_or_default();
    if !behind.is_empty() {
        starts.text(joined(behind), Place::Remote);
    }
}

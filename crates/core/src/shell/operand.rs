//! Which files does a command line touch? Rules about paths hold inside commands, too.

use super::word::{Piece, Word};
use super::{Analysis, Command, RedirectKind};

/// A file that a command names.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Operand {
    /// The path as written, with `~` for the home folder; none when it is not known before it runs.
    pub path: Option<String>,
    /// The word it stands in.
    pub shown: String,
    /// Whether it may be changed.
    pub writes: bool,
}

/// Programs whose arguments are text or names, not files.
const TALKERS: &[&str] = &[
    "echo", "printf", "true", "false", ":", "which", "type", "man", "command", "hash", "export",
    "declare", "local", "unset", "alias", "test", "[", "[[", "kill", "pkill", "killall", "sleep",
    "seq", "expr", "let", "return", "exit", "set", "shift", "basename", "dirname", "help",
    "whatis", "apropos", "history", "date",
];
/// Programs that change the files they are given.
const WRITERS: &[&str] = &[
    "rm", "mv", "cp", "tee", "touch", "truncate", "chmod", "chown", "chgrp", "ln", "install",
    "mkdir", "rmdir", "shred", "unlink", "dd", "sponge", "patch", "rsync", "vim", "vi", "nvim",
    "nano", "emacs", "ed", "ex", "chattr", "setfacl", "mkfifo", "mknod",
];
/// Programs that show or send what is in files.
const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "sed",
    "awk",
    "gawk",
    "sort",
    "uniq",
    "cut",
    "tr",
    "wc",
    "diff",
    "cmp",
    "comm",
    "base64",
    "base32",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "nl",
    "tac",
    "rev",
    "paste",
    "join",
    "tar",
    "zip",
    "gzip",
    "xz",
    "bzip2",
    "zstd",
    "curl",
    "wget",
    "scp",
    "nc",
    "openssl",
    "gpg",
    "jq",
    "yq",
    "bat",
    "view",
    "fold",
    "source",
    ".",
    "iconv",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "file",
    "ls",
    "find",
    "tree",
    "stat",
    "xargs",
    "split",
    "csplit",
];

/// Programs whose first operand is a program or a pattern.
const SCRIPTED: &[&str] =
    &["awk", "gawk", "mawk", "sed", "grep", "egrep", "fgrep", "rg", "ag", "jq", "yq"];

impl Analysis {
    /// The files that the commands name, each as seen from every folder it may be meant in.
    pub fn operands(&self) -> Vec<Operand> {
        let mut found = Vec::new();
        let mut folders: Vec<Option<String>> = Vec::new();
        for command in &self.commands {
            let name = command.name().unwrap_or_default();
            if matches!(name, "cd" | "pushd") {
                let target = command.arguments().iter().rfind(|it| !it.lead().starts_with('-'));
                // Without a target it goes home; `-` is wherever it was before.
                let folder = target.map_or_else(|| Some("~".to_owned()), path);
                let back = command.arguments().iter().any(|it| it.known() == Some("-"));
                folders.push(folder.filter(|_| !back));
                found.extend(target.map(|it| operand(path(it), it, false)));
                continue;
            }
            for redirect in &command.redirects {
                let writes = match redirect.kind {
                    RedirectKind::Read => false,
                    RedirectKind::Write => true,
                    RedirectKind::Duplicate | RedirectKind::Text => continue,
                };
                add(&redirect.target, writes, &folders, &mut found);
            }
            if !TALKERS.contains(&name) {
                arguments(command, name, &folders, &mut found);
            }
        }
        found
    }
}

fn arguments(command: &Command, name: &str, folders: &[Option<String>], found: &mut Vec<Operand>) {
    let in_place = name == "sed"
        && command
            .arguments()
            .iter()
            .any(|it| it.lead().starts_with("-i") || it.lead().starts_with("--in"));
    let writes = in_place || WRITERS.contains(&name);
    let careful = writes || READERS.contains(&name);
    // The first operand of these is a program or a pattern.
    let scripted = SCRIPTED.contains(&name)
        && !command.arguments().iter().any(|it| matches!(it.lead(), "-e" | "-f" | "--regexp"));
    let script = command.arguments().iter().position(|it| !it.lead().starts_with('-'));
    let script = script.filter(|_| scripted);
    for (at, word) in command.arguments().iter().enumerate() {
        // What is still written with a dollar has been quoted, and is the name of nothing we know.
        let shown = word.shown();
        if Some(at) == script || !word.is_open() && shown.contains(['$', '\n']) {
            continue;
        }
        if word.is_open() {
            // What is not known is only asked about where it is sure to be a file.
            if careful && !matches!(word.pieces(), [Piece::Text(text), ..] if text.starts_with('-'))
            {
                add(word, writes, folders, found);
            }
            continue;
        }
        if !word.lead().starts_with('-') {
            add(word, writes, folders, found);
        }
        // `--file=x`, `if=x`, `-d @x`, `-F f=@x`
        for (at, _) in shown.match_indices(['=', '@']).take(2) {
            let rest = shown.get(at + 1..).unwrap_or_default();
            if !rest.is_empty() {
                let output = writes || shown.starts_with("--out") || shown.starts_with("of=");
                add(&Word::text(rest), output, folders, found);
            }
        }
    }
}

fn operand(path: Option<String>, word: &Word, writes: bool) -> Operand {
    Operand { path, shown: word.shown(), writes }
}

fn add(word: &Word, writes: bool, folders: &[Option<String>], found: &mut Vec<Operand>) {
    const MOST: usize = 4096;
    const FOLDERS: usize = 8;
    if found.len() >= MOST {
        return;
    }
    let own = path(word);
    let relative = own.as_ref().is_some_and(|it| !it.starts_with(['/', '~']));
    found.push(operand(own.clone(), word, writes));
    if !relative {
        return;
    }
    // Each change of folder may be the one in force.
    for folder in folders.iter().rev().take(FOLDERS) {
        let joined =
            folder.as_ref().zip(own.as_ref()).map(|(folder, own)| format!("{folder}/{own}"));
        found.push(operand(joined, word, writes));
    }
}

/// The path a word names. A pattern that may lead elsewhere is not known.
fn path(word: &Word) -> Option<String> {
    if word.is_open() {
        return None;
    }
    let shown = word.shown();
    let wild = word.pieces().iter().rposition(|it| matches!(it, Piece::Glob(_)));
    let leads_on = wild.is_some_and(|at| {
        let behind = word.pieces().get(at..).unwrap_or_default();
        behind.iter().any(|it| matches!(it, Piece::Text(text) if text.contains('/')))
    });
    let elsewhere = shown.starts_with(['/', '~']) || shown.contains("..");
    // `~/.s*` may be `~/.ssh` as well.
    let hidden = wild.is_some() && elsewhere && !shown.ends_with("/*");
    if leads_on && elsewhere || hidden { None } else { Some(shown) }
}

//! What a command starts besides itself.

use super::option::{Options, has, values};
use super::word::{Piece, Word};
use super::{Assignment, Command, DoubtKind, Place, RedirectKind, code, git, wrapper};

/// Something a command starts.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// Another command, word by word.
    Words { words: Vec<Word>, place: Place, assignments: Vec<Assignment> },
    /// Text for a shell.
    Text { text: Word, place: Place },
    /// Text whose substitutions are run: an arithmetic expression, a prompt.
    Evaluated(String),
    /// Something that cannot be seen.
    Doubt(DoubtKind, String),
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Starts(pub(super) Vec<Start>);

/// What a command reads.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Input {
    /// Nothing we know of: the terminal, or nothing.
    Nothing,
    /// A file that is named.
    File,
    /// This text.
    Text(Word),
    /// Something another command writes.
    Unknown,
}

/// Options whose value is a command line: program, letters, long names.
const TEXT_OPTIONS: &[(&str, &str, &[&str])] = &[
    (
        "tar",
        "IF",
        &[
            "use-compress-program",
            "to-command",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
        ],
    ),
    ("bsdtar", "", &["use-compress-program"]),
    ("cpio", "", &["rsh-command"]),
    ("sort", "", &["compress-program"]),
    ("rg", "", &["pre", "hostname-bin"]),
    ("man", "PH", &["pager", "html"]),
    ("bat", "", &["pager"]),
    ("ag", "", &["pager"]),
    ("ack", "", &["pager"]),
    ("split", "", &["filter"]),
    ("rsync", "e", &["rsh", "rsync-path"]),
    ("scp", "S", &[]),
    ("sftp", "S", &[]),
    ("wget", "", &["use-askpass"]),
    ("tcpdump", "z", &[]),
    ("zip", "", &["unzip-command"]),
    ("nc", "ec", &["exec", "sh-exec"]),
    ("netcat", "ec", &["exec", "sh-exec"]),
    ("ncat", "ec", &["exec", "sh-exec"]),
    ("npx", "c", &["call"]),
    ("npm", "c", &["call"]),
    ("script", "c", &["command"]),
    ("su", "c", &["command", "session-command"]),
    ("runuser", "c", &["command", "session-command"]),
    ("flock", "c", &["command"]),
    ("env", "S", &["split-string"]),
    ("nix-shell", "", &["run", "command"]),
    ("mapfile", "C", &[]),
    ("readarray", "C", &[]),
    ("complete", "CF", &[]),
    ("compgen", "CF", &[]),
    ("fzf", "", &["preview"]),
    ("xterm", "e", &[]),
    ("gcc", "", &["wrapper"]),
    ("look", "", &[]),
];

/// Programs that write the files they are given by these options: program, letters, long names.
const WRITING: &[(&str, &str, &[&str])] = &[
    ("sort", "o", &["output"]),
    (
        "curl",
        "oOD",
        &[
            "output",
            "remote-name",
            "dump-header",
            "cookie-jar",
            "trace",
            "trace-ascii",
            "output-dir",
        ],
    ),
    ("tree", "o", &[]),
    ("file", "C", &["compile"]),
    ("jq", "", &["in-place"]),
    ("yq", "i", &["inplace", "in-place"]),
    ("date", "s", &["set"]),
    ("shuf", "o", &["output"]),
    ("strings", "", &[]),
    ("xxd", "r", &["revert"]),
    ("less", "oOk", &["log-file", "LOG-FILE", "lesskey-file"]),
    ("iconv", "o", &["output"]),
    ("hostname", "Fb", &["file"]),
    ("diff", "", &["output"]),
];

/// What this command starts.
pub(super) fn starts(command: &Command, input: &Input) -> Starts {
    let mut starts = Starts::default();
    for assignment in &command.assignments {
        super::environment::assigned(assignment, &mut starts);
    }
    let Some(first) = command.words.first() else { return starts };
    let arguments = command.arguments();
    let Some(name) = command.name() else {
        starts.doubt(DoubtKind::UnknownCommand, &first.shown());
        // It may turn out to be nothing, and then the next word is the name.
        let behind: Vec<Word> = arguments.iter().skip_while(|it| it.may_split()).cloned().collect();
        if first.may_split() && !behind.is_empty() {
            starts.words(behind, Place::Wrapped);
        }
        return starts;
    };
    if name.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_control()) {
        starts.doubt(DoubtKind::UnknownCommand, name);
    }
    let texts = text_options(name, arguments, &mut starts);
    super::builtin::starts(name, arguments, command, &mut starts);
    super::nested::starts(name, arguments, input, &mut starts);
    match name {
        "git" => git::starts(arguments, &mut starts),
        "find" | "gfind" => find(arguments, &mut starts),
        "fd" | "fdfind" => fd(arguments, &mut starts),
        "xargs" | "gxargs" => xargs(arguments, &mut starts),
        "parallel" => parallel(arguments, input, &mut starts),
        "tar" | "bsdtar" => tar(arguments, &mut starts),
        "zip" => {
            let at = arguments.iter().position(|it| it.known() == Some("-TT"));
            let command = at.and_then(|at| arguments.get(at + 1)).cloned();
            if let Some(command) = command {
                starts.text(command, Place::Nested);
            }
        }
        _ => {}
    }
    code::interpret(name, arguments, input, &mut starts);
    if let Some((_, letters, names)) = WRITING.iter().find(|row| row.0 == name)
        && has(arguments, letters, names)
    {
        starts.doubt(DoubtKind::Writing, &command.shown());
    }
    if !texts {
        wrapped(name, arguments, &mut starts);
    }
    starts
}

/// Adds what options name; says whether any did.
fn text_options(name: &str, arguments: &[Word], starts: &mut Starts) -> bool {
    let Some((_, letters, names)) = TEXT_OPTIONS.iter().find(|row| row.0 == name) else {
        return false;
    };
    let texts = values(arguments, letters, names);
    let any = !texts.is_empty();
    for text in texts {
        starts.text(text, Place::Nested);
    }
    any
}

fn wrapped(name: &str, arguments: &[Word], starts: &mut Starts) {
    // These only look a name up.
    if name == "command" && has(arguments.get(..1).unwrap_or_default(), "vV", &[]) {
        return;
    }
    let Some(inside) = wrapper::inside(name, arguments) else { return };
    let assignments = inside.assignments.iter().filter_map(|word| {
        let (name, value) = word.split_assignment()?;
        Some(Assignment { name: name.to_owned(), value })
    });
    let assignments: Vec<Assignment> = assignments.collect();
    if !inside.words.is_empty() || !assignments.is_empty() {
        starts.0.push(Start::Words {
            words: inside.words.to_vec(),
            place: inside.place,
            assignments,
        });
    }
}

/// Words in which a mark stands for something that is not known yet.
fn with_holes(words: &[Word], mark: &str) -> Vec<Word> {
    let hole = |word: &Word| {
        if !mark.is_empty() && word.shown().contains(mark) {
            let source = word.shown();
            // The folder in front of a hole is still known; its name is not.
            Word::from_pieces([Piece::Unknown { source, splits: false }])
        } else {
            word.clone()
        }
    };
    words.iter().map(hole).collect()
}

fn find(arguments: &[Word], starts: &mut Starts) {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.known() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let command =
                    words.by_ref().take_while(|it| !matches!(it.known(), Some(";" | "+")));
                let command: Vec<Word> = command.cloned().collect();
                starts.words(with_holes(&command, "{}"), Place::Wrapped);
            }
            Some("-delete" | "-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
                starts.doubt(DoubtKind::Writing, &word.shown());
            }
            _ => {}
        }
    }
}

fn fd(arguments: &[Word], starts: &mut Starts) {
    let at = arguments
        .iter()
        .position(|it| matches!(it.known(), Some("-x" | "-X" | "--exec" | "--exec-batch")));
    if let Some(command) = at.and_then(|at| arguments.get(at + 1..)) {
        let command: Vec<Word> =
            command.iter().take_while(|it| it.known() != Some(";")).cloned().collect();
        starts.words(with_holes(&command, "{"), Place::Wrapped);
    }
}

const XARGS: Options = Options {
    letters: "aEILnPsd",
    names: &[
        "arg-file",
        "delimiter",
        "max-lines",
        "max-args",
        "max-procs",
        "max-chars",
        "process-slot-var",
        "replace",
    ],
};

fn xargs(arguments: &[Word], starts: &mut Starts) {
    let end = XARGS.end(arguments);
    let command = arguments.get(end..).unwrap_or_default();
    if command.is_empty() {
        return;
    }
    let own = arguments.get(..end).unwrap_or_default();
    let replaced = values(own, "I", &["replace"]);
    let mark = replaced.first().and_then(Word::known).map(str::to_owned);
    let mark = mark.or_else(|| has(own, "i", &[]).then(|| "{}".to_owned()));
    let mut words = with_holes(command, mark.as_deref().unwrap_or_default());
    if mark.is_none() {
        words.push(Word::unknown("…"));
    }
    starts.words(words, Place::Wrapped);
}

const PARALLEL: Options = Options {
    letters: "jNnISaLdCPsE",
    names: &[
        "jobs",
        "sshlogin",
        "arg-file",
        "colsep",
        "delay",
        "joblog",
        "results",
        "timeout",
        "max-args",
        "workdir",
        "tmpdir",
        "delimiter",
        "tagstring",
        "retries",
        "halt",
        "load",
        "memfree",
        "env",
    ],
};

fn parallel(arguments: &[Word], input: &Input, starts: &mut Starts) {
    let end = PARALLEL.end(arguments);
    let words = arguments.get(end..).unwrap_or_default();
    let at = words.iter().position(|it| it.lead().starts_with(":::"));
    let command = words.get(..at.unwrap_or(words.len())).unwrap_or_default();
    let items = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    if command.is_empty() {
        for item in items {
            starts.text(item.clone(), Place::Nested);
        }
        match input {
            _ if !items.is_empty() => {}
            Input::Text(text) => starts.text(text.clone(), Place::Nested),
            Input::Nothing | Input::File | Input::Unknown => {
                starts.doubt(DoubtKind::UnknownText, "parallel");
            }
        }
        return;
    }
    let mut words = with_holes(command, "{");
    words.push(Word::unknown("…"));
    starts.text(joined(&words), Place::Nested);
}

/// Reads tar's first argument like options: `tar xf`, `tar -xf`, `tar --extract`.
fn tar(arguments: &[Word], starts: &mut Starts) {
    for action in values(arguments, "", &["checkpoint-action"]) {
        if let Some(command) = action.without("exec=") {
            starts.text(command, Place::Nested);
        } else if action.is_open() {
            starts.doubt(DoubtKind::Code, &action.shown());
        }
    }
    let first = arguments.first().map(Word::lead).unwrap_or_default();
    let cluster = !first.starts_with("--");
    let lists =
        has(arguments, "", &["list"]) || has(arguments, "t", &[]) || cluster && first.contains('t');
    let changes = has(
        arguments,
        "xcruA",
        &["extract", "get", "create", "append", "update", "concatenate", "catenate", "delete"],
    ) || cluster && first.contains(['x', 'c', 'r', 'u', 'A']);
    if changes || !lists && !arguments.is_empty() && !has(arguments, "", &["version", "help"]) {
        starts.doubt(DoubtKind::Writing, &format!("tar {first}"));
    }
}

/// Words as one text, the way `eval` and `ssh` join them.
pub(super) fn joined(words: &[Word]) -> Word {
    let mut pieces = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            pieces.push(Piece::Text(" ".to_owned()));
        }
        pieces.extend(word.pieces().iter().cloned());
    }
    Word::from_pieces(pieces)
}

/// What a command's own redirections give it to read.
pub(super) fn own_input(command: &Command) -> Option<Input> {
    command.redirects.iter().rev().find_map(|it| match it.kind {
        RedirectKind::Text => Some(Input::Text(it.target.clone())),
        RedirectKind::Read if it.target.is_open() || it.target.lead().starts_with("/dev/") => {
            if it.target.known() == Some("/dev/null") {
                Some(Input::Nothing)
            } else {
                Some(Input::Unknown)
            }
        }
        RedirectKind::Read => Some(Input::File),
        RedirectKind::Write | RedirectKind::Duplicate => None,
    })
}

//! What flows where: downloads into shells, secrets into the net.

use super::spot::{Spot, is_secret};
use super::{ASK, DENY, Found};
use crate::shell::{Analysis, Command, Place, RedirectKind, Word};

const LOADERS: &[&str] = &[
    "curl", "wget", "fetch", "aria2c", "http", "https", "lynx", "nc", "ncat", "netcat", "socat",
    "ftp", "telnet", "GET", "xh", "scp",
];
const SENDERS: &[&str] = &[
    "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "sftp", "scp", "rsync",
    "http", "https", "xh", "mail", "mailx", "sendmail", "mutt", "ssh", "dig", "nslookup", "host",
    "ping", "rclone", "gsutil", "aws", "openssl", "gh", "tftp",
];
const DECODERS: &[&str] = &[
    "base64", "base32", "xxd", "openssl", "uudecode", "gunzip", "zcat", "rev", "tr", "gpg",
    "bunzip2", "xz",
];
const RUNNERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "lua",
    "deno",
    "bun",
    "osascript",
    "pwsh",
    "tclsh",
];
const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "csh", "tcsh", "rbash"];

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Whether a command fetches something.
pub(super) fn loads(command: &Command) -> bool {
    command.name().is_some_and(|name| LOADERS.contains(&name))
}

fn is_runner(name: &str) -> bool {
    is_shell(name) || RUNNERS.contains(&name)
}

/// What a command is fed, and what it sends away.
pub(super) fn check(analysis: &Analysis, at: usize, loads: bool) -> Found {
    let command = analysis.commands.get(at)?;
    let name = command.name()?;
    if matches!(name, "eval" | "source" | ".") || is_runner(name) {
        let loads = any_named(inner(analysis, at, command), LOADERS);
        if loads {
            return DENY("it runs what it downloads");
        }
    }
    if is_runner(name) && reads_program(name, command) {
        let found = fed(analysis, at);
        if found.is_some() {
            return found;
        }
    }
    let path = || command.words.first().is_some_and(|it| it.lead().contains('/'));
    if loads && (is_runner(name) || path()) {
        let found = downloaded(analysis, at, command);
        if found.is_some() {
            return found;
        }
    }
    if calls_itself(analysis, command, name) {
        return DENY("it starts itself until the machine stands still");
    }
    if SENDERS.contains(&name) {
        return sent(analysis, at, command);
    }
    talks(name, command)
}

/// The commands in a command's substitutions.
fn inner<'a>(
    analysis: &'a Analysis,
    at: usize,
    command: &'a Command,
) -> impl Iterator<Item = &'a Command> {
    let mut root = at;
    let mut range = command.inner.clone();
    while let Some(by) =
        analysis.commands.get(root).and_then(|it| it.by).filter(|_| range.is_empty())
    {
        root = by;
        range = analysis.commands.get(root).map(|it| it.inner.clone()).unwrap_or_default();
    }
    analysis.commands.get(range).unwrap_or_default().iter()
}

fn any_named<'a>(mut commands: impl Iterator<Item = &'a Command>, names: &[&str]) -> bool {
    commands.any(|it| it.name().is_some_and(|name| names.contains(&name)))
}

/// Whether a program reads what it runs from its standard input.
fn reads_program(name: &str, command: &Command) -> bool {
    let arguments = command.arguments();
    if arguments.iter().any(|it| matches!(it.known(), Some("-" | "/dev/stdin"))) {
        return true;
    }
    let code = arguments.iter().any(|it| {
        let lead = it.lead();
        lead.starts_with('-')
            && !lead.starts_with("--")
            && lead.contains(['c', 'e', 'm', 'r', 'n', 'p'])
    });
    let script = arguments.iter().any(|it| !it.lead().starts_with('-'));
    let stdin = is_shell(name)
        && arguments.iter().any(|it| it.lead().starts_with('-') && it.lead().contains('s'));
    stdin || !(script || code && arguments.len() > 1)
}

/// What a shell is fed by the stages before it.
fn fed(analysis: &Analysis, at: usize) -> Found {
    let feeding = || feeders(analysis, at);
    if any_named(feeding(), LOADERS) {
        return DENY("it runs what it downloads");
    }
    if any_named(feeding(), DECODERS) {
        return DENY("it runs what nobody can read");
    }
    None
}

/// The commands whose output reaches a command.
fn feeders(analysis: &Analysis, at: usize) -> impl Iterator<Item = &Command> {
    const NEAR: usize = 256;
    let piped = analysis.commands.get(at).is_some_and(|it| it.pipes.iter().any(|it| it.1 > 0));
    let near = analysis.commands.iter().enumerate().skip(at.saturating_sub(NEAR)).take(if piped {
        2 * NEAR
    } else {
        0
    });
    near.filter(move |(index, _)| analysis.feeds(*index, at)).map(|(_, command)| command)
}

/// A file that was downloaded before it is run.
fn downloaded(analysis: &Analysis, at: usize, command: &Command) -> Found {
    const MOST: usize = 256;
    let program = if command.name().is_some_and(is_runner) {
        command.arguments().iter().find(|it| !it.lead().starts_with('-'))?
    } else {
        command.words.first()?
    };
    let base = |text: &str| {
        text.rsplit('/')
            .next()
            .unwrap_or_default()
            .split(['?', '#'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let program = base(&program.shown());
    let earlier = analysis.commands.iter().take(at.min(MOST));
    let mut loads = earlier.filter(|it| it.name().is_some_and(|name| LOADERS.contains(&name)));
    let names = |it: &Command| {
        let words = it.words.iter().skip(1).chain(it.redirects.iter().map(|it| &it.target));
        words.map(Word::shown).any(|it| base(&it) == program)
    };
    if !program.is_empty() && loads.any(names) {
        ASK("it runs what it has downloaded")
    } else {
        None
    }
}

/// `:(){ :|:& };:`
fn calls_itself(analysis: &Analysis, command: &Command, name: &str) -> bool {
    let defined = analysis
        .doubts
        .iter()
        .any(|it| it.kind == crate::shell::DoubtKind::Renaming && it.seen == name);
    let same = analysis
        .commands
        .iter()
        .filter(|it| it.place == Place::Function && it.name() == Some(name));
    defined && command.place == Place::Function && same.count() > 1
}

/// Secrets that leave the machine.
fn sent(analysis: &Analysis, at: usize, command: &Command) -> Found {
    let local = matches!(command.name(), Some("aws" | "gh" | "openssl" | "ssh" | "git"));
    let identity = |words: &[Word], at: usize| {
        at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|it| {
            matches!(
                it.lead(),
                "-i" | "--key" | "--cert" | "--cacert" | "-E" | "--netrc-file" | "-in" | "--capath"
            )
        })
    };
    let arguments = command.arguments();
    let own =
        arguments.iter().enumerate().any(|(at, word)| is_secret(word) && !identity(arguments, at));
    let reads = |it: &Command| {
        it.words
            .iter()
            .skip(1)
            .chain(
                it.redirects.iter().filter(|it| it.kind == RedirectKind::Read).map(|it| &it.target),
            )
            .any(is_secret)
            || matches!(it.name(), Some("env" | "printenv") if it.arguments().is_empty())
    };
    let read =
        command.redirects.iter().any(|it| it.kind == RedirectKind::Read && is_secret(&it.target));
    if own && !local
        || read
        || feeders(analysis, at).any(reads)
        || inner(analysis, at, command).any(reads)
    {
        return DENY("it sends secrets away");
    }
    talks(command.name()?, command)
}

/// Programs that hand a shell to another machine.
fn talks(name: &str, command: &Command) -> Found {
    let arguments = command.arguments();
    let shown = || arguments.iter().map(Word::shown);
    match name {
        "nc" | "ncat" | "netcat" => {
            let executes = shown().any(|it| {
                matches!(it.as_str(), "-e" | "-c" | "--exec" | "--sh-exec")
                    || it.starts_with('-') && !it.starts_with("--") && it.ends_with('e')
            });
            if executes { DENY("it hands a shell to another machine") } else { None }
        }
        "socat"
            if shown().any(|it| {
                it.to_ascii_uppercase().contains("EXEC:")
                    || it.to_ascii_uppercase().contains("SYSTEM:")
            }) =>
        {
            DENY("it hands a shell to another machine")
        }
        _ if RUNNERS.contains(&name) => {
            let code: Vec<String> = shown().collect();
            let code = code.join(" ");
            let connects =
                ["socket", "Socket", "fsockopen", "net.connect"].iter().any(|it| code.contains(it));
            let runs = ["subprocess", "pty", "dup2", "exec", "spawn", "system", "/bin/sh"]
                .iter()
                .any(|it| code.contains(it));
            if connects && runs {
                return DENY("it hands a shell to another machine");
            }
            let removes = ["rmtree", "rmSync", "rm_rf", "rmdirSync", "remove_tree", "removeSync"];
            let vital = code.split(['"', '\'']).any(|it| Spot::of(&Word::text(it)).is_vital());
            if removes.iter().any(|it| code.contains(it)) && vital {
                return DENY("it removes what the system or a person needs");
            }
            None
        }
        _ => None,
    }
}

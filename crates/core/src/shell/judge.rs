//! Patterns against an analysis: what is proven to be allowed, and what may be forbidden.

use super::option::Options;
use super::pattern::{CommandPattern, Fit};
use super::word::Word;
use super::{Analysis, Command, Doubt, DoubtKind, Place, RedirectKind, git};

/// Whether every part of a command line is covered by what is allowed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Proof {
    /// Every command is allowed, and nothing is hidden.
    Proven,
    /// Something is not covered.
    Open {
        /// The part.
        part: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Whether a command line contains what a pattern speaks of.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Hit {
    /// It does not.
    No,
    /// It cannot be excluded.
    Perhaps {
        /// What hides it.
        why: String,
    },
    /// It does.
    Yes {
        /// The command that fits.
        part: String,
    },
}

/// Programs that only start what stands behind them.
const TRANSPARENT: &[&str] =
    &["timeout", "nice", "nohup", "stdbuf", "ionice", "time", "command", "builtin", "xargs"];
/// Programs that can be given any argument.
const HARMLESS: &[&str] = &[
    "echo", "true", "false", ":", "cd", "pwd", "ls", "cat", "head", "tail", "wc", "basename",
    "dirname", "type", "which", "grep", "egrep", "fgrep", "stat", "du", "df", "cut", "tr", "uniq",
    "realpath", "readlink", "[", "[[", "test", "sleep", "seq", "pushd", "popd", "exit", "return",
    "mkdir", "touch",
];
/// Variables that only change how things look.
const QUIET: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_COLLATE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "CI",
    "NODE_ENV",
    "RUST_LOG",
    "RUST_BACKTRACE",
    "TERM",
    "COLUMNS",
    "LINES",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "GIT_TERMINAL_PROMPT",
    "DEBIAN_FRONTEND",
    "CARGO_TERM_COLOR",
];

/// Whether all of a command line is proven to be allowed by these patterns.
pub fn allows(patterns: &[CommandPattern], analysis: &Analysis) -> Proof {
    if patterns.iter().any(CommandPattern::is_universal) {
        return Proof::Proven;
    }
    if analysis.commands.is_empty() {
        return open(&analysis.text, "contains no command");
    }
    let mut starters = vec![false; analysis.commands.len()];
    for command in analysis.commands.iter().filter(|it| it.place == Place::Wrapped) {
        if let Some(starter) = command.by.and_then(|by| starters.get_mut(by)) {
            *starter = true;
        }
    }
    let mut matched = Vec::with_capacity(analysis.commands.len());
    for (at, command) in analysis.commands.iter().enumerate() {
        if let Some(why) = unsafe_around(command) {
            return open(&command.shown(), &why);
        }
        let pattern = patterns.iter().find(|pattern| plainly_fits(pattern, command));
        let starts_another = starters.get(at) == Some(&true);
        if pattern.is_none() && !is_covered(command, starts_another, analysis, &matched) {
            let why = if command.words.is_empty() {
                "is not a command that could be allowed"
            } else {
                "is not allowed"
            };
            return open(&command.shown(), why);
        }
        if let Some(why) = open_argument(command) {
            return open(&command.shown(), &why);
        }
        matched.push(pattern);
    }
    let doubt = analysis.doubts.iter().find(|doubt| {
        let pattern = doubt.command.and_then(|at| matched.get(at).copied().flatten());
        !pattern.is_some_and(|pattern| waives(pattern, doubt))
    });
    doubt.map_or(Proof::Proven, |doubt| open(&doubt.seen, doubt.kind.meaning()))
}

fn open(part: &str, why: &str) -> Proof {
    const SHOWN: usize = 200;
    Proof::Open { part: part.chars().take(SHOWN).collect(), why: why.to_owned() }
}

/// Assignments and redirections that need an approval of their own.
fn unsafe_around(command: &Command) -> Option<String> {
    if let Some(it) = command
        .assignments
        .iter()
        .find(|it| !QUIET.contains(&it.name.as_str()) || it.value.is_open())
    {
        return Some(format!("sets `{}`", it.name));
    }
    let written = command.redirects.iter().find(|it| {
        let harmless =
            matches!(it.target.known(), Some("/dev/null" | "/dev/stdout" | "/dev/stderr"));
        it.kind == RedirectKind::Write && !harmless
    });
    written.map(|it| format!("writes `{}`", it.target.shown()))
}

/// Whether a pattern fits the words as they stand.
fn plainly_fits(pattern: &CommandPattern, command: &Command) -> bool {
    let mut words = command.words.iter();
    let name = words.next().and_then(Word::known);
    name.is_some_and(|name| pattern.fit_words(name, words) == Fit::Yes)
}

/// Whether a command needs no pattern of its own.
fn is_covered(
    command: &Command,
    starts_another: bool,
    analysis: &Analysis,
    matched: &[Option<&CommandPattern>],
) -> bool {
    if command.words.is_empty() {
        // A redirection of a group; what it writes has been looked at.
        return command.assignments.is_empty() && !command.redirects.is_empty();
    }
    let name = command.words.first().and_then(Word::known).unwrap_or_default();
    if TRANSPARENT.contains(&name) && starts_another {
        return true;
    }
    let parent = command.by.and_then(|by| analysis.commands.get(by));
    let pattern = command.by.and_then(|by| matched.get(by).copied().flatten());
    match (command.place, pattern, parent) {
        // Another machine is the affair of the program that goes there.
        (Place::Remote, Some(_), _) => true,
        // `Bash(uv run:*)` names the program that starts others.
        (Place::Wrapped, Some(pattern), Some(parent)) => {
            let runner = parent.arguments().first().and_then(Word::known);
            let named = matches!(runner, Some("run" | "exec" | "dlx" | "x"))
                && pattern.words().nth(1).is_some();
            named || matches!(parent.name(), Some("npx" | "uvx" | "bunx"))
        }
        _ => false,
    }
}

/// An argument that may turn into an option nobody has seen.
fn open_argument(command: &Command) -> Option<String> {
    if command.name().is_some_and(|name| HARMLESS.contains(&name)) {
        return None;
    }
    let arguments = command.arguments();
    let before = arguments.iter().take_while(|word| word.known() != Some("--"));
    let mut words = before.filter(|word| word.is_open());
    words
        .find(|word| word.may_be_option() || word.may_split())
        .map(|word| format!("has `{}` in it, which is not known before it runs", word.shown()))
}

/// A pattern that spells the option out knows what it allows.
fn waives(pattern: &CommandPattern, doubt: &Doubt) -> bool {
    let spelled = || {
        let mut triggers = doubt
            .seen
            .split_whitespace()
            .filter(|it| it.starts_with('-') || doubt.seen.starts_with("tar "));
        triggers.any(|trigger| pattern.words().skip(1).any(|word| word == trigger))
    };
    doubt.kind == DoubtKind::Writing && (pattern.is_exact() || spelled())
}

/// Whether a command line contains what a pattern speaks of, however it is disguised.
pub fn hits(pattern: &CommandPattern, analysis: &Analysis) -> Hit {
    if pattern.is_universal() {
        return Hit::Yes { part: analysis.text.clone() };
    }
    let mut perhaps = None;
    for command in &analysis.commands {
        match fits_disguised(pattern, command) {
            Fit::Yes if !matches!(command.place, Place::Alias | Place::Remote) => {
                return Hit::Yes { part: command.shown() };
            }
            Fit::Yes | Fit::Perhaps => {
                perhaps = perhaps.or_else(|| Some(format!("`{}` may be it", command.shown())));
            }
            Fit::No => {}
        }
    }
    if pattern.spans_commands() && pattern.fit_text(&analysis.text) == Fit::Yes {
        return Hit::Yes { part: analysis.text.clone() };
    }
    match perhaps.or_else(|| analysis.hides().map(ToString::to_string)) {
        Some(why) => Hit::Perhaps { why },
        None => Hit::No,
    }
}

/// Whether a pattern speaks of this command, however it is disguised.
pub fn fits(pattern: &CommandPattern, command: &Command) -> bool {
    pattern.is_universal() || fits_disguised(pattern, command) == Fit::Yes
}

fn fits_disguised(pattern: &CommandPattern, command: &Command) -> Fit {
    let arguments = command.arguments();
    let Some(first) = command.words.first() else { return Fit::No };
    let Some(name) = command.name() else { return pattern.fit_all(command.words.iter()) };
    let mut best = pattern.fit_words(name, arguments.iter());
    // A pattern may also name the path.
    if let Some(path) = first.known().filter(|path| *path != name) {
        best = best.max(pattern.fit_words(path, arguments.iter()));
    }
    if best == Fit::Yes || pattern.words().nth(1).is_none() && !name.starts_with("git-") {
        return best;
    }
    let (name, behind) = match name.strip_prefix("git-") {
        Some(sub) => return best.max(git_fits(pattern, sub, arguments)),
        None => (name, arguments.get(global_options(name).end(arguments)..).unwrap_or_default()),
    };
    best = best.max(pattern.fit_words(name, behind.iter()));
    // Whoever names a command with all its arguments means no others.
    if !pattern.is_exact() {
        let bare = behind.iter().filter(|word| !word.lead().starts_with('-'));
        best = best.max(pattern.fit_words(name, bare));
    }
    if name == "git" {
        let sub = behind.first().and_then(Word::known);
        if let Some(sub) = sub.filter(|sub| !git::is_subcommand(sub)) {
            best = best.max(git_fits(pattern, sub, behind.get(1..).unwrap_or_default()));
        }
    }
    best.max(same_options(pattern, name, arguments))
}

/// A subcommand of git that is a program, an alias, or another name for a push.
fn git_fits(pattern: &CommandPattern, sub: &str, arguments: &[Word]) -> Fit {
    if pattern.words().next() != Some("git") {
        return Fit::No;
    }
    let word = Word::text(sub);
    let fit = pattern.fit_words("git", std::iter::once(&word).chain(arguments));
    if git::is_subcommand(sub) { fit } else { fit.max(Fit::Perhaps) }
}

/// `rm -rf` is also `rm -r -f`, `rm -fr` and `rm --recursive --force`.
fn same_options(pattern: &CommandPattern, name: &str, arguments: &[Word]) -> Fit {
    let mut words = pattern.words();
    let (Some(wanted), Some(cluster), None) = (words.next(), words.next(), words.next()) else {
        return Fit::No;
    };
    let Some(letters) =
        cluster.strip_prefix('-').filter(|it| !it.starts_with('-') && !it.is_empty())
    else {
        return Fit::No;
    };
    if wanted != name || pattern.is_exact() || !letters.chars().all(|it| it.is_ascii_alphabetic()) {
        return Fit::No;
    }
    let given = |letter: char| {
        arguments.iter().any(|word| {
            let lead = word.lead();
            match lead.strip_prefix("--") {
                Some(long) => long.starts_with(letter.to_ascii_lowercase()),
                None => lead.strip_prefix('-').is_some_and(|it| it.contains(letter)),
            }
        })
    };
    if letters.chars().all(given) { Fit::Yes } else { Fit::No }
}

/// Options that may stand between a program and its subcommand.
fn global_options(name: &str) -> Options {
    const NONE: Options = Options { letters: "", names: &[] };
    if name == "git" {
        return git::GLOBAL;
    }
    GLOBAL.iter().find(|row| row.0.contains(&name)).map_or(NONE, |row| row.1)
}

/// Such options by program; those that take no value need not be listed.
const GLOBAL: &[(&[&str], Options)] = &[
    (
        &["npm", "pnpm", "yarn", "bun"],
        Options {
            letters: "Cw",
            names: &[
                "prefix",
                "workspace",
                "dir",
                "cwd",
                "filter",
                "loglevel",
                "registry",
                "userconfig",
            ],
        },
    ),
    (
        &["docker", "podman", "nerdctl"],
        Options {
            letters: "Hlc",
            names: &["host", "log-level", "context", "config", "tlscacert", "tlscert", "tlskey"],
        },
    ),
    (
        &["kubectl", "oc", "helm"],
        Options {
            letters: "ns",
            names: &[
                "namespace",
                "server",
                "context",
                "kubeconfig",
                "cluster",
                "user",
                "token",
                "kube-context",
            ],
        },
    ),
    (&["cargo"], Options { letters: "CZ", names: &["color", "config"] }),
    (
        &["aws"],
        Options {
            letters: "",
            names: &["profile", "region", "output", "endpoint-url", "query", "color"],
        },
    ),
    (
        &["gcloud"],
        Options {
            letters: "",
            names: &["project", "account", "configuration", "format", "verbosity"],
        },
    ),
    (&["gh"], Options { letters: "R", names: &["repo", "hostname"] }),
    (
        &["systemctl"],
        Options {
            letters: "HMtpno",
            names: &["host", "machine", "type", "property", "lines", "output"],
        },
    ),
    (
        &["apt", "apt-get"],
        Options { letters: "oct", names: &["option", "config-file", "target-release"] },
    ),
    (
        &["make", "gmake"],
        Options {
            letters: "CfIjlo",
            names: &["directory", "file", "makefile", "include-dir", "jobs"],
        },
    ),
    (&["go"], Options { letters: "C", names: &[] }),
    (
        &["pip", "pip3", "uv"],
        Options {
            letters: "",
            names: &["python", "log", "proxy", "cache-dir", "directory", "project", "config-file"],
        },
    ),
    (
        &["mvn", "gradle"],
        Options { letters: "fpPs", names: &["file", "projects", "settings", "project-dir"] },
    ),
    (&["terraform", "tofu"], Options { letters: "", names: &["chdir"] }),
    (
        &["psql", "mysql"],
        Options {
            letters: "hpUd",
            names: &["host", "port", "username", "dbname", "user", "database"],
        },
    ),
];

//! What git starts: aliases, pagers, filters, transports, and what its configuration names.

use super::option::{Options, has, values};
use super::program::Starts;
use super::word::Word;
use super::{DoubtKind, Place};

/// Options between `git` and the subcommand that take a value.
pub(super) const GLOBAL: Options = Options {
    letters: "Cc",
    names: &["git-dir", "work-tree", "namespace", "super-prefix", "config-env", "attr-source"],
};

/// Settings that change nothing but how things look and merge; all others may name a program.
const HARMLESS: &[&str] = &[
    "user.",
    "color.",
    "advice.",
    "log.",
    "core.quotepath",
    "core.autocrlf",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.abbrev",
    "commit.gpgsign",
    "tag.gpgsign",
    "init.defaultbranch",
    "pull.",
    "fetch.prune",
    "merge.conflictstyle",
    "merge.ff",
    "rebase.auto",
    "diff.algorithm",
    "diff.renames",
    "diff.nopaths",
    "push.default",
    "push.auto",
    "status.",
    "column.",
    "i18n.",
    "format.pretty",
    "blame.",
    "safe.directory",
    "gc.",
    "pack.",
    "submodule.recurse",
    "protocol.version",
    "http.lowspeed",
    "http.postbuffer",
    "branch.sort",
    "tag.sort",
    "grep.",
    "clone.default",
    "rerere.",
    "stash.",
    "feature.",
    "index.",
    "transfer.fsckobjects",
];

/// Git's own subcommands. What is not among them is an alias or a program.
const SUBCOMMANDS: &[&str] = &[
    "add",
    "am",
    "annotate",
    "apply",
    "archive",
    "backfill",
    "bisect",
    "blame",
    "branch",
    "bugreport",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "checkout",
    "checkout-index",
    "cherry",
    "cherry-pick",
    "citool",
    "clean",
    "clone",
    "column",
    "commit",
    "commit-graph",
    "commit-tree",
    "config",
    "count-objects",
    "credential",
    "daemon",
    "describe",
    "diagnose",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "difftool",
    "fast-export",
    "fast-import",
    "fetch",
    "fetch-pack",
    "filter-branch",
    "fmt-merge-msg",
    "for-each-ref",
    "for-each-repo",
    "format-patch",
    "fsck",
    "gc",
    "get-tar-commit-id",
    "gitk",
    "grep",
    "gui",
    "hash-object",
    "help",
    "hook",
    "http-backend",
    "http-fetch",
    "index-pack",
    "init",
    "init-db",
    "instaweb",
    "interpret-trailers",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "mailinfo",
    "mailsplit",
    "maintenance",
    "merge",
    "merge-base",
    "merge-file",
    "merge-index",
    "merge-tree",
    "mergetool",
    "mktag",
    "mktree",
    "multi-pack-index",
    "mv",
    "name-rev",
    "notes",
    "pack-objects",
    "pack-redundant",
    "pack-refs",
    "patch-id",
    "prune",
    "prune-packed",
    "pull",
    "push",
    "quiltimport",
    "range-diff",
    "read-tree",
    "rebase",
    "receive-pack",
    "reflog",
    "refs",
    "remote",
    "repack",
    "replace",
    "replay",
    "request-pull",
    "rerere",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "send-email",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "sparse-checkout",
    "stage",
    "stash",
    "status",
    "stripspace",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "unpack-file",
    "unpack-objects",
    "update-index",
    "update-ref",
    "update-server-info",
    "upload-archive",
    "upload-pack",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "web--browse",
    "whatchanged",
    "worktree",
    "write-tree",
    "lfs",
];

/// Whether git itself knows this subcommand.
pub(super) fn is_subcommand(name: &str) -> bool {
    SUBCOMMANDS.contains(&name)
}

/// What a call of git starts besides git.
pub(super) fn starts(arguments: &[Word], starts: &mut Starts) {
    let end = GLOBAL.end(arguments);
    let (before, behind) =
        (arguments.get(..end).unwrap_or_default(), arguments.get(end..).unwrap_or_default());
    let sub = behind.first().and_then(Word::known).unwrap_or_default();
    if has(before, "", &["exec-path", "config-env"])
        && before.iter().any(|it| it.lead().contains('='))
    {
        starts.doubt(DoubtKind::Code, "git --exec-path");
    }
    if has(before, "", &["git-dir", "work-tree"]) {
        starts.doubt(DoubtKind::Renaming, "git --git-dir");
    }
    for (at, word) in before.iter().enumerate() {
        let setting = match word.known() {
            Some("-c") => before.get(at + 1).cloned(),
            _ => word.without("-c").filter(|it| !it.pieces().is_empty()),
        };
        if let Some(setting) = setting {
            set(&setting, (sub, behind), starts);
        }
    }
    if behind.first().is_some_and(|word| word.known().is_none()) {
        starts.doubt(DoubtKind::Expansion, &behind.first().map(Word::shown).unwrap_or_default());
    }
    subcommand(sub, behind.get(1..).unwrap_or_default(), starts);
}

/// One `name=value` of the configuration.
fn set(setting: &Word, (sub, behind): (&str, &[Word]), starts: &mut Starts) {
    let Some((name, value)) = setting.split_assignment() else {
        if setting.is_open() {
            starts.doubt(DoubtKind::Code, &setting.shown());
        }
        return;
    };
    let name = name.to_ascii_lowercase();
    if HARMLESS.iter().any(|harmless| name.starts_with(harmless)) {
        return;
    }
    starts.doubt(DoubtKind::Renaming, &setting.shown());
    if value.is_open() {
        starts.doubt(DoubtKind::Code, &setting.shown());
        return;
    }
    let text = value.shown();
    match (name.strip_prefix("alias."), text.strip_prefix('!')) {
        (Some(_), None) => {
            if name.strip_prefix("alias.") == Some(sub) {
                let mut words = vec![Word::text("git")];
                words.extend(text.split_whitespace().map(Word::text));
                words.extend(behind.iter().skip(1).cloned());
                starts.words(words, Place::Wrapped);
            }
        }
        (_, Some(command)) => starts.text(Word::text(command), Place::Nested),
        (None, None) => starts.text(Word::text(text), Place::Nested),
    }
}

/// The filters of `git filter-branch`.
const FILTERS: [&str; 9] = [
    "setup",
    "env-filter",
    "tree-filter",
    "index-filter",
    "parent-filter",
    "msg-filter",
    "commit-filter",
    "tag-name-filter",
    "subdirectory-filter",
];

fn subcommand(sub: &str, arguments: &[Word], starts: &mut Starts) {
    let run = |letters: &str, names: &[&str], starts: &mut Starts| {
        for value in values(arguments, letters, names) {
            starts.text(value, Place::Nested);
        }
    };
    match sub {
        "clone" => run("u", &["upload-pack"], starts),
        "fetch" | "pull" | "ls-remote" | "fetch-pack" => run("", &["upload-pack", "exec"], starts),
        "push" | "send-pack" | "archive" => run("", &["receive-pack", "exec"], starts),
        "rebase" => run("x", &["exec"], starts),
        "difftool" => run("x", &["extcmd"], starts),
        "grep" => run("O", &["open-files-in-pager"], starts),
        "send-email" => {
            run("", &["sendmail-cmd", "smtp-server", "to-cmd", "cc-cmd", "header-cmd"], starts);
        }
        "filter-branch" => {
            run("", &FILTERS, starts);
        }
        "bisect" if arguments.first().and_then(Word::known) == Some("run") => {
            starts.words(arguments.get(1..).unwrap_or_default().to_vec(), Place::Wrapped);
        }
        "submodule" => foreach(arguments, starts),
        "config" => config(arguments, starts),
        "" => {}
        _ if !is_subcommand(sub) => starts.doubt(DoubtKind::Expansion, sub),
        _ => {}
    }
    transports(arguments, starts);
    // `git archive HEAD -c tar.x.command=…`, `git clone --config core.fsmonitor=…`
    for setting in values(arguments, "c", &["config"]) {
        let lead = setting.lead();
        if lead.split_once('=').is_some_and(|(name, _)| name.contains('.') && !name.contains(' ')) {
            set(&setting, ("", &[]), starts);
        }
    }
    let writes = has(arguments, "", &["output", "output-directory"])
        || matches!(sub, "archive" | "format-patch") && has(arguments, "o", &[]);
    if writes {
        starts.doubt(DoubtKind::Writing, "git --output");
    }
    if matches!(sub, "daemon" | "instaweb" | "web--browse" | "hook" | "credential") {
        starts.doubt(DoubtKind::Expansion, sub);
    }
}

/// `git submodule foreach`: one word is text for a shell, several are a command.
fn foreach(arguments: &[Word], starts: &mut Starts) {
    let Some(at) = arguments.iter().position(|word| word.known() == Some("foreach")) else {
        return;
    };
    let behind = arguments.get(at + 1..).unwrap_or_default();
    let behind = behind.iter().skip_while(|word| word.lead().starts_with('-'));
    let words: Vec<Word> = behind.cloned().collect();
    match words.as_slice() {
        [text] => starts.text(text.clone(), Place::Nested),
        _ => starts.words(words, Place::Wrapped),
    }
}

/// Addresses that run a program: `ext::sh -c …`.
fn transports(arguments: &[Word], starts: &mut Starts) {
    for word in arguments {
        let lead = word.lead();
        if let Some(command) = lead.strip_prefix("ext::") {
            starts.doubt(DoubtKind::Code, lead);
            starts.text(Word::text(command.replace("% ", " ")), Place::Nested);
        } else if lead.starts_with("fd::") {
            starts.doubt(DoubtKind::Code, lead);
        }
    }
}

/// `git config name value`: the next call of git may run it.
fn config(arguments: &[Word], starts: &mut Starts) {
    let words = arguments.iter().filter(|word| !word.lead().starts_with('-'));
    let mut words = words.skip_while(|word| matches!(word.known(), Some("set" | "--add")));
    let (name, value) = (words.next(), words.next());
    let (Some(name), Some(value)) = (name, value) else { return };
    let lower = name.shown().to_ascii_lowercase();
    if matches!(lower.as_str(), "get" | "list" | "unset" | "edit" | "get-all") {
        return;
    }
    if name.is_open() || lower.starts_with("alias.") || value.lead().starts_with('!') {
        starts.doubt(DoubtKind::Code, &name.shown());
    }
    if !HARMLESS.iter().any(|harmless| lower.starts_with(harmless)) {
        starts.doubt(DoubtKind::Renaming, &name.shown());
        if let Some(command) = value.lead().strip_prefix('!') {
            starts.text(Word::text(command), Place::Nested);
        }
    }
}

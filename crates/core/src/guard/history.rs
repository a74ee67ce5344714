//! Repositories: what cannot be brought back.

use super::{ASK, DENY, Found};
use crate::shell::{Command, Word};

/// What a call of git destroys.
pub(super) fn check(command: &Command) -> Found {
    if command.name()? != "git" {
        return None;
    }
    let arguments = command.arguments();
    let mut at = 0;
    while let Some(lead) = arguments.get(at).map(Word::lead).filter(|it| it.starts_with('-')) {
        at += 1 + usize::from(matches!(
            lead,
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace"
        ));
    }
    let (sub, rest) = arguments.get(at..)?.split_first()?;
    let words: Vec<String> = rest.iter().map(Word::shown).collect();
    let long =
        |name: &str| words.iter().any(|it| it == name || it.starts_with(&format!("{name}=")));
    let short = |letter: char| {
        words.iter().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
    };
    let plain: Vec<&str> =
        words.iter().map(String::as_str).filter(|it| !it.starts_with('-')).collect();
    let dry = long("--dry-run")
        || short('n') && matches!(sub.known(), Some("clean" | "push" | "gc" | "prune"));
    let first = plain.first().copied().unwrap_or_default();
    match sub.known()? {
        _ if dry => None,
        "push" => pushed(&words, &plain),
        "update-ref" if short('d') || long("--delete") || long("--stdin") => {
            DENY("it removes a branch for good")
        }
        "reflog" if matches!(first, "expire" | "delete") => {
            DENY("it removes what could bring history back")
        }
        "gc" if long("--prune=now") || long("--prune=all") => {
            DENY("it removes what could bring history back")
        }
        "prune" => ASK("it removes what could bring history back"),
        "filter-branch" | "filter-repo" => DENY("it rewrites history"),
        "reset" if long("--hard") || long("--merge") => ASK("it throws away changes"),
        "clean" if short('f') || long("--force") => {
            ASK("it removes files that are not in the repository")
        }
        "checkout" | "restore" | "switch" => discarded(sub.known()?, &words, &plain),
        "branch"
            if short('D')
                || (short('d') || long("--delete")) && (short('f') || long("--force")) =>
        {
            ASK("it removes a branch")
        }
        "tag" if short('d') || long("--delete") => ASK("it removes a tag"),
        "stash" if matches!(first, "drop" | "clear") => ASK("it throws away changes"),
        "worktree" if first == "remove" && (short('f') || long("--force")) => {
            ASK("it throws away changes")
        }
        "remote" if matches!(first, "remove" | "rm") => ASK("it forgets a remote repository"),
        "submodule" if first == "deinit" && (short('f') || long("--force")) => {
            ASK("it throws away changes")
        }
        "lfs" if first == "prune" => ASK("it removes what could bring files back"),
        _ => None,
    }
}

fn pushed(words: &[String], plain: &[&str]) -> Found {
    let has = |name: &str| words.iter().any(|it| it == name);
    let cluster = |letter: char| {
        words.iter().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
    };
    if has("--mirror") || has("--prune") {
        return DENY("it makes the remote repository forget what is not here");
    }
    let refs = plain.iter().skip(1);
    if has("--delete") || cluster('d') || refs.clone().any(|it| it.starts_with(':') && it.len() > 1)
    {
        return DENY("it removes a branch of the remote repository");
    }
    let forced = has("--force") || cluster('f') || words.iter().any(|it| it.starts_with("--force"));
    if forced || plain.iter().any(|it| it.starts_with('+')) {
        return ASK("it rewrites the history of the remote repository");
    }
    None
}

fn discarded(sub: &str, words: &[String], plain: &[&str]) -> Found {
    let forced =
        words.iter().any(|it| matches!(it.as_str(), "-f" | "--force" | "--discard-changes"));
    let staged = words.iter().any(|it| matches!(it.as_str(), "--staged" | "-S"))
        && !words.iter().any(|it| it == "--worktree" || it == "-W");
    let behind = words.iter().position(|it| it == "--").map(|at| words.len() - at - 1);
    let all = plain.iter().any(|it| matches!(*it, "." | "./" | "*" | ":/" | ".."));
    let discards = match sub {
        "checkout" => all || behind.is_some_and(|count| count > 0),
        "restore" => !staged && !plain.is_empty(),
        _ => false,
    };
    if forced || discards { ASK("it throws away changes") } else { None }
}

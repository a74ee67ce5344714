//! Files: removing, overwriting, opening up.

use super::spot::{Spot, is_secret};
use super::{ASK, DENY, Found};
use crate::shell::{Command, RedirectKind, Word};

/// What a command does to files.
pub(super) fn check(command: &Command) -> Found {
    let arguments = command.arguments();
    match command.name()? {
        "rm" | "grm" | "trash" | "rmdir" | "unlink" | "srm" => remove(command),
        "find" | "gfind" | "fd" => find(arguments),
        "shred" | "wipe" | "scrub" => {
            let vital = operands(arguments)
                .any(|it| Spot::of(it).is_vital() || Spot::of(it) == Spot::Secret);
            if vital {
                DENY("it destroys data beyond recovery")
            } else {
                ASK("it destroys files beyond recovery")
            }
        }
        "mv" | "gmv" => moved(arguments),
        "cp" | "install" | "ln" | "rsync" | "scp" => copied(command),
        "dd" => {
            arguments.iter().find_map(|it| written(&Word::text(it.shown().strip_prefix("of=")?)))
        }
        "tee" | "sponge" => operands(arguments).find_map(written),
        "sed" | "perl" if has_letter(arguments, 'i') => operands(arguments).find_map(written),
        "truncate" => {
            operands(arguments).find_map(written).or(ASK("it cuts off what is in a file"))
        }
        "chmod" | "chown" | "chgrp" | "setfacl" => opened(command),
        "chattr" => ASK("it changes what may be done to files"),
        "tar" | "unzip" | "7z" | "cpio" => extracted(arguments),
        "cat" | "less" | "more" | "head" | "tail" | "base64" | "xxd" | "od" | "strings" | "bat"
        | "nl" | "tac" | "hexdump" => {
            let private = |it: &Word| is_private_key(it);
            if operands(arguments).any(private) { ASK("it shows a secret") } else { None }
        }
        "mkfs" | "mke2fs" | "mkswap" | "wipefs" | "blkdiscard" | "fdisk" | "sfdisk" | "cfdisk"
        | "gdisk" | "sgdisk" | "parted" => disk(arguments),
        name if name.starts_with("mkfs.") => disk(arguments),
        "git" if arguments.first().and_then(Word::known) == Some("rm") => {
            let all =
                operands(arguments).any(|it| matches!(Spot::of(it), Spot::Here | Spot::Above));
            if all && has_letter(arguments, 'r') { ASK("it removes everything here") } else { None }
        }
        _ => None,
    }
}

fn operands(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let mut literal = false;
    arguments.iter().filter(move |word| {
        let dashes = word.known() == Some("--") && !literal;
        literal |= dashes;
        !dashes && (literal || !word.lead().starts_with('-'))
    })
}

/// Whether a letter is among the short options.
fn has_letter(arguments: &[Word], letter: char) -> bool {
    let options = arguments.iter().take_while(|it| it.known() != Some("--"));
    options
        .map(Word::lead)
        .any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
}

fn has_long(arguments: &[Word], name: &str) -> bool {
    arguments
        .iter()
        .filter_map(|it| it.lead().strip_prefix("--"))
        .any(|it| it.len() > 2 && name.starts_with(it))
}

fn remove(command: &Command) -> Found {
    let arguments = command.arguments();
    let recursive = has_letter(arguments, 'r')
        || has_letter(arguments, 'R')
        || has_long(arguments, "recursive");
    if has_long(arguments, "no-preserve-root") {
        return DENY("it removes the whole file system");
    }
    let mut found = None;
    for word in operands(arguments) {
        let (decision, why) = match Spot::of(word) {
            Spot::Root | Spot::System | Spot::Device => {
                return DENY("it removes what the system needs");
            }
            Spot::Home if recursive => return DENY("it removes somebody's home"),
            Spot::Secret => return DENY("it removes keys or traces"),
            Spot::Repository if recursive => return DENY("it removes a repository's history"),
            Spot::Startup => (ASK, "it removes what a session starts with"),
            Spot::Work | Spot::Temporary | Spot::Home if recursive => {
                (ASK, "it removes a folder that others use")
            }
            Spot::Here | Spot::Above if recursive => (ASK, "it removes everything here"),
            Spot::Unknown if recursive => (ASK, "what it removes depends on a value"),
            Spot::Home
            | Spot::Work
            | Spot::Temporary
            | Spot::Here
            | Spot::Above
            | Spot::Unknown
            | Spot::Repository
            | Spot::Other => continue,
        };
        found = decision(why);
    }
    found
}

/// A search that removes what it finds, or hands it to something that does.
fn find(arguments: &[Word]) -> Found {
    const FILTERS: [&str; 14] = [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-mtime",
        "-mmin",
        "-newer",
        "-size",
        "-empty",
        "-wholename",
        "-atime",
        "-ctime",
        "-user",
    ];
    const REMOVERS: [&str; 6] = ["rm", "shred", "unlink", "mv", "truncate", "wipe"];
    let known = |name: &str| arguments.iter().any(|it| it.known() == Some(name));
    let runs = arguments.windows(2).any(|pair| match pair {
        [flag, program] => {
            flag.lead().starts_with("-exec")
                | flag.lead().starts_with("-ok")
                | matches!(flag.lead(), "-x" | "-X")
                && program.base_name().is_some_and(|it| {
                    REMOVERS.contains(&it) || matches!(it, "chmod" | "chown" | "sh" | "bash")
                })
        }
        _ => false,
    });
    if !known("-delete") && !runs {
        return None;
    }
    let filtered = FILTERS.iter().any(|it| known(it));
    let starts = arguments.iter().take_while(|it| !it.lead().starts_with(['-', '(', '!']));
    let spots: Vec<Spot> = starts.map(Spot::of).collect();
    if spots.iter().any(|it| it.is_vital() || matches!(it, Spot::Secret | Spot::Repository)) {
        return if filtered && !spots.contains(&Spot::Repository) {
            ASK("it removes files all over the machine")
        } else {
            DENY("it removes what the system or a person needs")
        };
    }
    let all = spots.is_empty()
        || spots
            .iter()
            .any(|it| matches!(it, Spot::Here | Spot::Above | Spot::Unknown | Spot::Work));
    if all && !filtered { ASK("it removes everything here") } else { None }
}

fn moved(arguments: &[Word]) -> Found {
    let words: Vec<&Word> = operands(arguments).collect();
    let (target, sources) = words.split_last()?;
    if sources.iter().any(|it| {
        matches!(
            Spot::of(it),
            Spot::Root | Spot::System | Spot::Home | Spot::Secret | Spot::Repository
        )
    }) {
        return DENY("it moves away what the system or a person needs");
    }
    if target.known() == Some("/dev/null") {
        return DENY("it throws away what it moves");
    }
    written(target)
}

fn copied(command: &Command) -> Found {
    let arguments = command.arguments();
    let words: Vec<&Word> = operands(arguments).collect();
    let (target, _) = words.split_last()?;
    if command.name() == Some("rsync")
        && has_long(arguments, "delete")
        && Spot::of(target).is_vital()
    {
        return DENY("it removes what the system or a person needs");
    }
    if matches!(Spot::of(target), Spot::Home | Spot::Root) && command.name() != Some("ln") {
        return None;
    }
    written(target)
}

/// What writing to this place does.
fn written(target: &Word) -> Found {
    let shown = target.shown();
    match Spot::of(target) {
        Spot::Device => DENY("it overwrites a disk"),
        Spot::Secret if shown.ends_with("authorized_keys") || shown.starts_with("/etc") => {
            DENY("it gives somebody access")
        }
        Spot::Secret => DENY("it overwrites keys"),
        Spot::Startup => ASK("it changes what every new session runs"),
        Spot::Repository => ASK("it changes what a repository runs or contains"),
        Spot::System
            if shown.starts_with("/etc/passwd")
                || shown.contains("cron")
                || shown.contains("sysrq")
                || shown.starts_with("/boot")
                || shown.contains("ld.so.preload")
                || shown.contains("/bin/") =>
        {
            DENY("it changes what the system needs")
        }
        Spot::Root | Spot::System => ASK("it changes what the system needs"),
        Spot::Home
        | Spot::Work
        | Spot::Here
        | Spot::Above
        | Spot::Temporary
        | Spot::Unknown
        | Spot::Other => None,
    }
}

/// What a redirection writes.
pub(super) fn redirects(command: &Command) -> Found {
    let writes = command.redirects.iter().filter(|it| it.kind == RedirectKind::Write);
    let worst = writes.filter_map(|it| written(&it.target)).max_by_key(|it| it.0);
    let shell = command.name().is_some_and(super::flow::is_shell);
    let connects = command.redirects.iter().any(|it| {
        it.target.lead().starts_with("/dev/tcp/") || it.target.lead().starts_with("/dev/udp/")
    });
    if shell && connects { DENY("it hands a shell to another machine") } else { worst }
}

fn opened(command: &Command) -> Found {
    let arguments = command.arguments();
    let recursive = has_letter(arguments, 'R') || has_long(arguments, "recursive");
    let words: Vec<&Word> = operands(arguments).collect();
    let spots = || words.iter().skip(1).map(|it| Spot::of(it));
    if recursive && spots().any(Spot::is_vital) || spots().any(|it| it == Spot::Root) {
        return DENY("it changes who may use the whole machine");
    }
    let mode = words.first().map(|it| it.shown()).unwrap_or_default();
    let numeric = mode.bytes().all(|it| it.is_ascii_digit()) && !mode.is_empty();
    let special = numeric && mode.len() == 4 && mode.starts_with(['2', '4', '6', '7']);
    if command.name() == Some("chmod") {
        if special || mode.contains("+s") || mode.contains("=s") || mode.contains("+xs") {
            return DENY("it lets a program run as somebody else");
        }
        let world = numeric && mode.ends_with(['7', '6', '2', '3'])
            || [
                "a+w", "o+w", "a+rwx", "o+rwx", "ugo+w", "ugo+rwx", "+rwx", "a=rwx", "a+rw",
                "o+rw", "a=rw",
            ]
            .iter()
            .any(|it| mode.contains(it));
        if world {
            return ASK("it lets everybody write");
        }
    }
    if spots().any(|it| matches!(it, Spot::System | Spot::Device)) {
        return ASK("it changes who may use what the system needs");
    }
    let all = spots().any(|it| matches!(it, Spot::Here | Spot::Above | Spot::Unknown | Spot::Work));
    if recursive && all && numeric && mode.starts_with('0') {
        ASK("it locks everything here")
    } else {
        None
    }
}

fn extracted(arguments: &[Word]) -> Found {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let target = match word.lead() {
            "-C" | "--directory" | "-d" => words.next(),
            _ => None,
        };
        if target.is_some_and(|it| matches!(Spot::of(it), Spot::Root | Spot::System)) {
            return ASK("it writes over what the system needs");
        }
    }
    None
}

fn disk(arguments: &[Word]) -> Found {
    let lists =
        has_letter(arguments, 'l') || has_long(arguments, "list") || has_letter(arguments, 'p');
    let device =
        |it: &Word| Spot::of(it) == Spot::Device || it.is_open() || it.lead().starts_with("/dev/");
    if operands(arguments).any(device) && !lists {
        DENY("it destroys what is on a disk")
    } else {
        None
    }
}

fn is_private_key(word: &Word) -> bool {
    let shown = word.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    let history = name.ends_with("_history");
    let dotenv = name == ".env" || name.starts_with(".env.");
    let settings = matches!(name, "config" | "config.json" | ".npmrc");
    is_secret(word) && !history && !dotenv && !settings
}

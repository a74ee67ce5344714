//! Which place of a machine does a word name?

use crate::shell::{Piece, Word};

/// A place that matters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Spot {
    /// The root of the file system, or all that is in it.
    Root,
    /// What the system itself needs.
    System,
    /// Somebody's home as a whole.
    Home,
    /// Keys, tokens and passwords.
    Secret,
    /// Files that a shell or a session runs when it starts.
    Startup,
    /// A folder of somebody's home with their work in it.
    Work,
    /// A repository's own folder.
    Repository,
    /// Where we are, as a whole.
    Here,
    /// Above where we are.
    Above,
    /// A disk, or memory.
    Device,
    /// A folder for everybody's temporary files, as a whole.
    Temporary,
    /// A value decides, and if it is empty the rest is the root or everything here.
    Unknown,
    /// Anything else.
    Other,
}

const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "proc",
    "sbin",
    "sys",
    "usr",
    "System",
    "Library",
    "Applications",
    "Windows",
    "Program Files",
];
/// Folders of which only the top, or the folder right below, belongs to the system.
const SHALLOW: &[&str] = &[
    "home", "root", "var", "opt", "srv", "mnt", "media", "run", "Users", "Volumes", "snap", "nix",
];
const SECRETS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".azure",
    ".password-store",
    ".vault-token",
    ".config/gcloud",
    ".config/gh",
    ".local/share/keyrings",
    ".mozilla",
    ".my.cnf",
    ".config/google-chrome",
    "Library/Keychains",
    ".bash_history",
    ".zsh_history",
    ".cargo/credentials",
    ".terraform.d/credentials",
    ".config/rclone",
    ".oci",
    ".electrum",
    ".bitcoin",
    ".ethereum",
    ".gem/credentials",
];
const STARTUP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".inputrc",
    ".xinitrc",
    ".xsession",
    ".xprofile",
    ".kshrc",
    ".pam_environment",
    ".login",
    ".cshrc",
    ".tcshrc",
    ".gitconfig",
    "Library/LaunchAgents",
    ".vimrc",
];
const WORK: &[&str] = &[
    "Documents",
    "Desktop",
    "Downloads",
    "Pictures",
    "Music",
    "Movies",
    "Videos",
    "projects",
    "Projects",
    "src",
    "code",
    "work",
    "repos",
    "dev",
    "git",
    "workspace",
    ".config",
    ".local",
    "Library",
];
const DISKS: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper/", "loop",
    "mem", "kmem", "port", "zd", "root", "nbd", "fd0", "sr0", "ram",
];

impl Spot {
    /// The place a word names.
    pub(super) fn of(word: &Word) -> Self {
        if word.is_open() && matches!(word.pieces().first(), Some(Piece::Unknown { .. })) {
            return Self::behind_value(word);
        }
        let shown = word.shown();
        Self::named(&shown)
    }

    /// `"$X/"`, `$X/*` and an unquoted `$X`: harmless until the value is empty.
    fn behind_value(word: &Word) -> Self {
        let shown = word.shown();
        if shown.starts_with('~') {
            return Self::Home;
        }
        if shown.starts_with("$PWD") || shown.starts_with("${PWD}") {
            let rest = shown.trim_start_matches("${PWD}").trim_start_matches("$PWD");
            return if matches!(rest, "" | "/" | "/*" | "/.") { Self::Here } else { Self::Other };
        }
        let checked = shown.contains(":?") || shown.contains("$(mktemp");
        let rest: String =
            word.pieces().iter().skip(1).map(|it| Word::from(it.clone()).shown()).collect();
        let empty = rest.is_empty() && word.may_split()
            || matches!(rest.as_str(), "/" | "/*" | "/." | "*" | "/..");
        if empty && !checked { Self::Unknown } else { Self::Other }
    }

    fn named(text: &str) -> Self {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let absolute = text.starts_with('/');
        let mut names: Vec<&str> = Vec::new();
        let mut above = false;
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => above |= names.pop().is_none() && !absolute,
                name => names.push(name),
            }
        }
        // `x/*` is all of `x`.
        let whole = matches!(names.last(), Some(&("*" | ".*" | ".[!.]*" | "{*,.*}" | "**")));
        if whole {
            names.pop();
        }
        if absolute { absolute_spot(&names) } else { relative_spot(&names, above) }
    }

    /// Whether losing it loses the machine or what a person has.
    pub(super) fn is_vital(self) -> bool {
        matches!(self, Self::Root | Self::System | Self::Home | Self::Device)
    }
}

fn absolute_spot(names: &[&str]) -> Spot {
    match names {
        [] => Spot::Root,
        // `/proc/self/root` is the root once more, `/proc/self/cwd` where we are.
        ["proc", _, "root", rest @ ..] => absolute_spot(rest),
        ["proc", _, "cwd", rest @ ..] => relative_spot(rest, false),
        ["dev", rest @ ..] => device_spot(rest),
        ["home" | "Users", _] | ["root"] => Spot::Home,
        ["home" | "Users", _, rest @ ..] | ["root", rest @ ..] => home_spot(rest),
        ["tmp"] | ["var" | "private", "tmp"] => Spot::Temporary,
        ["tmp", ..] | ["var", "tmp", ..] | ["usr", "src" | "local", _, _, ..] => Spot::Other,
        ["etc", "shadow" | "gshadow" | "sudoers" | "sudoers.d" | "ssl", ..] => Spot::Secret,
        ["var", "lib" | "log" | "spool" | "run" | "mail" | "backups" | "db", ..] => Spot::System,
        [first] if SHALLOW.contains(first) || first.contains('*') => Spot::System,
        [first, ..] if SYSTEM.contains(first) => Spot::System,
        _ if names.contains(&".git") => repository_spot(names),
        _ => Spot::Other,
    }
}

fn device_spot(names: &[&str]) -> Spot {
    let path = names.join("/");
    let harmless =
        ["null", "zero", "stdout", "stderr", "stdin", "tty", "full", "random", "urandom"];
    match names {
        [] => Spot::System,
        [first, ..] if harmless.contains(first) => Spot::Other,
        ["shm" | "fd" | "pts" | "tcp" | "udp", ..] => Spot::Other,
        _ if DISKS.iter().any(|disk| path.starts_with(disk)) => Spot::Device,
        _ => Spot::System,
    }
}

fn relative_spot(names: &[&str], above: bool) -> Spot {
    match names {
        ["~"] => Spot::Home,
        ["~", rest @ ..] => home_spot(rest),
        [first] if first.starts_with('~') => Spot::Home,
        [] if above => Spot::Above,
        [] => Spot::Here,
        _ if names.contains(&".git") => repository_spot(names),
        // Drives of another system.
        [drive, ..] if drive.len() == 2 && drive.ends_with(':') => Spot::System,
        [drive] if drive.ends_with(":\\") || drive.ends_with(":\\*") => Spot::System,
        [only] if matches!(*only, ".*" | "*" | "?*" | "./*") => Spot::Here,
        _ => Spot::Other,
    }
}

fn repository_spot(names: &[&str]) -> Spot {
    let inside = names.iter().skip_while(|name| **name != ".git").nth(1);
    match inside {
        None
        | Some(
            &("objects" | "refs" | "logs" | "HEAD" | "config" | "hooks" | "packed-refs" | "*"),
        ) => Spot::Repository,
        Some(_) => Spot::Other,
    }
}

fn home_spot(names: &[&str]) -> Spot {
    let path = names.join("/");
    let within = |list: &[&str]| {
        list.iter().any(|it| {
            path == *it || path.strip_prefix(it).is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let public = is_kind(&path, &["pub"]) || path.ends_with("known_hosts") || path == ".ssh/config";
    match names {
        [] => Spot::Home,
        _ if within(SECRETS) && !public => Spot::Secret,
        _ if within(STARTUP) => Spot::Startup,
        [only] if WORK.contains(only) => Spot::Work,
        _ if names.contains(&".git") => repository_spot(names),
        _ => Spot::Other,
    }
}

/// Whether a name ends in one of these.
fn is_kind(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|it| endings.contains(&it.as_str()))
}

/// Whether a path names a secret, wherever it lies.
pub(super) fn is_secret(word: &Word) -> bool {
    let shown = word.shown();
    let path = shown.rsplit_once('@').map_or(shown.as_str(), |(_, path)| path);
    let path = path.rsplit_once('=').map_or(path, |(_, path)| path);
    if Spot::named(path) == Spot::Secret {
        return true;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let public = is_kind(name, &["pub", "example", "sample", "template"]);
    let known = [
        "id_rsa",
        "id_ed25519",
        "id_ecdsa",
        "id_dsa",
        ".env",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".pgpass",
        "credentials.json",
        "secrets.json",
        "secrets.yaml",
        "secrets.yml",
    ];
    let prefix = [".env.", "id_rsa", "id_ed25519", "service-account"];
    let suffix = ["pem", "key", "p12", "pfx", "kdbx", "keystore", "jks"];
    let folder = ["/.ssh/", "/.aws/", "/.gnupg/", "/.kube/"].iter().any(|it| path.contains(it));
    !public
        && (known.contains(&name)
            || folder
            || prefix.iter().any(|it| name.starts_with(it))
            || is_kind(name, &suffix))
}

//! What is started for a command: a shell, or the program itself where the text needs no shell.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use becket_core::profile::Shell;
use tokio::process::Command;

/// Where programs are looked for when nobody says.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What `sh` does itself, and so never looks for.
const OF_THE_SHELL: [&str; 52] = [
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "do", "done",
    "echo", "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi",
    "for", "function", "getopts", "hash", "if", "in", "jobs", "kill", "local", "printf", "pwd",
    "read", "readonly", "return", "set", "shift", "source", "test", "then", "times", "trap",
    "true", "type", "ulimit", "umask", "unset", "until", "wait",
];

/// The words of a command that needs no shell: plain words, of which the first is a program.
///
/// Anything that a shell might read otherwise than as a plain word needs one.
fn plain_words(text: &str) -> Option<Vec<&str>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./- \t".contains(c);
    if !text.chars().all(plain) {
        return None;
    }
    let words: Vec<&str> = text.split([' ', '\t']).filter(|it| !it.is_empty()).collect();
    let first = words.first()?;
    let of_the_shell = first.contains('=') || OF_THE_SHELL.contains(first) || *first == "while";
    (!of_the_shell).then_some(words)
}

/// The program of a command that needs no shell, where it is found.
pub(super) fn direct(text: &str, path: Option<&OsStr>, cwd: &Path) -> Option<Command> {
    let words = plain_words(text)?;
    let (first, rest) = words.split_first()?;
    let mut command = Command::new(find(first, path, cwd)?);
    command.arg0(first).args(rest);
    Some(command)
}

/// The file that a name means, as a shell finds it.
pub(super) fn find(name: &str, path: Option<&OsStr>, cwd: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(cwd.join(name));
    }
    let path = path.unwrap_or(OsStr::new(DEFAULT_PATH)).as_bytes();
    let folders = path.split(|byte| *byte == b':');
    let found = folders.map(|folder| cwd.join(OsStr::from_bytes(folder)).join(name));
    let runs = |file: &PathBuf| {
        use rustix::fs::{Access, access};
        file.is_file() && access(file.as_path(), Access::EXEC_OK).is_ok()
    };
    found.into_iter().find(runs)
}

/// A command for the shell of a dialect.
pub(super) fn shell(shell: Shell, script: &str) -> Command {
    let (program, flag) = match shell {
        Shell::Sh => ("/bin/sh", "-c"),
        Shell::BashLogin => ("/bin/bash", "-lc"),
    };
    let mut command = Command::new(program);
    command.args([flag, script]);
    command
}

#[cfg(test)]
mod tests {
    use super::plain_words;

    #[test]
    fn only_plain_words_go_without_a_shell() {
        for (text, words) in [
            ("/bin/true", &["/bin/true"][..]),
            ("python3 check.py --level=2", &["python3", "check.py", "--level=2"]),
            ("  ./guard\t-v ", &["./guard", "-v"]),
        ] {
            assert_eq!(plain_words(text).as_deref(), Some(words), "{text}");
        }
        for text in [
            "", " ", "exit 2", "true", "echo hi", "A=1 env", "a|b", "a;b", "a&", "a>b", "a<b",
            "a $B", "a `b`", "a 'b'", "a \"b\"", "a\\b", "a*", "a?", "a[b]", "~/a", "a #b", "a\nb",
            "(a)", "{ a; }", "! a", "while a", "a\u{e9}",
        ] {
            assert_eq!(plain_words(text), None, "{text}");
        }
    }
}

//! `cargo xtask docs`: reference pages and schemas, written from the tables of the core.

mod diagnostics;
mod effects;
mod events;
mod markdown;
mod profiles;
mod schema;

use std::fs;

use crate::problem::Problem;
use crate::shell;
use crate::tree::{Tree, Violation};

/// Where a generated file stands, and how it is made.
type Row = (&'static str, fn() -> String);

const FILES: [Row; 9] = [
    ("docs/reference/events.md", events::page),
    ("docs/reference/effects.md", effects::page),
    ("docs/reference/profiles.md", profiles::page),
    ("docs/reference/diagnostics.md", diagnostics::page),
    ("schema/becket-hook.json", schema::becket_hook),
    ("schema/oah-hook.json", schema::oah_hook),
    ("schema/settings.json", schema::settings),
    ("schema/envelope.json", schema::envelope),
    ("schema/outcome.json", schema::outcome),
];

/// Writes the files, or with `--check` says which differ.
pub(crate) fn run(args: &[String]) -> Result<(), Problem> {
    match args {
        [] => write(),
        [flag] if flag == "--check" => check(),
        [unknown, ..] => Err(Problem::usage(format!("`docs` does not know `{unknown}`"))),
    }
}

/// Writes what differs.
pub(crate) fn write() -> Result<(), Problem> {
    for (path, page) in FILES {
        let (file, text) = (shell::root().join(path), page());
        if fs::read_to_string(&file).is_ok_and(|now| now == text) {
            continue;
        }
        let folder = file.parent().unwrap_or(&file);
        fs::create_dir_all(folder).map_err(|error| Problem::file(folder, &error))?;
        fs::write(&file, text).map_err(|error| Problem::file(&file, &error))?;
        println!("wrote {path}");
    }
    Ok(())
}

/// The files that are not as they would be written now, each at its first line that differs.
pub(crate) fn differences(tree: &Tree) -> Vec<Violation> {
    let differ = FILES.iter().filter_map(|(path, page)| {
        let line = first_difference(tree.get(path).unwrap_or_default(), &page())?;
        let message = "out of date: run `cargo xtask docs`";
        Some(Violation::new(path, line, message))
    });
    differ.collect()
}

fn check() -> Result<(), Problem> {
    let violations = differences(&Tree::read(shell::root())?);
    for violation in &violations {
        eprintln!("{violation}");
    }
    match violations.len() {
        0 => Ok(()),
        count => Err(Problem::finding(format!("docs: {count} out of date"))),
    }
}

fn first_difference(now: &str, wanted: &str) -> Option<usize> {
    if now == wanted {
        return None;
    }
    let same = now.lines().zip(wanted.lines()).take_while(|(one, other)| one == other).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::{FILES, first_difference};

    #[test]
    fn a_page_is_the_same_every_time_and_ends_with_a_line() {
        for (path, page) in FILES {
            let text = page();
            assert_eq!(text, page(), "{path}");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
        }
    }

    #[test]
    fn the_first_difference_is_told() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("", "a\n"), Some(1));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}

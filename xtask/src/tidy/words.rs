//! What a file is called, how it begins, how long it is, and what it must not say.

use crate::tree::{Tree, Violation, has_extension};

/// A file longer than this hides a second subject. Tests below the code do not count.
const MAX_LINES: usize = 500;

/// A table is as long as what it lists.
const TABLES: [&str; 1] = ["crates/core/src/event/table.rs"];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 6] =
    ["mod.rs", "util.rs", "utils.rs", "helper.rs", "helpers.rs", "common.rs"];

/// Folders of people, put together here so that this file does not name one.
const HOMES: [&str; 3] = [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

pub(super) fn files_say_what_they_are_for(tree: &Tree) -> Vec<Violation> {
    let silent = tree.sources().filter(|(_, text)| !text.starts_with("//! "));
    silent
        .map(|(path, _)| {
            Violation::new(path, 1, "the first line does not say what it is for: `//! `")
        })
        .collect()
}

pub(super) fn files_are_short(tree: &Tree) -> Vec<Violation> {
    let sources = tree.sources().filter(|(path, _)| !TABLES.contains(path));
    let lengths = sources.map(|(path, text)| (path, code_lines(text)));
    let long = lengths.filter(|(_, lines)| *lines > MAX_LINES);
    long.map(|(path, lines)| {
        let message = format!("{lines} lines of code; {MAX_LINES} are enough for one subject");
        Violation::new(path, MAX_LINES + 1, message)
    })
    .collect()
}

fn code_lines(text: &str) -> usize {
    text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count()
}

pub(super) fn files_have_telling_names(tree: &Tree) -> Vec<Violation> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let empty = tree.files().filter(|(path, _)| EMPTY_NAMES.contains(&name(path).as_str()));
    empty
        .map(|(path, _)| {
            Violation::new(path, 1, format!("`{}` does not say what is inside", name(path)))
        })
        .collect()
}

/// Recorded fixtures may name the machine they come from; nothing else may.
pub(super) fn nothing_names_somebodys_home(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.files() {
        if path.starts_with("fixtures/") || has_extension(path, "lock") {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(home) = HOMES.iter().find(|home| names(line, home)) {
                let message = format!("`{home}` is a folder on somebody's machine");
                violations.push(Violation::new(path, number, message));
            }
        }
    }
    violations
}

/// Whether an absolute path begins like this somewhere in a line.
fn names(line: &str, home: &str) -> bool {
    line.match_indices(home).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        !before.ends_with(|c: char| c.is_alphanumeric() || "._-~})".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::{
        MAX_LINES, files_are_short, files_have_telling_names, files_say_what_they_are_for,
        nothing_names_somebodys_home,
    };
    use crate::tree::{Tree, Violation};

    fn places(found: &[Violation]) -> Vec<(&str, usize)> {
        found.iter().map(|it| (it.file.as_str(), it.line)).collect()
    }

    #[test]
    fn a_source_begins_with_its_purpose() {
        let tree = Tree::from([
            ("crates/core/src/a.rs", "//! Why.\n"),
            ("crates/core/src/b.rs", "use x;\n"),
            ("crates/core/tests/it/c.rs", "use x;\n"),
            ("xtask/src/d.rs", "//!\n"),
        ]);
        let found = files_say_what_they_are_for(&tree);
        assert_eq!(places(&found), [("crates/core/src/b.rs", 1), ("xtask/src/d.rs", 1)]);
    }

    #[test]
    fn only_code_counts_towards_the_length() {
        let code = "x\n".repeat(MAX_LINES);
        let (tested, long) = (format!("{code}#[cfg(test)]\ny\n"), format!("{code}y\n"));
        let tree = Tree::from([
            ("crates/core/src/a.rs", tested.as_str()),
            ("crates/core/src/b.rs", long.as_str()),
        ]);
        assert_eq!(places(&files_are_short(&tree)), [("crates/core/src/b.rs", MAX_LINES + 1)]);
    }

    #[test]
    fn a_file_is_named_after_what_is_inside() {
        let tree = Tree::from([("crates/core/src/x/mod.rs", ""), ("crates/core/src/model.rs", "")]);
        assert_eq!(places(&files_have_telling_names(&tree)), [("crates/core/src/x/mod.rs", 1)]);
    }

    #[test]
    fn homes_are_found_and_mere_likeness_is_not() {
        let home = format!("see\n`{}me/x`\n", super::HOMES[1]);
        let other = format!("crates{}x\n", super::HOMES[0]);
        let tree = Tree::from([
            ("docs/a.md", home.as_str()),
            ("docs/b.md", other.as_str()),
            ("fixtures/c.json", home.as_str()),
        ]);
        assert_eq!(places(&nothing_names_somebodys_home(&tree)), [("docs/a.md", 2)]);
    }
}

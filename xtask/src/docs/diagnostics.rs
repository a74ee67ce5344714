//! The page of findings: the table, then each code with its example.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use becket_core::diagnostic::Code;

use super::markdown::{self, code, section};
use crate::shell;

/// Where the examples stand; a test holds them to their code.
const EXAMPLES: &str = "fixtures/findings";

pub(super) fn page() -> String {
    let rows: Vec<Vec<String>> = Code::all()
        .map(|(_, name, severity, text)| {
            let link = format!("[{}](#{})", code(name), name.to_lowercase());
            vec![link, severity.name().to_owned(), text.to_owned()]
        })
        .collect();
    let intro = "What `becket check` may find in a configuration. A code never changes its meaning. An \
error means that a hook cannot run, can never fire or can never block; `check` then ends with 1, and \
on warnings too with `--deny-warnings`. What a code with `W_` is about is loaded all the same.";
    let source = "`crates/core/src/diagnostic/table.rs` and `fixtures/findings`";
    let table = section(
        "Codes",
        "In the order in which a file is looked at.",
        &["code", "severity", "meaning"],
        &rows,
    );
    let mut text = markdown::page("Findings", source, intro) + &table;
    for (finding, name, severity, what) in Code::all() {
        let _ = write!(text, "\n## {name}\n\n{what} ({})\n", severity.name());
        if let Some(explanation) = finding.explanation() {
            let _ = write!(text, "\nWhy: {}\n\nFix: {}\n", explanation.why, explanation.fix);
        }
        text += &example(name);
    }
    text
}

/// The files of the wrong example, then those of the right one that differ.
fn example(name: &str) -> String {
    let folder = shell::root().join(EXAMPLES).join(name);
    let (wrong, mut right) = (files(&folder.join("wrong")), files(&folder.join("right")));
    right.retain(|path, text| wrong.get(path) != Some(text));
    let mut text = String::new();
    for (title, files) in [("Wrong", wrong), ("Right", right)] {
        for (path, content) in files.iter().filter(|it| !it.1.is_empty()) {
            let language = Path::new(path).extension().and_then(|it| it.to_str()).unwrap_or("text");
            let content = content.trim_end();
            let _ = write!(text, "\n{title}, `{path}`:\n\n```{language}\n{content}\n```\n");
        }
    }
    text
}

/// The text of every file below a folder, by its path.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let entries = fs::read_dir(&next).into_iter().flatten().filter_map(Result::ok);
        for path in entries.map(|entry| entry.path()) {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            match fs::read_to_string(&path) {
                Ok(text) => drop(found.insert(name, text)),
                Err(_) => open.push(path),
            }
        }
    }
    found
}

//! The page of findings.

use becket_core::diagnostic::Code;

use super::markdown::{self, code, section};

pub(super) fn page() -> String {
    let rows: Vec<Vec<String>> = Code::all()
        .map(|(_, name, severity, text)| {
            vec![code(name), severity.name().to_owned(), text.to_owned()]
        })
        .collect();
    let intro = "What `becket check` may find in a configuration. A code never changes its meaning. An \
error means that a hook cannot run, can never fire or can never block; `check` then ends with 1, and \
on warnings too with `--deny-warnings`.";
    markdown::page("Findings", "`crates/core/src/diagnostic.rs`", intro)
        + &section(
            "Codes",
            "In the order in which a file is looked at.",
            &["code", "severity", "meaning"],
            &rows,
        )
}

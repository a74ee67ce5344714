//! Markdown pages and tables, and the sentences that stand above items in the source.

/// The first lines of a page.
pub(super) fn page(title: &str, source: &str, intro: &str) -> String {
    format!(
        "# {title}\n\n<!-- Written by `cargo xtask docs` from {source}; change it there. -->\n\n{intro}\n"
    )
}

/// A section with a table. Columns that are empty all the way down are left out.
pub(super) fn section(title: &str, intro: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let filled = |column: &usize| {
        rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()))
    };
    let columns: Vec<usize> = (0..header.len()).filter(filled).collect();
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = columns.iter().map(|column| cell(*column)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = format!("\n## {title}\n\n{intro}\n\n");
    text += &line(&|column| header.get(column).unwrap_or(&"").to_string());
    text += &line(&|_| "---".to_owned());
    for row in rows {
        text += &line(&|column| row.get(column).cloned().unwrap_or_default().replace('|', "\\|"));
    }
    text
}

/// A text as code; nothing stays nothing.
pub(super) fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

/// Several texts as code.
pub(super) fn codes<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

/// The names that an item of a Rust source declares, each with the sentence above it.
///
/// A fact stands once: what a variant means is said where it is declared.
pub(super) fn documented(source: &str, item: &str) -> Vec<(String, String)> {
    let opening = format!("{item} {{");
    let body = source.lines().skip_while(|line| *line != opening).skip(1);
    let mut found = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for line in body.take_while(|line| *line != "}") {
        // Only what stands directly inside the item is its own.
        let Some(line) = line.strip_prefix("    ").filter(|it| !it.starts_with([' ', '}'])) else {
            continue;
        };
        match line.strip_prefix("/// ") {
            Some(sentence) => above.push(sentence),
            None if line.starts_with('#') || line.starts_with("//") => (),
            None => {
                let line = line.strip_prefix("pub ").unwrap_or(line);
                let name = line.split([':', ',', '(', ' ', '{']).next().unwrap_or_default();
                found.push((name.to_owned(), above.join(" ")));
                above.clear();
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{documented, section};

    #[test]
    fn a_table_leaves_out_what_is_empty_everywhere() {
        let rows = [vec!["a".to_owned(), String::new(), "x|y".to_owned()]];
        let text = section("T", "Why.", &["one", "two", "three"], &rows);
        assert_eq!(text, "\n## T\n\nWhy.\n\n| one | three |\n| --- | --- |\n| a | x\\|y |\n");
    }

    #[test]
    fn sentences_are_found_above_their_names() {
        let source = "/// x\npub enum E {\n    /// One\n    /// line.\n    #[default]\n    A,\n    \
/// Two.\n    B {\n        /// Inner.\n        c: u8,\n    },\n}\n";
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(documented(source, "pub enum E"), [pair("A", "One line."), pair("B", "Two.")]);
    }
}

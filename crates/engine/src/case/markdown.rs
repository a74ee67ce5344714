//! Reading cases out of Markdown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::config::File;
use becket_core::config::tree::{Format, parse};
use becket_core::dialect::{Compat, Dialect};
use serde_json::Value;

use super::{Case, Expected};

/// Why a case cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{}:{line}: {message}", file.display())]
pub struct CaseError {
    /// The Markdown file.
    pub file: PathBuf,
    /// The line of the block.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// One fenced block: its language and attributes, and what is in it.
struct Block<'m> {
    line: usize,
    language: &'m str,
    words: Vec<&'m str>,
    text: String,
}

/// Reads every case of a text. A heading without blocks is only a heading.
pub fn read(path: &Path, markdown: &str) -> Result<Vec<Case>, CaseError> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = (1..).zip(markdown.lines());
    while let Some((line, text)) = lines.next() {
        if let Some(name) = heading(text) {
            cases.push(Case { name: name.to_owned(), line, ..Case::default() });
        } else if let Some(info) = text.strip_prefix("```") {
            let inside = lines.by_ref().map(|it| it.1).take_while(|it| !it.starts_with("```"));
            let body = inside.fold(String::new(), |text, line| text + line + "\n");
            let mut words = info.split_whitespace();
            let language = words.next().unwrap_or_default();
            let block = Block { line, language, words: words.collect(), text: body };
            if let Some(case) = cases.last_mut().filter(|_| !block.words.is_empty()) {
                let refuse = |message| CaseError { file: path.to_path_buf(), line, message };
                add(case, &block).map_err(refuse)?;
            }
        }
    }
    cases
        .retain(|case| !case.expected.is_empty() || case.event.is_some() || !case.files.is_empty());
    match cases.iter().find(|case| case.expected.is_empty()) {
        Some(case) => {
            let message = format!("`{}` says nothing about what must come of it", case.name);
            Err(CaseError { file: path.to_path_buf(), line: case.line, message })
        }
        None => Ok(cases),
    }
}

fn heading(line: &str) -> Option<&str> {
    let name = line.trim_start_matches('#');
    (name.len() < line.len()).then(|| name.strip_prefix(' ')).flatten()
}

fn add(case: &mut Case, block: &Block<'_>) -> Result<(), String> {
    let mut compat = Compat::Safe;
    let (mut role, mut dialect) = (None, None);
    let (mut later, mut gone) = (false, false);
    for word in &block.words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("compat", "exact") => compat = Compat::Exact,
            ("compat", "safe") => compat = Compat::Safe,
            ("dialect", name) => {
                dialect =
                    Some(Dialect::named(name).ok_or(format!("there is no dialect `{name}`"))?);
            }
            ("then", "") => later = true,
            ("gone", "") => gone = true,
            ("headless", "") => case.headless = true,
            ("strict", "") => case.strict = true,
            ("file" | "event", "") => return Err(format!("`{word}` needs a value")),
            (name @ ("file" | "event" | "outcome" | "check" | "model" | "secrets"), value) => {
                role = Some((name, value));
            }
            _ => return Err(format!("nobody knows what `{word}` means on a block")),
        }
    }
    match role {
        Some(("file", name)) if later => {
            case.later.push((name.to_owned(), (!gone).then(|| block.text.clone())));
        }
        Some(("file", name)) => {
            case.files.push((name.to_owned(), block.text.clone()));
            case.named.extend(dialect.map(|dialect| (dialect, name.to_owned())));
        }
        Some(("event", name)) => case.event = Some((name.to_owned(), value(block)?)),
        Some(("model", _)) => case.model = Some(value(block)?),
        Some(("secrets", _)) => {
            case.secrets = value(block)?.as_object().cloned().unwrap_or_default();
        }
        Some((name, _)) => {
            let findings = name == "check";
            case.expected.push(Expected { compat, findings, value: value(block)? });
        }
        None => return Err("the block does not say what it is for".to_owned()),
    }
    Ok(())
}

fn value(block: &Block<'_>) -> Result<Value, String> {
    let format = match block.language {
        "yaml" => Format::Yaml,
        "json" => Format::Jsonc,
        other => return Err(format!("`{other}` is neither `yaml` nor `json`")),
    };
    let file =
        File { path: Arc::new(PathBuf::from("block")), bytes: block.text.clone().into_bytes() };
    match parse(&file, format) {
        Ok((_, node)) => Ok(node.to_json()),
        Err(found) => {
            let first = found
                .first()
                .map(|it| format!("line {}: {}", block.line + it.origin.line, it.message));
            Err(first.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, read};

    #[test]
    fn a_case_that_expects_nothing_is_an_error() {
        let error = read(Path::new("x.md"), "# A\n```json event=Stop\n{}\n```\n").unwrap_err();
        assert_eq!(error.line, 1);
    }

    #[test]
    fn a_misspelt_attribute_is_an_error() {
        let error = read(Path::new("x.md"), "# A\n```json outcom\n{}\n```\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.message.contains("outcom"));
    }

    #[test]
    fn blocks_without_attributes_are_prose() {
        assert_eq!(read(Path::new("x.md"), "# A\n```json\nnot json\n```\n").unwrap().len(), 0);
    }
}

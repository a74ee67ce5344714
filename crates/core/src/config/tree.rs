//! One spanned tree for YAML, JSON and JSONC.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Origin};

use super::{File, json, yaml};

/// The largest file that is read.
pub const MAX_BYTES: usize = 1024 * 1024;
/// The deepest nesting that is followed.
pub const MAX_DEPTH: usize = 64;
/// The most values a file may hold, with aliases written out.
pub const MAX_NODES: usize = 20_000;
/// The most findings about one file; whoever has that many starts over anyway.
const MAX_PROBLEMS: usize = 100;
/// A line longer than this is not shown with a finding.
const MAX_EXCERPT: usize = 1000;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub data: Data,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the source.
    Map(Vec<Entry>),
}

/// One key of a mapping with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Data {
    /// What it is, with its article, for messages.
    pub const fn what(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }
}

impl Node {
    /// The same as a JSON value, without places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.data {
            Data::Null => serde_json::Value::Null,
            Data::Bool(value) => (*value).into(),
            // What JSON cannot write as a number stays as it was written.
            Data::Number(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
            }
            Data::Text(text) => text.as_str().into(),
            Data::List(items) => items.iter().map(Self::to_json).collect(),
            Data::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json()));
                serde_json::Value::Object(pairs.collect())
            }
        }
    }

    /// Leaves of equal keys in one mapping only the last.
    fn keep_last_keys(&mut self) {
        match &mut self.data {
            Data::Map(entries) => {
                let mut seen = std::collections::HashSet::new();
                entries.reverse();
                entries.retain(|entry| seen.insert(entry.key.clone()));
                entries.reverse();
                for entry in entries {
                    entry.value.keep_last_keys();
                }
            }
            Data::List(items) => items.iter_mut().for_each(Self::keep_last_keys),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => (),
        }
    }
}

/// A file that is text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it was found.
    pub path: Arc<PathBuf>,
    /// What is in it.
    pub text: String,
}

/// In which language a file is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// YAML 1.2.
    Yaml,
    /// JSON.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
}

/// Reads a file into a tree. What is wrong with it is reported, and nothing else is returned.
pub fn parse(file: &File, format: Format) -> Result<(Source, Node), Vec<Diagnostic>> {
    match parse_whole(file, format)? {
        (source, node, found) if found.is_empty() => Ok((source, node)),
        (_, _, found) => Err(found),
    }
}

/// The same, for systems in which the last of several equal keys counts: those are reported and do no harm.
pub(super) fn parse_last_key_wins(
    file: &File,
    format: Format,
) -> Result<(Source, Node, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (source, mut node, found) = parse_whole(file, format)?;
    if found.iter().any(|it| it.code != Code::DupKey) {
        return Err(found);
    }
    if !found.is_empty() {
        node.keep_last_keys();
    }
    Ok((source, node, found))
}

/// JSON, or JSON with comments and trailing commas where nothing else keeps it from being JSON, and
/// whether it was that. Keys that stand twice are reported and do no harm to the tree.
pub(super) fn parse_json_or_jsonc(
    file: &File,
) -> Result<(Source, Node, Vec<Diagnostic>, bool), Vec<Diagnostic>> {
    let sound = |found: &[Diagnostic]| found.iter().all(|it| it.code == Code::DupKey);
    if let Ok((source, root, found)) = parse_whole(file, Format::Json)
        && sound(&found)
    {
        return Ok((source, root, found, false));
    }
    let (source, root, found) = parse_whole(file, Format::Jsonc)?;
    if sound(&found) { Ok((source, root, found, true)) } else { Err(found) }
}

/// The same, with whatever was found wrong in a tree that is there all the same.
pub(super) fn parse_whole(
    file: &File,
    format: Format,
) -> Result<(Source, Node, Vec<Diagnostic>), Vec<Diagnostic>> {
    let source = Source::new(file).map_err(|problem| vec![problem])?;
    let mut problems = Problems::new(&source);
    let node = match format {
        Format::Yaml => yaml::parse(&source.text, &mut problems),
        Format::Json => json::parse(&source.text, json::Comments::Refused, &mut problems),
        Format::Jsonc => json::parse(&source.text, json::Comments::Allowed, &mut problems),
    };
    let found = problems.found;
    match node {
        Some(node) => Ok((source, node, found)),
        None => Err(found),
    }
}

impl Source {
    fn new(file: &File) -> Result<Self, Diagnostic> {
        if file.bytes.len() > MAX_BYTES {
            let message = format!("the file has {} bytes; {MAX_BYTES} are read", file.bytes.len());
            return Err(Diagnostic::of_file(Code::Size, &file.path, message));
        }
        let bytes = file.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&file.bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self { path: Arc::clone(&file.path), text: text.to_owned() }),
            Err(error) => {
                let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let source = Self {
                    path: Arc::clone(&file.path),
                    text: String::from_utf8_lossy(valid).into_owned(),
                };
                let at = source.text.len();
                Err(source
                    .diagnostic(Code::Encoding, &(at..at), "this byte is not UTF-8")
                    .with_hint("save the file as UTF-8"))
            }
        }
    }

    /// Where a span stands, in lines and columns.
    pub fn origin(&self, span: &Range<usize>) -> Origin {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let covered = self.text.get(span.clone()).unwrap_or_default();
        Origin {
            file: Arc::clone(&self.path),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            length: covered.lines().next().unwrap_or_default().trim_end().chars().count().max(1),
        }
    }

    /// A finding about a span.
    pub fn diagnostic(
        &self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        let origin = self.origin(span);
        let line = self.text.lines().nth(origin.line - 1);
        let excerpt = line.filter(|it| it.len() <= MAX_EXCERPT).map(str::to_owned);
        Diagnostic { code, message: message.into(), origin, excerpt, hint: None }
    }
}

/// What is wrong with one file, collected while walking it.
#[derive(Debug)]
pub(super) struct Problems<'s> {
    pub(super) source: &'s Source,
    pub(super) found: Vec<Diagnostic>,
}

impl<'s> Problems<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Self { source, found: Vec::new() }
    }

    pub(super) fn report(&mut self, code: Code, span: &Range<usize>, message: impl Into<String>) {
        self.keep(|source| source.diagnostic(code, span, message));
    }

    pub(super) fn report_with_hint(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.keep(|source| source.diagnostic(code, span, message).with_hint(hint));
    }

    /// Reports every key that stands twice in a mapping.
    pub(super) fn report_duplicate_keys(&mut self, entries: &[Entry]) {
        let mut seen: HashMap<&str, &Entry> = HashMap::with_capacity(entries.len());
        for entry in entries {
            let Some(first) = seen.get(entry.key.as_str()) else {
                seen.insert(&entry.key, entry);
                continue;
            };
            let line = self.source.origin(&first.key_span).line;
            let message = format!("`{}` stands here a second time", entry.key);
            let hint = format!("it is already set on line {line}; keep one of them");
            self.report_with_hint(Code::DupKey, &entry.key_span, message, hint);
        }
    }

    /// Finding the place of a problem takes time as well, so those beyond the bound cost nothing.
    fn keep(&mut self, problem: impl FnOnce(&Source) -> Diagnostic) {
        if self.found.len() < MAX_PROBLEMS {
            self.found.push(problem(self.source));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Diagnostic, File, Format, MAX_PROBLEMS, parse};

    fn problems(format: Format, text: String) -> Vec<Diagnostic> {
        let file = File { path: std::sync::Arc::default(), bytes: text.into_bytes() };
        parse(&file, format).map(|_| ()).expect_err("it is refused")
    }

    #[test]
    fn aliases_cannot_multiply_a_long_text() {
        let text = format!("- &a \"{}\"\n", "x".repeat(900_000)) + &"- *a\n".repeat(19_000);
        assert_eq!(problems(Format::Yaml, text)[0].code, Code::Count);
        let text = format!("- &a {{ ? {} : 1 }}\n", "x".repeat(900_000)) + &"- *a\n".repeat(9_000);
        assert_eq!(problems(Format::Yaml, text)[0].code, Code::Count);
    }

    #[test]
    fn findings_about_one_endless_line_stay_few_and_small() {
        let text = format!("{{{} \"z\": 1}}", "\"k\": \"x\",".repeat(9_999));
        let found = problems(Format::Json, text);
        assert_eq!(found.len(), MAX_PROBLEMS);
        assert!(found.iter().all(|it| it.code == Code::DupKey && it.excerpt.is_none()));
    }
}

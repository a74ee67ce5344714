//! Why a command could not do its work, and findings about files, as people and machines read them.

use std::fmt::Write as _;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Origin as SnippetOrigin, Renderer, Snippet};
use becket::core::diagnostic::{Diagnostic, Severity};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::out;

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) exit: Exit,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) hint: Option<String>,
}

impl Problem {
    /// A wrong command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// Any problem.
    pub(crate) fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code,
            message: message.into(),
            file: None,
            line: None,
            column: None,
            hint: None,
        }
    }

    /// The same with a hint.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// A configuration that cannot be used, by the first thing that is wrong with it.
    pub(crate) fn config(first: &Diagnostic) -> Self {
        Self {
            exit: Exit::Config,
            code: first.code.name(),
            message: first.message.clone(),
            file: Some(first.origin.file.display().to_string()),
            line: Some(first.origin.line).filter(|it| *it > 0),
            column: Some(first.origin.column).filter(|it| *it > 0),
            hint: first.hint.clone(),
        }
    }

    /// Tells it on standard error.
    pub(crate) fn tell(&self, as_json: bool) {
        if as_json {
            let mut error = json!({ "code": self.code, "message": self.message });
            let fields = [
                ("file", self.file.clone().map(Value::from)),
                ("line", self.line.map(Value::from)),
                ("column", self.column.map(Value::from)),
                ("hint", self.hint.clone().map(Value::from)),
            ];
            if let Value::Object(error) = &mut error {
                error.extend(
                    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))),
                );
            }
            out::tell(json!({ "error": error }));
            return;
        }
        let mut place = self.file.clone().unwrap_or_default();
        for number in [self.line, self.column].into_iter().flatten() {
            let _ = write!(place, ":{number}");
        }
        let place = if place.is_empty() { place } else { format!("{place}: ") };
        let said = out::harmless(&format!("{place}{}", self.message));
        out::tell(format!("{}: {said}", out::paint(out::BAD, "error")));
        if let Some(hint) = &self.hint {
            out::tell(format!("  {}: {}", out::paint(out::GOOD, "hint"), out::harmless(hint)));
        }
    }
}

/// One finding with its excerpt.
pub(crate) fn render(finding: &Diagnostic) -> String {
    let level = match finding.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = out::harmless(&finding.message);
    let title = level.primary_title(message.as_str()).id(finding.code.name());
    let path = out::harmless(&finding.origin.file.display().to_string());
    let hint = finding.hint.as_deref().map(out::harmless);
    let excerpt = finding.excerpt.as_deref().map(out::harmless);
    let group = if let Some(line) = &excerpt {
        let annotation =
            AnnotationKind::Primary.span(span(line, finding.origin.column, finding.origin.length));
        let snippet =
            Snippet::source(line.as_str()).line_start(finding.origin.line).path(path.as_str());
        title.element(snippet.annotation(annotation))
    } else {
        let mut origin = SnippetOrigin::path(path.as_str());
        if finding.origin.line > 0 {
            origin = origin.line(finding.origin.line).char_column(finding.origin.column);
        }
        title.element(origin)
    };
    let group = match &hint {
        Some(hint) => group.element(Level::HELP.with_name("hint").message(hint.as_str())),
        None => group,
    };
    Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group])
}

/// Columns and lengths in characters, as bytes of the line.
fn span(line: &str, column: usize, length: usize) -> std::ops::Range<usize> {
    let byte = |at: usize| line.char_indices().nth(at).map_or(line.len(), |(byte, _)| byte);
    let start = column.saturating_sub(1);
    byte(start)..byte(start + length)
}

/// One finding for machines.
pub(crate) fn as_json(finding: &Diagnostic) -> Value {
    json!({
        "code": finding.code.name(),
        "severity": finding.severity().name(),
        "message": finding.message,
        "file": finding.origin.file.display().to_string(),
        "line": finding.origin.line,
        "column": finding.origin.column,
        "excerpt": finding.excerpt,
        "hint": finding.hint,
    })
}

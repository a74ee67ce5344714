//! A finding with its place.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Code;

/// A place in a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Origin {
    /// The file, as found on disk; empty for what no file says.
    pub file: Arc<PathBuf>,
    /// The line, counted from one; zero when the whole file is meant.
    pub line: usize,
    /// The column in characters, counted from one.
    pub column: usize,
    /// How many characters the finding covers on that line.
    pub length: usize,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.file.display()),
            (line, 0) => write!(f, "{}:{line}", self.file.display()),
            (line, column) => write!(f, "{}:{line}:{column}", self.file.display()),
        }
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// It works, but perhaps not as meant.
    Warning,
    /// The hook cannot run, can never fire or can never block.
    Error,
}

impl Severity {
    /// The word shown to people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding about a configuration file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// Its stable code.
    pub code: Code,
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// Where.
    pub origin: Origin,
    /// The line of the file it is about, without its line end.
    pub excerpt: Option<String>,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A finding about a file as a whole.
    pub fn of_file(code: Code, file: &Arc<PathBuf>, message: impl Into<String>) -> Self {
        let origin = Origin { file: Arc::clone(file), ..Origin::default() };
        Self { code, message: message.into(), origin, excerpt: None, hint: None }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.code.facts().1
    }

    /// Whether the hook it is about cannot do its work.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.origin, self.message, self.code.name())
    }
}

/// The known word that somebody most likely meant.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    const CLOSE: f64 = 0.55;
    let word = word.to_lowercase();
    let score = |known: &str| {
        let known = known.to_lowercase();
        let alike = strsim::normalized_damerau_levenshtein(&word, &known);
        // A word that only lacks its end, such as `timeout` of `timeout_seconds`, is close too.
        let begun = word.len() > 2 && (known.starts_with(&word) || word.starts_with(&known));
        if begun { alike.max(0.9) } else { alike }
    };
    let scored = known.map(|it| (it, score(it))).filter(|it| it.1 > CLOSE);
    scored.max_by(|a, b| a.1.total_cmp(&b.1)).map(|it| it.0)
}

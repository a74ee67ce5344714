//! What is wrong with somebody's configuration, and where.

mod explain;
mod finding;
mod table;

pub use self::explain::Explanation;
pub use self::finding::{Diagnostic, Origin, Severity, nearest};
use self::table::CODES;

/// The stable code of a finding.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each one means")]
pub enum Code {
    Unreadable,
    NotFile,
    Encoding,
    Size,
    Parse,
    MultiDoc,
    Depth,
    Count,
    Aliases,
    DupKey,
    Tag,
    Schema,
    Field,
    UnknownField,
    UnknownEvent,
    Handler,
    Capability,
    DupName,
    Name,
    Regex,
    Timeout,
    Url,
    Method,
    Header,
    Env,
    Secret,
    PathEscape,
    ScriptMissing,
    PromptMissing,
    CapabilityUnused,
    MatcherIgnored,
    Coerced,
    Extension,
    Invisible,
    OrderChanged,
    Settings,
    EventOtherDialect,
    MatcherNever,
    FieldIgnored,
    TimeoutUnit,
    UnquotedVar,
    TemplateInShell,
    CannotBlock,
    TypeDefault,
    NeverTrusted,
    Matcher,
    Nested,
    Comments,
    SlowForAll,
    PrefixWide,
    VariableMissing,
    Placeholder,
    NoStdin,
    ModelInPath,
    PostExit,
    NeverBlocks,
    ScriptNotHere,
    ScriptMode,
    Interpreter,
    CapabilityMissing,
    OutputIgnored,
    TextAroundJson,
    ToolName,
    PlaceholderNever,
    CompactBreaks,
    Place,
    Rule,
    RuleExample,
    IfNever,
    NoPolicy,
    Owner,
    Flat,
    HandlerNever,
    NotRunnable,
    OnceIgnored,
    IgnoredFromProject,
    GrantNeedsTrust,
    UrlPrivate,
    UrlUserinfo,
    UrlCleartext,
    EnvNotAllowed,
    Link,
    RuleNarrow,
}

impl Code {
    /// Every code with its name, severity and explanation.
    pub fn all() -> impl Iterator<Item = (Self, &'static str, Severity, &'static str)> {
        CODES.iter().copied()
    }

    /// The name shown to people and machines; it never changes.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    fn facts(self) -> (&'static str, Severity) {
        let row = CODES.iter().find(|row| row.0 == self);
        row.map_or(("E_UNKNOWN", Severity::Error), |row| (row.1, row.2))
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Severity};

    #[test]
    fn every_code_has_one_name_that_says_how_bad_it_is() {
        let names: Vec<_> = Code::all().map(|row| row.1).collect();
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        for (code, name, severity, _) in Code::all() {
            assert_eq!(code.name(), name);
            // What a `W_` names never keeps a hook from being loaded, however bad `check` finds it.
            let letter = if severity == Severity::Warning { "W_" } else { "" };
            assert!(name.starts_with(letter), "{name}");
            assert!(name.starts_with("W_") || name.starts_with("E_"), "{name}");
        }
    }
}

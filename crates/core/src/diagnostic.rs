//! What is wrong with somebody's configuration, and where.

mod explain;
mod finding;

pub use self::explain::Explanation;
pub use self::finding::{Diagnostic, Origin, Severity, nearest};

/// The stable code of a finding.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table below says what each one means")]
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
}

/// Name, severity and explanation of each code: the reference page is made from this.
const CODES: &[(Code, &str, Severity, &str)] = &[
    (Code::Unreadable, "E_READ", Severity::Error, "The file or folder cannot be read."),
    (
        Code::NotFile,
        "E_NOT_FILE",
        Severity::Error,
        "A hook file must be a plain file; a FIFO, device or socket is not opened.",
    ),
    (Code::Encoding, "E_ENCODING", Severity::Error, "The file is not UTF-8."),
    (Code::Size, "E_SIZE", Severity::Error, "The file is larger than becket reads (1 MiB)."),
    (Code::Parse, "E_PARSE", Severity::Error, "The text is not valid YAML or JSON."),
    (
        Code::MultiDoc,
        "E_MULTI_DOC",
        Severity::Error,
        "The file holds more than one YAML document; this dialect has one hook a file.",
    ),
    (
        Code::Depth,
        "E_DEPTH",
        Severity::Error,
        "The file nests deeper than becket reads (64 levels).",
    ),
    (
        Code::Count,
        "E_COUNT",
        Severity::Error,
        "The file holds more values than becket reads (20,000), aliases counted in full.",
    ),
    (Code::Aliases, "E_ALIAS", Severity::Error, "An alias refers to itself or to nothing."),
    (
        Code::DupKey,
        "E_DUP_KEY",
        Severity::Error,
        "A key stands twice in one mapping; which one counts would be a guess.",
    ),
    (Code::Tag, "E_TAG", Severity::Error, "A YAML tag that is not one of the core types."),
    (Code::Schema, "E_SCHEMA", Severity::Error, "A value is of the wrong type."),
    (Code::Field, "E_FIELD", Severity::Error, "A required field is missing or empty."),
    (
        Code::UnknownField,
        "E_UNKNOWN_FIELD",
        Severity::Error,
        "A field this dialect does not have; most often a misspelling.",
    ),
    (
        Code::UnknownEvent,
        "E_UNKNOWN_EVENT",
        Severity::Error,
        "An event this dialect does not have, so the hook would never fire.",
    ),
    (Code::Handler, "E_HANDLER", Severity::Error, "A handler type this dialect does not have."),
    (Code::Capability, "E_CAPABILITY", Severity::Error, "A capability this dialect does not have."),
    (Code::DupName, "E_DUP_NAME", Severity::Error, "Two hooks have the same name."),
    (
        Code::Name,
        "E_NAME",
        Severity::Error,
        "A hook name may hold letters, digits, `.`, `_` and `-`.",
    ),
    (
        Code::Regex,
        "E_REGEX",
        Severity::Error,
        "The matcher is not a valid regular expression, so the hook would never fire.",
    ),
    (
        Code::Timeout,
        "E_TIMEOUT",
        Severity::Error,
        "A timeout must be a whole number of seconds from 1 to 3600.",
    ),
    (
        Code::Url,
        "E_URL",
        Severity::Error,
        "The URL cannot be called: it must start with `http://` or `https://` and name a host.",
    ),
    (
        Code::Method,
        "E_METHOD",
        Severity::Error,
        "The HTTP method does not exist here, or cannot carry the envelope.",
    ),
    (Code::Header, "E_HEADER", Severity::Error, "A header name or value that HTTP does not allow."),
    (Code::Env, "E_ENV", Severity::Error, "A `${env.NAME}` whose variable is not set."),
    (
        Code::Secret,
        "E_SECRET",
        Severity::Error,
        "A `${secrets.NAME}` that is unknown, or stands where secrets may not go.",
    ),
    (
        Code::PathEscape,
        "E_PATH_ESCAPE",
        Severity::Error,
        "A prompt or task file outside the workspace.",
    ),
    (
        Code::ScriptMissing,
        "W_SCRIPT_MISSING",
        Severity::Error,
        "The script that a command starts does not exist where the command looks for it.",
    ),
    (
        Code::PromptMissing,
        "E_PROMPT_MISSING",
        Severity::Error,
        "The prompt or task file does not exist.",
    ),
    (
        Code::CapabilityUnused,
        "W_CAPABILITY_UNUSED",
        Severity::Warning,
        "None of the hook's events lets it use this capability.",
    ),
    (
        Code::MatcherIgnored,
        "W_MATCHER_IGNORED",
        Severity::Warning,
        "The event has nothing to match on, so the matcher is ignored and the hook always fires.",
    ),
    (
        Code::Coerced,
        "W_COERCED",
        Severity::Warning,
        "A single value stands where a list is expected; it is read as a list of one.",
    ),
    (
        Code::Extension,
        "W_EXTENSION",
        Severity::Error,
        "The original only reads `*.yaml`, so this hook never fires there; becket reads it, and says so.",
    ),
    (
        Code::Invisible,
        "W_INVISIBLE",
        Severity::Error,
        "The command holds invisible or direction-changing characters.",
    ),
    (
        Code::OrderChanged,
        "W_ORDER",
        Severity::Warning,
        "The original runs hooks with names like numbers first; becket goes by file name.",
    ),
    (
        Code::Settings,
        "E_SETTINGS",
        Severity::Error,
        "A settings file says something becket cannot follow.",
    ),
    (
        Code::EventOtherDialect,
        "W_EVENT_OTHER_DIALECT",
        Severity::Error,
        "An event that another system has and this one has not, so the hook would never fire.",
    ),
    (
        Code::MatcherNever,
        "W_MATCHER_NEVER",
        Severity::Error,
        "The matcher is valid and can match nothing, most often because another dialect was meant.",
    ),
    (
        Code::FieldIgnored,
        "W_UNKNOWN_FIELD",
        Severity::Warning,
        "A field this dialect does not have and passes over; it changes nothing.",
    ),
    (
        Code::TimeoutUnit,
        "W_TIMEOUT_UNIT",
        Severity::Error,
        "A timeout that only makes sense in another unit than the one this dialect counts in.",
    ),
    (
        Code::UnquotedVar,
        "W_UNQUOTED_VAR",
        Severity::Warning,
        "A variable stands in the command without quotes, so the shell splits its value into words.",
    ),
    (
        Code::TemplateInShell,
        "E_TEMPLATE_IN_SHELL",
        Severity::Error,
        "A value from outside would become part of a shell command.",
    ),
    (
        Code::CannotBlock,
        "W_CANNOT_BLOCK",
        Severity::Warning,
        "The hook looks as if it were to block, and cannot in this dialect.",
    ),
    (
        Code::TypeDefault,
        "W_TYPE_DEFAULT",
        Severity::Error,
        "The entry does not say of what type it is; `command` is assumed.",
    ),
    (
        Code::NeverTrusted,
        "W_UNTRUSTED",
        Severity::Warning,
        "The original runs nothing of this file until the project is marked as trusted.",
    ),
    (
        Code::Matcher,
        "E_MATCHER",
        Severity::Error,
        "The matcher is not a pattern of this dialect, so the hook would never fire.",
    ),
    (
        Code::Nested,
        "E_NESTED",
        Severity::Error,
        "An entry in the nested shape of Claude Code stands where this dialect has flat entries.",
    ),
    (
        Code::Comments,
        "W_JSONC",
        Severity::Warning,
        "Comments or trailing commas in JSON: becket reads them, other programs may refuse the file.",
    ),
    (
        Code::SlowForAll,
        "W_SLOW_FOR_ALL",
        Severity::Warning,
        "A hook for every tool may hold up each call for longer than a second.",
    ),
    (
        Code::PrefixWide,
        "W_PREFIX",
        Severity::Warning,
        "A prefix such as `git:*` also matches longer words such as `gitk`.",
    ),
    (
        Code::VariableMissing,
        "W_VARIABLE",
        Severity::Warning,
        "The command uses a variable that this event does not have.",
    ),
    (
        Code::Placeholder,
        "W_PLACEHOLDER",
        Severity::Warning,
        "It looks like a placeholder of this dialect and is not filled in.",
    ),
    (
        Code::NoStdin,
        "W_NO_STDIN",
        Severity::Error,
        "The command reads standard input, which is empty in this dialect.",
    ),
    (
        Code::ModelInPath,
        "W_MODEL_IN_PATH",
        Severity::Warning,
        "Every tool call waits until a model has answered.",
    ),
    (
        Code::PostExit,
        "W_POST_EXIT",
        Severity::Warning,
        "The command runs after the fact and may fail; other systems are disturbed by that.",
    ),
    (
        Code::NeverBlocks,
        "W_NEVER_BLOCKS",
        Severity::Error,
        "The hook says no in a way that this dialect does not take for a no.",
    ),
    (
        Code::ScriptNotHere,
        "W_SCRIPT_NOT_HERE",
        Severity::Warning,
        "The script that a command starts is not there, seen from the folder the hook is run in.",
    ),
    (
        Code::ScriptMode,
        "W_SCRIPT_MODE",
        Severity::Error,
        "The script is started by its own name and is not marked as executable.",
    ),
    (
        Code::Interpreter,
        "W_INTERPRETER",
        Severity::Warning,
        "The program that is to read the script is not on this machine.",
    ),
    (
        Code::CapabilityMissing,
        "W_CAPABILITY_MISSING",
        Severity::Error,
        "The script rewrites something, and the hook does not have the capability for it.",
    ),
    (
        Code::OutputIgnored,
        "W_OUTPUT_IGNORED",
        Severity::Warning,
        "The script answers with something that nobody reads at this event.",
    ),
    (
        Code::TextAroundJson,
        "W_TEXT_AROUND_JSON",
        Severity::Warning,
        "The script prints plain text beside its answer, which then is not read.",
    ),
    (
        Code::ToolName,
        "W_TOOL_NAME",
        Severity::Warning,
        "The matcher is almost, but not quite, the name of a well-known tool.",
    ),
    (
        Code::PlaceholderNever,
        "W_PLACEHOLDER_NEVER",
        Severity::Error,
        "A placeholder that has no value at this event, so the hook always fails.",
    ),
    (
        Code::CompactBreaks,
        "W_COMPACT_BREAKS",
        Severity::Warning,
        "In the original any hook at this event makes compaction fail.",
    ),
    (
        Code::Place,
        "W_PLACE",
        Severity::Warning,
        "The original does not look for hooks in this place.",
    ),
    (
        Code::Rule,
        "E_RULE",
        Severity::Error,
        "A rule cannot be read; it is written `Tool` or `Tool(what)`.",
    ),
    (
        Code::RuleExample,
        "E_RULE_EXAMPLE",
        Severity::Error,
        "A rule does not do what its own example says.",
    ),
    (
        Code::IfNever,
        "E_IF_EVENT",
        Severity::Error,
        "An `if` is about tool calls and the event is not, so the hook never runs there.",
    ),
    (
        Code::NoPolicy,
        "W_NO_POLICY",
        Severity::Warning,
        "A hook that looks like a guard does not say what its own failure means.",
    ),
    (
        Code::Owner,
        "E_OWNER",
        Severity::Error,
        "A managed file that others than the administrator can change is not read.",
    ),
];

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

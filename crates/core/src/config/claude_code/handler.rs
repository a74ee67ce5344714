//! One hook of a group: what runs, and under which circumstances.

use std::ops::Range;
use std::time::Duration;

use super::super::decode::{items, list, text};
use super::super::tree::{Data, Entry, Node, Problems};
use super::group::find;
use super::{Code, Compat, Reader, http, nearest, shown};
use crate::hook::{Handler, Template, Text};
use crate::profile::MAX_TIMEOUT;
use crate::rule::{Rule, Slash};
use crate::verdict::OnFailure;

/// A hook as written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) handler: Handler,
    pub(super) timeout: Option<Duration>,
    pub(super) only_if: Option<Rule>,
    pub(super) on_failure: Option<OnFailure>,
    pub(super) detached: bool,
    pub(super) ends_turn: bool,
    pub(super) notes: Vec<String>,
    /// Where each field stands.
    pub(super) spans: Vec<(String, Range<usize>)>,
}

impl Written {
    /// Where a field stands.
    pub(super) fn span(&self, key: &str) -> Option<&Range<usize>> {
        self.spans.iter().find(|it| it.0 == key).map(|it| &it.1)
    }
}

/// The types, and the fields of each besides those that all have.
const TYPES: [(&str, &[&str]); 5] = [
    ("command", &["command", "args", "shell", "onFailure", "async", "asyncRewake"]),
    ("http", &["url", "headers", "allowedEnvVars", "onFailure"]),
    ("prompt", &["prompt", "model", "continueOnBlock"]),
    ("agent", &["prompt", "model"]),
    ("mcp_tool", &["server", "tool", "input"]),
];
const COMMON: [&str; 5] = ["type", "if", "timeout", "statusMessage", "once"];

/// Whether any type of hook has this field.
pub(super) fn is_field(key: &str) -> bool {
    COMMON.contains(&key) || TYPES.iter().any(|it| it.1.contains(&key))
}

/// Reads one hook; what makes it unusable is reported, and nothing returned.
pub(super) fn read(
    reader: &Reader<'_>,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Option<Written> {
    let Data::Map(entries) = &node.data else {
        let message = format!("a hook must be an object, not {}", node.data.what());
        problems.report(Code::Schema, &node.span, message);
        return None;
    };
    let (kind, known) = kind(node, entries, problems)?;
    let handler = match kind {
        "http" => http::read(reader.place.compat, node, entries, problems),
        "prompt" => prompt(node, entries, problems),
        "agent" => agent(node, entries, problems),
        "mcp_tool" => mcp_tool(node, entries, problems),
        _ => command(reader, node, entries, problems),
    };
    let timeout = match find(entries, "timeout") {
        Some(node) => Some(seconds(reader.place.compat, node, problems)?),
        None => None,
    };
    let only_if = match find(entries, "if") {
        Some(node) => Some(rule(node, problems)?),
        None => None,
    };
    let on_failure = match find(entries, "onFailure") {
        Some(node) => Some(on_failure(node, problems)?),
        None => None,
    };
    report_unknown(kind, known, entries, problems);
    let rewakes = flag(entries, "asyncRewake", problems)?;
    let mut notes = Vec::new();
    if rewakes {
        notes.push("nobody waits for it, and what it says wakes nobody here".to_owned());
    }
    Some(Written {
        handler: handler?,
        timeout,
        only_if,
        on_failure,
        detached: flag(entries, "async", problems)? || rewakes,
        ends_turn: kind == "prompt" && !flag(entries, "continueOnBlock", problems)?,
        notes,
        spans: entries.iter().map(|it| (it.key.clone(), it.value.span.clone())).collect(),
    })
}

/// The type of a hook, with the fields it may have.
fn kind(
    node: &Node,
    entries: &[Entry],
    problems: &mut Problems<'_>,
) -> Option<(&'static str, &'static [&'static str])> {
    let names = TYPES.map(|it| it.0);
    let Some(type_node) = find(entries, "type") else {
        let meant = TYPES
            .into_iter()
            .find(|it| it.1.first().is_some_and(|key| find(entries, key).is_some()));
        let meant = meant.unwrap_or(TYPES[0]);
        let message = "the hook does not say of what type it is";
        let hint = format!("add `\"type\": \"{}\"`", meant.0);
        problems.report_with_hint(Code::TypeDefault, &node.span, message, hint);
        return Some(meant);
    };
    let word = text(type_node, "`type`", problems)?;
    let found = TYPES.into_iter().find(|it| it.0 == word);
    if found.is_none() {
        let hint = match nearest(word, names.into_iter()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("one of {}", list(&names)),
        };
        let message = format!("there is no handler `{word}`");
        problems.report_with_hint(Code::Handler, &type_node.span, message, hint);
    }
    found
}

/// A field that must be there and be text.
pub(super) fn required<'n>(
    key: &str,
    (node, entries): (&Node, &'n [Entry]),
    problems: &mut Problems<'_>,
) -> Option<&'n str> {
    let found = find(entries, key);
    if found.is_none() {
        problems.report(Code::Field, &node.span, format!("the hook needs the field `{key}`"));
    }
    text(found?, &format!("`{key}`"), problems)
}

fn command(
    reader: &Reader<'_>,
    node: &Node,
    entries: &[Entry],
    problems: &mut Problems<'_>,
) -> Option<Handler> {
    let command = required("command", (node, entries), problems)?;
    let safe = reader.place.compat == Compat::Safe;
    let spliced = ["${tool_input", "${tool_response", "${prompt"];
    if let (true, Some(at)) =
        (safe && spliced.iter().any(|it| command.contains(it)), find(entries, "command"))
    {
        let message = "a value of the event would become part of a shell command";
        let hint = "read it from standard input: `jq -r .tool_input.command`";
        problems.report_with_hint(Code::TemplateInShell, &at.span, message, hint);
        return None;
    }
    let root = reader.plugin_root().map(|it| shown(&it));
    let project = shown(&reader.place.workspace);
    let plugin = root.as_ref().map(|it| ("CLAUDE_PLUGIN_ROOT", it.as_str()));
    let known: Vec<_> =
        [("CLAUDE_PROJECT_DIR", project.as_str())].into_iter().chain(plugin).collect();
    let args = match find(entries, "args") {
        Some(node) => Some(arguments(node, &known, problems)?),
        None => None,
    };
    let environment = root.iter();
    let environment = environment
        .map(|it| ("CLAUDE_PLUGIN_ROOT".to_owned(), Template::literal(it.as_str())))
        .collect();
    let (command, args) = match (args, shell(entries, problems)?) {
        (Some(args), _) => (filled(command, &known), Some(args)),
        (None, None) => (command.to_owned(), None),
        (None, Some((program, flag))) => {
            (program.to_owned(), Some(vec![flag.to_owned(), command.to_owned()]))
        }
    };
    Some(Handler::Command { command, args, cwd: None, environment })
}

/// The shell a hook asks for, with the flag before a command; none for the usual one.
#[expect(clippy::option_option, reason = "the outer one says whether the field can be read")]
fn shell(
    entries: &[Entry],
    problems: &mut Problems<'_>,
) -> Option<Option<(&'static str, &'static str)>> {
    let Some(node) = find(entries, "shell") else { return Some(None) };
    match text(node, "`shell`", problems)? {
        "bash" => Some(Some(("bash", "-c"))),
        "powershell" => Some(Some(("pwsh", "-Command"))),
        other => {
            let message = format!("there is no shell `{other}`");
            problems.report_with_hint(Code::Schema, &node.span, message, "`bash` or `powershell`");
            None
        }
    }
}

fn arguments(
    node: &Node,
    known: &[(&str, &str)],
    problems: &mut Problems<'_>,
) -> Option<Vec<String>> {
    let mut arguments = Vec::new();
    for item in items(node, "`args`", problems)? {
        let Data::Text(text) = &item.data else {
            let message = format!("an argument must be text, not {}", item.data.what());
            problems.report_with_hint(Code::Schema, &item.span, message, "put it in quotes");
            return None;
        };
        arguments.push(filled(text, known));
    }
    Some(arguments)
}

/// A word without a shell, with the variables that the original knows filled in.
fn filled(text: &str, known: &[(&str, &str)]) -> String {
    known
        .iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

fn prompt(node: &Node, entries: &[Entry], problems: &mut Problems<'_>) -> Option<Handler> {
    let prompt = required("prompt", (node, entries), problems);
    let model_ref = model(entries, problems)?;
    Some(Handler::Prompt { prompt: Text::Inline(prompt?.to_owned()), model_ref })
}

fn agent(node: &Node, entries: &[Entry], problems: &mut Problems<'_>) -> Option<Handler> {
    let task = required("prompt", (node, entries), problems);
    let agent = model(entries, problems)?.unwrap_or_default();
    Some(Handler::Agent { agent, task: Text::Inline(task?.to_owned()) })
}

#[expect(clippy::option_option, reason = "the outer one says whether the field can be read")]
fn model(entries: &[Entry], problems: &mut Problems<'_>) -> Option<Option<String>> {
    match find(entries, "model") {
        Some(node) => Some(Some(text(node, "`model`", problems)?.to_owned())),
        None => Some(None),
    }
}

fn mcp_tool(node: &Node, entries: &[Entry], problems: &mut Problems<'_>) -> Option<Handler> {
    let server = required("server", (node, entries), problems);
    let tool = required("tool", (node, entries), problems);
    let input = find(entries, "input").map_or_else(|| serde_json::json!({}), Node::to_json);
    Some(Handler::McpTool { server: server?.to_owned(), tool: tool?.to_owned(), input })
}

/// A number of seconds; what only makes sense in milliseconds is told and cut to the most there is.
fn seconds(compat: Compat, node: &Node, problems: &mut Problems<'_>) -> Option<Duration> {
    const MILLISECONDS: f64 = 3_600_000.0;
    let number = match &node.data {
        Data::Number(text) => text.parse::<f64>().ok().filter(|it| *it > 0.0 && it.is_finite()),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    let most = MAX_TIMEOUT.as_secs_f64();
    let hint = format!("write a number of seconds, up to {most}");
    match number {
        Some(seconds) if seconds <= most => Duration::try_from_secs_f64(seconds).ok(),
        Some(seconds) if seconds <= MILLISECONDS => {
            let message = format!("{seconds} seconds are more than may be waited");
            let hint =
                format!("this dialect counts seconds: {seconds} ms are {}", seconds / 1000.0);
            problems.report_with_hint(Code::TimeoutUnit, &node.span, message, hint);
            Some(MAX_TIMEOUT)
        }
        Some(_) if compat == Compat::Exact => Some(MAX_TIMEOUT),
        Some(_) | None => {
            let message = "`timeout` is not a number of seconds that may be waited";
            problems.report_with_hint(Code::Timeout, &node.span, message, hint);
            None
        }
    }
}

fn rule(node: &Node, problems: &mut Problems<'_>) -> Option<Rule> {
    let text = text(node, "`if`", problems)?;
    match Rule::parse_with(text, Slash::Settings) {
        Ok(rule) => Some(rule),
        Err(error) => {
            problems.report_with_hint(Code::Rule, &node.span, error.message, error.hint);
            None
        }
    }
}

fn on_failure(node: &Node, problems: &mut Problems<'_>) -> Option<OnFailure> {
    match text(node, "`onFailure`", problems)? {
        "continue" => Some(OnFailure::Allow),
        "block" => Some(OnFailure::Deny),
        other => {
            let message = format!("`onFailure` cannot be `{other}`");
            problems.report_with_hint(Code::Schema, &node.span, message, "`continue` or `block`");
            None
        }
    }
}

fn flag(entries: &[Entry], key: &str, problems: &mut Problems<'_>) -> Option<bool> {
    match find(entries, key).map(|it| (&it.data, it)) {
        None => Some(false),
        Some((Data::Bool(flag), _)) => Some(*flag),
        Some((other, node)) => {
            let message = format!("`{key}` must be true or false, not {}", other.what());
            problems.report(Code::Schema, &node.span, message);
            None
        }
    }
}

/// A field that is nearly one of the type's was meant to do something; others change nothing.
fn report_unknown(
    kind: &str,
    known: &'static [&'static str],
    entries: &[Entry],
    problems: &mut Problems<'_>,
) {
    let all: Vec<&str> = COMMON.iter().chain(known).copied().collect();
    for entry in entries.iter().filter(|it| !all.contains(&it.key.as_str())) {
        let squeezed: String = entry.key.chars().filter(|c| c.is_alphanumeric()).collect();
        let free = all.iter().copied().filter(|it| find(entries, it).is_none());
        let message = format!("a `{kind}` hook has no field `{}`", entry.key);
        let (code, hint) = match nearest(&squeezed, free) {
            Some(near) if !is_field(&entry.key) => {
                (Code::UnknownField, format!("did you mean `{near}`?"))
            }
            _ => (Code::FieldIgnored, format!("it has: {}", list(&all))),
        };
        problems.report_with_hint(code, &entry.key_span, message, hint);
    }
}

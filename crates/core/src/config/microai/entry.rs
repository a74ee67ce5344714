//! One entry: `matcher`, `command`, `timeout`, `continueOnFailure` and `condition`.

use std::time::Duration;

use super::super::decode::{list, text};
use super::super::tree::{Data, Entry, Node, Problems};
use super::{Code, EventKind, nearest};
use crate::hook::Handler;
use crate::matcher::{Matcher, MatcherLanguage};
use crate::profile::MAX_TIMEOUT;
use crate::verdict::OnFailure;

const FIELDS: [&str; 5] = ["matcher", "command", "timeout", "continueOnFailure", "condition"];

/// What an entry says.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) event: EventKind,
    pub(super) matcher: Option<String>,
    pub(super) handler: Handler,
    pub(super) timeout: Option<Duration>,
    pub(super) on_failure: OnFailure,
    pub(super) condition: Option<String>,
}

/// Whether an entry has the shape of this dialect, and not that of Claude Code.
pub(super) fn is_flat(node: &Node) -> bool {
    let has = |entries: &[Entry], key: &str| entries.iter().any(|entry| entry.key == key);
    matches!(&node.data, Data::Map(entries) if has(entries, "command"))
}

/// Reads one entry; what is wrong with it is reported. A lenient reader makes do with what is left.
pub(super) fn read(
    node: &Node,
    kind: &EventKind,
    lenient: bool,
    problems: &mut Problems<'_>,
) -> Option<Fields> {
    let Data::Map(entries) = &node.data else {
        let message = format!("a hook must be an object, not {}", node.data.what());
        problems.report(Code::Schema, &node.span, message);
        return None;
    };
    problems.report_duplicate_keys(entries);
    let field = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
    if field("command").is_none() && field("hooks").is_some() {
        let hint = "leave it as it is if it is meant for Claude Code; for this dialect write `\"command\": …` in the entry itself";
        let message =
            "this entry has the nested shape of Claude Code, which this dialect never runs";
        problems.report_with_hint(Code::Nested, &node.span, message, hint);
        return None;
    }
    report_unknown(entries, problems);
    if field("command").is_none() {
        problems.report(Code::Field, &node.span, "a hook needs the field `command`");
    }
    let command = field("command").and_then(|node| text(node, "`command`", problems));
    let matcher = field("matcher").and_then(|node| matcher(node, kind, problems));
    let timeout = field("timeout").and_then(|node| timeout(node, problems));
    let on_failure = field("continueOnFailure").and_then(|node| goes_on(node, problems));
    let condition = field("condition").and_then(|node| optional(node, "`condition`", problems));
    let handler = Handler::shell(command?);
    // A matcher that is no text can match nothing, also where nobody minds.
    let unmatchable = matcher.is_none() && field("matcher").is_some_and(is_no_text);
    if unmatchable && lenient {
        return None;
    }
    let on_failure = on_failure.unwrap_or(OnFailure::Allow);
    Some(Fields { event: kind.clone(), matcher, handler, timeout, on_failure, condition })
}

fn is_no_text(node: &Node) -> bool {
    !matches!(node.data, Data::Text(_) | Data::Null)
}

/// A text that may be empty, which is the same as leaving it out.
fn optional(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<String> {
    match &node.data {
        Data::Null => None,
        Data::Text(text) if text.trim().is_empty() => None,
        _ => text(node, what, problems).map(str::to_owned),
    }
}

fn matcher(node: &Node, kind: &EventKind, problems: &mut Problems<'_>) -> Option<String> {
    let text = optional(node, "`matcher`", problems)?;
    let about_tools = matches!(kind, EventKind::PreToolUse | EventKind::PostToolUse);
    let matcher = Matcher::new(MatcherLanguage::ToolPattern, &text);
    if let Err(error) = matcher.validate()
        && about_tools
    {
        let hint = error.hint.clone().unwrap_or_default();
        problems.report_with_hint(Code::Matcher, &node.span, error.message.clone(), hint);
    }
    Some(text)
}

fn timeout(node: &Node, problems: &mut Problems<'_>) -> Option<Duration> {
    let most = MAX_TIMEOUT.as_secs_f64() * 1000.0;
    let number = match &node.data {
        // Nothing and zero both mean the default.
        Data::Null => return None,
        Data::Number(text) => text.parse::<f64>().ok(),
        other @ (Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_)) => {
            let message =
                format!("`timeout` must be a number of milliseconds, not {}", other.what());
            problems.report(Code::Timeout, &node.span, message);
            return None;
        }
    };
    let number = number.filter(|it| it.fract() == 0.0 && (0.0..=most).contains(it));
    let Some(milliseconds) = number else {
        let message = "`timeout` must be a whole number of milliseconds";
        let hint = format!("from 1 to {most}; without it a hook has 5000");
        problems.report_with_hint(Code::Timeout, &node.span, message, hint);
        return None;
    };
    (milliseconds > 0.0).then(|| Duration::from_secs_f64(milliseconds / 1000.0))
}

fn goes_on(node: &Node, problems: &mut Problems<'_>) -> Option<OnFailure> {
    match &node.data {
        Data::Bool(true) => Some(OnFailure::Allow),
        Data::Bool(false) => Some(OnFailure::Deny),
        Data::Null => None,
        other => {
            let message =
                format!("`continueOnFailure` must be true or false, not {}", other.what());
            let hint = "without quotes: the text \"false\" counts as true in most languages";
            problems.report_with_hint(Code::Schema, &node.span, message, hint);
            None
        }
    }
}

/// A field that is nearly one of ours was meant to do something; any other changes nothing.
fn report_unknown(entries: &[Entry], problems: &mut Problems<'_>) {
    let has = |key: &str| entries.iter().any(|entry| entry.key == key);
    for entry in entries.iter().filter(|it| !FIELDS.contains(&it.key.as_str())) {
        let message = format!("a hook has no field `{}`", entry.key);
        let squeezed: String = entry.key.chars().filter(|c| c.is_alphanumeric()).collect();
        let near = nearest(&squeezed, FIELDS.iter().copied().filter(|it| !has(it)));
        let (code, hint) = near.map_or_else(
            || (Code::FieldIgnored, format!("it has: {}", list(&FIELDS))),
            |known| (Code::UnknownField, format!("did you mean `{known}`?")),
        );
        problems.report_with_hint(code, &entry.key_span, message, hint);
    }
}

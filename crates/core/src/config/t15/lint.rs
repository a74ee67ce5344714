//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;

use super::super::script;
use super::super::tree::{Data, Node, Problems};
use super::{Code, EventKind, HookSpec, World};
use crate::hook::{Handler, Text};
use crate::verdict::OnFailure;

const PLACEHOLDERS: [&str; 4] = ["tool_name", "args", "file", "result"];
/// Words in a command by which its author says that it is to refuse.
const GUARDS: [&str; 8] =
    ["check", "guard", "block", "deny", "forbid", "allow", "protect", "exit $?"];
/// Ends of a command that cannot fail.
const HARMLESS: [&str; 4] = ["exit 0", "true", "|| :", "; :"];

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(spec: &HookSpec, node: &Node, world: &dyn World, problems: &mut Problems<'_>) {
    let at = |key: &str| span(node, key).unwrap_or_else(|| node.span.clone());
    if let Some(events) = find(node, "events").filter(|it| matches!(it.data, Data::Text(_))) {
        let message = "`events` is a list; this is read as a list of one";
        let hint = "put it in brackets, such as `events: [PRE_TOOL_USE]`";
        problems.report_with_hint(Code::Coerced, &events.span, message, hint);
    }
    let gate = spec.events.contains(&EventKind::PreToolUse);
    let blocks = spec.on_failure == Some(OnFailure::Deny);
    if blocks && spec.events.iter().any(|it| *it != EventKind::PreToolUse) {
        let message = "only `PRE_TOOL_USE` can be blocked, so `can_block` has no effect elsewhere";
        problems.report(Code::CannotBlock, &at("can_block"), message);
    }
    match &spec.handler {
        Handler::Command { command, .. } => {
            let at = at("command");
            script::lint(command, &spec.workspace, &at, (world, problems));
            let fails = script::exits_with(command, 1) || script::exits_with(command, 2);
            if gate && !blocks && (fails || GUARDS.iter().any(|it| command.contains(it))) {
                report_guard(&at, problems);
            }
            let end = command.trim_end();
            if spec.events.contains(&EventKind::PostToolUse)
                && !HARMLESS.iter().any(|it| end.ends_with(it))
            {
                let message = "after a tool has run, a failing command helps nobody";
                problems.report_with_hint(Code::PostExit, &at, message, "end it with `; exit 0`");
            }
            lint_placeholders(command, &at, problems);
        }
        Handler::Prompt { prompt: Text::Inline(text), .. }
        | Handler::Agent { task: Text::Inline(text), .. } => {
            let at = at("prompt");
            if gate {
                let message = "every tool call waits until a model has answered";
                let hint = "use a command here, and keep the question for `POST_TOOL_USE`";
                problems.report_with_hint(Code::ModelInPath, &at, message, hint);
            }
            if gate && !blocks {
                report_guard(&at, problems);
            }
            lint_placeholders(text, &at, problems);
        }
        Handler::Http { url, .. } => {
            let at = at("url");
            if !url.starts_with("http://") && !url.starts_with("https://") {
                let message = "the URL must start with `http://` or `https://`";
                problems.report(Code::Url, &at, message);
            }
        }
        Handler::Prompt { .. }
        | Handler::Agent { .. }
        | Handler::McpTool { .. }
        | Handler::InProcess(_) => (),
    }
}

fn report_guard(at: &Range<usize>, problems: &mut Problems<'_>) {
    let message = "without `can_block` it refuses nothing, whatever it answers";
    problems.report_with_hint(Code::CannotBlock, at, message, "add `can_block: true`");
}

/// Braces around one word that is almost a placeholder.
fn lint_placeholders(text: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    for part in text.split('{').skip(1) {
        let Some((word, _)) = part.split_once('}') else { continue };
        let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain && !PLACEHOLDERS.contains(&word) {
            let message = format!("`{{{word}}}` is not filled in");
            let hint = "there are `{tool_name}`, `{args}`, `{file}` and `{result}`";
            problems.report_with_hint(Code::Placeholder, at, message, hint);
        }
    }
}

fn find<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.data {
        Data::Map(entries) => entries.iter().find(|it| it.key == key).map(|it| &it.value),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => None,
    }
}

fn span(node: &Node, key: &str) -> Option<Range<usize>> {
    find(node, key).map(|it| it.span.clone())
}

//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;

use super::super::script::{Script, Wish};
use super::super::tree::{Data, Node, Problems};
use super::super::variables;
use super::{Code, Dialect, EventKind, HookSpec, World};
use crate::hook::{Handler, Text};
use crate::verdict::OnFailure;

const PLACEHOLDERS: [&str; 4] = ["tool_name", "args", "file", "result"];
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
            let script = Script::read(command, &spec.workspace, world);
            script.lint(&at, world, problems);
            variables::lint(Dialect::T15, &[], &script, &at, problems);
            lint_command(spec, &script, &at, problems);
            lint_placeholders(spec, command, &at, problems);
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
            lint_placeholders(spec, text, &at, problems);
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

fn lint_command(
    spec: &HookSpec,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    if spec.events.contains(&EventKind::PreToolUse) {
        let blocks = spec.on_failure == Some(OnFailure::Deny);
        match script.wish("") {
            Wish::Shown if !blocks => {
                let message = "without `can_block` its refusal is passed over";
                problems.report_with_hint(Code::NeverBlocks, at, message, "add `can_block: true`");
            }
            Wish::Named if !blocks => report_guard(at, problems),
            Wish::Shown if script.refuses() && !script.fails() => {
                let message =
                    "what a command prints is its reason, not its answer; nothing is refused";
                let hint = "end with any code but 0 to refuse";
                problems.report_with_hint(Code::NeverBlocks, at, message, hint);
            }
            Wish::None | Wish::Named | Wish::Shown => (),
        }
    }
    if spec.events.contains(&EventKind::PostToolUse) && !script.ends_well() {
        let message = "after a tool has run, a failing command helps nobody";
        problems.report_with_hint(Code::PostExit, at, message, "end it with `; exit 0`");
    }
    let filled = PLACEHOLDERS.map(|it| format!("{{{it}}}"));
    let mut names = filled.iter();
    if let Some(name) = names.find(|it| script.evaluated().any(|word| word.shown().contains(*it))) {
        let message = format!("`{name}` would become part of what another shell runs");
        let hint = "give it to a script as an argument";
        problems.report_with_hint(Code::TemplateInShell, at, message, hint);
    }
}

fn report_guard(at: &Range<usize>, problems: &mut Problems<'_>) {
    let message = "without `can_block` it refuses nothing, whatever it answers";
    problems.report_with_hint(Code::CannotBlock, at, message, "add `can_block: true`");
}

/// Braces around one word that is almost a placeholder, or one without a value at these events.
fn lint_placeholders(spec: &HookSpec, text: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    for part in text.split('{').skip(1) {
        let Some((word, _)) = part.split_once('}') else { continue };
        let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let known = PLACEHOLDERS.contains(&word);
        let lacks = |kind: &&EventKind| match kind {
            EventKind::PostToolUse => false,
            EventKind::PreToolUse => word == "result",
            _ => true,
        };
        if plain && !known {
            let message = format!("`{{{word}}}` is not filled in");
            let hint = "there are `{tool_name}`, `{args}`, `{file}` and `{result}`";
            problems.report_with_hint(Code::Placeholder, at, message, hint);
        } else if let Some(kind) = spec.events.iter().find(lacks).filter(|_| known) {
            let name = kind.name_in(Dialect::T15).unwrap_or_default();
            let message =
                format!("`{{{word}}}` has no value at `{name}`, so the hook always fails");
            let hint = "`{result}` is there after a tool, the others at both tool events";
            problems.report_with_hint(Code::PlaceholderNever, at, message, hint);
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

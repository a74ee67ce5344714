//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;

use super::super::script::{Script, Text, Wish};
use super::super::tools::{Misspelt, Spelling, misspelt};
use super::super::tree::Problems;
use super::super::variables;
use super::group::handler_never;
use super::handler::Written;
use super::{Code, Dialect, EventKind, HookSpec, World};
use crate::hook::Handler;
use crate::verdict::OnFailure;

/// Fields of an answer, and the events that know them.
const ANSWERS: [(&str, &[EventKind]); 4] = [
    ("permissionDecision", &[EventKind::PreToolUse, EventKind::PreModelSwitch]),
    ("updatedInput", &[EventKind::PreToolUse, EventKind::PermissionRequest]),
    ("updatedToolOutput", &[EventKind::PostToolUse]),
    ("updatedMCPToolOutput", &[EventKind::PostToolUse]),
];

/// Reports a matcher that is ignored, or that no name can match.
pub(super) fn matcher(
    kind: &EventKind,
    matcher: Option<&str>,
    span: Option<Range<usize>>,
    problems: &mut Problems<'_>,
) {
    let (Some(text), Some(at)) = (matcher.filter(|it| !it.is_empty() && *it != "*"), span) else {
        return;
    };
    let Some(field) = kind.subject_in(Dialect::ClaudeCode) else {
        let message =
            format!("`{}` has nothing to match on, so the matcher is ignored", kind.name());
        problems.report_with_hint(Code::MatcherIgnored, &at, message, "leave the matcher out");
        return;
    };
    if field != "tool_name" {
        return;
    }
    let mut never = |message: String, hint: String| {
        problems.report_with_hint(Code::MatcherNever, &at, message, hint);
    };
    if let Some((tool, _)) = text.split_once('(').filter(|it| it.1.ends_with(')') && is_name(it.0))
    {
        let message =
            format!("`{text}` is a regular expression here and matches no name of a tool");
        never(
            message,
            format!("write `\"matcher\": \"{tool}\"`, and `\"if\": \"{text}\"` in the hook"),
        );
        return;
    }
    if let Some(rest) = text.strip_prefix('!') {
        let message = format!("`!` stands for itself here, so `{text}` matches nothing");
        never(message, format!("write `^(?!{rest}$)`"));
        return;
    }
    // Only a list of names is compared as it stands.
    if !text.split(['|', ',']).all(|it| is_name(it.trim())) {
        return;
    }
    for word in text.split(['|', ',']).map(str::trim) {
        let server = word.strip_prefix("mcp__").filter(|it| !it.contains("__"));
        match (misspelt(word, Spelling::Camel), server) {
            (Some(Misspelt::Elsewhere(tool)), _) => {
                let message = format!("no tool is called `{word}`: capitals count");
                problems.report_with_hint(
                    Code::MatcherNever,
                    &at,
                    message,
                    format!("write `{tool}`"),
                );
            }
            (Some(Misspelt::Nearly(tool)), _) => {
                let message = format!("no tool that many agents have is called `{word}`");
                let hint = format!("did you mean `{tool}`?");
                problems.report_with_hint(Code::ToolName, &at, message, hint);
            }
            (None, Some(_)) => {
                let message = format!("`{word}` is a server, and matchers see tools");
                let hint = format!("write `{word}__.*`");
                problems.report_with_hint(Code::MatcherNever, &at, message, hint);
            }
            (None, None) => (),
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn hook(
    spec: &HookSpec,
    written: &Written,
    world: &dyn World,
    problems: &mut Problems<'_>,
) {
    let Some(kind) = spec.events.first() else { return };
    circumstances(spec, kind, written, problems);
    match &spec.handler {
        Handler::Command { command, args: None, .. } => {
            if let Some(at) = written.span("command") {
                let script = Script::read(command, &spec.workspace, world);
                script.lint(at, world, problems);
                let given = ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"];
                variables::lint(Dialect::ClaudeCode, &given, &script, at, problems);
                answers(spec, kind, (&script, at), problems);
            }
        }
        Handler::McpTool { .. } => {
            let message = "MCP servers belong to the host: without one that lends them, it fails";
            report(Code::NotRunnable, written.span("type"), message, problems);
        }
        Handler::Command { .. }
        | Handler::Http { .. }
        | Handler::Prompt { .. }
        | Handler::Agent { .. }
        | Handler::InProcess(_) => (),
    }
}

fn report(
    code: Code,
    at: Option<&Range<usize>>,
    message: impl Into<String>,
    problems: &mut Problems<'_>,
) {
    problems.report(code, at.unwrap_or(&(0..0)), message);
}

fn circumstances(
    spec: &HookSpec,
    kind: &EventKind,
    written: &Written,
    problems: &mut Problems<'_>,
) {
    let name = kind.name();
    if written.only_if.is_some() && !kind.needs().contains(&"tool_name") {
        let message = format!("`if` is about tool calls, and `{name}` is not: the hook never runs");
        report(Code::IfNever, written.span("if"), message, problems);
    }
    if written.span("once").is_some() {
        let message = "`once` counts in the frontmatter of skills; here the hook runs every time";
        report(Code::OnceIgnored, written.span("once"), message, problems);
    }
    if handler_never(kind, &spec.handler) {
        let message = format!("the original has no `{}` hooks at `{name}`", spec.handler.kind());
        let at = written.span("type").cloned().unwrap_or(0..0);
        problems.report_with_hint(Code::HandlerNever, &at, message, "use a `command` hook");
    }
    let blocks = kind.block_in(Dialect::ClaudeCode, |_| None).is_some();
    if let (Some(OnFailure::Deny), false, Some(at)) =
        (written.on_failure, blocks, written.span("onFailure"))
    {
        let message = format!("`{name}` cannot be blocked, so this changes nothing");
        problems.report(Code::CannotBlock, at, message);
    }
    let seconds = written.timeout.map(|it| it.as_secs_f64());
    if let (Some(seconds), Some(at)) = (seconds, written.span("timeout"))
        && seconds >= 1000.0
        && seconds % 1000.0 == 0.0
        && seconds < 3600.0
    {
        let message = format!("{seconds} seconds are a long time to wait for a hook");
        let hint = format!("this dialect counts seconds: {seconds} ms are {}", seconds / 1000.0);
        problems.report_with_hint(Code::TimeoutUnit, at, message, hint);
    }
}

/// What a command prints or ends with, as far as it can be read off it and its scripts.
fn answers(
    spec: &HookSpec,
    kind: &EventKind,
    (script, at): (&Script<'_>, &Range<usize>),
    problems: &mut Problems<'_>,
) {
    let name = kind.name();
    let has = |field: &str| script.any(|text: &Text| text.has(&format!("{field}:")));
    for (field, events) in ANSWERS.iter().filter(|it| has(it.0) && !it.1.contains(kind)) {
        let message = format!("`{field}` means nothing at `{name}`");
        let names: Vec<&str> = events.iter().map(EventKind::name).collect();
        let hint = format!("it counts at {}", super::super::decode::list(&names));
        problems.report_with_hint(Code::OutputIgnored, at, message, hint);
    }
    let fields: Vec<&str> = ANSWERS.iter().map(|it| it.0).chain(["decision"]).collect();
    if script.talks_beside(&fields) {
        let message = "it prints other text beside its answer, which then is not read as one";
        let hint = "print nothing but the JSON; the rest belongs on standard error";
        problems.report_with_hint(Code::TextAroundJson, at, message, hint);
    }
    let blocks = kind.block_in(Dialect::ClaudeCode, |_| None).is_some();
    let Some((message, hint)) = vain_refusal(spec, kind, script).filter(|_| blocks) else { return };
    problems.report_with_hint(Code::NeverBlocks, at, message, hint);
}

/// A no that the original does not take for one.
fn vain_refusal(
    spec: &HookSpec,
    kind: &EventKind,
    script: &Script<'_>,
) -> Option<(&'static str, String)> {
    let has = |field: &str| script.any(|text: &Text| text.has(field));
    let exits = script.exits_with(1) && !script.exits_with(2);
    let answers = has("hookSpecificOutput") || has("decision:block");
    if exits && !answers && spec.on_failure.is_none() && script.wish(&spec.name) == Wish::Shown {
        let message = "exit code 1 refuses nothing: it is a failure, and what was asked goes ahead";
        return Some((message, "exit with 2, or set `onFailure` to `block`".to_owned()));
    }
    if has("permissionDecision:deny") && !has("hookSpecificOutput") {
        let message = "a `permissionDecision` outside of `hookSpecificOutput` is read by nobody";
        return Some((message, "put it inside, beside `hookEventName`".to_owned()));
    }
    if has("permissionDecision:deny") && !has("hookEventName") {
        let message = "without `hookEventName` the original passes over `hookSpecificOutput`";
        return Some((message, format!("add `\"hookEventName\": \"{}\"`", kind.name())));
    }
    has("decision:deny").then(|| {
        let message = "`decision` knows `block`, and not `deny`";
        (message, "write `\"decision\": \"block\"`".to_owned())
    })
}

//! Ways in which a hook that loads would still not do what its author wants.

use super::super::script;
use super::super::tree::Problems;
use super::entry::Written;
use super::{Code, Dialect, EventKind, HookSpec, World};
use crate::hook::Handler;
use crate::matcher::{Fit, Matcher, MatcherLanguage};

/// Programs that read standard input unless they are given a file.
const READERS: [&str; 5] = ["jq", "cat", "read", "grep", "python3 -c"];

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(
    spec: &HookSpec,
    written: &Written,
    (own_event, world): (bool, &dyn World),
    problems: &mut Problems<'_>,
) {
    problems.found.extend(written.harmless.iter().cloned());
    let Some(kind) = spec.events.first() else { return };
    lint_matcher(kind, written, problems);
    lint_blocking(kind, written, problems);
    match &spec.handler {
        Handler::Command { command, .. } => {
            script::lint(command, &spec.workspace, &written.body, (world, problems));
            lint_command(command, written, problems);
            if own_event && !written.blocks && *kind == EventKind::PreToolUse {
                lint_guard(command, written, problems);
            }
        }
        Handler::Http { url, .. } => {
            if !url.starts_with("http://") && !url.starts_with("https://") {
                let message = "the URL must start with `http://` or `https://`";
                problems.report(Code::Url, &written.body, message);
            }
        }
        Handler::Prompt { .. }
        | Handler::Agent { .. }
        | Handler::McpTool { .. }
        | Handler::InProcess(_) => (),
    }
}

/// A glob that no subject of this event can match.
fn lint_matcher(kind: &EventKind, written: &Written, problems: &mut Problems<'_>) {
    let Some(matcher) = written.matcher.as_deref().filter(|it| !it.is_empty()) else { return };
    let name = kind.name_in(Dialect::OpenHarness).unwrap_or_default();
    let (message, hint) = match kind {
        EventKind::UserPromptSubmit => return,
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::Notification => {
            let foreign = |c: char| !(c.is_alphanumeric() || "_-.:/*?[]!@".contains(c));
            if !matcher.contains(foreign) && !matcher.contains(".*") {
                return;
            }
            let message = format!("`{matcher}` is a glob here and matches no name of a tool");
            (message, "one glob such as `read_*`; give each alternative a hook of its own")
        }
        _ => {
            if Matcher::new(MatcherLanguage::Glob, matcher).fit(name) == Fit::Yes {
                return;
            }
            let message = format!("at `{name}` a matcher is tried on the event's own name");
            (message, "leave the matcher out")
        }
    };
    problems.report_with_hint(Code::MatcherNever, &written.matcher_span, message, hint);
}

/// A wish to block where nothing can be blocked.
fn lint_blocking(kind: &EventKind, written: &Written, problems: &mut Problems<'_>) {
    let blockable = kind.block_in(Dialect::OpenHarness, |_| None).is_some();
    if let Some(span) = written.says_blocks.as_ref().filter(|_| written.blocks && !blockable) {
        let name = kind.name_in(Dialect::OpenHarness).unwrap_or_default();
        let message = format!("`{name}` cannot be blocked, so `block_on_failure` has no effect");
        let hint = "only `pre_tool_use` and `pre_compact` can";
        problems.report_with_hint(Code::CannotBlock, span, message, hint);
    }
}

fn lint_command(command: &str, written: &Written, problems: &mut Problems<'_>) {
    let at = &written.body;
    if written.quoted {
        let message = "`$ARGUMENTS` stands in quotes, where the original's own quotes break it";
        let hint = "write it without quotes; it arrives as one word";
        problems.report_with_hint(Code::TemplateInShell, at, message, hint);
    }
    let variables = ["OPENHARNESS_HOOK_PAYLOAD", "OPENHARNESS_HOOK_EVENT"];
    if let Some(name) = script::unquoted(command, &variables) {
        let message = format!("`${name}` stands without quotes and is split into words");
        let hint = format!("write `\"${name}\"`");
        problems.report_with_hint(Code::UnquotedVar, at, message, hint);
    }
    let followed = |text: &str| {
        let after = text.chars().next();
        after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if command.contains("${ARGUMENTS}") {
        let message = "`${ARGUMENTS}` is not filled in, so the shell finds nothing there";
        problems.report_with_hint(Code::Placeholder, at, message, "write `$ARGUMENTS`");
    } else if command.split("$ARGUMENTS").skip(1).any(followed) {
        let message = "`$ARGUMENTS` is filled in also as the beginning of a longer name";
        problems.report(Code::Placeholder, at, message);
    }
    let first = command.trim_start();
    let reads = |program: &&&str| {
        let given = [
            first.strip_prefix(**program),
            command.split_once("$(").and_then(|it| it.1.strip_prefix(**program)),
        ];
        given.into_iter().flatten().any(|rest| rest.is_empty() || rest.starts_with([' ', ')']))
    };
    let told = command.contains("OPENHARNESS_HOOK") || command.contains("$ARGUMENTS");
    let piped = command.contains('<');
    if let Some(program) =
        READERS.iter().find(reads).filter(|_| !told && !piped && !first.contains('|'))
    {
        let message = format!("`{program}` would read standard input, and nothing is there");
        let hint = "the payload is in `$OPENHARNESS_HOOK_PAYLOAD` and `$ARGUMENTS`";
        problems.report_with_hint(Code::NoStdin, at, message, hint);
    }
}

/// A command that is meant to refuse, and cannot.
fn lint_guard(command: &str, written: &Written, problems: &mut Problems<'_>) {
    let speaks = ["\"decision\"", "\"continue\"", "permissionDecision"];
    let hint = "set `block_on_failure` to true and exit with any code but 0 to refuse";
    let message = if speaks.iter().any(|it| command.contains(it)) {
        "what a command prints is not read in this dialect, so this refuses nothing"
    } else if script::exits_with(command, 1) || script::exits_with(command, 2) {
        "its exit code refuses nothing without `block_on_failure`"
    } else {
        return;
    };
    problems.report_with_hint(Code::CannotBlock, &written.body, message, hint);
}

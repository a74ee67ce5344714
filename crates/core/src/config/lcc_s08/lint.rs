//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;

use super::super::decode::list;
use super::super::script::{Script, Text, Wish};
use super::super::tools::{Misspelt, Spelling, misspelt};
use super::super::tree::{Entry, Problems};
use super::super::variables;
use super::{Code, Compat, Diagnostic, Dialect, FIELDS, File, HookSpec, Place, World};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::Handler;

/// What the program looks for before it runs anything.
const MARKER: &str = ".claude/.claude_trusted";
const VARIABLES: [&str; 4] =
    ["HOOK_EVENT", "HOOK_TOOL_NAME", "HOOK_TOOL_INPUT", "HOOK_TOOL_OUTPUT"];
/// The fields of an answer.
const ANSWER: [&str; 3] = ["updatedInput", "additionalContext", "permissionDecision"];

/// Says that the original would not run the hooks of this file, where it would not.
pub(super) fn trust(place: &Place, file: &File, world: &dyn World) -> Option<Diagnostic> {
    let missing = place.compat == Compat::Safe && !world.has_file(&place.workspace.join(MARKER));
    let message = format!("the original runs none of these hooks: there is no `{MARKER}`");
    let hint = "make that file once you trust the project; becket goes by its own trust";
    missing.then(|| Diagnostic::of_file(Code::NeverTrusted, &file.path, message).with_hint(hint))
}

/// Reports a field that the program does not look at.
pub(super) fn ignored(
    entry: &Entry,
    what: &str,
    known: &[&'static str],
    problems: &mut Problems<'_>,
) {
    let message = format!("{what} has no field `{}`; it is ignored", entry.key);
    let hint = match (entry.key.as_str(), nearest(&entry.key, known.iter().copied())) {
        ("timeout" | "timeout_seconds" | "timeoutMs", _) => {
            "every hook of this dialect has 30 seconds".to_owned()
        }
        (_, Some(meant)) => format!("did you mean `{meant}`?"),
        (_, None) => format!("it has: {}", list(known)),
    };
    problems.report_with_hint(Code::FieldIgnored, &entry.key_span, message, hint);
}

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(
    spec: &HookSpec,
    fields: &[Entry],
    world: &dyn World,
    problems: &mut Problems<'_>,
) {
    for entry in fields.iter().filter(|it| !FIELDS.contains(&it.key.as_str())) {
        ignored(entry, "a hook", &FIELDS, problems);
    }
    let span =
        |key: &str| fields.iter().find(|it| it.key == key).map_or(0..0, |it| it.value.span.clone());
    if let Some(matcher) = &spec.matcher {
        lint_matcher(spec, matcher, &span("matcher"), problems);
    }
    if let Handler::Command { command, .. } = &spec.handler {
        let at = span("command");
        let script = Script::read(command, &spec.workspace, world);
        script.lint(&at, world, problems);
        lint_environment(spec, &script, &at, problems);
        lint_blocking(spec, &script, &at, problems);
        lint_answer(spec, &script, &at, problems);
    }
}

fn lint_matcher(spec: &HookSpec, text: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    if text == "*" {
        return;
    }
    let blind = spec.events.iter().any(|kind| kind.subject_in(Dialect::LccS08).is_none());
    let operator = |c: char| "*?[](){}|,^$+\\".contains(c) || c.is_whitespace();
    if blind {
        let message = "the event has no tool; the original never calls a hook with a matcher here";
        problems.report_with_hint(Code::MatcherIgnored, at, message, "leave the matcher out");
    } else if text.contains(operator) {
        let message = format!("no tool is called `{text}`: a matcher is one name or `*`");
        let hint = "give each tool a hook of its own, or match `*` and look at `HOOK_TOOL_NAME`";
        problems.report_with_hint(Code::MatcherNever, at, message, hint);
        return;
    }
    match misspelt(text, Spelling::Snake) {
        _ if blind => (),
        Some(Misspelt::Elsewhere(known)) => {
            let message =
                format!("names are compared letter by letter, and no tool is called `{text}`");
            problems.report_with_hint(Code::MatcherNever, at, message, format!("write `{known}`"));
        }
        Some(Misspelt::Nearly(known)) => {
            let message = format!("is there a tool called `{text}`?");
            let hint = format!("did you mean `{known}`?");
            problems.report_with_hint(Code::ToolName, at, message, hint);
        }
        None => (),
    }
}

fn lint_environment(
    spec: &HookSpec,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    if let Some(name) = script.unquoted(&VARIABLES) {
        let message = format!("`${name}` stands without quotes, so the shell splits its value");
        problems.report_with_hint(Code::UnquotedVar, at, message, format!("write `\"${name}\"`"));
    }
    variables::lint(Dialect::LccS08, &VARIABLES, script, at, problems);
    let before = spec.events.contains(&EventKind::PreToolUse);
    if before && script.any(|text| text.uses("HOOK_TOOL_OUTPUT")) {
        let message = "`$HOOK_TOOL_OUTPUT` is not set before a tool has run";
        let hint = "use it at `PostToolUse`";
        problems.report_with_hint(Code::VariableMissing, at, message, hint);
    }
    let told = |text: &Text| VARIABLES.iter().any(|name| text.uses(name));
    if script.reads_input() && !script.any(told) {
        let message = "it reads standard input, which holds nothing in this dialect";
        let hint = "the event is in `HOOK_EVENT`, `HOOK_TOOL_NAME` and `HOOK_TOOL_INPUT`";
        problems.report_with_hint(Code::NoStdin, at, message, hint);
    }
}

/// Refusals that the program takes for something else.
fn lint_blocking(
    spec: &HookSpec,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let before = spec.events.contains(&EventKind::PreToolUse);
    let (one, two) = (script.exits_with(1), script.exits_with(2));
    if !before {
        if one {
            let message = "the original's loop acts on exit code 1 before a tool only";
            let hint = "to tell the model something, write it to standard error and exit with 2";
            problems.report_with_hint(Code::CannotBlock, at, message, hint);
        }
        return;
    }
    let mut never = |message: &str| {
        let hint = "to block, write the reason to standard error and exit with 1";
        problems.report_with_hint(Code::NeverBlocks, at, message, hint);
    };
    if script.wish("") != Wish::Shown || one {
        return;
    }
    if two {
        never("exit code 2 tells the model something and lets the tool run");
    } else if script.refuses() {
        never("the original does nothing about an answer that refuses");
    } else {
        never("every exit code but 0, 1 and 2 is passed over");
    }
}

/// Answers that do not arrive.
fn lint_answer(
    spec: &HookSpec,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    if script.talks_beside(&ANSWER) {
        let message = "it prints plain text as well, and then its answer is not read";
        let hint = "write messages to standard error: `echo ... >&2`";
        problems.report_with_hint(Code::TextAroundJson, at, message, hint);
    }
    let before = spec.events.contains(&EventKind::PreToolUse);
    if script.any(|text| text.has("updatedInput:")) {
        let message = if before {
            "the original's loop drops `updatedInput`; here it reaches the tool"
        } else {
            "there is no input to change at this event"
        };
        problems.report(Code::OutputIgnored, at, message);
    }
    if script.any(|text| text.has("permissionDecision:")) && !script.refuses() {
        let message = "the original notes a `permissionDecision` and does nothing about it";
        problems.report(Code::OutputIgnored, at, message);
    }
    if let (false, Some(program)) = (before, script.may_end_with_two()) {
        let message = format!("`{program}` ends with 2 on small troubles, which the model is told");
        problems.report_with_hint(Code::PostExit, at, message, "end the command with `; exit 0`");
    }
}

//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;

use super::super::decode::list;
use super::super::script;
use super::super::tree::{Entry, Problems};
use super::{Code, Compat, Diagnostic, Dialect, FIELDS, File, HookSpec, Place, World};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::Handler;

/// What the program looks for before it runs anything.
const MARKER: &str = ".claude/.claude_trusted";
const VARIABLES: [&str; 4] =
    ["HOOK_EVENT", "HOOK_TOOL_NAME", "HOOK_TOOL_INPUT", "HOOK_TOOL_OUTPUT"];
/// What other systems call the tools of the program, which compares names letter by letter.
const TOOLS: [(&str, &str); 5] = [
    ("Bash", "bash"),
    ("Read", "read_file"),
    ("Write", "write_file"),
    ("Edit", "edit_file"),
    ("BASH", "bash"),
];
/// How commands look that read the event where other systems put it.
const READS_STDIN: [&str; 5] = ["$(cat)", "$(cat -)", "cat |", "jq -r '.", "sys.stdin"];

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
        script::lint(command, &spec.workspace, &at, (world, problems));
        lint_command(spec, command, &at, problems);
    }
}

fn lint_matcher(spec: &HookSpec, text: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    if text == "*" {
        return;
    }
    let blind = spec.events.iter().any(|kind| kind.subject_in(Dialect::LccS08).is_none());
    let known = TOOLS.iter().find(|it| it.0 == text).map(|it| it.1);
    let operator = |c: char| "*?[](){}|,^$+\\".contains(c) || c.is_whitespace();
    if blind {
        let message = "the event has no tool; the original never calls a hook with a matcher here";
        problems.report_with_hint(Code::MatcherIgnored, at, message, "leave the matcher out");
    } else if text.contains(operator) {
        let message = format!("no tool is called `{text}`: a matcher is one name or `*`");
        let hint = "give each tool a hook of its own, or match `*` and look at `HOOK_TOOL_NAME`";
        problems.report_with_hint(Code::MatcherNever, at, message, hint);
    } else if let Some(known) = known {
        let message =
            format!("names are compared letter by letter, and no tool is called `{text}`");
        problems.report_with_hint(Code::MatcherNever, at, message, format!("write `{known}`"));
    }
}

fn lint_command(spec: &HookSpec, command: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    if let Some(name) = script::unquoted(command, &VARIABLES) {
        let message = format!("`${name}` stands without quotes, so the shell splits its value");
        problems.report_with_hint(Code::UnquotedVar, at, message, format!("write `\"${name}\"`"));
    }
    let mut cannot = |message: &str, hint: &str| {
        problems.report_with_hint(Code::CannotBlock, at, message, hint);
    };
    let before = spec.events.contains(&EventKind::PreToolUse);
    let (one, two) = (script::exits_with(command, 1), script::exits_with(command, 2));
    if before && two && !one {
        cannot(
            "exit code 2 tells the model something and lets the tool run",
            "exit with 1 to block",
        );
    }
    if !before && one {
        let message = "the original's loop acts on exit code 1 before a tool only";
        cannot(message, "to tell the model something, write it to standard error and exit with 2");
    }
    if command.contains("permissionDecision") {
        let message = "the original notes a `permissionDecision` and does nothing about it";
        cannot(message, "to block, write the reason to standard error and exit with 1");
    }
    let reads = READS_STDIN.iter().any(|it| command.contains(it));
    if reads && !command.contains("HOOK_TOOL_") {
        let message = "it reads standard input, which holds nothing in this dialect";
        cannot(message, "the event is in `HOOK_EVENT`, `HOOK_TOOL_NAME` and `HOOK_TOOL_INPUT`");
    }
}

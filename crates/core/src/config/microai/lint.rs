//! Ways in which an entry that loads would still not do what its author wants.

use std::ops::Range;
use std::time::Duration;

use super::super::script;
use super::super::tree::{Data, Node, Problems};
use super::{Code, Dialect, EVENTS, HookSpec, World, variables};
use crate::event::EventKind;
use crate::hook::Handler;
use crate::verdict::OnFailure;

/// Below this many milliseconds, seconds were meant: a shell alone takes longer to start.
const MEANT_SECONDS: Duration = Duration::from_millis(100);
/// The longest that a hook for every tool should hold up a call.
const SHORT: Duration = Duration::from_secs(1);
/// Programs that read a command after `-c`.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];
/// Tools whose names many systems share.
const TOOLS: [&str; 13] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "Glob",
    "Grep",
    "WebFetch",
    "WebSearch",
    "Task",
    "TodoWrite",
    "NotebookEdit",
    "AskUserQuestion",
    "LSP",
];
/// Words by which a command gives itself away as a guard.
const GUARDS: [&str; 14] = [
    "validate",
    "validator",
    "validation",
    "check",
    "checker",
    "guard",
    "security",
    "block",
    "deny",
    "forbid",
    "protect",
    "policy",
    "restrict",
    "firewall",
];

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(spec: &HookSpec, node: &Node, world: &dyn World, problems: &mut Problems<'_>) {
    let Some(kind) = spec.events.first() else { return };
    let (Handler::Command { command, .. }, Some(at)) = (&spec.handler, span(node, "command"))
    else {
        return;
    };
    script::lint(command, &spec.workspace, &at, (world, problems));
    lint_variables(kind, command, &at, problems);
    if let (Some(condition), Some(at)) = (&spec.condition, span(node, "condition")) {
        lint_variables(kind, condition, &at, problems);
    }
    if let (Some(matcher), Some(at)) = (&spec.matcher, span(node, "matcher")) {
        lint_matcher(kind, matcher, &at, problems);
    }
    lint_timeout(spec, kind, node, problems);
    lint_blocking(spec, kind, node, problems);
}

fn lint_variables(kind: &EventKind, command: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    let here = variables(kind);
    if let Some(name) = script::unquoted(command, here) {
        let message = format!("`${name}` stands without quotes, so the shell splits it into words");
        problems.report_with_hint(Code::UnquotedVar, at, message, format!("write `\"${name}\"`"));
    }
    if let Some(later) = evaluated(command) {
        let name = here.iter().find(|it| uses(&later, it) && !later.contains('\''));
        if let Some(name) = name.filter(|it| !matches!(**it, "TIMESTAMP" | "SESSION_ID")) {
            let message = format!("`${name}` would be read as part of a shell command");
            let hint = "give it to a script as an argument, in quotes";
            problems.report_with_hint(Code::TemplateInShell, at, message, hint);
        }
    }
    let mut everywhere = EVENTS.iter().flat_map(|row| row.1.iter().copied());
    let elsewhere = everywhere.find(|it| !here.contains(it) && uses(command, it));
    if let Some(name) = elsewhere {
        let message = format!("`{}` has no variable `${name}`", kind.name());
        let hint = format!("it has: {}", super::list(here));
        problems.report_with_hint(Code::VariableMissing, at, message, hint);
    }
}

/// What comes after `eval` or `sh -c`: a shell reads it as a command.
fn evaluated(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let shell = |word: &str| word.rsplit('/').next().is_some_and(|it| SHELLS.contains(&it));
    let found = words.iter().enumerate().position(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        *word == "eval" || *word == "-c" && before.is_some_and(|it| shell(it))
    });
    Some(words.get(found? + 1..)?.join(" "))
}

/// Whether a command uses a variable.
fn uses(command: &str, name: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    command.split('$').skip(1).any(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        rest.strip_prefix(name).is_some_and(|after| !after.starts_with(in_name))
    })
}

fn lint_matcher(kind: &EventKind, text: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    if kind.subject_in(Dialect::Microai).is_none() {
        let message =
            format!("`{}` has nothing to match on, so the matcher is ignored", kind.name());
        problems.report_with_hint(Code::MatcherIgnored, at, message, "leave the matcher out");
        return;
    }
    let (tool, inside) = match text.split_once('(') {
        Some((tool, rest)) => (tool, rest.strip_suffix(')')),
        None => (text, None),
    };
    let mut never = |message: String, hint: String| {
        problems.report_with_hint(Code::MatcherNever, at, message, hint);
    };
    let known = TOOLS.iter().find(|it| it.eq_ignore_ascii_case(tool) && **it != tool);
    let odd = tool.contains(|c: char| !c.is_alphanumeric() && !"_-.:/".contains(c));
    match (known, inside) {
        (Some(known), _) => {
            let message = format!("no tool is called `{tool}`: capitals count");
            never(message, format!("did you mean `{known}`?"));
        }
        (None, _) if tool != "*" && odd => {
            let message =
                format!("`{tool}` is compared with the whole name of a tool, as it stands");
            let hint = "this dialect has neither lists nor patterns for names: write one entry per tool, or `*`";
            never(message, hint.to_owned());
        }
        (None, Some(inside)) if inside.strip_suffix(":*").unwrap_or(inside).contains(":*") => {
            let message = format!("`:*` in `{inside}` means a prefix at the end only");
            never(message, "put `:*` last".to_owned());
        }
        (None, Some(inside)) if inside.starts_with("domain:") && has_no_url(tool) => {
            let message = format!("`{tool}` is not called with a URL, so no domain matches");
            never(message, "domains are for `WebFetch`".to_owned());
        }
        (None, Some(inside)) if inside.ends_with('*') => {
            lint_prefix(inside, at, problems);
        }
        (None, _) => (),
    }
}

fn has_no_url(tool: &str) -> bool {
    tool != "WebFetch" && TOOLS.contains(&tool)
}

fn lint_prefix(inside: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    let Some(prefix) = inside.strip_suffix(":*") else { return };
    if prefix.ends_with(|c: char| c.is_alphanumeric()) {
        let message = format!(
            "`{inside}` matches everything that begins with `{prefix}`, also inside a longer word"
        );
        let hint = "a guard should look at the command itself";
        problems.report_with_hint(Code::PrefixWide, at, message, hint);
    }
}

fn lint_timeout(spec: &HookSpec, kind: &EventKind, node: &Node, problems: &mut Problems<'_>) {
    let at = span(node, "timeout").or_else(|| span(node, "command")).unwrap_or(0..0);
    if let Some(timeout) = spec.timeout.filter(|it| *it < MEANT_SECONDS) {
        let milliseconds = timeout.as_millis();
        let message = format!("{milliseconds} ms is too short for any command");
        let hint =
            format!("this dialect counts milliseconds: {milliseconds} s are {milliseconds}000");
        problems.report_with_hint(Code::TimeoutUnit, &at, message, hint);
    }
    let all = spec.matcher.as_deref().is_none_or(|it| it == "*");
    if *kind == EventKind::PreToolUse && all && spec.timeout.is_none_or(|it| it > SHORT) {
        let given = spec.timeout.map_or(5000, |it| it.as_millis());
        let message = format!("every tool call may wait {given} ms for this hook");
        let hint = "give it `\"timeout\": 1000`, or a matcher";
        problems.report_with_hint(Code::SlowForAll, &at, message, hint);
    }
}

fn lint_blocking(spec: &HookSpec, kind: &EventKind, node: &Node, problems: &mut Problems<'_>) {
    let Handler::Command { command, .. } = &spec.handler else { return };
    let blocks = kind.block_in(Dialect::Microai, |_| None).is_some();
    match (blocks, spec.on_failure) {
        (false, Some(OnFailure::Deny)) => {
            let at = span(node, "continueOnFailure").unwrap_or(0..0);
            let message = format!("`{}` cannot be blocked, so this changes nothing", kind.name());
            let hint = "only `PreToolUse` blocks";
            problems.report_with_hint(Code::CannotBlock, &at, message, hint);
        }
        (true, Some(OnFailure::Allow)) => {
            let low = command.to_lowercase();
            let mut words = low.split(|c: char| !c.is_alphanumeric());
            let word = words.find(|word| GUARDS.contains(word));
            let exits = script::exits_with(command, 1) || script::exits_with(command, 2);
            if word.is_some() || exits {
                let at = span(node, "continueOnFailure").or_else(|| span(node, "command"));
                let message = "this looks like a guard, and its failure lets the tool run";
                let hint = "write `\"continueOnFailure\": false`";
                let at = at.unwrap_or(0..0);
                problems.report_with_hint(Code::CannotBlock, &at, message, hint);
            }
        }
        (true | false, _) => (),
    }
}

fn span(node: &Node, key: &str) -> Option<Range<usize>> {
    let Data::Map(entries) = &node.data else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| entry.value.span.clone())
}

//! Ways in which an entry that loads would still not do what its author wants.

use std::ops::Range;
use std::time::Duration;

use super::super::script::{Script, Text, Wish};
use super::super::tools::{Misspelt, Spelling, is_known, misspelt};
use super::super::tree::{Data, Node, Problems};
use super::super::variables as environment;
use super::{Code, Dialect, EVENTS, HookSpec, World, variables};
use crate::event::EventKind;
use crate::hook::Handler;
use crate::verdict::OnFailure;

/// Below this many milliseconds, seconds were meant: a shell alone takes longer to start.
const MEANT_SECONDS: Duration = Duration::from_millis(100);
/// The longest that a hook for every tool should hold up a call.
const SHORT: Duration = Duration::from_secs(1);
/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(spec: &HookSpec, node: &Node, world: &dyn World, problems: &mut Problems<'_>) {
    let Some(kind) = spec.events.first() else { return };
    let (Handler::Command { command, .. }, Some(at)) = (&spec.handler, span(node, "command"))
    else {
        return;
    };
    let script = Script::read(command, &spec.workspace, world);
    script.lint(&at, world, problems);
    lint_variables(kind, &script, &at, problems);
    lint_input(kind, &script, &at, problems);
    if let (Some(condition), Some(at)) = (&spec.condition, span(node, "condition")) {
        let script = Script::read(condition, &spec.workspace, world);
        script.lint(&at, world, problems);
        lint_variables(kind, &script, &at, problems);
        lint_input(kind, &script, &at, problems);
    }
    if let (Some(matcher), Some(at)) = (&spec.matcher, span(node, "matcher")) {
        lint_matcher(kind, matcher, &at, problems);
    }
    lint_timeout(spec, kind, node, problems);
    lint_blocking(spec, &script, (kind, node), problems);
}

fn lint_variables(
    kind: &EventKind,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let here = variables(kind);
    if let Some(name) = script.unquoted(here) {
        let message = format!("`${name}` stands without quotes, so the shell splits it into words");
        problems.report_with_hint(Code::UnquotedVar, at, message, format!("write `\"${name}\"`"));
    }
    // What stands in single quotes the other shell takes out of the environment itself.
    let mut later = script.evaluated().filter(|it| it.known().is_none());
    let dangerous = |name: &&&str| !matches!(**name, "TIMESTAMP" | "SESSION_ID");
    let names = || here.iter().filter(dangerous);
    let spliced =
        later.find_map(|word| names().find(|it| word.shown().contains(&format!("${it}"))));
    if let Some(name) = spliced {
        let message = format!("`${name}` would be read as part of a shell command");
        let hint = "give it to a script as an argument, in quotes";
        problems.report_with_hint(Code::TemplateInShell, at, message, hint);
    }
    environment::lint(Dialect::Microai, here, script, at, problems);
    let mut everywhere = EVENTS.iter().flat_map(|row| row.1.iter().copied());
    let elsewhere = everywhere.find(|it| !here.contains(it) && script.inline().uses(it));
    if let Some(name) = elsewhere {
        let message = format!("`{}` has no variable `${name}`", kind.name());
        let hint = format!("it has: {}", super::list(here));
        problems.report_with_hint(Code::VariableMissing, at, message, hint);
    }
}

/// A command that looks for the event where other systems put it.
fn lint_input(
    kind: &EventKind,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let here = variables(kind);
    let told = |text: &Text| here.iter().any(|name| text.uses(name));
    if script.reads_input() && !script.any(told) {
        let message = "it reads standard input, which holds nothing in this dialect";
        let hint = format!("the event is in {}", super::list(here));
        problems.report_with_hint(Code::NoStdin, at, message, hint);
    }
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
    let odd = tool.contains(|c: char| !c.is_alphanumeric() && !"_-.:/".contains(c));
    match (misspelt(tool, Spelling::Camel), inside) {
        (Some(Misspelt::Elsewhere(known)), _) => {
            let message =
                format!("no tool is called `{tool}`: names are compared letter by letter");
            never(message, format!("did you mean `{known}`?"));
        }
        (Some(Misspelt::Nearly(known)), _) => {
            let message = format!("is there a tool called `{tool}`?");
            let hint = format!("did you mean `{known}`?");
            problems.report_with_hint(Code::ToolName, at, message, hint);
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
    tool != "WebFetch" && is_known(tool, Spelling::Camel)
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

fn lint_blocking(
    spec: &HookSpec,
    script: &Script<'_>,
    (kind, node): (&EventKind, &Node),
    problems: &mut Problems<'_>,
) {
    let said = span(node, "continueOnFailure").or_else(|| span(node, "command")).unwrap_or(0..0);
    let blocks = kind.block_in(Dialect::Microai, |_| None).is_some();
    let hint = "write `\"continueOnFailure\": false`";
    match (blocks, spec.on_failure, script.wish("")) {
        (false, Some(OnFailure::Deny), _) => {
            let message = format!("`{}` cannot be blocked, so this changes nothing", kind.name());
            let hint = "only `PreToolUse` blocks";
            problems.report_with_hint(Code::CannotBlock, &said, message, hint);
        }
        (true, Some(OnFailure::Allow), Wish::Shown) => {
            let message = "its refusal is passed over, since the agent goes on when it fails";
            problems.report_with_hint(Code::NeverBlocks, &said, message, hint);
        }
        (true, Some(OnFailure::Allow), Wish::Named) => {
            let message = "this looks like a guard, and its failure lets the tool run";
            problems.report_with_hint(Code::CannotBlock, &said, message, hint);
        }
        (true, _, Wish::Shown) if script.refuses() && !script.fails() => {
            let message = "what a hook prints is not read in this dialect, so this refuses nothing";
            let hint = "end with any code but 0 to refuse";
            let at = span(node, "command").unwrap_or(0..0);
            problems.report_with_hint(Code::NeverBlocks, &at, message, hint);
        }
        (true | false, _, _) => (),
    }
}

fn span(node: &Node, key: &str) -> Option<Range<usize>> {
    let Data::Map(entries) = &node.data else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| entry.value.span.clone())
}

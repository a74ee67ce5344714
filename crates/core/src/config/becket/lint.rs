//! Ways in which a hook of ours that loads would still not do what its author wants.

use std::ops::Range;
use std::time::Duration;

use super::super::oah::lint::{find, lint_capabilities, lint_handler};
use super::super::tools::{Misspelt, Spelling, misspelt};
use super::{Code, EventKind, HookSpec, Matcher, Node, OnFailure, Problems, World};
use crate::dialect::Dialect;
use crate::event::Class;
use crate::hook::{Handler, Mode};

/// The longest that a hook for every tool should hold up a call.
const SHORT: Duration = Duration::from_secs(5);

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(spec: &HookSpec, root: &Node, world: &dyn World, problems: &mut Problems<'_>) {
    lint_matcher(spec, root, problems);
    lint_if(spec, root, problems);
    lint_policy(spec, root, problems);
    lint_wait(spec, root, problems);
    lint_capabilities(spec, root, problems);
    lint_handler(spec, root, world, problems);
}

/// The names of those events for which something holds, in backticks.
fn those(spec: &HookSpec, holds: impl Fn(&EventKind) -> bool) -> Option<String> {
    let names: Vec<String> = spec
        .events
        .iter()
        .filter(|kind| holds(kind))
        .map(|it| format!("`{}`", it.name()))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn lint_matcher(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let (Some(text), Some(node)) = (&spec.matcher, find(root, &["matcher"])) else { return };
    let matcher = Matcher::new(spec.profile().matcher, text);
    if let Some(blind) = those(spec, |kind| kind.subject_in(Dialect::Becket).is_none()) {
        let message = format!("{blind} has nothing to match on, so the matcher is ignored there");
        let hint = "leave the matcher out, or give these events a hook of their own";
        problems.report_with_hint(Code::MatcherIgnored, &node.span, message, hint);
    }
    let about = matcher.event();
    if let Some(never) = about.and_then(|about| those(spec, |kind| kind != about)) {
        let message = format!("the matcher is about another event, so it never matches at {never}");
        let hint = "leave the event out of the matcher; `events` says it already";
        problems.report_with_hint(Code::MatcherNever, &node.span, message, hint);
    }
    if matcher.reads_input()
        && let Some(other) = those(spec, |kind| !is_about_a_call(kind) && has_subject(kind))
    {
        let message = format!("a rule is about a tool call, and {other} is not");
        let hint = "give these events a hook of their own";
        problems.report_with_hint(Code::MatcherNever, &node.span, message, hint);
    }
    lint_tools(spec, &matcher, &node.span, problems);
    if let Some(rule) = matcher.doubt() {
        let message = format!("`{rule}` is read as a rule about one tool");
        let hint = format!("if a regular expression is meant, write `^{rule}$`");
        problems.report_with_hint(Code::MatcherNever, &node.span, message, hint);
    }
}

/// Names that are nearly those of tools, and rules about one tool where others do the same.
fn lint_tools(spec: &HookSpec, matcher: &Matcher, at: &Range<usize>, problems: &mut Problems<'_>) {
    if !spec.events.iter().all(is_about_a_call) {
        return;
    }
    for name in matcher.names() {
        if let Some(Misspelt::Elsewhere(known) | Misspelt::Nearly(known)) =
            misspelt(name, Spelling::Camel)
        {
            let message = format!("is there a tool called `{name}`? capitals count");
            let hint = format!("did you mean `{known}`?");
            problems.report_with_hint(Code::ToolName, at, message, hint);
        }
    }
    for rule in matcher.rules().chain(&spec.only_if) {
        if let Some(wider) = rule.wider_tool() {
            let message = format!("`{rule}` is about one tool, and others do the same");
            let hint = format!("a rule about `{wider}` covers them all");
            problems.report_with_hint(Code::RuleNarrow, at, message, hint);
        }
    }
}

fn has_subject(kind: &EventKind) -> bool {
    kind.subject_in(Dialect::Becket).is_some()
}

/// Whether an event tells which tool is called with what.
fn is_about_a_call(kind: &EventKind) -> bool {
    kind.subject_in(Dialect::Becket) == Some("tool_name")
}

fn lint_if(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let Some(node) = find(root, &["if"]) else { return };
    if let Some(never) = those(spec, |kind| !is_about_a_call(kind)) {
        let message = format!("{never} is not about a tool call, so the hook never runs there");
        let hint = "give these events a hook of their own, without `if`";
        problems.report_with_hint(Code::IfNever, &node.span, message, hint);
    }
}

/// What the hook says about its own failure and cannot keep, or should say.
fn lint_policy(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let said = find(root, &["on_failure"]).or_else(|| find(root, &["role"]));
    let refuses = matches!(spec.on_failure, Some(OnFailure::Deny | OnFailure::Ask));
    let is_before = |kind: &EventKind| matches!(kind.class(), Class::Gate | Class::Mutate);
    if let (Some(node), true, Some(late)) = (said, refuses, those(spec, |kind| !is_before(kind))) {
        let message =
            format!("{late} comes when nothing is left to refuse: a failure there passes");
        let hint = "use `role: observer` there, or an event that comes before the fact";
        problems.report_with_hint(Code::CannotBlock, &node.span, message, hint);
    }
    let gate = spec.events.iter().any(|kind| kind.class() == Class::Gate);
    let looks_like_one = GUARDS.iter().any(|it| spec.name.to_lowercase().contains(it));
    if spec.on_failure.is_none() && gate && looks_like_one && spec.mode == Mode::Enforce {
        let at = find(root, &["name"]).map_or(0..0, |node| node.span.clone());
        let message =
            "it looks like a guard and does not say what its failure means: a person is asked";
        let hint = "write `role: guard` to refuse instead, or `on_failure: ask` to keep it so";
        problems.report_with_hint(Code::NoPolicy, &at, message, hint);
    }
}

/// What the names of guards have in them.
const GUARDS: [&str; 8] =
    ["guard", "block", "deny", "protect", "forbid", "prevent", "security", "secret"];

/// Hooks that hold every tool call up.
fn lint_wait(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let all = matches!(spec.matcher.as_deref(), None | Some("" | "*" | ".*"));
    if !all || !spec.only_if.is_empty() || !spec.events.contains(&EventKind::PreToolUse) {
        return;
    }
    let written = find(root, &["timeout"]).or_else(|| find(root, &["handler", "timeout_seconds"]));
    let written = written.or_else(|| find(root, &["handler", "timeout"]));
    let node = written.or_else(|| find(root, &["handler", "type"]));
    let at = node.map_or(0..0, |node| node.span.clone());
    if matches!(spec.handler, Handler::Prompt { .. } | Handler::Agent { .. }) {
        let message = "every tool call waits until a model has answered";
        let hint = "use a command here, or give it a matcher or an `if`";
        problems.report_with_hint(Code::ModelInPath, &at, message, hint);
    } else if spec.timeout.is_none_or(|it| it > SHORT) {
        let message = match spec.timeout {
            Some(timeout) => format!("every tool call may wait {} s for it", timeout.as_secs()),
            None => "every tool call may wait 10 s for it, the default".to_owned(),
        };
        let hint = "give it `timeout: 2s`, a matcher or an `if`";
        problems.report_with_hint(Code::SlowForAll, &at, message, hint);
    }
}

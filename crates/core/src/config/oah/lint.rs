//! Ways in which a hook that loads would still not do what its author wants.

mod command;

use std::ops::Range;
use std::time::Duration;

use super::super::tools::{Misspelt, Spelling, misspelt};
use super::super::tree::{Data, Node, Problems};
use super::{Code, Compat, Dialect, HookSpec, World, capability_name};
use crate::event::EventKind;
use crate::hook::{Handler, Text};
use crate::matcher::{Fit, Matcher};
use crate::patch::{Capability, Scope};
use crate::profile::Profile;
use crate::verdict::OnFailure;

/// The longest that a hook for every tool should hold up a call.
const SHORT: Duration = Duration::from_secs(20);
/// What makes a run begin; nothing else is in `trigger_type`.
const TRIGGERS: [&str; 5] = ["message", "manual_action", "api_action", "hook", "system"];

/// Reports everything that does not stop the hook from being loaded.
pub(in crate::config) fn lint(
    spec: &HookSpec,
    root: &Node,
    world: &dyn World,
    problems: &mut Problems<'_>,
) {
    if spec.compat == Compat::Safe && spec.origin.file.extension().is_none_or(|it| it != "yaml") {
        let hint = "rename it to `.yaml`";
        problems.report_with_hint(
            Code::Extension,
            &(0..0),
            "the original reads `*.yaml` only and skips this file",
            hint,
        );
    }
    if let Some(events) = find(root, &["events"]).filter(|it| matches!(it.data, Data::Text(_))) {
        let hint = "put it in brackets, such as `events: [before_tool_dispatch]`";
        problems.report_with_hint(
            Code::Coerced,
            &events.span,
            "`events` is a list; this is read as a list of one",
            hint,
        );
    }
    lint_matcher(spec, root, problems);
    lint_capabilities(spec, root, problems);
    lint_timeout(spec, root, problems);
    lint_handler(spec, root, world, problems);
    let late = !spec.events.iter().any(is_before);
    let refuses = matches!(spec.on_failure, Some(OnFailure::Deny | OnFailure::Ask));
    if let Some(node) = find(root, &["on_failure"]).filter(|_| late && refuses) {
        let message = "by then it is too late to refuse: what the hook is about has happened";
        problems.report_with_hint(Code::CannotBlock, &node.span, message, "write `allow`");
    }
}

/// Whether an event comes before what it is about, so that a refusal prevents something.
fn is_before(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::PreToolUse
            | EventKind::PreModelCall
            | EventKind::PreContextBuild
            | EventKind::PreCompact
            | EventKind::Custom(_)
    )
}

fn lint_matcher(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let (Some(text), Some(node)) = (&spec.matcher, find(root, &["matcher"])) else { return };
    let matcher = Matcher::new(Profile::of(spec.dialect, spec.compat).matcher, text);
    if let Err(error) = matcher.validate() {
        let hint =
            error.hint.clone().unwrap_or_else(|| "as it is, the hook never fires".to_owned());
        problems.report_with_hint(Code::Regex, &node.span, error.message.clone(), hint);
    } else {
        lint_subject(spec, (text, &matcher), &node.span, problems);
    }
    let blind = spec.events.iter().filter(|kind| kind.subject_in(Dialect::Oah).is_none());
    let names: Vec<_> =
        blind.filter_map(|kind| kind.name_in(Dialect::Oah)).map(|it| format!("`{it}`")).collect();
    if !names.is_empty() {
        let message = format!(
            "{} has nothing to match on, so the matcher is ignored there",
            names.join(", ")
        );
        let hint = "leave the matcher out, or give these events a hook of their own";
        problems.report_with_hint(Code::MatcherIgnored, &node.span, message, hint);
    }
}

/// A valid pattern that no subject of the hook's events can fit.
fn lint_subject(
    spec: &HookSpec,
    (text, matcher): (&str, &Matcher),
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let subjects: Vec<_> =
        spec.events.iter().filter_map(|kind| kind.subject_in(Dialect::Oah)).collect();
    let only = |field: &str| !subjects.is_empty() && subjects.iter().all(|it| *it == field);
    if only("trigger_type") && TRIGGERS.iter().all(|it| matcher.fit(*it) == Fit::No) {
        let message = format!("no run is begun by `{text}`");
        let hint = format!("there are: {}", super::list(&TRIGGERS));
        problems.report_with_hint(Code::MatcherNever, at, message, hint);
    }
    if !only("tool_name") {
        return;
    }
    let rule = text.split_once('(').filter(|it| it.1.ends_with(')') && is_word(it.0));
    let (message, hint) = if rule.is_some_and(|it| it.1.contains([' ', ':', '/', '.'])) {
        let hint = "match the tool, and let the script look at its input";
        (
            format!("`{text}` is a rule of other systems; a name of a tool never looks like that"),
            hint,
        )
    } else if text.len() > 2 && text.starts_with('/') && text.ends_with('/') {
        (format!("the slashes of `{text}` are part of the pattern"), "leave them out")
    } else if text.split('|').any(|it| it.contains([',', ' '])) {
        let hint = "write alternatives as `Bash|Write`, without blanks";
        (
            format!("no name of a tool has a blank or a comma, so part of `{text}` never matches"),
            hint,
        )
    } else {
        text.split('|').for_each(|name| lint_tool(name, at, problems));
        return;
    };
    problems.report_with_hint(Code::MatcherNever, at, message, hint);
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn lint_tool(pattern: &str, at: &Range<usize>, problems: &mut Problems<'_>) {
    let name = pattern.trim_start_matches('^').trim_end_matches('$');
    let meant = Some(name).filter(|it| is_word(it)).and_then(|it| misspelt(it, Spelling::Camel));
    if let Some(Misspelt::Elsewhere(known) | Misspelt::Nearly(known)) = meant {
        let message = format!("is there a tool called `{name}`? capitals count");
        let hint = format!("did you mean `{known}`?");
        problems.report_with_hint(Code::ToolName, at, message, hint);
    }
}

/// Hooks that hold everything up.
fn lint_timeout(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let written = find(root, &["handler", "timeout_seconds"]);
    let node = written.or_else(|| find(root, &["handler", "type"]));
    let at = node.map_or(0..0, |node| node.span.clone());
    let gate = spec.events.contains(&EventKind::PreToolUse);
    let all = spec.matcher.as_deref().is_none_or(|it| it == ".*");
    let asks = matches!(spec.handler, Handler::Prompt { .. } | Handler::Agent { .. });
    if gate && all && asks {
        let message = "every tool call waits until a model has answered";
        let hint = "use a command here, or give it a matcher";
        problems.report_with_hint(Code::ModelInPath, &at, message, hint);
    } else if gate && all && spec.timeout.is_none_or(|it| it > SHORT) {
        let message = match spec.timeout {
            Some(timeout) => format!("every tool call may wait {} s for it", timeout.as_secs()),
            None => "every tool call waits for it, in the original without end".to_owned(),
        };
        let hint = "give it `timeout_seconds: 5`, or a matcher";
        problems.report_with_hint(Code::SlowForAll, &at, message, hint);
    }
    let seconds = spec.timeout.map_or(0, |it| it.as_secs());
    if seconds >= 1000 && seconds.is_multiple_of(500) {
        let message = format!("{seconds} s are {} minutes", seconds / 60);
        let hint =
            format!("this dialect counts seconds: {seconds} ms are {}", seconds.div_ceil(1000));
        problems.report_with_hint(Code::TimeoutUnit, &at, message, hint);
    }
}

pub(in crate::config) fn lint_capabilities(
    spec: &HookSpec,
    root: &Node,
    problems: &mut Problems<'_>,
) {
    let Some(Data::List(nodes)) = find(root, &["capabilities"]).map(|it| &it.data) else { return };
    for (capability, node) in spec.capabilities.iter().zip(nodes) {
        let useful = |kind: &EventKind| match capability {
            Capability::Rewrite(scope) => kind.rewrites().contains(scope),
            Capability::SuppressOutput => kind.rewrites().contains(&Scope::ToolOutput),
        };
        if !spec.events.iter().any(useful) {
            let name = capability_name(*capability);
            let message = format!("none of the hook's events lets it use `{name}`");
            problems.report(Code::CapabilityUnused, &node.span, message);
        }
    }
}

pub(in crate::config) fn lint_handler(
    spec: &HookSpec,
    root: &Node,
    world: &dyn World,
    problems: &mut Problems<'_>,
) {
    let span = |path: &[&str]| find(root, path).map_or(0..0, |node| node.span.clone());
    match &spec.handler {
        Handler::Command { environment, .. } => {
            command::lint(spec, &span(&["handler", "command"]), world, problems);
            for (_, template) in environment {
                lint_secrets(
                    template.secrets(),
                    &span(&["handler", "environment"]),
                    world,
                    problems,
                );
            }
        }
        Handler::Http { method, headers, .. } => {
            if method == "GET" {
                let message = "a GET request cannot carry the envelope, so this hook always fails";
                problems.report_with_hint(
                    Code::Method,
                    &span(&["handler", "method"]),
                    message,
                    "use `POST`",
                );
            }
            for (_, template) in headers {
                lint_secrets(template.secrets(), &span(&["handler", "headers"]), world, problems);
            }
        }
        Handler::Prompt { prompt: Text::File(file), .. } => {
            lint_file(spec, file, &span(&["handler", "prompt", "file"]), (world, problems));
        }
        Handler::Agent { task: Text::File(file), .. } => {
            lint_file(spec, file, &span(&["handler", "task", "file"]), (world, problems));
        }
        Handler::Prompt { .. }
        | Handler::Agent { .. }
        | Handler::McpTool { .. }
        | Handler::InProcess(_) => (),
    }
}

type Lookout<'w, 'p, 's> = (&'w dyn World, &'p mut Problems<'s>);

fn lint_file(
    spec: &HookSpec,
    file: &str,
    at: &Range<usize>,
    (world, problems): Lookout<'_, '_, '_>,
) {
    if !world.has_file(&spec.workspace.join(file)) {
        let hint = "paths start from the workspace";
        problems.report_with_hint(
            Code::PromptMissing,
            at,
            format!("`{file}` does not exist"),
            hint,
        );
    }
}

fn lint_secrets<'t>(
    names: impl Iterator<Item = &'t str>,
    at: &Range<usize>,
    world: &dyn World,
    problems: &mut Problems<'_>,
) {
    for name in names.filter(|name| !world.knows_secret(name)) {
        let hint =
            format!("set `BECKET_SECRET_{name}`; until then the hook fails before it is started");
        problems.report_with_hint(
            Code::Secret,
            at,
            format!("the secret `{name}` is not known"),
            hint,
        );
    }
}

/// The value at a path of keys.
pub(in crate::config) fn find<'n>(root: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(root, |node, key| match &node.data {
        Data::Map(entries) => {
            entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.value)
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => None,
    })
}

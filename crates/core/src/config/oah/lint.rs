//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;

use super::super::script;
use super::super::tree::{Data, Node, Problems};
use super::{Code, Compat, Dialect, HookSpec, World, capability_name};
use crate::event::EventKind;
use crate::hook::{Handler, Text};
use crate::matcher::Matcher;
use crate::patch::{Capability, Scope};
use crate::profile::Profile;

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(spec: &HookSpec, root: &Node, world: &dyn World, problems: &mut Problems<'_>) {
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
    lint_handler(spec, root, world, problems);
}

fn lint_matcher(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
    let (Some(text), Some(node)) = (&spec.matcher, find(root, &["matcher"])) else { return };
    let matcher = Matcher::new(Profile::of(spec.dialect, spec.compat).matcher, text);
    if let Err(error) = matcher.validate() {
        let hint =
            error.hint.clone().unwrap_or_else(|| "as it is, the hook never fires".to_owned());
        problems.report_with_hint(Code::Regex, &node.span, error.message.clone(), hint);
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

fn lint_capabilities(spec: &HookSpec, root: &Node, problems: &mut Problems<'_>) {
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

fn lint_handler(spec: &HookSpec, root: &Node, world: &dyn World, problems: &mut Problems<'_>) {
    let span = |path: &[&str]| find(root, path).map_or(0..0, |node| node.span.clone());
    match &spec.handler {
        Handler::Command { command, cwd, environment, .. } => {
            let at = span(&["handler", "command"]);
            let start =
                cwd.as_deref().map_or(spec.workspace.to_path_buf(), |cwd| spec.workspace.join(cwd));
            script::lint(command, &start, &at, (world, problems));
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
pub(super) fn find<'n>(root: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(root, |node, key| match &node.data {
        Data::Map(entries) => {
            entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.value)
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => None,
    })
}

//! A plugin's `hooks/hooks.json` in the shape of Claude Code.
//!
//! The original advertises these files, reads them, and never runs a hook of them. Here
//! they run as what they are: hooks of Claude Code.

use std::path::Path;
use std::time::Duration;

use super::super::decode::{Fields, items, text};
use super::super::tree::{Data, Entry, Node, Problems};
use super::{
    Code, Compat, Dialect, EventKind, HookSpec, Loaded, NEVER_FIRED, Reading, hook_name,
    kind_named, refuse_node, refused,
};
use crate::hook::{Handler, Template, Text};
use crate::profile::MAX_TIMEOUT;

/// Reads the file; in `exact` it is only reported.
pub(super) fn read(
    reading: Reading<'_>,
    root: &Node,
    problems: &mut Problems<'_>,
    loaded: &mut Loaded,
) {
    let exact = reading.place.compat == Compat::Exact;
    let Data::Map(entries) = &root.data else {
        if exact {
            problems.report(Code::Schema, &root.span, "a plugin's hooks are a mapping");
        } else {
            refuse_node(reading, root, "a plugin's hooks are a mapping", (problems, loaded));
        }
        return;
    };
    let inner = entries.iter().find(|entry| entry.key == "hooks").map(|entry| &entry.value.data);
    let Some(Data::Map(events)) = inner else { return };
    for event in events {
        let message = format!("the original never runs the `{}` hooks of this file", event.key);
        let hint = "write them into the plugin's flat `hooks.json`, one event in snake case each";
        problems.report_with_hint(Code::EventOtherDialect, &event.key_span, message, hint);
        if !exact {
            read_event(reading, event, (problems, loaded));
        }
    }
}

fn read_event(
    reading: Reading<'_>,
    event: &Entry,
    (problems, loaded): (&mut Problems<'_>, &mut Loaded),
) {
    let Some(kind) = EventKind::named(&event.key) else {
        let message = format!("there is no event `{}`", event.key);
        problems.report(Code::UnknownEvent, &event.key_span, message);
        loaded.refused.push(refused(reading, None, problems.found.last()));
        return;
    };
    let mut index = 0;
    let before = problems.found.len();
    for group in items(&event.value, "an event", problems).unwrap_or_default() {
        let Some(mut fields) = Fields::open(group, "a group of hooks", problems) else { continue };
        let matcher = fields.optional("matcher").and_then(|it| text(it, "`matcher`", problems));
        let Some(hooks) = fields.required("hooks", problems) else { continue };
        for node in items(hooks, "`hooks`", problems).unwrap_or_default() {
            let name = hook_name(reading, kind.name(), index);
            index += 1;
            if let Some((handler, timeout)) = handler(reading, node, problems) {
                let origin = problems.source.origin(&node.span);
                let matcher = matcher.map(str::to_owned);
                let events = vec![kind.clone()];
                loaded.specs.push(HookSpec {
                    matcher,
                    timeout,
                    dialect: Dialect::ClaudeCode,
                    notes: vec![NEVER_FIRED.to_owned()],
                    ..reading.place.hook(name, events, handler, origin)
                });
            }
        }
    }
    for why in problems.found.iter().skip(before) {
        let refused = refused(reading, None, Some(why));
        loaded.refused.push(refused.about(kind_named(&event.key), None));
    }
}

fn handler(
    reading: Reading<'_>,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Option<(Handler, Option<Duration>)> {
    let mut fields = Fields::open(node, "a hook", problems)?;
    let kind_node = fields.required("type", problems)?;
    let timeout = match fields.optional("timeout") {
        Some(node) => Some(seconds(node, problems)?),
        None => None,
    };
    let handler = match text(kind_node, "`type`", problems)? {
        "command" => {
            let command = text(fields.required("command", problems)?, "`command`", problems)?;
            Handler::Command {
                command: command.to_owned(),
                args: None,
                cwd: None,
                environment: root(reading),
            }
        }
        "prompt" => {
            let prompt = text(fields.required("prompt", problems)?, "`prompt`", problems)?;
            let model = fields.optional("model").and_then(|it| text(it, "`model`", problems));
            let model_ref = model.map(str::to_owned);
            Handler::Prompt { prompt: Text::Inline(prompt.to_owned()), model_ref }
        }
        "http" => {
            let url = text(fields.required("url", problems)?, "`url`", problems)?.to_owned();
            Handler::Http { url, method: "POST".to_owned(), headers: Vec::new() }
        }
        other => {
            let message = format!("`{other}` hooks of such a file are not run");
            problems.report(Code::Handler, &kind_node.span, message);
            return None;
        }
    };
    Some((handler, timeout))
}

fn seconds(node: &Node, problems: &mut Problems<'_>) -> Option<Duration> {
    let seconds = match &node.data {
        Data::Number(text) => text.parse::<f64>().ok(),
        _ => None,
    };
    let timeout = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
    let timeout = timeout.filter(|it| !it.is_zero() && *it <= MAX_TIMEOUT);
    if timeout.is_none() {
        problems.report(Code::Timeout, &node.span, "`timeout` is not a number of seconds");
    }
    timeout
}

/// Claude Code tells a plugin's hooks where the plugin is.
fn root(reading: Reading<'_>) -> Vec<(String, Template)> {
    let plugin = reading.file.path.parent().and_then(Path::parent);
    let plugin = plugin.map(|it| reading.place.workspace.join(it));
    let path = plugin.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    vec![("CLAUDE_PLUGIN_ROOT".to_owned(), Template::literal(path))]
}

//! Seed 000 as it is written: one list of hooks, in YAML or JSON.

mod lint;

use super::decode::{Fields, items, kinds_named, list, one_or_more, text};
use super::tree::{Data, Format, Node, Problems, parse};
use super::{Care, Code, Dialect, File, HookSpec, Loaded, Place, World};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::{Handler, Text};
use crate::verdict::OnFailure;

const TYPES: [&str; 4] = ["COMMAND", "PROMPT", "HTTP", "AGENT"];

/// Reads the hooks of one file.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut loaded = Loaded::default();
    for file in files {
        let json = file.path.extension().is_some_and(|it| it == "json");
        match parse(file, if json { Format::Json } else { Format::Yaml }) {
            Ok((source, root)) => {
                let mut problems = Problems::new(&source);
                hooks(place, &root, (world, care), (&mut problems, &mut loaded));
                loaded.diagnostics.append(&mut problems.found);
            }
            Err(found) => {
                loaded.refused.push(place.refused(&file.path, None, &found));
                loaded.diagnostics.extend(found);
            }
        }
    }
    loaded
}

fn hooks(
    place: &Place,
    root: &Node,
    (world, care): (&dyn World, Care),
    (problems, loaded): (&mut Problems<'_>, &mut Loaded),
) {
    let before = problems.found.len();
    let list = match &root.data {
        // Whoever wants no hooks says so; a file without a byte is one that is being written.
        Data::Null if problems.source.text.trim().is_empty() => {
            problems.report(Code::Parse, &root.span, "the file is empty");
            None
        }
        Data::Map(_) => Fields::open(root, "a file of hooks", problems).and_then(|mut fields| {
            let hooks = fields.required("hooks", problems);
            fields.close(problems);
            hooks
        }),
        _ => Some(root),
    };
    let nodes = list.and_then(|node| match &node.data {
        // A key with nothing behind it is an empty list to everybody who writes YAML.
        Data::Null => Some(&[][..]),
        _ => items(node, "`hooks`", problems),
    });
    let file = &problems.source.path;
    if let Some(found) = problems.found.get(before..).filter(|it| !it.is_empty()) {
        loaded.refused.push(place.refused(file, None, found));
    }
    for (index, node) in nodes.unwrap_or_default().iter().enumerate() {
        let name = format!("hooks[{index}]");
        let before = problems.found.len();
        match hook(place, node, name.clone(), problems) {
            Some(spec) if problems.found.len() == before => {
                if care == Care::Every {
                    lint::lint(&spec, node, world, problems);
                }
                loaded.specs.extend(split(spec));
            }
            _ => {
                let found = problems.found.get(before..).unwrap_or_default();
                let refused = place.refused(file, Some(name), found);
                loaded.refused.push(refused.about(readable_events(node), None));
            }
        }
    }
}

fn hook(place: &Place, node: &Node, name: String, problems: &mut Problems<'_>) -> Option<HookSpec> {
    let mut fields = Fields::open(node, "a hook", problems)?;
    let events = fields.required("events", problems).and_then(|it| events(place, it, problems));
    let kind = match fields.optional("type") {
        Some(node) => kind(node, problems),
        None => Some("COMMAND"),
    };
    let handler = handler(kind?, &mut fields, problems);
    let can_block = match fields.optional("can_block").map(|node| (&node.data, node)) {
        None => Some(false),
        Some((Data::Bool(flag), _)) => Some(*flag),
        Some((other, node)) => {
            let message = format!("`can_block` must be true or false, not {}", other.what());
            problems.report(Code::Schema, &node.span, message);
            None
        }
    };
    fields.close(problems);
    let origin = problems.source.origin(&node.span);
    Some(HookSpec {
        on_failure: Some(if can_block? { OnFailure::Deny } else { OnFailure::Allow }),
        ..place.hook(name, events?, handler?, origin)
    })
}

/// A question about what a tool did is asked without anybody waiting for the answer.
fn split(spec: HookSpec) -> Vec<HookSpec> {
    let asks = matches!(spec.handler, Handler::Prompt { .. });
    let (after, others): (Vec<_>, Vec<_>) =
        spec.events.iter().cloned().partition(|kind| asks && *kind == EventKind::PostToolUse);
    let detached = HookSpec { events: after, detached: true, ..spec.clone() };
    let attached = HookSpec { events: others, ..spec };
    [attached, detached].into_iter().filter(|spec| !spec.events.is_empty()).collect()
}

fn kind(node: &Node, problems: &mut Problems<'_>) -> Option<&'static str> {
    let word = text(node, "`type`", problems)?;
    let found = TYPES.into_iter().find(|it| *it == word);
    if found.is_none() {
        let hint = match nearest(word, TYPES.into_iter()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("one of {}", list(&TYPES)),
        };
        let message = format!("there is no handler `{word}`");
        problems.report_with_hint(Code::Handler, &node.span, message, hint);
    }
    found
}

fn handler(kind: &str, fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<Handler> {
    let mut body = |key: &'static str, problems: &mut Problems<'_>| {
        let node = fields.required(key, problems)?;
        Some(text(node, &format!("`{key}`"), problems)?.to_owned())
    };
    match kind {
        "COMMAND" => {
            let command = body("command", problems)?;
            Some(Handler::shell(command))
        }
        "PROMPT" => {
            let prompt = Text::Inline(body("prompt", problems)?);
            Some(Handler::Prompt { prompt, model_ref: None })
        }
        "AGENT" => {
            let task = Text::Inline(body("prompt", problems)?);
            Some(Handler::Agent { agent: String::new(), task })
        }
        _ => {
            let url = body("url", problems)?;
            Some(Handler::Http { url, method: "POST".to_owned(), headers: Vec::new() })
        }
    }
}

fn events(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<Vec<EventKind>> {
    let nodes = one_or_more(node, "`events`", place.compat, problems)?;
    let mut kinds: Vec<EventKind> = Vec::new();
    for node in nodes {
        let kind = event(node, problems)?;
        if kinds.contains(&kind) {
            problems.report(Code::Schema, &node.span, "this event is already listed");
        }
        kinds.push(kind);
    }
    Some(kinds)
}

/// The events of a hook that cannot be loaded.
fn readable_events(node: &Node) -> Vec<EventKind> {
    let Data::Map(fields) = &node.data else { return Vec::new() };
    let events = fields.iter().find(|it| it.key == "events");
    events.map_or_else(Vec::new, |it| kinds_named(&it.value, &[]))
}

fn event(node: &Node, problems: &mut Problems<'_>) -> Option<EventKind> {
    let name = text(node, "an event", problems)?;
    let alike = EventKind::named(name).filter(|kind| kind.name_in(Dialect::T15).is_some());
    let own = |kind: &EventKind| kind.name_in(Dialect::T15).map(str::to_owned);
    if let Some(kind) = alike.clone().filter(|kind| own(kind).as_deref() == Some(name)) {
        return Some(kind);
    }
    let names: Vec<String> = EventKind::KNOWN.iter().filter_map(own).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let known = alike.as_ref().and_then(own);
    let hint = match known.as_deref().or_else(|| nearest(name, names.iter().copied())) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("there are: {}", list(&names)),
    };
    let message = format!("there is no event `{name}`");
    problems.report_with_hint(Code::UnknownEvent, &node.span, message, hint);
    None
}

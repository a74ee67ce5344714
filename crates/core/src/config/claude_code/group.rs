//! One group of hooks below an event: a matcher, and the hooks it is for.

use super::super::tree::{Data, Entry, Node, Problems, Source};
use super::handler::{self, Written};
use super::{Care, Code, Compat, Dialect, EventKind, HookSpec, Reader, lint, shown};
use crate::hook::{Disabled, Handler};
use crate::matcher::{Matcher, MatcherLanguage};

/// The event a group stands below, whether its key is spelt as the original spells it, and the
/// group's place in the list.
pub(super) type At<'e> = (&'e EventKind, bool, usize);

/// What a hook tells that the original would not have run.
const NEVER_RUN: &str = "it runs here; the original never runs it";

/// Reads one group; in a file that is shared with flat hooks those are left to their own dialect.
pub(super) fn read(reader: &mut Reader<'_>, source: &Source, at: At<'_>, node: &Node) {
    let (kind, _, index) = at;
    let name = format!("{}[{index}]", kind.name());
    let mut problems = Problems::new(source);
    let Data::Map(entries) = &node.data else {
        let message = format!("a group of hooks must be an object, not {}", node.data.what());
        problems.report(Code::Schema, &node.span, message);
        reader.refuse_hook((kind, None), Some(name), problems.found);
        return;
    };
    let Some(hooks) = find(entries, "hooks") else {
        if !is_flat(reader, kind, entries) {
            report_shape(node, entries, &mut problems);
            reader.refuse_hook((kind, None), Some(name), problems.found);
        }
        return;
    };
    let matcher = match find(entries, "matcher").map(|it| matcher(it, kind, &mut problems)) {
        None => None,
        Some(Ok(text)) => text,
        Some(Err(())) => {
            reader.refuse_hook((kind, None), Some(name), problems.found);
            return;
        }
    };
    let Data::List(nodes) = &hooks.data else {
        let message = format!("`hooks` must be a list, not {}", hooks.data.what());
        problems.report(Code::Schema, &hooks.span, message);
        reader.refuse_hook((kind, matcher.as_deref()), Some(name), problems.found);
        return;
    };
    report_unknown(entries, &mut problems);
    if reader.care == Care::Every {
        let span = find(entries, "matcher").map(|it| it.span.clone());
        lint::matcher(kind, matcher.as_deref(), span, &mut problems);
    }
    reader.loaded.diagnostics.append(&mut problems.found);
    for (at_hook, node) in nodes.iter().enumerate() {
        let name = format!("{}{name}.hooks[{at_hook}]", plugin(reader));
        one(reader, source, (at, &matcher), (name, node));
    }
}

fn one(
    reader: &mut Reader<'_>,
    source: &Source,
    (at, matcher): (At<'_>, &Option<String>),
    (name, node): (String, &Node),
) {
    let mut problems = Problems::new(source);
    let Some(written) = handler::read(reader, node, &mut problems) else {
        reader.refuse_hook((at.0, matcher.as_deref()), Some(name), problems.found);
        return;
    };
    let mut spec = spec(reader, at, (name, source.origin(&node.span)), &written);
    spec.matcher.clone_from(matcher);
    if reader.care == Care::Every {
        lint::hook(&spec, &written, reader.world, &mut problems);
    }
    reader.loaded.diagnostics.append(&mut problems.found);
    reader.loaded.specs.push(spec);
}

fn spec(
    reader: &Reader<'_>,
    (kind, own, _): At<'_>,
    (name, origin): (String, crate::diagnostic::Origin),
    written: &Written,
) -> HookSpec {
    let place = reader.place;
    let mut notes = written.notes.clone();
    let mut disabled = place.disabled.clone();
    if !own {
        notes.push(NEVER_RUN.to_owned());
    }
    if handler_never(kind, &written.handler) {
        match place.compat {
            Compat::Safe => notes.push(NEVER_RUN.to_owned()),
            Compat::Exact => {
                let kind = kind.name();
                let by = format!("the original, which has no such hooks at `{kind}`");
                disabled = Some(Disabled::Off { by });
            }
        }
    }
    HookSpec {
        timeout: written.timeout,
        only_if: written.only_if.clone().into_iter().collect(),
        on_failure: written.on_failure,
        detached: written.detached,
        ends_turn: written.ends_turn,
        layer: reader.layer(),
        disabled,
        notes,
        ..place.hook(name, vec![kind.clone()], written.handler.clone(), origin)
    }
}

/// Whether the original passes over handlers of this type at an event.
pub(super) fn handler_never(kind: &EventKind, handler: &Handler) -> bool {
    let early = matches!(kind, EventKind::SessionStart | EventKind::Setup);
    match handler {
        Handler::Http { .. } => early,
        Handler::Prompt { .. } => early || *kind == EventKind::SubagentStart,
        Handler::Command { .. }
        | Handler::Agent { .. }
        | Handler::McpTool { .. }
        | Handler::InProcess(_) => false,
    }
}

/// The plugin's name, before those of its hooks.
fn plugin(reader: &Reader<'_>) -> String {
    let root = reader.plugin_root();
    let name = root.as_deref().and_then(|it| it.file_name()).map(std::path::Path::new);
    name.map(|it| format!("{}/", shown(it))).unwrap_or_default()
}

pub(super) fn find<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Node> {
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

/// Whether an entry is a flat one that another dialect reads from the same file.
fn is_flat(reader: &Reader<'_>, kind: &EventKind, entries: &[Entry]) -> bool {
    let theirs = kind.name_in(Dialect::Microai).is_some();
    reader.place.is_shared() && theirs && find(entries, "command").is_some()
}

fn report_shape(node: &Node, entries: &[Entry], problems: &mut Problems<'_>) {
    let flat = ["command", "type", "url", "prompt"].iter().any(|it| find(entries, it).is_some());
    if flat {
        let hint =
            "write `{ \"matcher\": …, \"hooks\": [{ \"type\": \"command\", \"command\": … }] }`";
        let message = "this entry is flat: Claude Code has groups of hooks here, and never runs it";
        problems.report_with_hint(Code::Flat, &node.span, message, hint);
    } else {
        problems.report(Code::Field, &node.span, "a group of hooks needs the field `hooks`");
    }
}

fn matcher(
    node: &Node,
    kind: &EventKind,
    problems: &mut Problems<'_>,
) -> Result<Option<String>, ()> {
    let text = match &node.data {
        Data::Text(text) => text,
        Data::Null => return Ok(None),
        other => {
            let message = format!("`matcher` must be text, not {}", other.what());
            problems.report_with_hint(Code::Schema, &node.span, message, "put it in quotes");
            return Err(());
        }
    };
    let ignored = kind.subject_in(Dialect::ClaudeCode).is_none();
    if ignored || kind.subject_is_a_file_name() {
        return Ok(Some(text.clone()));
    }
    let tried = Matcher::new(MatcherLanguage::NamesOrRegex, text);
    if let Err(error) = tried.validate() {
        let hint = error.hint.clone();
        let hint = hint.unwrap_or_else(|| "a name, a list such as `Edit|Write`, or `*`".to_owned());
        problems.report_with_hint(Code::Regex, &node.span, error.message.clone(), hint);
        return Err(());
    }
    Ok(Some(text.clone()))
}

fn report_unknown(entries: &[Entry], problems: &mut Problems<'_>) {
    for entry in entries.iter().filter(|it| !["matcher", "hooks"].contains(&it.key.as_str())) {
        let message = format!("a group of hooks has no field `{}`", entry.key);
        let hint = if handler::is_field(&entry.key) {
            "it belongs into each hook below `hooks`"
        } else {
            "it has `matcher` and `hooks`"
        };
        problems.report_with_hint(Code::FieldIgnored, &entry.key_span, message, hint);
    }
}

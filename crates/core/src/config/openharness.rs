//! HKUDS/OpenHarness: `settings.json` and the hook files of plugins.

mod entry;
mod lint;
mod nested;

use std::path::Path;

use self::entry::{Read, Shape, Written};
use super::decode::matcher_text;
use super::tree::{Data, Entry, Format, Node, Problems, parse_last_key_wins};
use super::{
    Care, Code, Compat, Diagnostic, Dialect, File, HookSpec, Loaded, Place, Refused, World,
};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::verdict::OnFailure;

const MANIFEST: &str = "plugin.json";
const HOOKS: &str = "hooks.json";
const NEVER_FIRED: &str = "it runs here; the original never fired it";

/// One file and the circumstances under which it is read.
#[derive(Clone, Copy)]
struct Reading<'r> {
    place: &'r Place,
    world: &'r dyn World,
    care: Care,
    file: &'r File,
}

/// What a file is to the program.
enum Role {
    Manifest,
    Settings,
    Plugin,
    /// A plugin's `hooks/hooks.json`, in the shape of Claude Code.
    Nested,
}

/// Reads the hooks of a settings file, of a plugin's hook file, or of a plugin.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut loaded = Loaded::default();
    for file in files {
        let reading = Reading { place, world, care, file };
        match role(place, &file.path) {
            Role::Manifest => (),
            Role::Settings => read_file(reading, &mut loaded, settings),
            Role::Plugin => read_file(reading, &mut loaded, plugin),
            Role::Nested => read_file(reading, &mut loaded, nested::read),
        }
    }
    loaded
}

fn role(place: &Place, path: &Path) -> Role {
    let named = |path: &Path, name: &str| path.file_name().is_some_and(|it| it == name);
    let in_hooks = path.parent().is_some_and(|it| named(it, "hooks"));
    if named(path, MANIFEST) {
        Role::Manifest
    } else if named(path, HOOKS) && in_hooks {
        Role::Nested
    } else if named(path, HOOKS) || *place.source != path {
        Role::Plugin
    } else {
        Role::Settings
    }
}

type Reader = fn(Reading<'_>, &Node, &mut Problems<'_>, &mut Loaded);

fn read_file(reading: Reading<'_>, loaded: &mut Loaded, read: Reader) {
    match parse_last_key_wins(reading.file, Format::Json) {
        Ok((source, root, found)) => {
            loaded.diagnostics.extend(found);
            let mut problems = Problems::new(&source);
            read(reading, &root, &mut problems, loaded);
            loaded.diagnostics.append(&mut problems.found);
        }
        Err(found) => {
            // What the program cannot read of this file it passes over in silence.
            let silent = matches!(role(reading.place, &reading.file.path), Role::Nested);
            if !(silent && reading.place.compat == Compat::Exact) {
                loaded.refused.push(refused(reading, None, found.first()));
            }
            loaded.diagnostics.extend(found);
        }
    }
}

fn refused(reading: Reading<'_>, name: Option<String>, why: Option<&Diagnostic>) -> Refused {
    reading.place.refused(&reading.file.path, name, why.map_or(&[], std::slice::from_ref))
}

/// Reports a problem on account of which something is refused.
fn refuse_node(
    reading: Reading<'_>,
    node: &Node,
    message: &str,
    (problems, loaded): (&mut Problems<'_>, &mut Loaded),
) {
    let message = format!("{message}, not {}", node.data.what());
    problems.report(Code::Schema, &node.span, message);
    loaded.refused.push(refused(reading, None, problems.found.last()));
}

fn settings(reading: Reading<'_>, root: &Node, problems: &mut Problems<'_>, loaded: &mut Loaded) {
    let Data::Map(entries) = &root.data else {
        refuse_node(reading, root, "settings are a mapping", (problems, loaded));
        return;
    };
    let Some(hooks) = entries.iter().find(|entry| entry.key == "hooks") else { return };
    if reading.care == Care::Every {
        lint::lint_place(reading, &hooks.key_span, problems);
    }
    match &hooks.value.data {
        Data::Map(events) => read_events(reading, events, Shape::Settings, (problems, loaded)),
        _ => refuse_node(reading, &hooks.value, "`hooks` is a mapping", (problems, loaded)),
    }
}

fn plugin(reading: Reading<'_>, root: &Node, problems: &mut Problems<'_>, loaded: &mut Loaded) {
    let Data::Map(entries) = &root.data else {
        refuse_node(reading, root, "a plugin's hooks are a mapping", (problems, loaded));
        return;
    };
    if let ([Entry { key, key_span, value }], Compat::Safe) = (&entries[..], reading.place.compat)
        && let ("hooks", Data::Map(events)) = (key.as_str(), &value.data)
    {
        let hint = "leave out `hooks` and write the events at the top";
        let message = "the original fails on a plugin whose events stand below `hooks`";
        problems.report_with_hint(Code::Schema, key_span, message, hint);
        read_events(reading, events, Shape::Plugin, (problems, loaded));
        return;
    }
    read_events(reading, entries, Shape::Plugin, (problems, loaded));
}

fn read_events(
    reading: Reading<'_>,
    events: &[Entry],
    shape: Shape,
    (problems, loaded): (&mut Problems<'_>, &mut Loaded),
) {
    for entry in events {
        let Data::List(items) = &entry.value.data else {
            let message = "the hooks of an event are a list";
            refuse_node(reading, &entry.value, message, (problems, loaded));
            if let Some(refused) = loaded.refused.last_mut() {
                refused.events = kind_named(&entry.key);
            }
            continue;
        };
        let event = event(reading, entry, problems);
        if event.is_none() && reading.place.compat == Compat::Safe {
            let refused = refused(reading, None, problems.found.last());
            loaded.refused.push(refused.about(kind_named(&entry.key), None));
        }
        for (index, item) in items.iter().enumerate() {
            let name = hook_name(reading, event.as_ref().map_or(&*entry.key, Event::name), index);
            let before = problems.found.len();
            match (entry::read(reading.place.compat, shape, item, problems), &event) {
                (Read::Hook(written), Some(event)) => {
                    let spec =
                        spec(reading, name, (event, &written), problems.source.origin(&item.span));
                    if reading.care == Care::Every {
                        lint::lint(&spec, &written, (event.own, reading.world), problems);
                    }
                    loaded.specs.push(spec);
                }
                (Read::Hook(_), None) | (Read::Dropped, _) => (),
                (Read::Bad, _) => {
                    let refused = refused(reading, Some(name), problems.found.get(before));
                    let matcher = matcher_text(item);
                    loaded.refused.push(refused.about(kind_named(&entry.key), matcher));
                }
            }
        }
    }
}

/// The kind of event that a key names, in whatever system.
fn kind_named(key: &str) -> Vec<EventKind> {
    EventKind::named(key).into_iter().collect()
}

/// The event that a key stands for.
struct Event {
    kind: EventKind,
    /// Whether it is spelt as the program spells it.
    own: bool,
}

impl Event {
    fn name(&self) -> &str {
        self.kind.name_in(Dialect::OpenHarness).unwrap_or_default()
    }
}

/// The kind of event a key names. What the program would not find is reported here.
fn event(reading: Reading<'_>, entry: &Entry, problems: &mut Problems<'_>) -> Option<Event> {
    let key = entry.key.as_str();
    let alike = EventKind::named(key);
    let kind = alike.clone().filter(|kind| kind.name_in(Dialect::OpenHarness).is_some());
    match (kind, reading.place.compat) {
        (Some(kind), _) if kind.name_in(Dialect::OpenHarness) == Some(key) => {
            Some(Event { kind, own: true })
        }
        (Some(kind), compat) => {
            let name = kind.name_in(Dialect::OpenHarness).unwrap_or_default();
            let message = format!("the original has no event `{key}` and never fires these hooks");
            let hint = format!("write `{name}`");
            problems.report_with_hint(Code::EventOtherDialect, &entry.key_span, message, hint);
            (compat == Compat::Safe).then_some(Event { kind, own: false })
        }
        (None, _) => {
            let message = format!("there is no event `{key}`");
            let names = event_names();
            let hint = match (alike, nearest(key, names.iter().copied())) {
                (Some(kind), _) => format!("`{}` is an event of other systems", kind.name()),
                (None, Some(known)) => format!("did you mean `{known}`?"),
                (None, None) => format!("there are: {}", super::decode::list(&names)),
            };
            problems.report_with_hint(Code::UnknownEvent, &entry.key_span, message, hint);
            None
        }
    }
}

fn event_names() -> Vec<&'static str> {
    static KNOWN: &[EventKind] = &EventKind::KNOWN;
    KNOWN.iter().filter_map(|kind| kind.name_in(Dialect::OpenHarness)).collect()
}

/// Hooks have no names here, so they are called by their place; a plugin's by the plugin too.
fn hook_name(reading: Reading<'_>, event: &str, index: usize) -> String {
    let path = &reading.file.path;
    let folder = match role(reading.place, path) {
        Role::Settings | Role::Manifest => None,
        Role::Plugin => path.parent(),
        Role::Nested => path.parent().and_then(Path::parent),
    };
    match folder.and_then(Path::file_name) {
        Some(plugin) => format!("{}/{event}[{index}]", plugin.to_string_lossy()),
        None => format!("{event}[{index}]"),
    }
}

fn spec(
    reading: Reading<'_>,
    name: String,
    (event, written): (&Event, &Written),
    origin: crate::diagnostic::Origin,
) -> HookSpec {
    let place = reading.place;
    let mut notes = Vec::new();
    if place.compat == Compat::Safe {
        let dropped =
            written.type_missing && matches!(role(place, &reading.file.path), Role::Plugin);
        let fired = event.own && !dropped;
        notes.extend((!fired).then(|| NEVER_FIRED.to_owned()));
        notes.extend(written.quoted.then(|| {
            "`$ARGUMENTS` stands in quotes and arrives whole; the original breaks there".to_owned()
        }));
    }
    HookSpec {
        matcher: written.matcher.clone(),
        timeout: Some(written.timeout),
        on_failure: Some(if written.blocks { OnFailure::Deny } else { OnFailure::Allow }),
        notes,
        ..place.hook(name, vec![event.kind.clone()], written.handler.clone(), origin)
    }
}

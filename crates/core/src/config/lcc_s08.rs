//! learn-claude-code's file hooks: `.hooks.json`.

mod lint;

use super::decode::list;
use super::tree::{Data, Entry, Format, Node, Problems, Source, parse, parse_last_key_wins};
use super::{
    Care, Code, Compat, Diagnostic, Dialect, File, HookSpec, Loaded, Place, Refused, World,
};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::Handler;

/// The fields of an entry.
const FIELDS: [&str; 2] = ["matcher", "command"];
/// Fields of other systems' entries that would hold hooks or commands of their own.
const NESTED: &str = "hooks";

/// What a hook with a matcher tells where the event has no tool.
const BLIND: &str =
    "it is called although it has a matcher; the original tries that on an empty name";

/// What reading one file needs, besides the file.
struct Reader<'r> {
    place: &'r Place,
    file: &'r File,
    source: &'r Source,
    world: &'r dyn World,
    care: Care,
    loaded: &'r mut Loaded,
}

/// Reads the hooks of one place.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut loaded = Loaded::default();
    for file in files {
        let parsed = match place.compat {
            Compat::Safe => parse(file, Format::Json).map(|(source, root)| (source, root, vec![])),
            Compat::Exact => parse_last_key_wins(file, Format::Json),
        };
        match parsed {
            Ok((source, root, repeated)) => {
                loaded.diagnostics.extend(repeated);
                let loaded = &mut loaded;
                Reader { place, file, source: &source, world, care, loaded }.read(&root);
            }
            Err(found) => refuse(&mut loaded, place.refused(&file.path, None, &found), found),
        }
    }
    if loaded.fatal {
        loaded.specs.clear();
    }
    loaded
}

/// Where the program goes on without what it cannot read, nothing is missing from what it runs.
fn refuse(loaded: &mut Loaded, refused: Refused, found: Vec<Diagnostic>) {
    if refused.compat == Compat::Safe && !found.is_empty() {
        loaded.refused.push(refused);
    }
    loaded.diagnostics.extend(found);
}

impl Reader<'_> {
    fn read(mut self, root: &Node) {
        let mut problems = Problems::new(self.source);
        let hooks = self.hooks_of(root, &mut problems);
        let found = problems.found;
        refuse(self.loaded, self.refused(None, &found), found);
        for entry in hooks.unwrap_or_default() {
            self.event(entry);
        }
        if self.care == Care::Every {
            self.loaded.diagnostics.extend(lint::trust(self.place, self.file, self.world));
        }
    }

    /// The mapping from events to hooks.
    fn hooks_of<'n>(&self, root: &'n Node, problems: &mut Problems<'_>) -> Option<&'n [Entry]> {
        let Data::Map(entries) = &root.data else {
            let message = format!("the file must hold a mapping, not {}", root.data.what());
            problems.report(Code::Schema, &root.span, message);
            return None;
        };
        for entry in entries.iter().filter(|it| it.key != "hooks") {
            if event_named(&entry.key).is_some() {
                let message = format!("`{}` stands beside `hooks`, where nobody looks", entry.key);
                let hint = "move it below `hooks`";
                problems.report_with_hint(Code::UnknownField, &entry.key_span, message, hint);
            } else if self.care == Care::Every {
                lint::ignored(entry, "the file", &["hooks"], problems);
            }
        }
        let Some(hooks) = entries.iter().find(|it| it.key == "hooks") else {
            problems.report(Code::Field, &(0..1), "the file needs the field `hooks`");
            return None;
        };
        match &hooks.value.data {
            Data::Map(entries) => Some(entries),
            other => {
                let message =
                    format!("`hooks` must be a mapping from events, not {}", other.what());
                problems.report(Code::Schema, &hooks.value.span, message);
                None
            }
        }
    }

    /// The hooks of one event.
    fn event(&mut self, group: &Entry) {
        let mut problems = Problems::new(self.source);
        let Some(kind) = event_named(&group.key) else {
            let foreign = report_event(group, &mut problems);
            match foreign {
                Foreign::Known => self.loaded.diagnostics.append(&mut problems.found),
                Foreign::Unknown => {
                    refuse(self.loaded, self.refused(None, &problems.found), problems.found);
                }
            }
            return;
        };
        let Data::List(entries) = &group.value.data else {
            let message =
                format!("`{}` must be a list of hooks, not {}", group.key, group.value.data.what());
            problems.report(Code::Schema, &group.value.span, message);
            let refused = self.refused(None, &problems.found).about(vec![kind], None);
            self.give_up(refused, problems.found);
            return;
        };
        for (index, entry) in entries.iter().enumerate() {
            self.entry(&kind, format!("{}[{index}]", group.key), entry);
        }
    }

    fn entry(&mut self, kind: &EventKind, name: String, node: &Node) {
        let mut problems = Problems::new(self.source);
        let Data::Map(fields) = &node.data else {
            let message = format!("a hook must be a mapping, not {}", node.data.what());
            let hint = "write `{ \"matcher\": \"bash\", \"command\": \"...\" }`";
            problems.report_with_hint(Code::Schema, &node.span, message, hint);
            let refused = self.refused(Some(name), &problems.found);
            self.give_up(refused.about(vec![kind.clone()], None), problems.found);
            return;
        };
        let matcher = matcher(self.place, fields, &mut problems);
        let command = command(fields, node, &mut problems);
        let origin = self.source.origin(&node.span);
        let (Ok(matcher), Some(command)) = (matcher.clone(), command) else {
            let refused = self.refused(Some(name), &problems.found);
            let matcher = matcher.ok().flatten();
            let refused = refused.about(vec![kind.clone()], matcher.as_deref());
            refuse(self.loaded, refused, problems.found);
            return;
        };
        let blind = matcher.as_ref().is_some_and(|it| it != "*")
            && self.place.compat == Compat::Safe
            && kind.subject_in(Dialect::LccS08).is_none();
        let notes = blind.then(|| BLIND.to_owned()).into_iter().collect();
        let handler = Handler::shell(command);
        let spec = HookSpec {
            matcher,
            notes,
            ..self.place.hook(name, vec![kind.clone()], handler, origin)
        };
        if self.care == Care::Every {
            lint::lint(&spec, fields, self.world, &mut problems);
        }
        self.loaded.diagnostics.append(&mut problems.found);
        self.loaded.specs.push(spec);
    }

    /// What makes the program itself fall over as soon as the event happens.
    fn give_up(&mut self, refused: Refused, found: Vec<Diagnostic>) {
        self.loaded.fatal |= self.place.compat == Compat::Exact;
        refuse(self.loaded, refused, found);
    }

    fn refused(&self, name: Option<String>, found: &[Diagnostic]) -> Refused {
        self.place.refused(&self.file.path, name, found)
    }
}

/// Whether an event that this dialect does not have is one of another system.
enum Foreign {
    Known,
    Unknown,
}

fn report_event(group: &Entry, problems: &mut Problems<'_>) -> Foreign {
    let (name, names) = (group.key.as_str(), event_names());
    let kind = EventKind::named(name);
    let ours = kind.as_ref().and_then(|kind| kind.name_in(Dialect::LccS08));
    let similar = nearest(name, names.iter().copied());
    match (&kind, ours.or(similar)) {
        (Some(kind), _) if ours.is_none() => {
            let theirs = Dialect::ALL.into_iter().filter(|it| kind.name_in(*it) == Some(name));
            let theirs: Vec<_> = theirs.map(Dialect::name).collect();
            let whose = if theirs.is_empty() { "another system".to_owned() } else { list(&theirs) };
            let message = format!("`{name}` is an event of {whose}; here its hooks never fire");
            let hint = format!("this dialect has: {}", list(&names));
            problems.report_with_hint(Code::EventOtherDialect, &group.key_span, message, hint);
            Foreign::Known
        }
        (_, meant) => {
            let hint = match meant {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("this dialect has: {}", list(&names)),
            };
            let message = format!("there is no event `{name}`");
            problems.report_with_hint(Code::UnknownEvent, &group.key_span, message, hint);
            Foreign::Unknown
        }
    }
}

fn event_named(name: &str) -> Option<EventKind> {
    EventKind::KNOWN.into_iter().find(|kind| kind.name_in(Dialect::LccS08) == Some(name))
}

/// The names of the dialect's events, in the order in which a run meets them.
fn event_names() -> Vec<&'static str> {
    static KNOWN: &[EventKind] = &EventKind::KNOWN;
    KNOWN.iter().filter_map(|kind| kind.name_in(Dialect::LccS08)).collect()
}

/// The matcher, if any; an error where it could match nothing.
fn matcher(
    place: &Place,
    fields: &[Entry],
    problems: &mut Problems<'_>,
) -> Result<Option<String>, ()> {
    let Some(entry) = fields.iter().find(|it| it.key == "matcher") else { return Ok(None) };
    let falsy = match &entry.value.data {
        Data::Null => return Ok(None),
        Data::Text(text) => return Ok(Some(text.clone()).filter(|it| !it.is_empty())),
        Data::Bool(flag) => !flag,
        Data::Number(text) => text.parse() == Ok(0.0_f64),
        Data::List(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty(),
    };
    let what = entry.value.data.what();
    let message = format!("`matcher` must be the name of a tool, not {what}");
    let hint = "write one name, or `\"*\"` for every tool; give each tool a hook of its own";
    problems.report_with_hint(Code::Schema, &entry.value.span, message, hint);
    // The program takes what Python calls false for no matcher at all.
    if place.compat == Compat::Exact && falsy { Ok(None) } else { Err(()) }
}

fn command(fields: &[Entry], node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let find = |key: &str| fields.iter().find(|it| it.key == key);
    match find("command").map(|entry| (entry, &entry.value.data)) {
        Some((_, Data::Text(text))) if !text.is_empty() => return Some(text.clone()),
        Some((entry, Data::Text(_) | Data::Null)) => {
            problems.report(Code::Field, &entry.value.span, "`command` must not be empty");
        }
        Some((entry, other)) => {
            let message = format!("`command` must be text, not {}", other.what());
            problems.report(Code::Schema, &entry.value.span, message);
        }
        None => report_no_command(find(NESTED), fields, node, problems),
    }
    None
}

fn report_no_command(
    nested: Option<&Entry>,
    fields: &[Entry],
    node: &Node,
    problems: &mut Problems<'_>,
) {
    if let Some(nested) = nested {
        let message = "hooks stand in groups in Claude Code; here an entry has one `command`";
        let hint = "write `{ \"matcher\": \"bash\", \"command\": \"...\" }` for each of them";
        problems.report_with_hint(Code::Nested, &nested.key_span, message, hint);
    } else {
        let span = fields.first().map_or(node.span.clone(), |it| it.key_span.clone());
        problems.report(Code::Field, &span, "a hook needs the field `command`");
    }
}

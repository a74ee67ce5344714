//! The `MicroAI` adapter specification: flat entries in `settings.json` and `settings.local.json`.

mod entry;
mod lint;

use super::decode::{list, matcher_text};
use super::tree::{
    Data, Entry, Format, Node, Problems, Source, parse_json_or_jsonc, parse_last_key_wins,
};
use super::{
    Care, Code, Diagnostic, Dialect, File, HookSpec, Loaded, Place, Profile, Refused, Strictness,
    World,
};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::Layer;

/// The events, and the variables that a command gets at each.
const EVENTS: [(EventKind, &[&str]); 5] = [
    (EventKind::PreToolUse, &["TOOL_NAME", "INPUT", "TIMESTAMP", "SESSION_ID"]),
    (EventKind::PostToolUse, &["TOOL_NAME", "INPUT", "OUTPUT", "TIMESTAMP", "SESSION_ID"]),
    (EventKind::UserPromptSubmit, &["PROMPT", "TIMESTAMP", "SESSION_ID", "USER_NAME"]),
    (EventKind::SessionStart, SESSION),
    (EventKind::SessionEnd, SESSION),
];
const SESSION: &[&str] = &["SESSION_ID", "TIMESTAMP", "PROJECT_ROOT", "PLATFORM", "AGENT_NAME"];

/// The file that holds what one person adds to the settings of the team.
const LOCAL: &str = "settings.local.json";

/// What a hook from a file with comments tells.
const COMMENTED: &str =
    "its file has comments or trailing commas; the original takes it for an empty one";

/// What a hook tells whose event stands twice in a file.
const SHADOWED: &str =
    "its event stands twice in the file; the original reads the last list only, and becket both";

/// The variables that a command gets at an event.
pub(crate) fn variables(kind: &EventKind) -> &'static [&'static str] {
    EVENTS.iter().find(|row| row.0 == *kind).map_or(&[], |row| row.1)
}

/// Reads the hooks of one place: the team's file, then the local one.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut reader = Reader {
        place,
        world,
        care,
        lenient: Profile::of(place.dialect, place.compat).strictness == Strictness::Ignore,
        counts: EVENTS.map(|_| 0),
        commented: false,
        shadowed: false,
        loaded: Loaded::default(),
    };
    for file in files {
        reader.file(file);
    }
    reader.loaded
}

struct Reader<'r> {
    place: &'r Place,
    world: &'r dyn World,
    care: Care,
    /// Whether what is wrong is passed over as the original does, instead of refused.
    lenient: bool,
    /// How many entries each event has so far: arrays of both files are one list.
    counts: [usize; 5],
    /// Whether the file at hand is one that the original cannot read.
    commented: bool,
    /// Whether the list at hand is one that the original passes over for a later one.
    shadowed: bool,
    loaded: Loaded,
}

impl Reader<'_> {
    fn file(&mut self, file: &File) {
        if self.place.is_shared() {
            return self.shared(file);
        }
        let (source, root) = match self.tree(file) {
            Ok(parsed) => parsed,
            Err(found) => return self.refuse(file, found),
        };
        match &root.data {
            Data::Map(entries) => self.settings(file, &source, entries),
            other => {
                let message = format!("settings must be an object, not {}", other.what());
                let found = vec![source.diagnostic(Code::Schema, &root.span, message)];
                self.refuse(file, found);
            }
        }
    }

    /// The flat entries of a file in which others may stand as well; everything else is not ours.
    fn shared(&mut self, file: &File) {
        let before = self.loaded.diagnostics.len();
        let parsed = self.tree(file);
        // Claude Code has its settings in the same file, and tells what is wrong with all of it.
        self.loaded.diagnostics.truncate(before);
        let Ok((source, root)) = parsed else { return };
        let lists = lists(&root);
        for (index, (at, nodes)) in lists.iter().enumerate() {
            let Some((kind, _)) = EVENTS.get(*at) else { continue };
            self.shadowed = lists.iter().skip(index + 1).any(|it| it.0 == *at);
            let flat = nodes.iter().filter(|it| entry::is_flat(it)).cloned();
            self.entries(file, &source, (*at, kind), &flat.collect::<Vec<_>>());
        }
    }

    /// The tree of a file. A key that stands twice does not void the rest of it.
    fn tree(&mut self, file: &File) -> Result<(Source, Node), Vec<Diagnostic>> {
        self.commented = false;
        if self.lenient {
            let (source, root, found) = parse_last_key_wins(file, Format::Json)?;
            self.loaded.diagnostics.extend(found);
            return Ok((source, root));
        }
        let (source, root, _, commented) = parse_json_or_jsonc(file)?;
        self.commented = commented;
        if commented {
            self.tell_comments(file);
        }
        Ok((source, root))
    }

    fn settings(&mut self, file: &File, source: &Source, entries: &[Entry]) {
        let mut problems = Problems::new(source);
        problems.report_duplicate_keys(entries);
        self.loaded.diagnostics.append(&mut problems.found);
        // Everything else in the file belongs to the program whose settings these are.
        let hooks = entries.iter().filter(|entry| entry.key == "hooks");
        let mut none = true;
        for entry in hooks {
            none = false;
            match &entry.value.data {
                Data::Map(events) => self.events(file, source, events),
                Data::Null => (),
                other => {
                    let message =
                        format!("`hooks` must be an object of events, not {}", other.what());
                    let found = vec![source.diagnostic(Code::Schema, &entry.value.span, message)];
                    self.refuse(file, found);
                }
            }
        }
        let meant = |entry: &&Entry| entry.key.eq_ignore_ascii_case("hooks") || entry.key == "hook";
        if let Some(entry) = entries.iter().find(meant).filter(|_| none) {
            let message = format!("`{}` is not where hooks are looked for", entry.key);
            let found = source.diagnostic(Code::UnknownField, &entry.key_span, message);
            self.refuse(file, vec![found.with_hint("did you mean `hooks`?")]);
        }
    }

    fn events(&mut self, file: &File, source: &Source, entries: &[Entry]) {
        let mut problems = Problems::new(source);
        problems.report_duplicate_keys(entries);
        self.loaded.diagnostics.append(&mut problems.found);
        for (at, entry) in entries.iter().enumerate() {
            self.shadowed = entries.iter().skip(at + 1).any(|it| it.key == entry.key);
            let known = (0..)
                .zip(&EVENTS)
                .find(|(_, row)| row.0.name_in(Dialect::Microai) == Some(entry.key.as_str()));
            let Some((at, (kind, _))) = known else {
                let found = unknown_event(source, entry);
                let found = vec![found];
                let kind = EventKind::named(&entry.key).into_iter().collect();
                self.keep(self.place.refused(&file.path, None, &found).about(kind, None), found);
                continue;
            };
            match &entry.value.data {
                Data::List(nodes) => self.entries(file, source, (at, kind), nodes),
                Data::Null => (),
                other => {
                    let message = format!("`{}` must be a list, not {}", entry.key, other.what());
                    let found = source.diagnostic(Code::Schema, &entry.value.span, message);
                    let hint = "put the entry in brackets: `[{ \"command\": … }]`";
                    let found = vec![found.with_hint(hint)];
                    let refused = self.place.refused(&file.path, None, &found);
                    self.keep(refused.about(vec![kind.clone()], None), found);
                }
            }
        }
    }

    fn entries(
        &mut self,
        file: &File,
        source: &Source,
        (at, kind): (usize, &EventKind),
        nodes: &[Node],
    ) {
        for node in nodes {
            let index = self.counts.get_mut(at).map_or(0, |count| {
                *count += 1;
                *count - 1
            });
            let name = format!("{}[{index}]", kind.name());
            let mut problems = Problems::new(source);
            let fields = entry::read(node, kind, self.lenient, &mut problems);
            let usable = self.lenient || problems.found.iter().all(|it| !it.is_error());
            match fields {
                Some(fields) if usable => {
                    let spec = self.spec(file, fields, name, problems.source.origin(&node.span));
                    if self.care == Care::Every {
                        lint::lint(&spec, node, self.world, &mut problems);
                    }
                    self.loaded.diagnostics.append(&mut problems.found);
                    self.loaded.specs.push(spec);
                }
                Some(_) | None => {
                    let refused = self.place.refused(&file.path, Some(name), &problems.found);
                    let refused = refused.about(vec![kind.clone()], matcher_text(node));
                    self.keep(refused, problems.found);
                }
            }
        }
    }

    fn spec(
        &self,
        file: &File,
        fields: entry::Fields,
        name: String,
        origin: crate::diagnostic::Origin,
    ) -> HookSpec {
        let place = self.place;
        let local = file.path.file_name().is_some_and(|it| it == LOCAL);
        HookSpec {
            matcher: fields.matcher,
            timeout: fields.timeout,
            on_failure: Some(fields.on_failure),
            condition: fields.condition,
            notes: self.notes(),
            // After the tool nobody waits any more.
            detached: fields.event == EventKind::PostToolUse,
            layer: match place.layer {
                Layer::Project if local => Layer::Local,
                layer => layer,
            },
            ..place.hook(name, vec![fields.event], fields.handler, origin)
        }
    }

    /// In what the life of a hook differs from the one it has in the original.
    fn notes(&self) -> Vec<String> {
        let told = [(self.commented, COMMENTED), (self.shadowed, SHADOWED)];
        told.iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect()
    }

    /// Refuses a whole file.
    fn refuse(&mut self, file: &File, found: Vec<Diagnostic>) {
        self.keep(self.place.refused(&file.path, None, &found), found);
    }

    fn keep(&mut self, refused: Refused, found: Vec<Diagnostic>) {
        self.loaded.refused.push(refused);
        self.loaded.diagnostics.extend(found);
    }

    fn tell_comments(&mut self, file: &File) {
        let message = "the file has comments or trailing commas, which JSON has not";
        let hint = "the original takes such a file for an empty one; take them out";
        let found = Diagnostic::of_file(Code::Comments, &file.path, message).with_hint(hint);
        self.loaded.diagnostics.push(found);
    }
}

/// The lists of a file that stand below one of our events, with the place of the event.
fn lists(root: &Node) -> Vec<(usize, &[Node])> {
    let place = |entry: &Entry| {
        EVENTS.iter().position(|row| row.0.name_in(Dialect::Microai) == Some(entry.key.as_str()))
    };
    let hooks = below(root).iter().filter(|entry| entry.key == "hooks");
    let events = hooks.flat_map(|entry| below(&entry.value));
    let lists = events.filter_map(|entry| match &entry.value.data {
        Data::List(nodes) => Some((place(entry)?, nodes.as_slice())),
        _ => None,
    });
    lists.collect()
}

fn below(node: &Node) -> &[Entry] {
    match &node.data {
        Data::Map(entries) => entries,
        _ => &[],
    }
}

fn unknown_event(source: &Source, entry: &Entry) -> Diagnostic {
    let (key, at) = (entry.key.as_str(), &entry.key_span);
    let names: Vec<&str> =
        EVENTS.iter().filter_map(|row| row.0.name_in(Dialect::Microai)).collect();
    let known = EventKind::named(key);
    let ours = known.as_ref().and_then(|kind| kind.name_in(Dialect::Microai));
    match (ours.or_else(|| nearest(key, names.iter().copied())), &known) {
        (_, Some(_)) if ours.is_none() => {
            let message = format!("`{key}` is an event of another system; this one has not got it");
            let hint = format!("this dialect has: {}", list(&names));
            source.diagnostic(Code::EventOtherDialect, at, message).with_hint(hint)
        }
        (Some(near), _) => {
            let message = format!("there is no event `{key}`");
            let hint = format!("did you mean `{near}`? capitals count");
            source.diagnostic(Code::UnknownEvent, at, message).with_hint(hint)
        }
        (None, _) => {
            let message = format!("there is no event `{key}`");
            let hint = format!("this dialect has: {}", list(&names));
            source.diagnostic(Code::UnknownEvent, at, message).with_hint(hint)
        }
    }
}

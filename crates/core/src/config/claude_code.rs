//! Claude Code: `settings.json` in every scope, and the `hooks/hooks.json` of plugins.

mod group;
mod handler;
mod http;
mod lint;
mod permissions;
mod unite;

use std::path::Path;

use super::tree::{Data, Entry, Format, Node, Problems, Source, parse_json_or_jsonc};
use super::{
    Care, Code, Compat, Diagnostic, Dialect, File, HookSpec, Loaded, Place, Refused, World,
};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::{Disabled, Layer};

pub use self::unite::{Off, Switch, unite};

/// The file that holds what one person adds to the settings of a project.
const LOCAL: &str = "settings.local.json";
/// The hook file of a plugin.
const PLUGIN: &str = "hooks.json";
/// The fields of settings that are read here; everything else belongs to the program.
const FIELDS: [&str; 4] = ["hooks", "disableAllHooks", "allowManagedHooksOnly", "permissions"];
/// Names that every object of JavaScript has already.
const BUILT_IN: [&str; 4] = ["__proto__", "constructor", "toString", "hasOwnProperty"];
/// Events of other systems that have no counterpart here.
const FOREIGN: [(&str, &str); 6] = [
    ("beforeShellExecution", "Cursor"),
    ("afterShellExecution", "Cursor"),
    ("beforeMCPExecution", "Cursor"),
    ("afterMCPExecution", "Cursor"),
    ("beforeReadFile", "Cursor"),
    ("afterFileEdit", "Cursor"),
];

/// Reads the hooks and rules of settings files and of plugins.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut loaded = Loaded::default();
    for file in files {
        let mut reader = Reader { place, world, care, file, invalid: None, loaded: &mut loaded };
        reader.file();
    }
    loaded
}

/// One file and what is known about it so far.
struct Reader<'r> {
    place: &'r Place,
    world: &'r dyn World,
    care: Care,
    file: &'r File,
    /// The first thing on account of which the original would pass over the whole file.
    invalid: Option<Diagnostic>,
    loaded: &'r mut Loaded,
}

impl Reader<'_> {
    fn file(&mut self) {
        let before = (self.loaded.specs.len(), self.loaded.rules.len());
        match self.tree() {
            Ok((source, root)) => match &root.data {
                Data::Map(entries) if self.is_plugin() => self.plugin(&source, entries),
                Data::Map(entries) => self.settings(&source, entries),
                other => {
                    let message = format!("settings must be an object, not {}", other.what());
                    self.refuse(vec![source.diagnostic(Code::Schema, &root.span, message)]);
                }
            },
            Err(found) => self.refuse(found),
        }
        if let (Some(first), Compat::Exact) = (self.invalid.take(), self.place.compat) {
            self.loaded.specs.truncate(before.0);
            self.loaded.rules.truncate(before.1);
            let message = "the original passes over the whole file because of one entry";
            let why = Diagnostic { message: format!("{message}: {}", first.message), ..first };
            let refused = self.place.refused(&self.file.path, None, std::slice::from_ref(&why));
            self.loaded.refused.push(refused);
        }
    }

    fn tree(&mut self) -> Result<(Source, Node), Vec<Diagnostic>> {
        if self.place.compat == Compat::Exact {
            let (source, root, found) = super::tree::parse_last_key_wins(self.file, Format::Json)?;
            self.loaded.diagnostics.extend(found);
            return Ok((source, root));
        }
        let (source, root, found, commented) = parse_json_or_jsonc(self.file)?;
        if !found.is_empty() {
            return Err(found);
        }
        if commented {
            let message = "the file has comments or trailing commas, which JSON has not";
            let hint = "other programs may refuse the whole file; take them out";
            let told = Diagnostic::of_file(Code::Comments, &self.file.path, message);
            self.loaded.diagnostics.push(told.with_hint(hint));
        }
        Ok((source, root))
    }

    fn settings(&mut self, source: &Source, entries: &[Entry]) {
        for entry in entries {
            let mut problems = Problems::new(source);
            match entry.key.as_str() {
                "hooks" => self.events(source, &entry.value),
                "disableAllHooks" => self.switch(Off::All, entry, &mut problems),
                "allowManagedHooksOnly" => self.switch(Off::AllButManaged, entry, &mut problems),
                "permissions" => permissions::read(self, &entry.value, &mut problems),
                key => report_unknown(key, entry, &mut problems),
            }
            self.loaded.diagnostics.append(&mut problems.found);
        }
    }

    fn plugin(&mut self, source: &Source, entries: &[Entry]) {
        for entry in entries {
            let mut problems = Problems::new(source);
            match entry.key.as_str() {
                "hooks" => self.events(source, &entry.value),
                "description" => (),
                "modules" => {
                    let message = "function hooks are JavaScript that only Claude Code can run";
                    problems.report(Code::Handler, &entry.key_span, message);
                }
                key => {
                    let message = format!("a plugin's hook file has no field `{key}`");
                    let hint = "events stand below `hooks`";
                    problems.report_with_hint(Code::FieldIgnored, &entry.key_span, message, hint);
                }
            }
            self.loaded.diagnostics.append(&mut problems.found);
        }
    }

    fn events(&mut self, source: &Source, node: &Node) {
        let events = match &node.data {
            Data::Map(events) => events,
            Data::Null => return,
            other => {
                let message = format!("`hooks` must be an object of events, not {}", other.what());
                self.refuse(vec![source.diagnostic(Code::Schema, &node.span, message)]);
                return;
            }
        };
        for entry in events {
            let mut problems = Problems::new(source);
            let Some((kind, own)) = event(self.place.compat, entry, &mut problems) else {
                // The original has room for events it does not know.
                let found = std::mem::take(&mut problems.found);
                self.drop_event(&entry.key, found);
                continue;
            };
            self.loaded.diagnostics.append(&mut problems.found);
            match &entry.value.data {
                Data::List(groups) => {
                    for (index, group) in groups.iter().enumerate() {
                        group::read(self, source, (&kind, own, index), group);
                    }
                }
                Data::Null => (),
                other => {
                    let message = format!("`{}` must be a list, not {}", entry.key, other.what());
                    let found = source.diagnostic(Code::Schema, &entry.value.span, message);
                    let hint = "put it in brackets: `[{ \"hooks\": [ … ] }]`";
                    self.refuse_hook((&kind, None), None, vec![found.with_hint(hint)]);
                }
            }
        }
    }

    fn drop_event(&mut self, key: &str, found: Vec<Diagnostic>) {
        if self.place.compat == Compat::Safe && !found.is_empty() {
            let mut refused = self.place.refused(&self.file.path, None, &found);
            if refused.why.code == Code::EventOtherDialect {
                let by = format!("its event `{key}`, which is one of another system");
                refused.disabled = refused.disabled.or(Some(Disabled::Off { by }));
            }
            self.loaded.refused.push(refused);
        }
        self.loaded.diagnostics.extend(found);
    }

    fn switch(&mut self, off: Off, entry: &Entry, problems: &mut Problems<'_>) {
        let Data::Bool(on) = entry.value.data else {
            let what = entry.value.data.what();
            let message = format!("`{}` must be true or false, not {what}", entry.key);
            problems.report(Code::Schema, &entry.value.span, message);
            self.invalid = self.invalid.take().or_else(|| problems.found.last().cloned());
            return;
        };
        if !on {
            return;
        }
        let layer = self.layer();
        let of_project = matches!(layer, Layer::Project | Layer::Local);
        let vain = match off {
            Off::All => of_project && self.place.compat == Compat::Safe,
            Off::AllButManaged => layer != Layer::Managed,
        };
        if vain {
            let (message, hint) = match off {
                Off::All => (
                    "a project can switch off its own hooks only",
                    "say it in your own settings to switch off yours as well",
                ),
                Off::AllButManaged => {
                    ("only managed settings can say this", "it is passed over here")
                }
            };
            problems.report_with_hint(Code::IgnoredFromProject, &entry.key_span, message, hint);
        }
        // Whether a project is believed is found out when all of it is known.
        let stands = matches!(self.place.disabled, None | Some(crate::hook::Disabled::Untrusted));
        if stands && !(vain && off == Off::AllButManaged) {
            self.loaded.switches.push(Switch { off, layer, compat: self.place.compat });
        }
    }

    /// Reports what is wrong with a file, or with all of its hooks.
    fn refuse(&mut self, found: Vec<Diagnostic>) {
        let refused = self.place.refused(&self.file.path, None, &found);
        self.leave_out(refused, found);
    }

    /// Reports what is wrong with hooks of one event.
    fn refuse_hook(
        &mut self,
        (kind, matcher): (&EventKind, Option<&str>),
        name: Option<String>,
        found: Vec<Diagnostic>,
    ) {
        let refused = self.place.refused(&self.file.path, name, &found);
        self.leave_out(refused.about(vec![kind.clone()], matcher), found);
    }

    fn leave_out(&mut self, refused: Refused, found: Vec<Diagnostic>) {
        self.loaded.diagnostics.extend(found);
        self.invalid = self.invalid.take().or_else(|| Some(refused.why.clone()));
        if self.place.compat == Compat::Safe {
            self.loaded.refused.push(Refused { layer: self.layer(), ..refused });
        }
    }

    fn is_plugin(&self) -> bool {
        self.file.path.file_name().is_some_and(|it| it == PLUGIN)
    }

    /// The folder of the plugin that the file belongs to.
    fn plugin_root(&self) -> Option<std::path::PathBuf> {
        let folder = self.file.path.parent().filter(|_| self.is_plugin())?;
        let in_hooks = folder.file_name().is_some_and(|it| it == "hooks");
        let root = if in_hooks { folder.parent()? } else { folder };
        Some(self.place.workspace.join(root))
    }

    fn layer(&self) -> Layer {
        let local = self.file.path.file_name().is_some_and(|it| it == LOCAL);
        match self.place.layer {
            Layer::Project if local => Layer::Local,
            layer => layer,
        }
    }
}

/// The event a key names, and whether the original knows it by this spelling.
fn event(compat: Compat, entry: &Entry, problems: &mut Problems<'_>) -> Option<(EventKind, bool)> {
    static KNOWN: &[EventKind] = &EventKind::KNOWN;
    let (key, at) = (entry.key.as_str(), &entry.key_span);
    let names = || KNOWN.iter().filter_map(|kind| kind.name_in(Dialect::ClaudeCode));
    let alike = EventKind::named(key);
    let name = alike.as_ref().and_then(|kind| kind.name_in(Dialect::ClaudeCode));
    match (name, FOREIGN.iter().find(|it| it.0 == key), alike.clone()) {
        (Some(name), _, Some(kind)) if name == key => Some((kind, true)),
        (Some(name), _, Some(kind)) => {
            let message = format!("there is no event `{key}`: the original never fires it");
            let hint = format!("write `{name}`");
            let squeezed: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
            if !squeezed.eq_ignore_ascii_case(name) {
                problems.report_with_hint(Code::EventOtherDialect, at, message, hint);
                return None;
            }
            problems.report_with_hint(Code::UnknownEvent, at, message, hint);
            (compat == Compat::Safe).then_some((kind, false))
        }
        (_, Some((_, system)), _) => {
            let message = format!("`{key}` is an event of {system}; Claude Code has not got it");
            let hint = "for tools write `PreToolUse` or `PostToolUse`, and match the tool's name";
            problems.report_with_hint(Code::EventOtherDialect, at, message, hint);
            None
        }
        (None, None, Some(kind)) => {
            let message = format!("`{key}` is `{}`, which Claude Code has not got", kind.name());
            problems.report(Code::EventOtherDialect, at, message);
            None
        }
        (_, None, None) => {
            let hint = match nearest(key, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
            };
            let message = format!("there is no event `{key}`");
            problems.report_with_hint(Code::UnknownEvent, at, message, hint);
            None
        }
    }
}

/// Fields that are nearly ours were meant to do something.
fn report_unknown(key: &str, entry: &Entry, problems: &mut Problems<'_>) {
    if BUILT_IN.contains(&key) {
        let message = format!("`{key}` is a name that every JavaScript object has already");
        problems.report(Code::FieldIgnored, &entry.key_span, message);
        return;
    }
    let slip = |known: &&&str| {
        let (known, key) = (known.to_lowercase(), key.to_lowercase());
        known == key || known.trim_end_matches('s') == key.trim_end_matches('s')
    };
    if let Some(known) = FIELDS.iter().find(slip) {
        let message = format!("settings have no field `{key}`");
        let hint = format!("did you mean `{known}`?");
        problems.report_with_hint(Code::UnknownField, &entry.key_span, message, hint);
    }
}

/// The path as text, for variables.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

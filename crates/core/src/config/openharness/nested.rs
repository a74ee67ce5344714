//! A plugin's `hooks/hooks.json` in the shape of Claude Code.
//!
//! The original advertises these files, reads them, and never runs a hook of them. Here
//! they run as what they are: hooks of Claude Code.

use super::super::claude_code;
use super::super::tree::{Data, Node, Problems};
use super::{Code, Compat, Dialect, Loaded, NEVER_FIRED, Place, Reading, refuse_node};

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
    }
    if exact {
        return;
    }
    let place = Place { dialect: Dialect::ClaudeCode, ..reading.place.clone() };
    let files = std::slice::from_ref(reading.file);
    let found = claude_code::read(&place, files, reading.world, reading.care);
    loaded.specs.extend(found.specs.into_iter().map(|mut spec| {
        spec.notes.push(NEVER_FIRED.to_owned());
        spec
    }));
    loaded.refused.extend(found.refused);
    problems.found.extend(found.diagnostics);
}

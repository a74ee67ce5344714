//! `permissions`: the rules that stand beside hooks.

use super::super::decode::items;
use super::super::tree::{Data, Node, Problems};
use super::{Code, Compat, Reader, nearest};
use crate::decision::Decision;
use crate::hook::Layer;
use crate::rule::{Rule, Slash};
use crate::rules::RuleSpec;

const FIELDS: [&str; 6] = [
    "allow",
    "ask",
    "deny",
    "defaultMode",
    "additionalDirectories",
    "disableBypassPermissionsMode",
];
/// The mode in which nobody is asked any more.
const BYPASS: &str = "bypassPermissions";
const MODES: [&str; 7] = ["default", "acceptEdits", "plan", "auto", "dontAsk", "delegate", BYPASS];

/// Reads the rules; one that cannot be read does not keep the others out.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, problems: &mut Problems<'_>) {
    let entries = match &node.data {
        Data::Map(entries) => entries,
        Data::Null => return,
        other => {
            let message = format!("`permissions` must be an object, not {}", other.what());
            problems.report(Code::Schema, &node.span, message);
            return;
        }
    };
    for entry in entries {
        match entry.key.as_str() {
            "allow" => rules(reader, Decision::Allow, &entry.value, problems),
            "ask" => rules(reader, Decision::Ask, &entry.value, problems),
            "deny" => rules(reader, Decision::Deny, &entry.value, problems),
            "defaultMode" => mode(reader, &entry.value, problems),
            "additionalDirectories" => {
                items(&entry.value, "`additionalDirectories`", problems);
            }
            "disableBypassPermissionsMode" => (),
            key => {
                let near = nearest(key, FIELDS.into_iter());
                let message = format!("`permissions` has no field `{key}`");
                match near {
                    Some(near) => {
                        let hint = format!("did you mean `{near}`?");
                        problems.report_with_hint(
                            Code::UnknownField,
                            &entry.key_span,
                            message,
                            hint,
                        );
                    }
                    None => problems.report(Code::FieldIgnored, &entry.key_span, message),
                }
            }
        }
    }
}

fn rules(reader: &mut Reader<'_>, decision: Decision, node: &Node, problems: &mut Problems<'_>) {
    for item in items(node, "a list of rules", problems).unwrap_or_default() {
        let Data::Text(text) = &item.data else {
            let message = format!("a rule must be text, not {}", item.data.what());
            problems.report(Code::Schema, &item.span, message);
            continue;
        };
        match Rule::parse_with(text, Slash::Settings) {
            Ok(rule) => reader.loaded.rules.push(RuleSpec {
                rule,
                decision,
                reason: None,
                layer: reader.layer(),
                origin: problems.source.origin(&item.span),
            }),
            Err(error) => {
                problems.report_with_hint(Code::Rule, &item.span, error.message, error.hint);
            }
        }
    }
}

/// The mode is the program's own matter; here only what could loosen somebody else's rules is told.
fn mode(reader: &Reader<'_>, node: &Node, problems: &mut Problems<'_>) {
    let Data::Text(mode) = &node.data else {
        let message = format!("`defaultMode` must be text, not {}", node.data.what());
        problems.report(Code::Schema, &node.span, message);
        return;
    };
    let of_project = matches!(reader.layer(), Layer::Project | Layer::Local);
    if mode == BYPASS && of_project && reader.place.compat == Compat::Safe {
        let message = "a project cannot say that nobody is to be asked";
        let hint = "say it in your own settings, or on the command line";
        problems.report_with_hint(Code::IgnoredFromProject, &node.span, message, hint);
    } else if !MODES.contains(&mode.as_str()) {
        let message = format!("there is no mode `{mode}`");
        let hint = match nearest(mode, MODES.into_iter()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("one of {}", super::super::decode::list(&MODES)),
        };
        problems.report_with_hint(Code::Settings, &node.span, message, hint);
    }
}

//! `${env.NAME}`: expanded in every text of a file while it is loaded.

use super::tree::{Data, Node, Problems};
use crate::diagnostic::Code;
use crate::world::World;

const OPEN: &str = "${env.";

/// Expands every text below a node; a variable that is not set is a problem.
pub(super) fn expand(node: &mut Node, world: &dyn World, problems: &mut Problems<'_>) {
    match &mut node.data {
        Data::Text(text) if text.contains(OPEN) => match expand_text(text, world) {
            Ok(expanded) => *text = expanded,
            Err(name) => {
                let hint =
                    format!("set `{name}` before starting the agent, or take the reference out");
                let message = format!("the environment variable `{name}` is not set");
                problems.report_with_hint(Code::Env, &node.span, message, hint);
            }
        },
        Data::List(items) => {
            for item in items {
                expand(item, world, problems);
            }
        }
        Data::Map(entries) => {
            for entry in entries {
                expand(&mut entry.value, world, problems);
            }
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => (),
    }
}

fn expand_text(text: &str, world: &dyn World) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        expanded.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) if is_variable(name) => {
                expanded.push_str(&world.variable(name).ok_or_else(|| name.to_owned())?);
                rest = tail;
            }
            _ => {
                expanded.push_str(OPEN);
                rest = after;
            }
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

//! Which system tells its hooks what in the environment.

use std::ops::Range;

use super::decode::list;
use super::script::Script;
use super::tree::Problems;
use super::{Code, Dialect};

/// Variables that only one system sets, so that whoever uses them wrote for it.
const OWN: [(Dialect, &[&str]); 5] = [
    (Dialect::OpenHarness, &["OPENHARNESS_HOOK_EVENT", "OPENHARNESS_HOOK_PAYLOAD", "ARGUMENTS"]),
    (Dialect::Oah, &["OPENHARNESS_WORKSPACE_ROOT"]),
    (Dialect::LccS08, &["HOOK_EVENT", "HOOK_TOOL_NAME", "HOOK_TOOL_INPUT", "HOOK_TOOL_OUTPUT"]),
    (Dialect::Microai, &["TOOL_NAME", "INPUT", "OUTPUT"]),
    (
        Dialect::ClaudeCode,
        &["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_TOOL_INPUT", "CLAUDE_FILE_PATHS"],
    ),
];

/// Reports a variable that another system would have set. `given` are those that this hook is told;
/// without any, its event comes on standard input.
pub(super) fn lint(
    dialect: Dialect,
    given: &[&str],
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let others = OWN.iter().filter(|row| row.0 != dialect);
    let mut names = others.flat_map(|row| row.1.iter().map(|name| (row.0, *name)));
    let used = names.find(|(_, name)| !given.contains(name) && script.any(|text| text.uses(name)));
    if let Some((whose, name)) = used {
        let message = format!("`${name}` is a variable of `{}`; nobody sets it here", whose.name());
        let hint = match given {
            [] => "the event is on standard input".to_owned(),
            _ => format!("there are: {}", list(given)),
        };
        problems.report_with_hint(Code::VariableMissing, at, message, hint);
    }
}

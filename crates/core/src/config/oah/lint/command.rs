//! What a command and its script give away: refusals that are passed over, rewriting that is dropped.

use std::ops::Range;

use super::super::super::script::{Script, Text, Wish};
use super::super::super::variables;
use super::super::{Code, Dialect, HookSpec, World, capability_name};
use super::{Problems, is_before};
use crate::event::EventKind;
use crate::hook::Handler;
use crate::patch::{Capability, Scope};
use crate::verdict::OnFailure;

/// What a script prints to rewrite something, and what that needs.
const PATCHES: [(&str, Capability); 6] = [
    ("patch:{context", Capability::Rewrite(Scope::Context)),
    ("patch:{model_request", Capability::Rewrite(Scope::ModelRequest)),
    ("patch:{model_response", Capability::Rewrite(Scope::ModelResponse)),
    ("patch:{tool_input", Capability::Rewrite(Scope::ToolInput)),
    ("patch:{tool_output", Capability::Rewrite(Scope::ToolOutput)),
    ("suppressOutput:true", Capability::SuppressOutput),
];

/// Reports everything about a command that does not stop the hook from being loaded.
pub(super) fn lint(
    spec: &HookSpec,
    at: &Range<usize>,
    world: &dyn World,
    problems: &mut Problems<'_>,
) {
    let Handler::Command { command, cwd, environment, .. } = &spec.handler else { return };
    let start = cwd.as_deref().map_or(spec.workspace.to_path_buf(), |cwd| spec.workspace.join(cwd));
    let script = Script::read(command, &start, world);
    script.lint(at, world, problems);
    let given: Vec<&str> = environment.iter().map(|it| it.0.as_str()).collect();
    variables::lint(spec.dialect, &given, &script, at, problems);
    lint_refusal(spec, &script, at, problems);
    lint_answer(spec, &script, at, problems);
    let after = spec.events.contains(&EventKind::PostToolUse);
    if let Some(program) = script.may_end_with_two().filter(|_| after) {
        let message =
            format!("`{program}` ends with 2 on small troubles, which makes the tool fail");
        problems.report_with_hint(Code::PostExit, at, message, "end the command with `; exit 0`");
    }
}

/// Ways to say no that the program does not take for one.
fn lint_refusal(
    spec: &HookSpec,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    if !spec.events.iter().any(|kind| kind.block_in(spec.dialect, |_| None).is_some()) {
        if script.exits_with(2) || script.refuses() {
            let message = "nothing can be blocked at these events";
            problems.report(Code::CannotBlock, at, message);
        }
        return;
    }
    // Whoever says what a failure means wrote for becket, where any failure can refuse.
    let comes_before = spec.events.iter().any(is_before);
    let policy = spec.on_failure.unwrap_or(spec.profile().on_failure.gate);
    let told = spec.on_failure.is_some() || policy != OnFailure::Allow;
    if script.wish(&spec.name) != Wish::Shown || !comes_before || told {
        return;
    }
    let understood = |text: &Text| {
        ["decision:block", "continue:false", "continue:False"].iter().any(|it| text.has(it))
    };
    let message = if let Some(code) = script.exit_after_answer().filter(|it| ![0, 2].contains(it)) {
        format!("its answer is not read: with exit code {code} the hook has failed")
    } else if script.exits_with(2) || script.any(understood) {
        return;
    } else if script.refuses() {
        "only `\"decision\": \"block\"` and `\"continue\": false` refuse in this dialect".to_owned()
    } else if spec.capabilities.is_empty() {
        "only exit code 2 refuses; any other is a failure, and the program goes on".to_owned()
    } else {
        return;
    };
    let hint = "write the reason to standard error and exit with 2";
    problems.report_with_hint(Code::NeverBlocks, at, message, hint);
}

/// What it prints and nobody takes.
fn lint_answer(
    spec: &HookSpec,
    script: &Script<'_>,
    at: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    for (sign, capability) in PATCHES {
        if script.any(|text| text.has(sign)) && !spec.capabilities.contains(&capability) {
            let name = capability_name(capability);
            let message = format!("the script rewrites something, which needs `{name}`");
            let hint = format!("add `capabilities: [{name}]`");
            problems.report_with_hint(Code::CapabilityMissing, at, message, hint);
        }
    }
    let deaf = |kind: &EventKind| {
        matches!(kind, EventKind::PreToolUse | EventKind::RunCompleted | EventKind::RunFailed)
    };
    let notes = ["additionalContext:", "systemMessage:"];
    let told = notes.iter().find(|it| script.any(|text| text.has(it)));
    let original = spec.dialect == Dialect::Oah;
    if let Some(note) = told.filter(|_| original && spec.events.iter().all(deaf)) {
        let message =
            format!("the original ignores `{}` at these events", note.trim_end_matches(':'));
        problems.report(Code::OutputIgnored, at, message);
    }
}

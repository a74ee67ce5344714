//! An outcome as the `MicroAI` specification's own test of hooks prints it.

use becket::Outcome;
use becket::core::outcome::State;
use becket::core::reply::{Exit, Reply};
use becket::core::skip::Skip;
use serde_json::{Value, json};

/// The object of the specification: how many hooks matched and ran, and what each printed.
pub(super) fn report(outcome: &Outcome) -> Value {
    let hooks = outcome.hooks();
    let states = || hooks.iter().map(|(_, state)| state);
    let outputs = (0_usize..).zip(states()).filter_map(|(at, state)| output(at, state));
    json!({
        "hook_type": outcome.event.kind().name(),
        "hooks_matched": states().filter(|state| matched(state)).count(),
        "hooks_executed": states().filter(|state| !matches!(state, State::Skipped(_))).count(),
        "blocked": outcome.is_blocked(),
        "outputs": outputs.collect::<Vec<_>>(),
    })
}

/// Whether the matcher of a hook matched, whatever kept it from running after that.
fn matched(state: &State<'_>) -> bool {
    match state {
        State::Ran(_) | State::Queued => true,
        State::Skipped(skip) => {
            matches!(skip, Skip::Condition { .. } | Skip::ShortCircuit { .. } | Skip::TooMany)
        }
    }
}

/// What one hook printed; a hook that nobody waits for is executed and has nothing to show yet.
fn output(at: usize, state: &State<'_>) -> Option<Value> {
    let State::Ran(run) = state else { return None };
    let (code, printed) = match &run.reply {
        Reply::Exited { end, stdout, stderr } => {
            let code = match end {
                Exit::Code(code) => *code,
                Exit::Signal(signal) => 128 + signal,
            };
            let printed = [stdout.text(), stderr.text()];
            (Some(code), printed.into_iter().find(|it| !it.trim().is_empty()))
        }
        Reply::TimedOut { stdout, .. } => (None, Some(stdout.text())),
        _ => (None, None),
    };
    let printed = printed.unwrap_or_default();
    Some(json!({ "hook": at, "exit_code": code, "output": printed.trim_end() }))
}

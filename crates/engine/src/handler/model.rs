//! Questions to a model and tasks for an agent. The harness lends both.

use std::panic::AssertUnwindSafe;
use std::path::Path;

use becket_core::hook::{Budget, Text};
use becket_core::reply::{Captured, Reply};
use becket_core::verdict::{Failure, FailureKind};
use becket_core::wire::{Question, wire};
use futures_util::FutureExt;
use tokio::time::timeout;

use super::{Call, not_started, timed_out};
use crate::archive::read_bounded;
use crate::port::{Answer, Cut, ModelRequest, PortError, Spoken, SubagentRequest};

/// How often an agent of a hook may ask its model.
const TURNS: u32 = 8;

/// Asks the model that was lent.
pub(super) async fn ask(call: Call<'_>, prompt: &Text, model_ref: Option<String>) -> Reply {
    let Some(model) = &call.surroundings.lent.model else {
        return not_started("no model was lent, so prompt hooks cannot ask one");
    };
    match read(prompt, &call.hook.spec().workspace) {
        Ok(prompt) if prompt.is_empty() => Reply::NotAsked,
        Ok(prompt) => {
            let Question { system, task, input } = question(call, &prompt);
            let prompt = if input.is_empty() { task } else { format!("{task}\n\n{input}") };
            if prompt.is_empty() {
                return Reply::NotAsked;
            }
            let own = call.hook.spec().budget.tokens;
            let max_tokens = own.or(call.hook.profile().answer_tokens);
            answer(call, model.ask(ModelRequest { model_ref, system, max_tokens, prompt })).await
        }
        Err(why) => not_started(why),
    }
}

/// Runs the named agent.
pub(super) async fn run(call: Call<'_>, agent: String, task: &Text) -> Reply {
    if call.hook.profile().agents_are_models {
        return ask(call, task, (!agent.is_empty()).then_some(agent)).await;
    }
    let Some(subagent) = &call.surroundings.lent.subagent else {
        return not_started("no agents were lent, so agent hooks cannot run one");
    };
    match read(task, &call.hook.spec().workspace) {
        Ok(task) if task.is_empty() => Reply::NotAsked,
        Ok(task) => {
            let Question { system, task, input } = question(call, &task);
            let Budget { tokens: max_tokens, turns } = call.hook.spec().budget;
            let (turns, depth) = (turns.unwrap_or(TURNS), call.depth + 1);
            let request = SubagentRequest { agent, system, task, input, turns, depth, max_tokens };
            answer(call, subagent.run(request)).await
        }
        Err(why) => not_started(why),
    }
}

fn question(call: Call<'_>, text: &str) -> Question {
    wire(call.hook.spec().dialect).question(call.hook, call.event, text, call.envelope)
}

async fn answer(call: Call<'_>, answer: Answer<'_>) -> Reply {
    let failed = |kind, why: String| Reply::Failed(Failure::new(kind, why));
    match timeout(call.limit, AssertUnwindSafe(answer).catch_unwind()).await {
        Ok(Ok(Ok(Spoken { text, cut: None, usage }))) => Reply::Text { text, usage },
        Ok(Ok(Ok(Spoken { text, cut: Some(cut), .. }))) => {
            let (kind, why) = match cut {
                Cut::Length => (FailureKind::TooLarge, "the answer was longer than it may be"),
                Cut::Refusal => (FailureKind::Refused, "the model would not answer"),
                Cut::Turns => (FailureKind::TooLarge, "the agent used up its turns"),
            };
            Reply::CutOff { failure: Failure::new(kind, why), body: Captured::whole(text) }
        }
        Ok(Ok(Err(PortError::Unknown(why)))) => not_started(why),
        Ok(Ok(Err(PortError::Failed(why)))) => failed(FailureKind::Unreachable, why),
        Ok(Ok(Err(PortError::Died(why)))) => failed(FailureKind::Signalled, why),
        Ok(Err(_)) => failed(FailureKind::Signalled, "what was lent panicked".to_owned()),
        Err(_) => timed_out(call.limit),
    }
}

fn read(text: &Text, workspace: &Path) -> Result<String, String> {
    match text {
        Text::Inline(text) => Ok(text.clone()),
        Text::File(file) => {
            let path = workspace.join(file);
            let bytes =
                read_bounded(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
            String::from_utf8(bytes).map_err(|_| format!("`{}` is not UTF-8", path.display()))
        }
    }
}

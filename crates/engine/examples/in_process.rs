//! Hooks as closures: the loop stays as it is, and what it does is hung on it.
//!
//! `cargo run -p becket --example in_process`
#![expect(clippy::print_stdout, reason = "an example talks")]

use becket::point::{LoopAction, PostToolUse, PreToolUse, ResultAction, Stop, ToolAction};
use becket::{Engine, Event, EventKind};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let engine = Engine::builder().build();
    engine.on::<PreToolUse>(|call| match call.command() {
        Some(command) if command.contains("sudo") => ToolAction::deny("not as root"),
        _ => ToolAction::pass(),
    });
    engine.on_async::<PostToolUse, _>(async |call| match call.output().and_then(Value::as_str) {
        Some(text) if text.len() > 100_000 => {
            ResultAction::pass().with_message("that was a lot of output")
        }
        _ => ResultAction::pass(),
    });
    engine.on::<Stop>(|stopping| {
        if stopping.already_resumed() {
            LoopAction::pass()
        } else {
            LoopAction::go_on("did the tests pass?")
        }
    });

    for (kind, fields) in [
        (
            EventKind::PreToolUse,
            json!({ "tool_name": "bash", "tool_input": { "command": "sudo ls" } }),
        ),
        (
            EventKind::PostToolUse,
            json!({ "tool_name": "bash", "tool_output": "x".repeat(200_000) }),
        ),
        (EventKind::Stop, json!({ "stop_hook_active": false })),
    ] {
        let outcome =
            engine.fire(Event::new(kind, fields.as_object().cloned().unwrap_or_default())).await;
        let effects: Vec<_> = outcome.effects.iter().map(|effect| effect.kind.name()).collect();
        println!(
            "{}: {} {effects:?} {:?}",
            outcome.event.kind().name(),
            outcome.decision.name(),
            outcome.messages
        );
    }
}

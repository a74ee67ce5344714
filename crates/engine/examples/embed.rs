//! A harness in thirty lines: fire where something happens, and obey the outcome.
//!
//! `cargo run -p becket --example embed -- 'rm -rf /'`
#![expect(clippy::print_stdout, reason = "an example talks")]

use becket::{Decision, Dialect, Engine, Event, EventKind};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let command = std::env::args().nth(1).unwrap_or_else(|| "ls".to_owned());
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hooks/block-dangerous-sh");
    let engine = Engine::builder()
        .workspace(workspace)
        .hooks(Dialect::Oah, format!("{workspace}/.openharness/hooks"))
        .headless(true)
        .build();

    let call = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    let event = Event::new(EventKind::PreToolUse, call.as_object().cloned().unwrap_or_default());
    let outcome = engine.fire(event).await;

    match outcome.decision {
        Decision::Pass | Decision::Allow => {
            // Hooks may have rewritten the call: run what they left.
            println!(
                "would run: {}",
                outcome.event.field("tool_input").unwrap_or(&serde_json::Value::Null)
            );
        }
        Decision::Ask | Decision::Deny => {
            let why: Vec<_> = outcome.reasons.iter().map(|reason| reason.text.as_str()).collect();
            println!("the model is told: {}", why.join("; "));
        }
    }
    for effect in &outcome.effects {
        println!("must do: {}", effect.kind.name());
    }
}

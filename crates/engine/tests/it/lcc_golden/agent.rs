//! The document's loop, as small as it can be: a scripted model, one tool, and the chain.

use std::sync::{Arc, Mutex};

use becket::chain::{Args, Block, Chain, ChainError, refusal};
use serde_json::{Value, json};

/// What the scripted model does in one turn.
#[derive(Clone, Debug)]
pub(super) enum Turn {
    Call { tool: &'static str, command: &'static str },
    Say,
}

/// Why the loop ended otherwise than by itself.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Ended {
    /// The model has no more turns.
    OutOfTurns,
    /// A hook failed.
    Hook(ChainError<String>),
}

/// The loop with all it has seen.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) chain: Chain<String>,
    /// What hooks that record something recorded.
    pub(super) recorded: Arc<Mutex<Vec<String>>>,
    /// The commands that the tool really ran.
    pub(super) tool_calls: Vec<String>,
    pub(super) messages: Vec<Value>,
}

impl Agent {
    pub(super) fn new() -> Self {
        Self {
            chain: Chain::new(),
            recorded: Arc::default(),
            tool_calls: Vec::new(),
            messages: vec![json!("q")],
        }
    }

    /// Hangs a hook on an event that always answers the same.
    pub(super) fn answers(&mut self, event: &str, answer: Option<Value>) {
        self.chain.register_hook(event, move |_| Ok(answer.clone())).unwrap();
    }

    /// Hangs a hook on an event that leaves a trace.
    pub(super) fn records(&mut self, event: &'static str) {
        let recorded = Arc::clone(&self.recorded);
        let hook = move |_: &mut Args<'_>| {
            recorded.lock().unwrap().push(event.to_owned());
            Ok(None)
        };
        self.chain.register_hook(event, hook).unwrap();
    }

    /// Runs the loop until it ends, keeping of each message what the recording kept.
    pub(super) fn run(&mut self, turns: &[Turn]) -> Result<(), Ended> {
        let mut turns = turns.iter();
        loop {
            let turn = turns.next().ok_or(Ended::OutOfTurns)?;
            let Turn::Call { tool, command } = turn else {
                self.messages.push(json!(["text"]));
                let stop = Args::Stop { messages: &mut self.messages };
                let answer = self.chain.trigger_hooks("Stop", stop).map_err(Ended::Hook)?;
                let Some(more) = refusal(answer.as_ref()) else { return Ok(()) };
                self.messages.push(more.into());
                continue;
            };
            self.messages.push(json!(["tool_use"]));
            let mut block = Block::new("t1", *tool, json!({ "command": command }));
            let content = self.call(&mut block).map_err(Ended::Hook)?;
            self.messages.push(
                json!([{ "type": "tool_result", "tool_use_id": block.id, "content": content }]),
            );
        }
    }

    fn call(&mut self, block: &mut Block) -> Result<String, ChainError<String>> {
        let blocked = self.chain.trigger_hooks("PreToolUse", Args::PreToolUse { block })?;
        if let Some(text) = refusal(blocked.as_ref()) {
            return Ok(text);
        }
        let output = match (block.name.as_str(), block.input["command"].as_str()) {
            ("bash", Some(command)) => {
                self.tool_calls.push(command.to_owned());
                format!("ran {command}")
            }
            (other, _) => format!("Unknown: {other}"),
        };
        let result = Value::from(output.as_str());
        let after = Args::PostToolUse { block, output: &result };
        self.chain.trigger_hooks("PostToolUse", after)?;
        Ok(output)
    }
}

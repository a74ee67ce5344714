//! The five hooks of seed 001 on its own registry: context, permission, logging, large output, summary.
//!
//! `cargo run -p becket --example s04`
#![expect(clippy::print_stdout, reason = "an example talks")]
#![expect(clippy::unnecessary_wraps, reason = "every hook may fail, and some here never do")]

use std::path::{Component, Path};

use becket::Compat;
use becket::chain::{Args, Block, Chain, ChainError, max_resumes, prompt_context, refusal};
use serde_json::{Value, json};

/// What no command may contain.
const FORBIDDEN: [&str; 3] = ["rm -rf /", "sudo ", "mkfs"];
/// How long an output may be before somebody is told.
const LARGE: usize = 100_000;

type Answer = Result<Option<Value>, String>;

/// Before a prompt reaches the model: says where the work happens.
fn context(_: &mut Args<'_>) -> Answer {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    Ok(Some(format!("the working directory is {}", folder.display()).into()))
}

/// Before a tool runs: refuses dangerous commands and files outside of the folder.
fn permission(args: &mut Args<'_>) -> Answer {
    let Some(block) = args.block() else { return Ok(None) };
    let text = |field: &str| block.input.get(field).and_then(Value::as_str).unwrap_or_default();
    let refused = match block.name.as_str() {
        "bash" => FORBIDDEN.iter().any(|it| text("command").contains(it)),
        "write_file" | "edit_file" => leads_out(Path::new(text("path"))),
        _ => false,
    };
    Ok(refused.then(|| format!("`{}` may not do that here", block.name).into()))
}

fn leads_out(path: &Path) -> bool {
    let outside = |it| matches!(it, Component::ParentDir | Component::RootDir);
    path.components().any(outside)
}

/// Before a tool runs: leaves a line. Hooks after one that refuses are not called.
fn log(args: &mut Args<'_>) -> Answer {
    if let Some(block) = args.block() {
        println!("  [hook] {} {}", block.name, block.input);
    }
    Ok(None)
}

/// After a tool has run: points out very long output.
fn large_output(args: &mut Args<'_>) -> Answer {
    let length = args.output().and_then(Value::as_str).map_or(0, |it| it.chars().count());
    if length > LARGE {
        println!("  [hook] that were {length} characters");
    }
    Ok(None)
}

/// Before the loop ends: counts what was done.
fn summary(args: &mut Args<'_>) -> Answer {
    let results = args
        .messages()
        .map_or(0, |messages| messages.iter().filter(|it| it["type"] == "tool_result").count());
    println!("  [hook] {results} tool calls");
    Ok(None)
}

fn main() -> Result<(), ChainError<String>> {
    let mut chain = Chain::new();
    chain.register_hook("UserPromptSubmit", context)?;
    chain.register_hook("PreToolUse", permission)?;
    chain.register_hook("PreToolUse", log)?;
    chain.register_hook("PostToolUse", large_output)?;
    chain.register_hook("Stop", summary)?;

    let query = "tidy up";
    let mut messages = vec![json!({ "role": "user", "content": query })];
    let told = chain.trigger_hooks("UserPromptSubmit", Args::UserPromptSubmit { query })?;
    // The document drops what the hook returns; here the model gets to read it.
    messages
        .extend(prompt_context(Compat::Safe, told.as_ref()).map(|text| json!({ "text": text })));

    for (name, input) in [
        ("bash", json!({ "command": "ls" })),
        ("bash", json!({ "command": "sudo rm -rf /" })),
        ("write_file", json!({ "path": "../elsewhere" })),
        ("read_file", json!({ "path": "large.log" })),
    ] {
        let mut block = Block::new(format!("t{}", messages.len()), name, input);
        let content = call(&mut chain, &mut block)?;
        let shown: String = content.chars().take(60).collect();
        println!("{name}: {shown}");
        messages
            .push(json!({ "type": "tool_result", "tool_use_id": block.id, "content": content }));
    }
    for _ in 0..max_resumes(Compat::Safe) {
        let stop = chain.trigger_hooks("Stop", Args::Stop { messages: &mut messages })?;
        let Some(more) = refusal(stop.as_ref()) else { break };
        messages.push(json!({ "role": "user", "content": more }));
    }
    Ok(())
}

/// One tool call, with the hooks around it.
fn call(chain: &mut Chain<String>, block: &mut Block) -> Result<String, ChainError<String>> {
    let answer = chain.trigger_hooks("PreToolUse", Args::PreToolUse { block })?;
    if let Some(why) = refusal(answer.as_ref()) {
        return Ok(why);
    }
    let output = match block.name.as_str() {
        "bash" => Value::from("Cargo.toml src"),
        "read_file" => Value::from("x".repeat(200_000)),
        other => Value::from(format!("there is no tool `{other}`")),
    };
    chain.trigger_hooks("PostToolUse", Args::PostToolUse { block, output: &output })?;
    Ok(output.as_str().unwrap_or_default().to_owned())
}

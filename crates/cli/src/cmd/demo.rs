//! `becket demo`: what hooks do, seen in a temporary folder, through the real engine.

use std::fs;
use std::io;
use std::path::Path;

use becket::core::report::Report;
use becket::point::{PreToolUse, ToolAction};
use becket::{Dialect, Engine, Event, EventKind};
use serde_json::{Value, json};

use super::fire::story;
use crate::exit::Exit;
use crate::out::{self, CARE, DIM, STRONG, paint};
use crate::problem::Problem;

/// The hook files of the demo, as they are written into the temporary folder.
const FILES: [(&str, &str); 8] = [
    ("audit.yaml", include_str!("../../demo/audit.yaml")),
    ("block-dangerous.yaml", include_str!("../../demo/block-dangerous.yaml")),
    ("broken.yaml", include_str!("../../demo/broken.yaml")),
    ("lint-instead.yaml", include_str!("../../demo/lint-instead.yaml")),
    ("mask-token.yaml", include_str!("../../demo/mask-token.yaml")),
    ("scripts/check-command.sh", include_str!("../../demo/scripts/check-command.sh")),
    ("scripts/lint-instead.sh", include_str!("../../demo/scripts/lint-instead.sh")),
    ("scripts/mask-token.sh", include_str!("../../demo/scripts/mask-token.sh")),
];

/// One thing an agent does, and what to look for.
struct Step {
    agent: &'static str,
    event: EventKind,
    fields: Value,
    watch: &'static str,
}

pub(super) fn run(as_json: bool) -> Result<Exit, Problem> {
    let failed = |error: io::Error| Problem::new(Exit::Bug, "demo", error.to_string());
    let folder = tempfile::tempdir().map_err(failed)?;
    let hooks = folder.path().join(".openharness/hooks");
    write(&hooks).map_err(failed)?;
    let engine = Engine::builder().workspace(folder.path()).hooks(Dialect::Oah, &hooks).build();
    engine.on::<PreToolUse>(|call| match call.command() {
        Some(command) if command.starts_with("git push") => {
            ToolAction::ask("pushing is for people to decide")
        }
        Some(_) | None => ToolAction::pass(),
    });
    // For machines there is one object per step; for people there is a story around it.
    let say = |text: String| if as_json { Ok(()) } else { out::data(text) };
    say(format!(
        "{}\n{}\n",
        paint(STRONG, "Five hook files and one closure are in force. An agent goes to work:"),
        paint(DIM, format!("(temporary folder {}, gone when this ends)", folder.path().display())),
    ))?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    for (number, step) in (1..).zip(steps()) {
        say(format!("{} {}", paint(CARE, format!("{number}.")), paint(STRONG, step.agent)))?;
        let fields = step.fields.as_object().cloned().unwrap_or_default();
        let outcome = runtime.block_on(engine.fire(Event::new(step.event, fields)));
        if as_json {
            out::data(serde_json::to_value(Report::from(&outcome)).unwrap_or_default())?;
        }
        say(format!("{}\n   {}\n", indent(&story(&outcome)), paint(DIM, step.watch)))?;
    }
    let audit = fs::read_to_string(folder.path().join("audit.jsonl")).map_err(failed)?;
    say(format!("{} {}", paint(DIM, "audit.jsonl holds:"), out::one_line(&audit, 100)))?;
    say(next())?;
    Ok(Exit::Fine)
}

fn write(hooks: &Path) -> io::Result<()> {
    fs::create_dir_all(hooks.join("scripts"))?;
    FILES.iter().try_for_each(|(name, text)| fs::write(hooks.join(name), text))
}

fn bash(command: &str) -> Value {
    json!({ "session_id": "demo", "tool_name": "Bash", "tool_input": { "command": command } })
}

fn steps() -> [Step; 7] {
    let tool = |agent, fields, watch| Step { agent, event: EventKind::PreToolUse, fields, watch };
    [
        tool("wants to run `ls -la`", bash("ls -la"), "Nobody objects, so nothing happens."),
        tool(
            "wants to run `rm -rf / --no-preserve-root`",
            bash("rm -rf / --no-preserve-root"),
            "The tool does not run and the loop ends: two effects, both in the outcome. Later hooks are not asked.",
        ),
        tool(
            "wants to run `npm test`",
            bash("npm test"),
            "A hook that declares the capability rewrites the command.",
        ),
        tool(
            "wants to run `git push origin main`",
            bash("git push origin main"),
            "A closure of the host program asks a person: exit code 3 on the command line.",
        ),
        tool(
            "wants to fetch a page",
            json!({ "tool_name": "WebFetch", "tool_input": { "url": "https://example.com" } }),
            "This guard is broken. You are told, with the kind of failure; `--strict` would make it a refusal.",
        ),
        Step {
            agent: "has read a file with a token in it",
            event: EventKind::PostToolUse,
            fields: json!({ "tool_name": "Read", "tool_input": { "file_path": ".env" }, "tool_output": "host=db token=s3cr3t" }),
            watch: "What the model sees is the rewritten output.",
        },
        Step {
            agent: "is done",
            event: EventKind::RunCompleted,
            fields: json!({ "trigger_type": "message", "run_status": "completed" }),
            watch: "A lifecycle hook writes its log; it cannot block.",
        },
    ]
}

fn indent(text: &str) -> String {
    text.lines()
        .filter(|line| !line.contains("trace "))
        .map(|line| format!("   {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn next() -> String {
    let commands = [
        ("becket check DIR", "tells what is wrong with the hooks you have, with place and hint"),
        (
            "becket explain before_tool_dispatch --dialect oah --hooks DIR",
            "says which would run, and why the others not",
        ),
        (
            "becket fire before_tool_dispatch --dialect oah --hooks DIR --input event.json",
            "runs them for real",
        ),
    ];
    let lines =
        commands.map(|(command, what)| format!("  {}\n      {what}", paint(STRONG, command)));
    format!("\nTry next:\n{}", lines.join("\n"))
}

//! No answer in Claude Code's grammar makes the reader panic, and no refusal in it is lost.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use becket_core::decision::Decision;
use becket_core::dialect::{Compat, Dialect};
use becket_core::event::{Event, EventKind};
use becket_core::hook::Hook;
use becket_core::reply::{Captured, Exit, Reply};
use becket_core::wire::wire;
use becket_fuzz::read_file;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

static SAFE: LazyLock<Hook> = LazyLock::new(|| hook(Compat::Safe));
static EXACT: LazyLock<Hook> = LazyLock::new(|| hook(Compat::Exact));

// One byte chooses the event, one the exit code; then comes the output, and after a NUL the errors.
fuzz_target!(|bytes: &[u8]| {
    let [kind, end, output @ ..] = bytes else { return };
    let (kind, end) = (*kind, i32::from(*end));
    let mut streams = output.splitn(2, |byte| *byte == 0).map(<[u8]>::to_vec);
    let (stdout, stderr) = (streams.next().unwrap_or_default(), streams.next().unwrap_or_default());
    let refuses = is_refusal(&stdout);
    let out = Captured { truncated: kind & 0x80 != 0, ..Captured::whole(stdout) };
    let (event, gate) = (event(kind), self::event(gate()));
    for reply in replies(end, &out, &Captured::whole(stderr)) {
        for hook in [&*SAFE, &*EXACT] {
            let _ = wire(Dialect::ClaudeCode).verdict(hook, &event, &reply);
        }
        let kept = wire(Dialect::ClaudeCode).verdict(&SAFE, &gate, &reply);
        if refuses && !matches!(reply, Reply::Text { .. }) {
            let decision = kept.map(|verdict| verdict.decision);
            assert_eq!(decision.ok(), Some(Decision::Deny), "{reply:?}");
        }
    }
});

/// The place of the event that every refusal stops.
fn gate() -> u8 {
    let at = EventKind::KNOWN.iter().position(|kind| *kind == EventKind::PreToolUse);
    at.and_then(|it| u8::try_from(it).ok()).unwrap_or_default()
}

/// Whether this is one object that refuses and says nothing else.
fn is_refusal(stdout: &[u8]) -> bool {
    let Ok(answer) = serde_json::from_slice::<Map<String, Value>>(stdout) else { return false };
    // Whoever says that nobody is to wait for it decides nothing.
    let waits = answer.get("async") != Some(&Value::Bool(true));
    let inner = answer.get("hookSpecificOutput").and_then(|it| it.get("permissionDecision"));
    let blocks = answer.get("decision") == Some(&json!("block"));
    waits && (blocks || inner == Some(&json!("deny")))
}

fn replies(end: i32, stdout: &Captured, stderr: &Captured) -> [Reply; 5] {
    let (out, err) = (|| stdout.clone(), || stderr.clone());
    let status = u16::try_from(end * 3).unwrap_or_default();
    [
        Reply::Exited { end: Exit::Code(end), stdout: out(), stderr: err() },
        Reply::Exited { end: Exit::Signal(end), stdout: out(), stderr: err() },
        Reply::TimedOut { limit: Duration::from_secs(1), stdout: out(), stderr: err() },
        Reply::Http { status, json: end % 2 == 0, body: out() },
        Reply::Text { text: stdout.text(), usage: None },
    ]
}

fn event(kind: u8) -> Event {
    let kinds = &EventKind::KNOWN;
    let kind = kinds.get(usize::from(kind & 0x7f) % kinds.len()).cloned();
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "prompt": "hi" });
    let fields = fields.as_object().cloned().unwrap_or_default();
    Event::new(kind.unwrap_or(EventKind::PreToolUse), fields)
}

fn hook(compat: Compat) -> Hook {
    let file = br#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"cat"}]}]}}"#;
    let mut specs = read_file((Dialect::ClaudeCode, compat), "settings.json", file).specs;
    specs.pop().expect("the hook is fine").compile()
}

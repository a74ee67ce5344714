//! No answer of a hook makes the reader panic, none becomes an allow, and no refusal is lost.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use becket_core::decision::Decision;
use becket_core::dialect::{Compat, Dialect};
use becket_core::event::{Event, EventKind};
use becket_core::hook::{Hook, HookSpec};
use becket_core::reply::{Captured, Exit, Reply};
use becket_core::wire::wire;
use becket_fuzz::read_hook;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

static SAFE: LazyLock<Hook> = LazyLock::new(|| hook(Compat::Safe));
static EXACT: LazyLock<Hook> = LazyLock::new(|| hook(Compat::Exact));
static OURS: LazyLock<Hook> = LazyLock::new(|| {
    let spec = SAFE.spec().clone();
    HookSpec { dialect: Dialect::Becket, ..spec }.compile()
});

// One byte chooses the event, one the exit code; then comes the output, and after a NUL the errors.
fuzz_target!(|bytes: &[u8]| {
    let [kind, end, output @ ..] = bytes else { return };
    let (kind, end) = (*kind, i32::from(*end));
    let mut streams = output.splitn(2, |byte| *byte == 0).map(<[u8]>::to_vec);
    let (stdout, stderr) = (streams.next().unwrap_or_default(), streams.next().unwrap_or_default());
    let refuses = is_refusal(&stdout);
    let stdout = Captured { bytes: stdout, truncated: kind & 0x80 != 0, held: false };
    for reply in replies(end, stdout, Captured::whole(stderr)) {
        let event = event(kind);
        let verdict = |hook| wire(Dialect::Oah).verdict(hook, &event, &reply);
        let kept = verdict(&*SAFE);
        for decision in [&kept, &verdict(&*EXACT)].into_iter().flatten() {
            assert_ne!(decision.decision, Decision::Allow, "{reply:?}");
        }
        // In our own grammar, going ahead takes one valid object and a good end.
        let ours = wire(Dialect::Becket).verdict(&OURS, &event, &reply);
        if ours.is_ok_and(|verdict| verdict.decision == Decision::Allow) {
            assert!(is_clean(&reply), "{reply:?}");
        }
        if refuses {
            let decision = kept.map(|verdict| verdict.decision);
            assert_eq!(decision.ok(), Some(Decision::Deny), "{reply:?}");
        }
    }
});

/// Whether this is one object, and nothing else, from a handler that ended well.
fn is_clean(reply: &Reply) -> bool {
    let object = |captured: &Captured| {
        let bytes = captured.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&captured.bytes);
        let wide = captured.bytes.starts_with(b"\xff\xfe") || captured.bytes.starts_with(b"\xfe\xff");
        let text = String::from_utf8_lossy(bytes);
        !captured.truncated && (wide || serde_json::from_str::<Map<String, Value>>(&text).is_ok())
    };
    match reply {
        Reply::Exited { end: Exit::Code(0), stdout, .. } => object(stdout),
        Reply::Http { status: 200..=299, json: true, body } => object(body),
        Reply::Text { text, .. } => object(&Captured::whole(text.as_str())),
        _ => false,
    }
}

/// Whether this is one object that blocks and says nothing its dialect does not know.
fn is_refusal(stdout: &[u8]) -> bool {
    let Ok(answer) = serde_json::from_slice::<Map<String, Value>>(stdout) else { return false };
    let typed = |(key, value): (&String, &Value)| match key.as_str() {
        "decision" => value == "block",
        "reason" | "stopReason" | "systemMessage" => value.is_string(),
        "continue" | "suppressOutput" => value.is_boolean(),
        _ => false,
    };
    answer.contains_key("decision") && answer.iter().all(typed)
}

fn replies(end: i32, stdout: Captured, stderr: Captured) -> [Reply; 5] {
    let (out, err) = (|| stdout.clone(), || stderr.clone());
    let status = u16::try_from(end * 3).unwrap_or_default();
    [
        Reply::Exited { end: Exit::Code(end), stdout: out(), stderr: err() },
        Reply::Exited { end: Exit::Signal(end), stdout: out(), stderr: err() },
        Reply::TimedOut { limit: Duration::from_secs(1), stdout: out(), stderr: err() },
        Reply::Http { status, json: end & 1 == 0, body: out() },
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
    let file =
        b"name: fuzz\nevents: [before_tool_dispatch]\nhandler: {type: command, command: cat}";
    let mut specs = read_hook(compat, file).specs;
    specs.pop().expect("the hook is fine").compile()
}

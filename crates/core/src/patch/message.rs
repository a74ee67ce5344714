//! Chat messages inside patches: which are valid, and where a hook's text is written.

use serde_json::{Value, json};

use super::Scope;

/// The parts a message's content may consist of, with the keys that must be text, and by whom.
const PARTS: [(&str, &[&str], &[&str]); 8] = [
    ("text", &[], &["user", "assistant"]),
    ("image", &["image"], &["user"]),
    ("file", &["data", "mediaType"], &["user", "assistant"]),
    ("reasoning", &["text"], &["assistant"]),
    ("tool-call", &["toolCallId", "toolName"], &["assistant"]),
    ("tool-result", &["toolCallId", "toolName"], &["assistant", "tool"]),
    ("tool-approval-request", &["approvalId", "toolCallId"], &["assistant"]),
    ("tool-approval-response", &["approvalId"], &["tool"]),
];

/// The message reduced to role and content, or nothing when it is not one.
pub(super) fn valid_message(message: &Value) -> Option<Value> {
    let role = message.get("role")?.as_str()?;
    let content = message.get("content")?;
    let valid = match (role, content) {
        ("system" | "user" | "assistant", Value::String(_)) => true,
        ("user" | "assistant" | "tool", Value::Array(parts)) => {
            parts.iter().all(|part| is_part_of(role, part))
        }
        _ => false,
    };
    valid.then(|| json!({ "role": role, "content": content }))
}

fn is_part_of(role: &str, part: &Value) -> bool {
    let Some(kind) = part.get("type").and_then(Value::as_str) else {
        return false;
    };
    PARTS.iter().any(|(name, texts, roles)| {
        *name == kind
            && roles.contains(&role)
            && texts.iter().all(|key| part.get(*key).is_some_and(Value::is_string))
            && is_complete(kind, part)
    })
}

/// What some parts need besides texts.
fn is_complete(kind: &str, part: &Value) -> bool {
    match kind {
        "tool-result" => part.get("output").is_some_and(is_tool_output),
        "tool-approval-response" => part.get("approved").is_some_and(Value::is_boolean),
        _ => true,
    }
}

/// A tool's result says of what type it is.
fn is_tool_output(output: &Value) -> bool {
    let (value, reason) = (output.get("value"), output.get("reason"));
    match output.get("type").and_then(Value::as_str) {
        Some("text" | "error-text") => value.is_some_and(Value::is_string),
        Some("json" | "error-json") => value.is_some(),
        Some("content") => value.is_some_and(Value::is_array),
        Some("execution-denied") => reason.is_none_or(Value::is_string),
        Some(_) | None => false,
    }
}

/// Several system messages at the start become one.
pub(super) fn collapse_leading_system(messages: Vec<Value>) -> Vec<Value> {
    let leading = messages.iter().take_while(|it| is_system(it)).count();
    if leading < 2 {
        return messages;
    }
    let text = messages.iter().take(leading).map(text_of).collect::<Vec<_>>().join("\n\n");
    let rest = messages.into_iter().skip(leading);
    std::iter::once(json!({ "role": "system", "content": text })).chain(rest).collect()
}

fn is_system(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("system")
}

fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

/// Writes a hook's texts into the value itself; `None` where the scope has no place for them.
pub(super) fn annotate(scope: Scope, current: &Value, texts: &[String]) -> Option<Value> {
    match scope {
        Scope::ToolOutput => Some(annotate_output(current, texts)),
        Scope::Context | Scope::ModelRequest
            if current.get("messages").is_some_and(Value::is_array) =>
        {
            edit(current, "messages", |messages| insert_system(messages, texts))
        }
        Scope::Context => edit(current, "summaryText", |text| append(text, texts)),
        Scope::ModelResponse => edit(current, "text", |text| append(text, texts)),
        Scope::ModelRequest | Scope::Prompt | Scope::ToolInput => None,
    }
}

fn edit(current: &Value, key: &str, change: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    let mut changed = current.as_object()?.clone();
    let value = change(changed.get(key)?)?;
    changed.insert(key.to_owned(), value);
    Some(Value::Object(changed))
}

fn append(text: &Value, texts: &[String]) -> Option<Value> {
    let parts = std::iter::once(text.as_str()?).chain(texts.iter().map(String::as_str));
    Some(parts.collect::<Vec<_>>().join("\n\n").into())
}

fn insert_system(messages: &Value, texts: &[String]) -> Option<Value> {
    let messages = messages.as_array()?;
    let leading = messages.iter().take_while(|it| is_system(it)).count();
    let notes = texts.iter().map(|text| json!({ "role": "system", "content": text }));
    let (head, tail) = messages.split_at_checked(leading)?;
    let all = head.iter().cloned().chain(notes).chain(tail.iter().cloned()).collect();
    Some(collapse_leading_system(all).into())
}

fn annotate_output(current: &Value, texts: &[String]) -> Value {
    match current {
        Value::String(output) => {
            let parts = std::iter::once(output).chain(texts).filter(|part| !part.is_empty());
            parts.cloned().collect::<Vec<_>>().join("\n\n").into()
        }
        Value::Object(output) => {
            let old = output.get("hookNotes").and_then(Value::as_array);
            let old = old.into_iter().flatten().filter(|note| note.is_string()).cloned();
            let notes: Vec<Value> = old.chain(texts.iter().map(|it| it.clone().into())).collect();
            let mut output = output.clone();
            output.insert("hookNotes".to_owned(), notes.into());
            Value::Object(output)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            texts.join("\n\n").into()
        }
    }
}

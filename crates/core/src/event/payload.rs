//! Reading an event's fields from foreign bytes, strictly.
//!
//! Two readers of one payload must never disagree about it: keys that occur twice,
//! half characters and NULs in names are refused instead of being interpreted.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Event, EventKind};

/// The largest payload that is read.
pub const MAX_PAYLOAD: usize = 32 * 1024 * 1024;

/// Why a payload was refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct PayloadError {
    /// A stable code such as `E_PARSE`.
    pub code: &'static str,
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// The line, counted from one, where there is one.
    pub line: Option<usize>,
    /// The column, counted from one, where there is one.
    pub column: Option<usize>,
}

/// Reads the fields of an event.
pub fn parse_payload(kind: EventKind, bytes: &[u8]) -> Result<Event, PayloadError> {
    if bytes.len() > MAX_PAYLOAD {
        return Err(refuse(
            "E_SIZE",
            format!("the payload is larger than {} MiB", MAX_PAYLOAD >> 20),
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| bad_utf8(bytes, error.valid_up_to()))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut reader).map_err(|error| unreadable(&error))?;
    reader.end().map_err(|error| unreadable(&error))?;
    let Value::Object(fields) = value else {
        return Err(refuse("E_SCHEMA", "the payload is not a JSON object".to_owned()));
    };
    let event = Event::new(kind, fields);
    check_fields(&event)?;
    Ok(event)
}

/// One JSON value and nothing else, in which no object has a key twice.
pub(crate) fn strict_json(text: &str) -> Result<Value, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut reader).map_err(|error| unreadable(&error).message)?;
    reader.end().map_err(|error| unreadable(&error).message)?;
    Ok(value)
}

fn check_fields(event: &Event) -> Result<(), PayloadError> {
    let kind = event.kind().name();
    for field in event.kind().needs() {
        if event.field(field).is_none() {
            return Err(refuse("E_FIELD", format!("`{kind}` needs the field `{field}`")));
        }
    }
    for field in ["tool_name", "model_ref", "trigger_type", "cwd", "session_id", "run_id"] {
        match event.field(field) {
            Some(Value::String(text)) if text.contains('\0') => {
                return Err(refuse("E_CHAR", format!("`{field}` holds a NUL character")));
            }
            Some(Value::String(text)) if field == "tool_name" && text.is_empty() => {
                return Err(refuse("E_SCHEMA", "`tool_name` is empty".to_owned()));
            }
            Some(Value::String(_)) | None => (),
            Some(_) => return Err(refuse("E_SCHEMA", format!("`{field}` is not text"))),
        }
    }
    match event.field("tool_input") {
        Some(Value::Object(input)) => check_command(input),
        Some(_) if event.kind().needs().contains(&"tool_input") => {
            Err(refuse("E_SCHEMA", "`tool_input` is not an object".to_owned()))
        }
        Some(_) | None => Ok(()),
    }?;
    event.text("session_id").map_or(Ok(()), check_session_id)
}

fn check_command(input: &Map<String, Value>) -> Result<(), PayloadError> {
    match input.get("command") {
        Some(Value::String(command)) if command.contains('\0') => {
            Err(refuse("E_CHAR", "`tool_input.command` holds a NUL character".to_owned()))
        }
        _ => Ok(()),
    }
}

/// Session ids become file names and log fields.
fn check_session_id(id: &str) -> Result<(), PayloadError> {
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let path = id.chars().all(|c| c == '.');
    if plain && !path && (1..=128).contains(&id.len()) {
        return Ok(());
    }
    let message = "`session_id` is not 1 to 128 letters, digits, `.`, `_` or `-`";
    Err(refuse("E_SESSION_ID", message.to_owned()))
}

fn refuse(code: &'static str, message: String) -> PayloadError {
    PayloadError { code, message, line: None, column: None }
}

fn bad_utf8(bytes: &[u8], valid_up_to: usize) -> PayloadError {
    let before = bytes.get(..valid_up_to).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n').count();
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    let message = "the payload is not UTF-8".to_owned();
    PayloadError { code: "E_ENCODING", message, line: Some(line), column: Some(column) }
}

fn unreadable(error: &serde_json::Error) -> PayloadError {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default().to_owned();
    let code = match message.as_str() {
        text if text.starts_with("duplicate key") => "E_DUP_KEY",
        text if text.contains("surrogate") || text.contains("hex escape") => "E_ENCODING",
        text if text.contains("recursion limit") => "E_DEPTH",
        _ => "E_PARSE",
    };
    PayloadError { code, message, line: Some(error.line()), column: Some(error.column()) }
}

/// A JSON value in which no object has a key twice.
#[derive(Clone, Copy)]
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(list.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            let value = entries.next_value_seed(self)?;
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

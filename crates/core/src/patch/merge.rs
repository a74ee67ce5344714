//! The merge rules, one function each.

use serde_json::{Map, Value};

use super::MergeRule;
use super::message::{collapse_leading_system, valid_message};

/// A merged value, and the parts of the patch that had no place in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The value after the merge.
    pub value: Value,
    /// What was left out, one phrase each.
    pub ignored: Vec<String>,
}

impl Merged {
    pub(super) fn clean(value: Value) -> Self {
        Self { value, ignored: Vec::new() }
    }
}

/// Merges by rule; `None` when the patch is of a type the scope cannot take.
pub(super) fn merge(rule: MergeRule, current: &Value, patch: &Value) -> Option<Merged> {
    match rule {
        MergeRule::Replace => Some(Merged::clean(patch.clone())),
        MergeRule::Shallow => Some(Merged::clean(shallow(current, patch))),
        MergeRule::Deep => patch.as_object().map(|patch| context(current, patch)),
        MergeRule::ModelRequest => patch.as_object().map(|patch| model_request(current, patch)),
        MergeRule::ModelResponse => patch.as_object().map(|patch| model_response(current, patch)),
    }
}

fn shallow(current: &Value, patch: &Value) -> Value {
    match (current, patch) {
        (Value::Object(current), Value::Object(patch)) => {
            let mut merged = current.clone();
            merged.extend(patch.iter().map(|(key, value)| (key.clone(), value.clone())));
            Value::Object(merged)
        }
        _ => patch.clone(),
    }
}

fn deep(current: &Value, patch: &Value) -> Value {
    let (Value::Object(current), Value::Object(patch)) = (current, patch) else {
        return patch.clone();
    };
    let mut merged = current.clone();
    for (key, value) in patch {
        let value = deep(merged.get(key).unwrap_or(&Value::Null), value);
        merged.insert(key.clone(), value);
    }
    Value::Object(merged)
}

fn context(current: &Value, patch: &Map<String, Value>) -> Merged {
    let mut merged = object(current);
    let mut ignored = Vec::new();
    for (key, value) in patch {
        let value = match (key.as_str(), value) {
            ("messages", Value::Array(messages)) => valid_messages(messages, &mut ignored).into(),
            _ => deep(merged.get(key).unwrap_or(&Value::Null), value),
        };
        merged.insert(key.clone(), value);
    }
    Merged { value: Value::Object(merged), ignored }
}

/// Which number of a patch sets which number of the request.
///
/// Later rows win, so that a patch with both spellings means the canonical one.
const REQUEST_SETTINGS: [(&str, &str); 4] = [
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("topP", "topP"),
    ("maxTokens", "maxTokens"),
];

fn model_request(current: &Value, patch: &Map<String, Value>) -> Merged {
    let mut merged = object(current);
    let mut ignored = Vec::new();
    for key in patch.keys() {
        let known = REQUEST_SETTINGS.iter().any(|(from, _)| from == key);
        if !known && !["model_ref", "model", "messages"].contains(&key.as_str()) {
            ignored.push(format!("`{key}` is not a setting of a model request"));
        }
    }
    let text = |key| patch.get(key).and_then(Value::as_str);
    // A reference that is text decides, even an empty one, which changes nothing.
    if let Some(model) = text("model_ref").or_else(|| text("model")).filter(|it| !it.is_empty()) {
        // Which provider and model a reference stands for is the harness's knowledge.
        merged.insert("model".to_owned(), model.into());
        merged.insert("canonicalModelRef".to_owned(), model.into());
    }
    for (from, to) in REQUEST_SETTINGS {
        match patch.get(from) {
            Some(value) if value.is_number() => {
                merged.insert(to.to_owned(), value.clone());
            }
            Some(_) => ignored.push(format!("`{from}` is not a number")),
            None => (),
        }
    }
    match patch.get("messages") {
        Some(Value::Array(messages)) => {
            let messages = collapse_leading_system(valid_messages(messages, &mut ignored));
            merged.insert("messages".to_owned(), messages.into());
        }
        Some(_) => ignored.push("`messages` is not a list".to_owned()),
        None => (),
    }
    Merged { value: Value::Object(merged), ignored }
}

fn model_response(current: &Value, patch: &Map<String, Value>) -> Merged {
    let mut merged = object(current);
    let mut ignored = Vec::new();
    for (key, value) in patch {
        match key.as_str() {
            "text" | "finishReason" if value.is_string() => {
                merged.insert(key.clone(), value.clone());
            }
            "text" | "finishReason" => ignored.push(format!("`{key}` is not text")),
            _ => ignored.push(format!("`{key}` of a model response cannot be rewritten")),
        }
    }
    Merged { value: Value::Object(merged), ignored }
}

fn valid_messages(messages: &[Value], ignored: &mut Vec<String>) -> Vec<Value> {
    let mut valid = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        match valid_message(message) {
            Some(message) => valid.push(message),
            None => ignored.push(format!("`messages[{index}]` is not a message")),
        }
    }
    valid
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The places where two values differ, as JSON pointers with the new value.
pub fn changed_places(before: &Value, after: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    collect_changes(before, after, String::new(), &mut places);
    places
}

fn collect_changes(
    before: &Value,
    after: &Value,
    place: String,
    places: &mut Vec<(String, Value)>,
) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                let key_place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                match old.get(key) {
                    Some(old) => collect_changes(old, value, key_place, places),
                    None => places.push((key_place, value.clone())),
                }
            }
        }
        _ if before != after => places.push((place, after.clone())),
        _ => (),
    }
}

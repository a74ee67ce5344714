//! The JSON Schema of a hook file, for editors. A test holds it against the decoder.

use serde_json::{Value, json};

use super::{CAPABILITIES, event_names};
use crate::profile::MAX_TIMEOUT;

/// The schema (draft 07, which is what editors read).
pub fn schema() -> Value {
    let mut capabilities: Vec<_> = CAPABILITIES.iter().flat_map(|row| [row.1, row.2]).collect();
    capabilities.sort_unstable();
    capabilities.dedup();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Open Agent Harness hook",
        "description": "One hook, in .openharness/hooks/NAME.yaml",
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "events", "handler"],
        "properties": {
            "name": { "type": "string", "pattern": "^[a-zA-Z0-9._-]+$", "description": "Unique among the hooks of a workspace" },
            "events": {
                "description": "What triggers the hook",
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": { "anyOf": [{ "enum": event_names() }, { "type": "string", "description": "An event that .becket/settings.yaml declares" }] }
            },
            "matcher": {
                "type": "string",
                "minLength": 1,
                "pattern": "\\S",
                "description": "A regular expression (not a glob) on the tool name, model reference or trigger type; without it the hook always fires"
            },
            "capabilities": {
                "description": "What the hook may change",
                "type": "array",
                "uniqueItems": true,
                "items": { "enum": capabilities }
            },
            "on_failure": {
                "description": "becket only: what a failure of this hook means; the dialect's own answer is allow",
                "enum": ["allow", "ask", "deny"]
            },
            "handler": { "oneOf": [command(), http(), prompt(), agent()] }
        }
    })
}

fn handler(kind: &str, required: &[&str], fields: Value) -> Value {
    let mut properties = json!({
        "type": { "const": kind },
        "timeout_seconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_TIMEOUT.as_secs(),
            "description": "How long the whole exchange may take"
        }
    });
    if let (Value::Object(properties), Value::Object(fields)) = (&mut properties, fields) {
        properties.extend(fields);
    }
    let mut needed = vec!["type"];
    needed.extend(required);
    json!({ "type": "object", "additionalProperties": false, "required": needed, "properties": properties })
}

pub(in crate::config) fn text(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "pattern": "\\S", "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": description })
}

fn command() -> Value {
    let fields = json!({
        "command": text("Given to /bin/sh; the envelope is on standard input"),
        "cwd": text("Where it runs, relative to the workspace"),
        "environment": texts("Variables added to its environment; ${secrets.NAME} is resolved")
    });
    handler("command", &["command"], fields)
}

fn http() -> Value {
    let fields = json!({
        "url": { "type": "string", "pattern": "^https?://[^/?#@:\\s][^@\\s]*$", "description": "Receives the envelope as its body" },
        "method": { "enum": super::handler::METHODS, "default": "POST" },
        "headers": texts("Headers added to the request; ${secrets.NAME} is resolved")
    });
    handler("http", &["url"], fields)
}

fn prompt() -> Value {
    let fields = json!({
        "prompt": source("The question; the envelope is appended"),
        "model_ref": text("Which model answers")
    });
    handler("prompt", &["prompt"], fields)
}

fn agent() -> Value {
    let fields = json!({
        "agent": text("The agent that answers"),
        "task": source("The task; the envelope is appended")
    });
    handler("agent", &["agent", "task"], fields)
}

fn source(description: &str) -> Value {
    json!({
        "description": description,
        "oneOf": [
            { "type": "object", "additionalProperties": false, "required": ["inline"], "properties": { "inline": text("The text itself") } },
            { "type": "object", "additionalProperties": false, "required": ["file"], "properties": { "file": text("A file below the workspace") } }
        ]
    })
}

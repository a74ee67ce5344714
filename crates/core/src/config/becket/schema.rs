//! The JSON Schema of our own hook files, for editors. A test holds it against the decoder.

use serde_json::{Map, Value, json};

use super::super::oah::schema::{schema as shape, text};
use super::{MAX_ORDER, MAX_TOKENS, MAX_TURNS, MODES, ROLES, event_names};

/// The schema (draft 07, which is what editors read): that of Open Agent Harness, with more allowed.
pub fn schema() -> Value {
    let mut schema = shape();
    let events = json!({ "anyOf": [
        { "enum": event_names() },
        { "type": "string", "minLength": 1, "pattern": "\\S", "description": "An event that settings declare" }
    ] });
    let failure =
        "What a failure of this hook means; without it a gate asks, and a managed one denies";
    add(
        &mut schema,
        "",
        json!({
            "title": "becket hook",
            "description": "One hook, in .becket/hooks/NAME.yaml",
            "allOf": laws(),
        }),
    );
    add(&mut schema, "/properties/events", json!({ "items": events }));
    add(&mut schema, "/properties/on_failure", json!({ "description": failure }));
    add(&mut schema, "/properties", fields());
    let handlers = schema.pointer_mut("/properties/handler/oneOf").and_then(Value::as_array_mut);
    for handler in handlers.into_iter().flatten() {
        add(handler, "", json!({ "not": { "required": ["timeout", "timeout_seconds"] } }));
        add(handler, "/properties", json!({ "timeout": timeout("The same, with a unit") }));
        if handler.pointer("/properties/type/const") == Some(&json!("command")) {
            add(
                handler,
                "/properties",
                json!({ "args": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Starts the command as a program with these arguments, without a shell"
            } }),
            );
        }
    }
    schema
}

/// What fields must not say together.
fn laws() -> Value {
    json!([
        together("role", "guard", "on_failure", &["deny"]),
        together("role", "observer", "on_failure", &["allow"]),
        { "if": { "required": ["mode"], "properties": { "mode": { "const": "canary" } } },
          "then": { "required": ["canary_percent"] },
          "else": { "not": { "required": ["canary_percent"] } } },
        { "not": {
            "required": ["timeout", "handler"],
            "properties": { "handler": { "anyOf": [
                { "type": "object", "required": ["timeout"] },
                { "type": "object", "required": ["timeout_seconds"] }
            ] } }
        } },
        only_for("env", &["command"]),
        only_for("budget", &["prompt", "agent"]),
        { "if": { "properties": { "budget": { "type": "object", "required": ["turns"] } }, "required": ["budget"] },
          "then": of_type(&["agent"]) }
    ])
}

fn fields() -> Value {
    json!({
        "description": text("What it is for"),
        "matcher": {
            "type": "string",
            "description": "Names (Edit|Write), names with stars (mcp__db__*), rules (Bash(git push *)) or regular expressions for the whole name, separated by | or ,"
        },
        "role": {
            "enum": ROLES.map(|it| it.0),
            "description": "A guard refuses when it fails, an observer lets pass"
        },
        "mode": { "enum": MODES, "description": "How much its answer counts", "default": "enforce" },
        "canary_percent": {
            "type": "integer", "minimum": 1, "maximum": 100,
            "description": "In how many of a hundred sessions a canary counts"
        },
        "if": {
            "description": "It runs only for tool calls that one of these rules hits",
            "oneOf": [rule(), { "type": "array", "minItems": 1, "items": rule() }]
        },
        "condition": text("A shell command that must succeed for the hook to run; it has one second"),
        "order": {
            "type": "integer", "minimum": -MAX_ORDER, "maximum": MAX_ORDER, "default": 0,
            "description": "Where it stands among the hooks of its layer: small numbers first"
        },
        "timeout": timeout("How long the whole exchange may take"),
        "env": {
            "type": "array",
            "items": { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
            "description": "The variables its command inherits, and no others"
        },
        "enabled": { "type": "boolean", "default": true, "description": "Whether it runs at all" },
        "budget": {
            "description": "What a prompt or agent hook may spend on one event",
            "type": "object",
            "additionalProperties": false,
            "minProperties": 1,
            "properties": {
                "tokens": { "type": "integer", "minimum": 1, "maximum": MAX_TOKENS, "description": "Tokens the model may write" },
                "turns": { "type": "integer", "minimum": 1, "maximum": MAX_TURNS, "description": "How often an agent may ask its model" }
            }
        }
    })
}

fn rule() -> Value {
    json!({
        "type": "string",
        "pattern": "^\\s*[^()\\s]+\\s*(\\(.*\\S.*\\))?\\s*$",
        "description": "Tool, or Tool(what) such as Bash(git push *)"
    })
}

fn timeout(description: &str) -> Value {
    json!({ "description": description, "oneOf": [
        { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$" },
        { "type": "number", "minimum": 0.05, "maximum": 3600 }
    ] })
}

/// Where one field has a value, another that is there has one of these.
fn together(field: &str, value: &str, other: &str, values: &[&str]) -> Value {
    json!({
        "if": { "required": [field], "properties": { field: { "const": value } } },
        "then": { "properties": { other: { "enum": values } } }
    })
}

/// Where a field stands, the handler is of one of these types.
fn only_for(field: &str, types: &[&str]) -> Value {
    json!({ "if": { "required": [field] }, "then": of_type(types) })
}

fn of_type(types: &[&str]) -> Value {
    json!({ "properties": { "handler": { "properties": { "type": { "enum": types } } } } })
}

/// Adds fields to the object that a pointer leads to.
fn add(schema: &mut Value, pointer: &str, fields: Value) {
    if let (Some(Value::Object(object)), Value::Object(fields)) =
        (schema.pointer_mut(pointer), fields)
    {
        object.extend::<Map<String, Value>>(fields);
    }
}

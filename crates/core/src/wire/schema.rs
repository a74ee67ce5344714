//! The JSON Schema of the envelope that handlers receive.

use serde_json::{Map, Value, json};

use crate::dialect::Dialect;
use crate::event::EventKind;

/// The fields that any envelope may have, each with what it holds.
const FIELDS: [(&str, &str, &str); 17] = [
    ("workspace_id", "string", "the workspace"),
    ("session_id", "string", "the session"),
    ("run_id", "string", "the run"),
    ("cwd", "string", "the working directory"),
    ("hook_event_name", "string", "the event, by its name in the hook's dialect"),
    ("agent_name", "string", "the agent as configured"),
    ("effective_agent_name", "string", "the agent that really acts"),
    ("trigger_type", "string", "what started the run"),
    ("run_status", "string", "how the run stands"),
    ("tool_name", "string", "the tool"),
    ("tool_input", "object", "its arguments"),
    ("tool_output", "", "what it returned"),
    ("tool_call_id", "string", "the id that links call and result"),
    ("model_ref", "string", "the model"),
    ("model_request", "object", "the request to it"),
    ("model_response", "object", "its response"),
    ("context", "object", "the context in the making"),
];

/// The schema (draft 07) of the unified envelope.
pub fn envelope_schema() -> Value {
    let events: Vec<String> = EventKind::KNOWN
        .iter()
        .flat_map(|kind| [Some(kind.name()), kind.name_in(Dialect::Oah)])
        .flatten()
        .map(str::to_owned)
        .collect();
    let mut properties = Map::new();
    for (name, kind, description) in FIELDS {
        let field = match (name, kind) {
            ("hook_event_name", _) => {
                json!({ "description": description, "anyOf": [{ "enum": events }, { "type": "string" }] })
            }
            (_, "") => json!({ "description": description }),
            (_, kind) => json!({ "description": description, "type": kind }),
        };
        properties.insert(name.to_owned(), field);
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Envelope",
        "description": "What a command hook reads on standard input and an HTTP hook as its body",
        "type": "object",
        "required": ["hook_event_name", "cwd", "run_id", "workspace_id", "effective_agent_name"],
        "properties": properties,
        "additionalProperties": true
    })
}

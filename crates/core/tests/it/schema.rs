//! The published schema of a hook file and the decoder agree about what a hook is.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use becket_core::config::{File, Place, oah_schema, read};
use becket_core::dialect::{Compat, Dialect};
use becket_core::hook::Layer;
use becket_core::world::World;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// An outside in which every file exists.
struct Calm;

impl World for Calm {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn has_file(&self, _: &Path) -> bool {
        true
    }
    fn knows_secret(&self, _: &str) -> bool {
        true
    }
}

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&oah_schema()).unwrap());

/// Whether the decoder takes a hook, and what it says if not.
fn decoded(hook: &Value) -> Result<(), Vec<String>> {
    let path = Arc::new(PathBuf::from("h.yaml"));
    let place = Place {
        dialect: Dialect::Oah,
        compat: Compat::Safe,
        layer: Layer::CommandLine,
        source: Arc::clone(&path),
        workspace: Arc::new(PathBuf::from("/w")),
        disabled: None,
        events: Vec::new(),
    };
    let loaded = read(&place, &[File { path, bytes: hook.to_string().into_bytes() }], &Calm);
    if loaded.refused.is_empty() {
        return Ok(());
    }
    Err(loaded.diagnostics.iter().map(ToString::to_string).collect())
}

/// Takes one of the values, or leaves the field out.
fn field(name: &'static str, values: Vec<Value>) -> impl Strategy<Value = Option<(String, Value)>> {
    let some = select(values).prop_map(move |value| Some((name.to_owned(), value)));
    prop_oneof![1 => Just(None), 4 => some]
}

fn object(fields: Vec<BoxedStrategy<Option<(String, Value)>>>) -> BoxedStrategy<Value> {
    let object = fields
        .prop_map(|fields| Value::Object(fields.into_iter().flatten().collect::<Map<_, _>>()));
    object.boxed()
}

fn texts(values: &[&str]) -> Vec<Value> {
    let mut all: Vec<Value> = values.iter().map(|it| json!(it)).collect();
    all.extend([json!(""), json!(7), Value::Null]);
    all
}

fn any_handler() -> BoxedStrategy<Value> {
    let source = || {
        vec![
            json!({ "inline": "P" }),
            json!({ "file": "./p.md" }),
            json!({ "inline": "P", "file": "p" }),
            json!({}),
            json!("P"),
        ]
    };
    object(vec![
        field("type", texts(&["command", "http", "prompt", "agent", "comand"])).boxed(),
        field("command", texts(&["true"])).boxed(),
        field("cwd", texts(&["./"])).boxed(),
        field("environment", vec![json!({ "A": "b" }), json!({ "A": 1 }), json!([])]).boxed(),
        field("url", texts(&["https://example.internal/x", "nope", "http://"])).boxed(),
        field("method", texts(&["POST", "PUT", "post"])).boxed(),
        field("headers", vec![json!({ "A": "b" }), json!({ "A": null })]).boxed(),
        field("prompt", source()).boxed(),
        field("model_ref", texts(&["m"])).boxed(),
        field("agent", texts(&["reviewer"])).boxed(),
        field("task", source()).boxed(),
        field(
            "timeout_seconds",
            vec![json!(1), json!(3600), json!(0), json!(1.5), json!("5"), json!(4000)],
        )
        .boxed(),
    ])
}

/// Mostly handlers that are nearly right: random ones almost never are.
fn likely_handler() -> BoxedStrategy<Value> {
    let good = vec![
        json!({ "type": "command", "command": "true" }),
        json!({ "type": "command", "command": "true", "cwd": "./", "timeout_seconds": 5, "environment": {} }),
        json!({ "type": "http", "url": "https://example.internal/x", "method": "PUT", "headers": { "A": "b" } }),
        json!({ "type": "prompt", "prompt": { "inline": "P" }, "model_ref": "m" }),
        json!({ "type": "agent", "agent": "a", "task": { "file": "t.md" }, "timeout_seconds": 30 }),
    ];
    prop_oneof![select(good), any_handler()].boxed()
}

fn any_hook() -> BoxedStrategy<Value> {
    let events = vec![
        json!(["before_tool_dispatch"]),
        json!(["run_completed", "run_failed"]),
        json!(["run_failed", "run_failed"]),
        json!([]),
        json!([7]),
    ];
    let capabilities = vec![
        json!(["patch_tool_input"]),
        json!(["rewrite_context", "suppress_output"]),
        json!(["rewrite_everything"]),
        json!([]),
        json!(["patch_context", "patch_context"]),
    ];
    let handler = prop_oneof![1 => Just(None), 8 => likely_handler().prop_map(|it| Some(("handler".to_owned(), it)))];
    object(vec![
        field("name", texts(&["a", "a.b_c-1", "has space"])).boxed(),
        field("events", events).boxed(),
        field("matcher", texts(&["Bash"])).boxed(),
        field("capabilities", capabilities).boxed(),
        field("on_failure", texts(&["deny", "ask", "maybe"])).boxed(),
        prop_oneof![9 => Just(None), 1 => Just(Some(("enabled".to_owned(), json!(true))))].boxed(),
        handler.boxed(),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_schema_and_the_decoder_accept_the_same_hooks(hook in any_hook()) {
        let errors: Vec<_> = SCHEMA.iter_errors(&hook).map(|error| error.to_string()).collect();
        let decoded = decoded(&hook);
        prop_assert_eq!(errors.is_empty(), decoded.is_ok(), "{}\nschema: {:?}\ndecoder: {:?}", hook, errors, decoded);
    }
}

#[test]
fn the_example_of_the_documentation_is_accepted_by_both() {
    let hook = json!({
        "name": "block-dangerous-commands",
        "events": ["before_tool_dispatch"],
        "matcher": "Bash",
        "handler": { "type": "command", "command": "node ./.openharness/hooks/scripts/check-command.js", "timeout_seconds": 5 },
        "capabilities": ["patch_tool_input"],
    });
    assert!(SCHEMA.is_valid(&hook));
    assert_eq!(decoded(&hook), Ok(()));
}

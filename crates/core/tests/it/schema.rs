//! The published schema of a hook file and the decoder agree about what a hook is.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::sync::LazyLock;

use becket_core::config::{becket_schema, oah_schema};
use becket_core::dialect::Dialect;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::hooks::decoded;

static OAH: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&oah_schema()).unwrap());
static BECKET: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&becket_schema()).unwrap());

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
    object(shape(vec![
        prop_oneof![9 => Just(None), 1 => Just(Some(("enabled".to_owned(), json!(true))))].boxed(),
    ]))
}

type Field = BoxedStrategy<Option<(String, Value)>>;

/// The fields that both dialects have, and more.
fn shape(more: Vec<Field>) -> Vec<Field> {
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
    let mut fields = vec![
        field("name", texts(&["a", "a.b_c-1", "has space"])).boxed(),
        field("events", events).boxed(),
        field("matcher", vec![json!("Bash"), json!(7), Value::Null]).boxed(),
        field("capabilities", capabilities).boxed(),
        rare("on_failure", texts(&["deny", "ask", "maybe"])),
        handler.boxed(),
    ];
    fields.extend(more);
    fields
}

/// Mostly leaves the field out, so that the others matter too.
fn rare(name: &'static str, values: Vec<Value>) -> Field {
    prop_oneof![3 => Just(None), 1 => field(name, values)].boxed()
}

/// A hook of ours, mostly with a field or two that Open Agent Harness does not have.
fn any_becket_hook() -> BoxedStrategy<Value> {
    let times = || {
        vec![
            json!("250ms"),
            json!("5s"),
            json!("2m"),
            json!(3),
            json!(0.5),
            json!("5"),
            json!("fast"),
            json!(0),
            json!(true),
        ]
    };
    let more = vec![
        rare("description", texts(&["what it is for"])),
        rare("role", texts(&["guard", "observer", "boss"])),
        rare("mode", texts(&["enforce", "warn", "shadow", "canary", "dry"])),
        rare(
            "canary_percent",
            vec![json!(10), json!(100), json!(0), json!(101), json!(1.5), json!("10")],
        ),
        rare(
            "if",
            vec![
                json!("Bash(git push *)"),
                json!(["Edit", "Write(src/**)"]),
                json!([]),
                json!(""),
                json!("Bash("),
                json!(7),
            ],
        ),
        rare("condition", texts(&["test -f x"])),
        rare("order", vec![json!(0), json!(-5), json!(10), json!(1.5), json!("first")]),
        rare("timeout", times()),
        rare(
            "env",
            vec![json!(["PATH", "HOME"]), json!([]), json!(["A=b"]), json!([7]), json!("PATH")],
        ),
        rare("enabled", vec![json!(true), json!(false), json!("no"), Value::Null]),
        rare(
            "budget",
            vec![
                json!({ "tokens": 500 }),
                json!({ "turns": 3 }),
                json!({ "tokens": 500, "turns": 3 }),
                json!({}),
                json!({ "tokens": 0 }),
                json!({ "money": 1 }),
                json!(5),
            ],
        ),
        rare("colour", vec![json!("red")]),
    ];
    let with_own = (
        object(shape(more)),
        rare("timeout", times()),
        rare("args", vec![json!(["-c", ""]), json!([1]), json!("x")]),
    );
    let with_own = with_own.prop_map(|(mut hook, timeout, args)| {
        if let Some(handler) = hook.get_mut("handler").and_then(Value::as_object_mut) {
            handler.extend(timeout.into_iter().chain(args));
        }
        hook
    });
    with_own.boxed()
}

fn assert_agreement(
    (schema, dialect): (&jsonschema::Validator, Dialect),
    hook: &Value,
) -> Result<(), TestCaseError> {
    let errors: Vec<_> = schema.iter_errors(hook).map(|error| error.to_string()).collect();
    let decoded = decoded(dialect, hook);
    prop_assert_eq!(
        errors.is_empty(),
        decoded.is_ok(),
        "{}\nschema: {:?}\ndecoder: {:?}",
        hook,
        errors,
        decoded
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_schema_and_the_decoder_accept_the_same_hooks(hook in any_hook()) {
        assert_agreement((&OAH, Dialect::Oah), &hook)?;
    }

    #[test]
    fn our_own_schema_and_decoder_accept_the_same_hooks(hook in any_becket_hook()) {
        assert_agreement((&BECKET, Dialect::Becket), &hook)?;
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
    for (schema, dialect) in [(&OAH, Dialect::Oah), (&BECKET, Dialect::Becket)] {
        assert!(schema.is_valid(&hook));
        assert_eq!(decoded(dialect, &hook), Ok(()));
    }
}

#[test]
fn a_hook_of_ours_with_every_field_is_accepted_by_both() {
    let hook = json!({
        "name": "review", "description": "a second pair of eyes", "events": ["PreToolUse", "beforeSubmitPrompt"],
        "matcher": "Bash(git push *)|mcp__.*", "if": ["Bash(git push *)"], "condition": "test -d .git",
        "role": "guard", "on_failure": "deny", "mode": "canary", "canary_percent": 10, "order": -1,
        "timeout": "20s", "enabled": false, "budget": { "tokens": 500, "turns": 3 },
        "handler": { "type": "agent", "agent": "reviewer", "task": { "inline": "Look." } },
    });
    let errors: Vec<_> = BECKET.iter_errors(&hook).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(decoded(Dialect::Becket, &hook), Ok(()));
}

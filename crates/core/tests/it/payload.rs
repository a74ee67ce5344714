//! Payloads: what is accepted is what was sent, and nothing that could be read two ways is accepted.

use becket_core::event::{EventKind, parse_payload};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

proptest! {
    #[test]
    fn unknown_fields_pass_through_unchanged(
        fields in prop::collection::btree_map("x[a-z]{0,6}", prop_oneof![any::<i64>().prop_map(Value::from), ".{0,10}".prop_map(Value::from)], 0..6),
    ) {
        let fields: Map<String, Value> = fields.into_iter().collect();
        let event = parse_payload(EventKind::SessionStart, Value::Object(fields.clone()).to_string().as_bytes()).unwrap();
        prop_assert_eq!(event.fields(), &fields);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Err(error) = parse_payload(EventKind::PreToolUse, &bytes) {
            prop_assert!(error.code.starts_with("E_"));
        }
    }
}

#[test]
fn other_spellings_of_fields_become_the_canonical_ones() {
    let payload =
        json!({ "tool_name": "A", "tool_call_id": "c", "tool_response": { "n": 1 } }).to_string();
    let event = parse_payload(EventKind::PostToolUse, payload.as_bytes()).unwrap();
    assert_eq!(
        (event.text("tool_use_id"), event.field("tool_output")),
        (Some("c"), Some(&json!({ "n": 1 })))
    );
}

#[test]
fn a_byte_that_is_not_utf_8_is_told_with_its_place() {
    let error = parse_payload(EventKind::Stop, b"{\n \"a\": \"\xff\" }").unwrap_err();
    assert_eq!((error.code, error.line, error.column), ("E_ENCODING", Some(2), Some(8)));
}

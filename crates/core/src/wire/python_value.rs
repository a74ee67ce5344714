//! What Python makes of a JSON value: its text, its truth, and how it writes JSON with letters as they are.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// The value as `str` shows it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            let mut shown = String::new();
            show(value, &mut shown);
            shown
        }
    }
}

/// Whether the value counts as true in a condition.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// The value as JSON with a space after each comma and colon.
pub fn json(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Spaced);
    // Writing a value to memory cannot fail.
    let _ = value.serialize(&mut serializer);
    String::from_utf8(bytes).unwrap_or_default()
}

fn show(value: &Value, shown: &mut String) {
    match value {
        Value::Null => shown.push_str("None"),
        Value::Bool(true) => shown.push_str("True"),
        Value::Bool(false) => shown.push_str("False"),
        Value::Number(number) => shown.push_str(&number.to_string()),
        Value::String(text) => quote(text, shown),
        Value::Array(items) => {
            shown.push('[');
            for (index, item) in items.iter().enumerate() {
                shown.push_str(if index == 0 { "" } else { ", " });
                show(item, shown);
            }
            shown.push(']');
        }
        Value::Object(fields) => {
            shown.push('{');
            for (index, (key, field)) in fields.iter().enumerate() {
                shown.push_str(if index == 0 { "" } else { ", " });
                quote(key, shown);
                shown.push_str(": ");
                show(field, shown);
            }
            shown.push('}');
        }
    }
}

/// In single quotes, unless only double ones save an escape.
fn quote(text: &str, shown: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    shown.push(mark);
    for c in text.chars() {
        match c {
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if c == mark => shown.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(shown, "\\x{:02x}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown.push(mark);
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::{is_true, json, text};
    use serde_json::json;

    #[test]
    fn a_value_is_shown_as_python_shows_it() {
        for (value, shown) in [
            (json!("it's"), "it's"),
            (json!(["it's", "a\"b", "'\"", "\n\u{1}\\"]), r#"["it's", 'a"b', '\'"', '\n\x01\\']"#),
            (json!({ "a": [1, 1.5, true, null], "b": {} }), "{'a': [1, 1.5, True, None], 'b': {}}"),
            (json!(false), "False"),
        ] {
            assert_eq!(text(&value), shown);
        }
    }

    #[test]
    fn json_is_written_with_spaces_and_letters_as_they_are() {
        let value = json!({ "a": [1, "ä\n\""], "b": {}, "c": [] });
        assert_eq!(json(&value), r#"{"a": [1, "ä\n\""], "b": {}, "c": []}"#);
    }

    #[test]
    fn what_is_empty_or_zero_is_not_true() {
        for value in
            [json!(null), json!(false), json!(0), json!(0.0), json!(""), json!([]), json!({})]
        {
            assert!(!is_true(&value), "{value}");
        }
        for value in [json!(true), json!(-1), json!("0"), json!([0]), json!({ "a": null })] {
            assert!(is_true(&value), "{value}");
        }
    }
}

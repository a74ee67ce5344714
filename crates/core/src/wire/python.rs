//! Values as Python shows them: what hooks of programs written in it are told.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// A value as `json.dumps(value, ensure_ascii=False)` writes it.
pub fn json(value: &Value) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Spaced));
    // A value of JSON can always be written.
    written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// A value as `str(value)` writes it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => shown(other),
    }
}

/// Whether Python takes a value for true.
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

/// A value as `repr(value)` writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let pairs =
                fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), shown(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(mark);
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c == mark => quoted.extend(['\\', c]),
            c if c.is_ascii_control() => quoted.extend(format!("\\x{:02x}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push(mark);
    quoted
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::{is_true, json, text};
    use serde_json::json;

    #[test]
    fn values_look_as_in_python() {
        let value = json!({ "a": [1, 2.5, null, true], "b": "it's é" });
        assert_eq!(json(&value), r#"{"a": [1, 2.5, null, true], "b": "it's é"}"#);
        assert_eq!(text(&value), r#"{'a': [1, 2.5, None, True], 'b': "it's é"}"#);
        assert_eq!(text(&json!("x")), "x");
    }

    #[test]
    fn what_is_empty_is_false() {
        for value in [json!(null), json!(0), json!(""), json!([]), json!({}), json!(false)] {
            assert!(!is_true(&value), "{value}");
        }
        assert!(is_true(&json!("0")) && is_true(&json!([0])) && is_true(&json!(-1)));
    }
}

//! What Python makes of a JSON value: its text, its truth, its JSON; and its way to quote for a shell.

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

/// The value as `json.dumps` writes it with letters as they are: a space after each comma and colon.
pub fn json(value: &Value) -> String {
    written(value, Spaced { ascii: false })
}

/// The value as `json.dumps` writes it by default: in ASCII only.
pub(super) fn ascii_json(value: &Value) -> String {
    written(value, Spaced { ascii: true })
}

fn written(value: &Value, format: Spaced) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, format));
    // A value of JSON can always be written.
    written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// A text as one word of a shell, as `shlex.quote` writes it.
pub(super) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
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

/// JSON with spaces in it.
struct Spaced {
    ascii: bool,
}

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

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        text: &str,
    ) -> io::Result<()> {
        for c in text.chars() {
            if !self.ascii || matches!(c, ' '..='~') {
                to.write_all(c.encode_utf8(&mut [0; 4]).as_bytes())?;
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ascii_json, is_true, json, shell_word, text};
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

    #[test]
    fn json_is_ascii_and_spaced() {
        let value = json!({ "a": [1, 2.0, null], "b": { "c": "é\u{7f}😀\n\"" } });
        assert_eq!(
            ascii_json(&value),
            r#"{"a": [1, 2.0, null], "b": {"c": "\u00e9\u007f\ud83d\ude00\n\""}}"#
        );
    }

    #[test]
    fn a_word_is_quoted_only_where_it_must_be() {
        assert_eq!(
            [shell_word(""), shell_word("a-b"), shell_word("a b"), shell_word("it's")],
            ["''", "a-b", "'a b'", "'it'\"'\"'s'"]
        );
    }
}

//! JSON as Python writes it by default: a space after each comma and colon, ASCII only.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// A value as Python's `json.dumps` writes it.
pub(super) fn json(value: &Value) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Python));
    // A value of JSON can always be written.
    written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_default()
}

struct Python;

impl Formatter for Python {
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

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        text: &str,
    ) -> io::Result<()> {
        for c in text.chars() {
            if matches!(c, ' '..='~') {
                to.write_all(&[u8::try_from(c).unwrap_or(b'?')])?;
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

/// A text as one word of a shell, as Python's `shlex.quote` writes it.
pub(super) fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}

#[cfg(test)]
mod tests {
    use super::{json as written, quote};
    use serde_json::json;

    #[test]
    fn json_is_ascii_and_spaced() {
        let value = json!({ "a": [1, 2.0, null], "b": { "c": "é\u{7f}😀\n\"" } });
        assert_eq!(
            written(&value),
            r#"{"a": [1, 2.0, null], "b": {"c": "\u00e9\u007f\ud83d\ude00\n\""}}"#
        );
    }

    #[test]
    fn a_word_is_quoted_only_where_it_must_be() {
        assert_eq!(
            [quote(""), quote("a-b"), quote("a b"), quote("it's")],
            ["''", "a-b", "'a b'", "'it'\"'\"'s'"]
        );
    }
}

//! Finding a refusal in whatever a hook printed.
//!
//! A refusal that arrived counts, whatever is wrong around it: noise, other objects, fields of the
//! wrong type, half characters, nesting nobody expects. So this reads no values; it only steps over
//! them, and looks at the few fields that refuse.

use crate::verdict::{Failure, Remark};

/// What refuses in a text, and why.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Objection {
    pub(super) blocks: bool,
    pub(super) asks: bool,
    pub(super) stops: bool,
    pub(super) reason: Option<String>,
    pub(super) stop_reason: Option<String>,
}

/// What a field of an answer says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sign {
    Blocks,
    Asks,
    Stops,
    Reason,
    StopReason,
    /// The value is an object of which these fields count.
    Holds(Signs),
}

/// The fields by which a grammar refuses: each with the value it must have, if only one counts.
/// Both are as JSON writes them; of the value capitals do not matter.
pub(super) type Signs = &'static [(&'static str, Option<&'static str>, Sign)];

/// What is told of a refusal that came with a failure.
pub(super) fn kept(failure: &Failure) -> Remark {
    let text =
        format!("its refusal counts although it failed ({}): {}", failure.kind, failure.message);
    Remark { code: "objection_kept", text }
}

/// How many bytes may be stepped over for each byte of the text, since noise may begin many objects.
const EFFORT: usize = 64;

/// The strongest refusal of all objects in a text. An object without an end counts when the text was cut.
pub(super) fn find(text: &str, cut: bool, signs: Signs) -> Option<Objection> {
    let mut found = Objection::default();
    let mut effort = text.len().saturating_mul(EFFORT);
    let mut rest = text;
    while let Some(start) = rest.find('{').and_then(|at| rest.get(at..)) {
        let mut reader = Reader { text: start, at: 1, signs };
        let mut object = Objection::default();
        let whole = reader.object(&mut object).is_some();
        if whole || cut {
            found.absorb(object);
        }
        effort = effort.saturating_sub(reader.at);
        if effort == 0 {
            break;
        }
        rest = start.get(if whole { reader.at } else { 1 }..).unwrap_or_default();
    }
    found.refuses().then_some(found)
}

impl Objection {
    fn refuses(&self) -> bool {
        self.blocks || self.asks || self.stops
    }

    fn absorb(&mut self, other: Self) {
        if other.refuses() {
            self.reason = self.reason.take().or(other.reason);
            self.stop_reason = self.stop_reason.take().or(other.stop_reason);
        }
        self.blocks |= other.blocks;
        self.asks |= other.asks;
        self.stops |= other.stops;
    }

    fn field(&mut self, key: &str, value: &str, signs: Signs) {
        let text = || serde_json::from_str::<String>(&super::object::whole_characters(value)).ok();
        let fits = |row: &&(&str, Option<&str>, Sign)| {
            row.0 == key && row.1.is_none_or(|only| only.eq_ignore_ascii_case(value))
        };
        match signs.iter().find(fits).map(|row| row.2) {
            Some(Sign::Blocks) => self.blocks = true,
            Some(Sign::Asks) => self.asks = true,
            Some(Sign::Stops) => self.stops = true,
            Some(Sign::Reason) => self.reason = text(),
            Some(Sign::StopReason) => self.stop_reason = text(),
            Some(Sign::Holds(signs)) if value.starts_with('{') => {
                let mut inner = Self::default();
                let _ = Reader { text: value, at: 1, signs }.object(&mut inner);
                self.absorb(inner);
            }
            Some(Sign::Holds(_)) | None => (),
        }
    }
}

/// Steps through one object without recursion; `None` where it is not one.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    signs: Signs,
}

impl<'t> Reader<'t> {
    fn object(&mut self, found: &mut Objection) -> Option<()> {
        if self.next() == Some('}') {
            self.at += 1;
            return Some(());
        }
        loop {
            self.next();
            let key = self.string()?;
            self.expect(':')?;
            self.next();
            let value = self.value()?;
            found.field(key, value, self.signs);
            match self.next()? {
                ',' => self.at += 1,
                '}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// The next character that is not white space, which stays where it is.
    fn next(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..)?;
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        (self.next()? == wanted).then(|| self.at += wanted.len_utf8())
    }

    fn string(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.at..)?;
        let mut escaped = false;
        for (offset, c) in rest.char_indices() {
            match c {
                '"' if offset == 0 => (),
                _ if offset == 0 => return None,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.at += offset + 1;
                    return rest.get(..=offset);
                }
                _ => (),
            }
        }
        self.at = self.text.len();
        None
    }

    fn value(&mut self) -> Option<&'t str> {
        let start = self.at;
        match self.next()? {
            '"' => return self.string(),
            '{' | '[' => self.nested()?,
            _ => {
                let rest = self.text.get(self.at..)?;
                let ends = |c: char| c.is_whitespace() || ",}]".contains(c);
                self.at += rest.find(ends).unwrap_or(rest.len());
            }
        }
        self.text.get(start..self.at).filter(|value| !value.is_empty())
    }

    fn nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.next()? {
                '"' => {
                    self.string()?;
                    continue;
                }
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.checked_sub(1)?,
                _ => (),
            }
            self.at += self.text.get(self.at..)?.chars().next()?.len_utf8();
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Objection, Sign, Signs};
    use proptest::prelude::*;

    const SIGNS: Signs = &[
        (r#""decision""#, Some(r#""block""#), Sign::Blocks),
        (r#""continue""#, Some("false"), Sign::Stops),
        (r#""reason""#, None, Sign::Reason),
        (r#""stopReason""#, None, Sign::StopReason),
    ];

    fn find(text: &str, cut: bool) -> Option<Objection> {
        super::find(text, cut, SIGNS)
    }

    fn blocks(text: &str) -> bool {
        find(text, false).is_some_and(|it| it.blocks)
    }

    #[test]
    fn a_refusal_is_found_in_any_company() {
        let deep = format!(r#"{{"x":{}1{},"decision":"block"}}"#, "[".repeat(500), "]".repeat(500));
        let many = r#"{"level":"info"} "#.repeat(200) + r#"{"decision":"block"}"#;
        let open = "{".repeat(300) + r#" {"decision":"block"}"#;
        for text in [
            r#"{"decision":"block","reason":["no"]}"#,
            r#"{"continue":"false","decision":"block"}"#,
            r#"log: {"decision": "block"} done"#,
            r#"{"a":1}{"decision":"block"}"#,
            r#"{"reason":"no \ud83d","decision":"block"}"#,
            &deep,
            &many,
            &open,
        ] {
            assert!(blocks(text), "{text}");
        }
        for text in [
            r#"{"decision":"blo"#,
            r#"{"decision":"approve"}"#,
            r#""decision":"block""#,
            r#"{"x":{"decision":"block"}}"#,
        ] {
            assert!(!blocks(text), "{text}");
        }
    }

    #[test]
    fn a_refusal_whose_end_was_cut_off_counts() {
        let cut = r#"{"decision":"block","reason":"xxx"#;
        assert_eq!((find(cut, true).is_some(), find(cut, false)), (true, None));
    }

    #[test]
    fn of_several_the_strongest_counts() {
        let found =
            find(r#"{"continue":false,"stopReason":"s"} {"decision":"block","reason":"r"}"#, false);
        let expected = Objection {
            blocks: true,
            asks: false,
            stops: true,
            reason: Some("r".into()),
            stop_reason: Some("s".into()),
        };
        assert_eq!(found, Some(expected));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in r#"[{}\[\]",:\\a-z ]{0,80}"#, cut in any::<bool>()) {
            find(&text, cut);
        }

        #[test]
        fn noise_around_never_hides_it(before in "[a-z {:,]{0,40}", after in ".{0,40}") {
            let text = before + r#"{"decision":"block"}"# + &after;
            prop_assert!(blocks(&text), "{}", text);
        }
    }
}

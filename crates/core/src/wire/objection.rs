//! Finding a refusal in whatever a hook printed.
//!
//! A refusal that arrived counts, whatever is wrong around it: noise, other objects, fields of the
//! wrong type, half characters, nesting nobody expects. So this reads no values; it only steps over
//! them, and looks at the few fields that refuse.

/// The words by which a grammar refuses.
#[derive(Debug)]
pub(super) struct Words {
    /// Fields, each with the values that refuse; capitals do not matter.
    pub(super) refuse: &'static [(&'static str, &'static [&'static str])],
    /// The same for values that want a person to be asked.
    pub(super) ask: &'static [(&'static str, &'static [&'static str])],
    /// Fields that say why.
    pub(super) reasons: &'static [&'static str],
    /// Fields whose object may refuse as well.
    pub(super) inside: &'static [&'static str],
}

/// The words of the unified answer.
pub(super) const UNIFIED: Words =
    Words { refuse: &[("decision", &["block"])], ask: &[], reasons: &["reason"], inside: &[] };

/// What refuses in a text, and why.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Objection {
    pub(super) blocks: bool,
    pub(super) asks: bool,
    pub(super) stops: bool,
    pub(super) reason: Option<String>,
    pub(super) stop_reason: Option<String>,
}

/// How many bytes may be stepped over for each byte of the text, since noise may begin many objects.
const EFFORT: usize = 64;

/// The strongest refusal of all objects in a text. An object without an end counts when the text was cut.
pub(super) fn find(words: &Words, text: &str, cut: bool) -> Option<Objection> {
    let mut found = Objection::default();
    let mut effort = text.len().saturating_mul(EFFORT);
    let mut rest = text;
    while let Some(start) = rest.find('{').and_then(|at| rest.get(at..)) {
        let mut reader = Reader { text: start, at: 1 };
        let mut object = Objection::default();
        let whole = reader.object(words, &mut object, MAX_INSIDE).is_some();
        if whole || cut {
            found.absorb(object);
        }
        effort = effort.saturating_sub(reader.at);
        if effort == 0 {
            break;
        }
        rest = start.get(if whole { reader.at } else { 1 }..).unwrap_or_default();
    }
    found.objects().then_some(found)
}

/// How deep a refusal may stand inside of other objects.
const MAX_INSIDE: usize = 2;

impl Objection {
    fn absorb(&mut self, other: Self) {
        if other.objects() {
            self.reason = self.reason.take().or(other.reason);
            self.stop_reason = self.stop_reason.take().or(other.stop_reason);
        }
        self.blocks |= other.blocks;
        self.asks |= other.asks;
        self.stops |= other.stops;
    }

    fn objects(&self) -> bool {
        self.blocks || self.asks || self.stops
    }

    fn field(&mut self, words: &Words, key: &str, value: &str) {
        let text = || serde_json::from_str::<String>(&super::object::whole_characters(value)).ok();
        let key = key.trim_matches('"');
        let word = value.trim_matches('"');
        let says = |table: &[(&str, &[&str])]| {
            let row = table.iter().find(|it| it.0 == key);
            row.is_some_and(|it| it.1.iter().any(|it| it.eq_ignore_ascii_case(word)))
        };
        self.blocks |= says(words.refuse);
        self.asks |= says(words.ask);
        match (key, value) {
            ("continue", "false") => self.stops = true,
            ("stopReason", _) => self.stop_reason = text(),
            _ if words.reasons.contains(&key) => {
                self.reason = text().or_else(|| self.reason.take())
            }
            _ => (),
        }
    }
}

/// Steps through one object without recursion; `None` where it is not one.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn object(&mut self, words: &Words, found: &mut Objection, deeper: usize) -> Option<()> {
        if self.next() == Some('}') {
            self.at += 1;
            return Some(());
        }
        loop {
            self.next();
            let key = self.string()?;
            self.expect(':')?;
            let inside = self.next() == Some('{')
                && deeper > 0
                && words.inside.contains(&key.trim_matches('"'));
            if inside {
                self.at += 1;
                self.object(words, found, deeper - 1)?;
            } else {
                let value = self.value()?;
                found.field(words, key, value);
            }
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
    use super::{Objection, UNIFIED};
    use proptest::prelude::*;

    fn find(text: &str, cut: bool) -> Option<Objection> {
        super::find(&UNIFIED, text, cut)
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

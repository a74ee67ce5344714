//! Finding a refusal in whatever a hook printed.
//!
//! A refusal that arrived counts, whatever is wrong around it: noise, other objects, fields of the
//! wrong type, half characters, nesting nobody expects. So this reads no values; it only steps over
//! them, and looks at the few fields that refuse.

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

/// Which words refuse.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Words {
    /// `"decision": "block"` and `"continue": false`.
    Unified,
    /// Those of every dialect, however they are capitalised.
    Any,
}

/// The strongest refusal of all objects in a text. An object without an end counts when the text was cut.
pub(super) fn find(text: &str, cut: bool, words: Words) -> Option<Objection> {
    let mut found = Objection::default();
    let mut effort = text.len().saturating_mul(EFFORT);
    let mut rest = text;
    while let Some(start) = rest.find('{').and_then(|at| rest.get(at..)) {
        let mut reader = Reader { text: start, at: 1, words };
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
    found.objects().then_some(found)
}

impl Objection {
    fn objects(&self) -> bool {
        self.blocks || self.asks || self.stops
    }

    fn absorb(&mut self, other: Self) {
        if other.objects() {
            self.reason = self.reason.take().or(other.reason);
            self.stop_reason = self.stop_reason.take().or(other.stop_reason);
        }
        self.blocks |= other.blocks;
        self.asks |= other.asks;
        self.stops |= other.stops;
    }

    fn field(&mut self, words: Words, key: &str, value: &str) {
        let text = || serde_json::from_str::<String>(&super::object::whole_characters(value)).ok();
        match (key, value) {
            (r#""decision""#, r#""block""#) => self.blocks = true,
            (r#""continue""#, "false") => self.stops = true,
            (r#""reason""#, _) => self.reason = text(),
            (r#""stopReason""#, _) => self.stop_reason = text(),
            _ if words == Words::Unified => (),
            (r#""ok""#, "false") => self.blocks = true,
            (r#""permissionDecisionReason""#, _) => self.reason = text(),
            (r#""decision""# | r#""permissionDecision""#, _) => {
                match text().unwrap_or_default().to_lowercase().as_str() {
                    "block" | "deny" => self.blocks = true,
                    "ask" | "defer" => self.asks = true,
                    _ => (),
                }
            }
            (r#""hookSpecificOutput""#, _) if value.starts_with('{') => {
                let mut inner = Self::default();
                // What was cut off inside still counts where the whole does.
                let _ = Reader { text: value, at: 1, words }.object(&mut inner);
                self.absorb(Self { stops: false, ..inner });
            }
            _ => (),
        }
    }
}

/// Steps through one object without recursion; `None` where it is not one.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    words: Words,
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
            let start = self.at;
            let Some(value) = self.value() else {
                found.field(self.words, key, self.text.get(start..).unwrap_or_default());
                return None;
            };
            found.field(self.words, key, value);
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
    use super::{Objection, Words, find};
    use proptest::prelude::*;

    fn blocks(text: &str) -> bool {
        find(text, false, Words::Unified).is_some_and(|it| it.blocks)
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
        assert_eq!((find(cut, true, Words::Any).is_some(), find(cut, false, Words::Any)), (true, None));
    }

    #[test]
    fn in_our_own_grammar_the_words_of_every_dialect_refuse() {
        let refuses = |text: &str| find(text, false, Words::Any).is_some_and(|it| it.blocks);
        for text in [
            r#"{"decision":"Block"}"#,
            r#"{"decision":"deny"}"#,
            r#"{"ok":false}"#,
            r#"{"decision":"approve","decision":"block"}"#,
            r#"log {"hookSpecificOutput":{"permissionDecision":"deny"},"decision":"approve"}"#,
        ] {
            assert!(refuses(text), "{text}");
        }
        for text in [r#"{"ok":true}"#, r#"{"ok":"false"}"#, r#"{"tool":{"ok":false}}"#] {
            assert_eq!(find(text, false, Words::Any), None, "{text}");
        }
        let cut = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"xx"#;
        assert!(find(cut, true, Words::Any).is_some_and(|it| it.blocks));
        let asks = r#"{"hookSpecificOutput":{"permissionDecision":"ask"}}"#;
        assert!(find(asks, false, Words::Any).is_some_and(|it| it.asks && !it.blocks));
    }

    #[test]
    fn of_several_the_strongest_counts() {
        let found =
            find(r#"{"continue":false,"stopReason":"s"} {"decision":"block","reason":"r"}"#, false, Words::Unified);
        let expected = Objection {
            blocks: true,
            stops: true,
            asks: false,
            reason: Some("r".into()),
            stop_reason: Some("s".into()),
        };
        assert_eq!(found, Some(expected));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in r#"[{}\[\]",:\\a-z ]{0,80}"#, cut in any::<bool>()) {
            find(&text, cut, Words::Unified);
            find(&text, cut, Words::Any);
        }

        #[test]
        fn noise_around_never_hides_it(before in "[a-z {:,]{0,40}", after in ".{0,40}") {
            let text = before + r#"{"decision":"block"}"# + &after;
            prop_assert!(blocks(&text), "{}", text);
        }
    }
}

//! Placeholders in shell commands: each becomes a reference to a variable.
//!
//! What a variable expands to is never read as shell again, so no value can become part
//! of the command, wherever its placeholder stands: in quotes, in a here-document, or in
//! a place that this reader of quotes misjudges.

/// A command with references in place of its placeholders.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Woven {
    /// The command.
    pub text: String,
    /// Whether a placeholder stood inside quotes.
    pub quoted: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Inside {
    Command,
    Single,
    Double,
}

/// Puts a reference wherever `wanted` finds a placeholder at the beginning of what is left:
/// it answers with the placeholder's length and the name of the variable.
pub fn weave<'v>(command: &str, wanted: impl Fn(&str) -> Option<(usize, &'v str)>) -> Woven {
    let mut woven = Woven::default();
    let mut nest: Vec<Inside> = Vec::new();
    let mut rest = command;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let inside = nest.last().copied().unwrap_or(Inside::Command);
        let mut length = c.len_utf8();
        if let Some((found, variable)) = wanted(rest) {
            woven.quoted |= inside != Inside::Command;
            woven.text.push_str(&reference(inside, variable));
            length = found;
        } else {
            length = step(rest, (inside, before), &mut nest).unwrap_or(length);
            woven.text.push_str(rest.get(..length).unwrap_or_default());
        }
        before = c;
        rest = rest.get(length..).unwrap_or_default();
    }
    woven
}

fn reference(inside: Inside, variable: &str) -> String {
    match inside {
        Inside::Command => format!("\"${{{variable}}}\""),
        Inside::Double => format!("${{{variable}}}"),
        Inside::Single => format!("'\"${{{variable}}}\"'"),
    }
}

/// How much belongs together here, where that is more than one character.
fn step(rest: &str, (inside, before): (Inside, char), nest: &mut Vec<Inside>) -> Option<usize> {
    let mut chars = rest.chars();
    let (first, second) = (chars.next()?, chars.next());
    let pair = second.map(|second| first.len_utf8() + second.len_utf8());
    let closes = match inside {
        Inside::Single => first == '\'',
        Inside::Double => first == '"',
        Inside::Command => first == ')',
    };
    if closes {
        nest.pop();
        return None;
    }
    let opens = match (inside, first) {
        (Inside::Command, '\'') => Some(Inside::Single),
        (Inside::Command, '"') => Some(Inside::Double),
        (Inside::Command, '(') => Some(Inside::Command),
        (Inside::Double, '$') if second == Some('(') => Some(Inside::Command),
        _ => None,
    };
    nest.extend(opens);
    match (inside, first) {
        (_, '$') if second == Some('{') => pair,
        (Inside::Double, '$') if opens.is_some() => pair,
        (Inside::Command | Inside::Double, '\\') => pair,
        (Inside::Command, '#') if before.is_whitespace() || before == ';' => {
            Some(rest.find('\n').unwrap_or(rest.len()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::weave;

    fn woven(command: &str) -> String {
        weave(command, |rest| rest.starts_with("$A").then_some((2, "V"))).text
    }

    #[test]
    fn a_placeholder_becomes_one_word_in_every_kind_of_quotes() {
        for (command, expected) in [
            ("x $A y", "x \"${V}\" y"),
            ("x '$A' y", "x ''\"${V}\"'' y"),
            ("x 'a $A b'", "x 'a '\"${V}\"' b'"),
            ("x \"a $A b\"", "x \"a ${V} b\""),
            ("x \"$(y $A)\" '$A'", "x \"$(y \"${V}\")\" ''\"${V}\"''"),
            ("x \\$A", "x \\$A"),
            ("x ${A}", "x ${A}"),
            ("x \"it's $A\"", "x \"it's ${V}\""),
            ("x # it's\n$A", "x # it's\n\"${V}\""),
            ("x \\' $A", "x \\' \"${V}\""),
        ] {
            assert_eq!(woven(command), expected, "{command}");
        }
    }

    #[test]
    fn only_quotes_are_told() {
        let quoted = |command| weave(command, |it| it.starts_with("$A").then_some((2, "V"))).quoted;
        assert!(quoted("x '$A'") && quoted("x \"$A\"") && !quoted("x $A 'y'"));
    }
}

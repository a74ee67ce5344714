//! Rust without its comments and the contents of its literals, so that words in them are no code.

use std::iter::Peekable;
use std::str::Chars;

/// The same text with comments and literals blanked; lines stay where they are.
pub(super) fn only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('/', Some('/')) => skip_line(&mut chars),
            ('/', Some('*')) => skip_block(&mut chars, &mut out),
            ('"', _) => skip_string(&mut chars, &mut out),
            ('r', Some('"' | '#')) if !is_word(before) => skip_raw(&mut chars, &mut out),
            ('\'', _) => skip_character(&mut chars),
            (other, _) => out.push(other),
        }
        before = c;
    }
    out
}

/// Whether a character may stand in a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn skip_line(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| *c != '\n').is_some() {}
}

fn skip_block(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    chars.next();
    let mut depth = 1;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('*', Some('/')) => depth -= 1,
            ('/', Some('*')) => depth += 1,
            ('\n', _) => out.push('\n'),
            _ => continue,
        }
        if c != '\n' {
            chars.next();
        }
        if depth == 0 {
            return;
        }
    }
}

fn skip_string(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => return,
            '\n' => out.push('\n'),
            '\\' if chars.next() == Some('\n') => out.push('\n'),
            _ => (),
        }
    }
}

fn skip_raw(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    let mut marks = 0;
    while chars.next_if_eq(&'#').is_some() {
        marks += 1;
    }
    // `r#name` is a name.
    if chars.next_if_eq(&'"').is_none() {
        return;
    }
    let mut closing = None;
    for c in chars.by_ref() {
        closing = match (c, closing) {
            ('"', _) => Some(0),
            ('#', Some(seen)) => Some(seen + 1),
            _ => None,
        };
        if c == '\n' {
            out.push('\n');
        }
        if closing == Some(marks) {
            return;
        }
    }
}

/// A character literal, or a lifetime, which needs nothing done.
fn skip_character(chars: &mut Peekable<Chars<'_>>) {
    let mut ahead = chars.clone();
    match (ahead.next(), ahead.next()) {
        (Some('\\'), _) => {
            chars.next();
            chars.next();
            while chars.next().is_some_and(|c| c != '\'') {}
        }
        (Some(_), Some('\'')) => {
            chars.next();
            chars.next();
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::only;

    #[test]
    fn comments_and_literals_vanish_and_lines_stay() {
        let text = "a // b\n/* c\n/* d */ e */ f \"g\\\"\n h\" 'i' '\\'' 'l: r#\"j \" k\"# m";
        assert_eq!(only(text), "a \n\n f \n   l:  m");
    }

    #[test]
    fn a_name_that_ends_in_r_starts_no_raw_string() {
        assert_eq!(only("for\"x\" r\"y\" z"), "for  z");
    }
}

//! What begins with `$`, and other expansions.

use super::read::{Draft, Quotes, Read, Reader, Stop};
use super::word::Piece;
use super::{DoubtKind, Place};

impl Reader<'_, '_> {
    /// `$` and what follows it.
    pub(super) fn dollar(&mut self, draft: &mut Draft, quotes: Quotes) -> Read<()> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'(') if self.peek_at(1) == Some(b'(') && self.arithmetic_end().is_some() => {
                self.deeper(Self::arithmetic)?;
            }
            Some(b'(') => self.substitution()?,
            Some(b'{') => {
                if self.deeper(|reader| reader.parameter(quotes))? {
                    draft.piece(Piece::Home);
                    return Ok(());
                }
            }
            Some(b'[') => self.deeper(Self::old_arithmetic)?,
            Some(b'\'') if quotes == Quotes::None => return self.ansi(draft),
            Some(b'"') if quotes == Quotes::None => return self.double(draft),
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => {
                let name = self.name();
                if name == "HOME" {
                    draft.piece(Piece::Home);
                    return Ok(());
                }
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => self.at += 1,
            _ => {
                draft.text("$");
                return Ok(());
            }
        }
        let source = self.since(start);
        draft.unknown(source, quotes);
        Ok(())
    }

    /// A variable's name.
    pub(super) fn name(&mut self) -> &str {
        let start = self.at;
        while self.peek().is_some_and(|it| it == b'_' || it.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        self.since(start)
    }

    /// `$(…)`: commands up to the bracket.
    fn substitution(&mut self) -> Read<()> {
        self.at += 1;
        self.inside(Place::Substitution, |reader| {
            reader.list()?;
            if reader.take(")") { Ok(()) } else { Err(Stop::Unreadable) }
        })
    }

    /// `<(…)` and `>(…)`.
    pub(super) fn process(&mut self, draft: &mut Draft) -> Read<()> {
        let start = self.at;
        self.at += 1;
        self.substitution()?;
        let source = self.since(start);
        draft.piece(Piece::Unknown { source: source.to_owned(), splits: false });
        Ok(())
    }

    /// Commands that stand somewhere else than those around them.
    pub(super) fn inside(
        &mut self,
        place: Place,
        run: impl FnOnce(&mut Self) -> Read<()>,
    ) -> Read<()> {
        let outside = self.place;
        // What stands in a nested shell or in a function stays there.
        if outside == Place::Plain || place == Place::Function {
            self.place = place;
        }
        let (waiting, start) = (std::mem::take(&mut self.waiting), self.at);
        let result = self.deeper(run);
        self.place = outside;
        // A here-document that is announced inside must end inside, and one from outside not begin there.
        let open = !self.waiting.is_empty();
        let torn = !waiting.is_empty() && self.since(start).contains('\n');
        self.waiting = waiting;
        if open || torn { result.and(Err(Stop::Unreadable)) } else { result }
    }

    pub(super) fn backticks(&mut self, draft: &mut Draft, quotes: Quotes) -> Read<()> {
        let start = self.at;
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.take_char() {
                None => return Err(Stop::Unreadable),
                Some("`") => break,
                Some("\\") => match self.take_char() {
                    None => return Err(Stop::Unreadable),
                    Some(it @ ("`" | "\\" | "$")) => inner.push_str(it),
                    Some("\"") if quotes == Quotes::Double => inner.push('"'),
                    Some(other) => {
                        inner.push('\\');
                        inner.push_str(other);
                    }
                },
                Some(other) => inner.push_str(other),
            }
        }
        let place = if self.place == Place::Plain { Place::Substitution } else { self.place };
        self.nested(&inner, |reader| {
            reader.place = place;
            reader.all()
        })?;
        let source = self.since(start);
        draft.unknown(source, quotes);
        Ok(())
    }

    /// Where `$((…))` ends, if it is arithmetic and not a substitution that begins with a bracket.
    pub(super) fn arithmetic_end(&self) -> Option<usize> {
        let mut depth = 1_usize;
        let mut bytes = self.text.bytes().enumerate().skip(self.at + 2);
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        let closed = self.text.as_bytes().get(at + 1) == Some(&b')');
                        return closed.then_some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The inside of `((…))`, at its first bracket.
    pub(super) fn arithmetic(&mut self) -> Read<()> {
        let end = self.arithmetic_end().ok_or(Stop::Unreadable)?;
        let inner = self.text.get(self.at + 2..end).ok_or(Stop::Unreadable)?;
        self.expression(inner)?;
        self.at = end + 2;
        Ok(())
    }

    /// `$[…]`
    fn old_arithmetic(&mut self) -> Read<()> {
        let mut depth = 0_usize;
        let length = self.rest().bytes().position(|byte| {
            depth = match byte {
                b'[' => depth + 1,
                b']' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0
        });
        let length = length.ok_or(Stop::Unreadable)?;
        let inner = self.rest().get(1..length).ok_or(Stop::Unreadable)?;
        self.expression(inner)?;
        self.at += length + 1;
        Ok(())
    }

    /// An arithmetic expression: its substitutions run, and so does what its variables contain.
    pub(super) fn expression(&mut self, inner: &str) -> Read<()> {
        let place = self.place;
        self.nested(inner, |reader| {
            reader.place = if place == Place::Plain { Place::Substitution } else { place };
            reader.quoted(&mut Draft::default(), Quotes::Body, 0)
        })?;
        if inner.bytes().any(|byte| byte == b'_' || byte == b'$' || byte.is_ascii_alphabetic()) {
            self.found.doubt(DoubtKind::Evaluation, inner);
        }
        Ok(())
    }

    /// `${…}`; true when it is just the home folder.
    fn parameter(&mut self, quotes: Quotes) -> Read<bool> {
        let start = self.at;
        self.at += 1;
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.at += 1;
            self.inside(Place::Substitution, |reader| {
                reader.list()?;
                if reader.take("}") { Ok(()) } else { Err(Stop::Unreadable) }
            })?;
            return Ok(false);
        }
        let indirect = self.take("!");
        let sharp = self.peek() == Some(b'#') && self.peek_at(1) != Some(b'}');
        self.at += usize::from(sharp);
        let name = self.name().to_owned();
        if name.is_empty() {
            self.take_char();
        }
        if !indirect && !sharp && name == "HOME" && self.take("}") {
            return Ok(true);
        }
        if self.peek() == Some(b'[') {
            self.subscript()?;
        }
        let names_only = self.rest().starts_with("*}") || self.rest().starts_with("@}");
        let keys = self.since(start).ends_with("[@]") || self.since(start).ends_with("[*]");
        if self.rest().starts_with("@P") || indirect && !names_only && !keys {
            let seen: String = self.rest().chars().take(2).collect();
            self.found.doubt(DoubtKind::Evaluation, &format!("{}{seen}", self.since(start)));
            let kind = DoubtKind::UnknownText;
            if self.rest().starts_with("@P") {
                self.found.doubt(kind, self.since(start));
            }
        }
        self.parameter_rest(quotes)?;
        Ok(false)
    }

    /// `[…]` behind a variable: evaluated as arithmetic unless it is `@`, `*` or a number.
    pub(super) fn subscript(&mut self) -> Read<()> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err(Stop::Unreadable),
                Some(b'[') => depth += 1,
                Some(b']') => depth -= 1,
                Some(b'\\') => self.at += 1,
                Some(b'$') => {
                    self.dollar(&mut Draft::default(), Quotes::Double)?;
                    continue;
                }
                Some(b'`') => {
                    self.backticks(&mut Draft::default(), Quotes::Double)?;
                    continue;
                }
                Some(_) => {}
            }
            self.take_char();
            if depth == 0 {
                break;
            }
        }
        let inner = self.since(start).trim_start_matches('[').trim_end_matches(']');
        let plain = matches!(inner, "@" | "*") || inner.bytes().all(|it| it.is_ascii_digit());
        if !plain {
            let inner = inner.to_owned();
            self.found.doubt(DoubtKind::Evaluation, &inner);
        }
        Ok(())
    }

    /// The operator and its words, up to the closing brace.
    fn parameter_rest(&mut self, quotes: Quotes) -> Read<()> {
        let mut draft = Draft::default();
        // `${x:offset:length}` is arithmetic.
        let offset = self.peek() == Some(b':')
            && !matches!(self.peek_at(1), Some(b'-' | b'=' | b'?' | b'+'));
        let start = self.at;
        loop {
            match self.peek() {
                None => return Err(Stop::Unreadable),
                Some(b'}') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.take_char();
                }
                Some(b'\'') if quotes == Quotes::None => {
                    self.at += 1;
                    let close = self.rest().find('\'').ok_or(Stop::Unreadable)?;
                    self.at += close + 1;
                }
                Some(b'\'') => {
                    // Whether it quotes here depends on the operator; nobody needs it.
                    self.found.doubt(DoubtKind::UnknownText, "${…'…");
                    self.at += 1;
                }
                Some(b'"') => self.double(&mut draft)?,
                Some(b'$') => self.dollar(&mut draft, quotes)?,
                Some(b'`') => self.backticks(&mut draft, quotes)?,
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') && quotes == Quotes::None => {
                    self.process(&mut draft)?;
                }
                Some(_) => {
                    self.take_char();
                }
            }
        }
        let inner = self.since(start);
        if offset && inner.bytes().any(|it| it.is_ascii_alphabetic() || it == b'$') {
            let inner = inner.to_owned();
            self.found.doubt(DoubtKind::Evaluation, &inner);
        }
        self.at += 1;
        Ok(())
    }

    /// `$'…'`
    fn ansi(&mut self, draft: &mut Draft) -> Read<()> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.take_char().ok_or(Stop::Unreadable)? {
                "'" => break,
                "\\" => self.escape(&mut bytes)?,
                other => bytes.extend_from_slice(other.as_bytes()),
            }
        }
        // A NUL ends the word's text in bash.
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        draft.text(&String::from_utf8_lossy(&bytes));
        Ok(())
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Read<()> {
        let escaped = self.take_char().ok_or(Stop::Unreadable)?;
        let byte = match escaped {
            "n" => b'\n',
            "t" => b'\t',
            "r" => b'\r',
            "a" => 7,
            "b" => 8,
            "e" | "E" => 27,
            "f" => 12,
            "v" => 11,
            "c" => self.take_char().and_then(|it| it.bytes().next()).unwrap_or(0) & 0x1f,
            "x" => {
                let braced = self.take("{");
                let value = self.digits(16, if braced { 8 } else { 2 });
                if braced {
                    self.take("}");
                }
                u8::try_from(value & 0xff).unwrap_or(0)
            }
            "u" | "U" => {
                let value = self.digits(16, if escaped == "u" { 4 } else { 8 });
                let letter = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" => {
                self.at -= 1;
                u8::try_from(self.digits(8, 3) & 0xff).unwrap_or(0)
            }
            "\\" | "'" | "\"" | "?" => escaped.bytes().next().unwrap_or(b'\\'),
            other => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.as_bytes());
                return Ok(());
            }
        };
        bytes.push(byte);
        Ok(())
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|it| char::from(it).to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}

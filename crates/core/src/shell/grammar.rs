//! Words to commands: lists, pipelines, simple commands and redirections.

use super::read::{Draft, Quotes, Read, Reader, Stop, is_meta};
use super::word::Word;
use super::{Assignment, Command, DoubtKind, MAX_COMMANDS, Piece, Redirect, RedirectKind};

/// Words that end a list when they stand where a command could.
const CLOSERS: [&str; 8] = ["}", "then", "else", "elif", "fi", "do", "done", "esac"];

/// A command that is being read.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) command: Command,
    /// Which redirections wait for the body of a here-document.
    pub(super) bodies: Vec<(usize, usize)>,
}

impl Reader<'_, '_> {
    /// The whole text.
    pub(super) fn all(&mut self) -> Read<()> {
        self.list()?;
        if self.at < self.text.len() {
            return Err(Stop::Unreadable);
        }
        if !self.waiting.is_empty() {
            self.read_bodies()?;
        }
        Ok(())
    }

    /// Commands up to a closing word or bracket, or the end.
    pub(super) fn list(&mut self) -> Read<()> {
        loop {
            self.skip_separators()?;
            if self.at >= self.text.len() || self.at_closer() {
                return Ok(());
            }
            self.pipeline()?;
            self.skip_blanks();
            match self.peek() {
                None | Some(b')') => return Ok(()),
                Some(b';') if matches!(self.peek_at(1), Some(b';' | b'&')) => return Ok(()),
                Some(b'\n' | b';' | b'&' | b'|') => {}
                // Behind a compound command nothing but a separator may stand.
                Some(_) if self.at_closer() => return Ok(()),
                Some(_) => return Err(Stop::Unreadable),
            }
        }
    }

    /// Line ends, `;`, `&`, `&&` and `||`.
    fn skip_separators(&mut self) -> Read<()> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => {
                    self.at += 1;
                    self.read_bodies()?;
                }
                Some(b';') if matches!(self.peek_at(1), Some(b';' | b'&')) => return Ok(()),
                Some(b'&') if self.peek_at(1) == Some(b'>') => return Ok(()),
                Some(b';' | b'&') => self.at += 1,
                Some(b'|') if self.peek_at(1) == Some(b'|') => self.at += 2,
                _ => return Ok(()),
            }
        }
    }

    fn skip_lines(&mut self) -> Read<()> {
        self.skip_blanks();
        while self.take("\n") {
            self.read_bodies()?;
            self.skip_blanks();
        }
        Ok(())
    }

    fn at_closer(&self) -> bool {
        match self.peek() {
            Some(b')') => true,
            Some(b';') => matches!(self.peek_at(1), Some(b';' | b'&')),
            _ => CLOSERS.contains(&self.peek_word()),
        }
    }

    /// The unquoted word that stands here, not taken.
    pub(super) fn peek_word(&self) -> &str {
        const LONGEST: usize = 16;
        let rest = self.rest();
        let length = rest.bytes().take(LONGEST).take_while(|byte| !is_meta(*byte)).count();
        rest.get(..length).unwrap_or_default()
    }

    fn pipeline(&mut self) -> Read<()> {
        *self.pipelines += 1;
        let id = *self.pipelines;
        let mut stage = 0;
        loop {
            self.skip_lines()?;
            while matches!(self.peek_word(), "!" | "time") {
                self.at += self.peek_word().len();
                self.skip_blanks();
                while matches!(self.peek_word(), "-p" | "--") {
                    self.at += 2;
                    self.skip_blanks();
                }
            }
            self.pipes.push((id, stage));
            let result = self.command();
            self.pipes.pop();
            result?;
            self.skip_blanks();
            let piped = self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|');
            if !piped {
                return Ok(());
            }
            self.at += 1;
            self.take("&");
            stage += 1;
        }
    }

    pub(super) fn command(&mut self) -> Read<()> {
        if self.peek().is_none() || self.compound()? {
            return Ok(());
        }
        let mut simple = Simple::default();
        simple.command.inner.start = self.found.commands.len();
        let start = self.at;
        loop {
            self.skip_blanks();
            if self.redirect(&mut simple)? {
                continue;
            }
            if simple.command.words.is_empty() && self.assignment(&mut simple)? {
                continue;
            }
            if self.peek() == Some(b'(') {
                return self.after_word(&mut simple);
            }
            let words = self.words()?;
            if words.is_empty() {
                break;
            }
            if words.iter().any(|word| word.lead().ends_with('=')) && self.peek() == Some(b'(') {
                self.array(&mut Draft::default())?;
            }
            simple.command.words.extend(words);
        }
        if self.at == start {
            return Err(Stop::Unreadable);
        }
        self.emit(simple)
    }

    /// `(` behind words: a function's name, or nothing we know.
    fn after_word(&mut self, simple: &mut Simple) -> Read<()> {
        let words = &simple.command.words;
        let [name] = words.as_slice() else { return Err(Stop::Unreadable) };
        let name = name.shown();
        self.at += 1;
        self.skip_blanks();
        if !self.take(")") {
            return Err(Stop::Unreadable);
        }
        self.skip_lines()?;
        self.function(&name)
    }

    /// Adds a finished command to what was found.
    pub(super) fn emit(&mut self, simple: Simple) -> Read<()> {
        let index = self.found.commands.len();
        if index >= MAX_COMMANDS {
            return Err(Stop::TooLarge);
        }
        let mut command = simple.command;
        command.inner.end = index;
        command.place = self.place;
        command.by = self.by;
        command.pipes.clone_from(&self.pipes);
        for (redirect, body) in simple.bodies {
            match (
                self.bodies.get(body).and_then(Option::as_ref),
                command.redirects.get_mut(redirect),
            ) {
                (Some(word), Some(redirect)) => redirect.target = word.clone(),
                _ => self.marks.push((index, redirect, body)),
            }
        }
        self.found.commands.push(command);
        Ok(())
    }

    /// A redirection, if one stands here.
    pub(super) fn redirect(&mut self, simple: &mut Simple) -> Read<bool> {
        let length = self.descriptor();
        let operators: [(&str, RedirectKind); 14] = [
            ("&>>", RedirectKind::Write),
            ("&>", RedirectKind::Write),
            ("<<<", RedirectKind::Text),
            ("<<-", RedirectKind::Text),
            ("<<", RedirectKind::Text),
            ("<&", RedirectKind::Duplicate),
            ("<>", RedirectKind::Write),
            (">&", RedirectKind::Duplicate),
            (">>", RedirectKind::Write),
            (">|", RedirectKind::Write),
            ("<(", RedirectKind::Read),
            (">(", RedirectKind::Read),
            (">", RedirectKind::Write),
            ("<", RedirectKind::Read),
        ];
        let rest = self.rest().get(length..).unwrap_or_default();
        let operator = operators.iter().find(|(spelling, _)| rest.starts_with(spelling));
        let Some((operator, kind)) = operator else { return Ok(false) };
        if matches!(*operator, "<(" | ">(") || operator.starts_with('&') && length > 0 {
            return Ok(false);
        }
        self.at += length + operator.len();
        if matches!(*operator, "<<" | "<<-") {
            let body = self.announce(*operator == "<<-")?;
            simple.bodies.push((simple.command.redirects.len(), body));
            let target = Word::unknown("<<");
            simple.command.redirects.push(Redirect { kind: *kind, target });
            return Ok(true);
        }
        self.skip_blanks();
        let target = self.words()?;
        let [target] = target.as_slice() else { return Err(Stop::Unreadable) };
        let mut kind = *kind;
        let descriptor = target.known().is_some_and(|text| {
            text == "-" || text.trim_end_matches('-').bytes().all(|it| it.is_ascii_digit())
        });
        // `>&file` writes a file; `<&$x` names a descriptor.
        if kind == RedirectKind::Duplicate && !descriptor {
            kind = if *operator == ">&" { RedirectKind::Write } else { RedirectKind::Read };
        }
        simple.command.redirects.push(Redirect { kind, target: target.clone() });
        Ok(true)
    }

    /// The length of a descriptor in front of a redirection: `2`, `{fd}`.
    fn descriptor(&self) -> usize {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = match rest.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some((name, _)) if is_name(name.split('[').next().unwrap_or_default()) => {
                name.len() + 2
            }
            _ => digits,
        };
        let next = self.peek_at(length);
        if matches!(next, Some(b'<' | b'>')) { length } else { 0 }
    }

    /// `NAME=value`, if it stands here.
    fn assignment(&mut self, simple: &mut Simple) -> Read<bool> {
        let start = self.at;
        let name = self.name().to_owned();
        let first_is_digit = name.starts_with(|it: char| it.is_ascii_digit());
        if name.is_empty() || first_is_digit {
            self.at = start;
            return Ok(false);
        }
        if self.peek() == Some(b'[') {
            if !self.looks_like_element() {
                self.at = start;
                return Ok(false);
            }
            self.subscript()?;
        }
        if !self.take("+=") && !self.take("=") {
            self.at = start;
            return Ok(false);
        }
        let value = if self.peek() == Some(b'(') {
            let mut draft = Draft::default();
            let start = self.at;
            self.array(&mut draft)?;
            let source = self.since(start);
            draft.bits.clear();
            draft.unknown(source, Quotes::None);
            draft.word()
        } else {
            self.word()?
        };
        simple.command.assignments.push(Assignment { name, value });
        Ok(true)
    }

    /// Whether `[…]` here is followed by `=`: otherwise it is a pattern in a word.
    fn looks_like_element(&self) -> bool {
        let line = self.rest().split('\n').next().unwrap_or_default();
        line.contains("]=") || line.contains("]+=")
    }

    /// `(a b c)` behind `NAME=`.
    fn array(&mut self, draft: &mut Draft) -> Read<()> {
        self.at += 1;
        loop {
            self.skip_lines()?;
            if self.take(")") {
                return Ok(());
            }
            if self.peek() == Some(b'[') {
                let closed = self.rest().split([' ', '\n', ')']).next().unwrap_or_default();
                if closed.contains("]=") {
                    self.found.doubt(DoubtKind::Evaluation, closed);
                }
            }
            let words = self.words()?;
            if words.is_empty() {
                return Err(Stop::Unreadable);
            }
            for piece in words.iter().flat_map(Word::pieces) {
                draft.piece(Piece::clone(piece));
            }
        }
    }
}

/// Whether this can be a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|it| it == b'_' || it.is_ascii_alphabetic())
        && bytes.all(|it| it == b'_' || it.is_ascii_alphanumeric())
}

//! Characters to words: quotes, expansions, here-documents. One pass, bounded in depth.

use super::brace::{Bit, expand};
use super::word::{Piece, Word};
use super::{Analysis, DoubtKind, MAX_COMMANDS, MAX_DEPTH, Place};

/// Why reading stopped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stop {
    /// The text is no shell text.
    Unreadable,
    /// It is over a limit.
    TooLarge,
}

pub(super) type Read<T> = Result<T, Stop>;

/// A reader of one text. Readers of nested texts share what was found.
#[derive(Debug)]
pub(super) struct Reader<'t, 'a> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) place: Place,
    pub(super) by: Option<usize>,
    pub(super) pipes: Vec<(u32, u32)>,
    pub(super) found: &'a mut Analysis,
    pub(super) pipelines: &'a mut u32,
    /// Here-documents whose bodies stand behind the next line end.
    pub(super) waiting: Vec<Waiting>,
    /// The bodies of all here-documents of this text, as far as they have been read.
    pub(super) bodies: Vec<Option<Word>>,
    /// Commands that wait for a body: command, redirection, body.
    pub(super) marks: Vec<(usize, usize, usize)>,
}

/// A here-document that has been announced.
#[derive(Debug)]
pub(super) struct Waiting {
    end: String,
    quoted: bool,
    tabs: bool,
    body: usize,
}

/// The quotes around an expansion.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Quotes {
    None,
    Double,
    /// The body of a here-document, or arithmetic: double quotes mean nothing.
    Body,
}

/// A word that is being read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) bits: Vec<Bit>,
    /// Whether anything was read, even an empty pair of quotes.
    pub(super) begun: bool,
}

impl Draft {
    pub(super) fn text(&mut self, text: &str) {
        self.begun = true;
        if let Some(Bit::Piece(Piece::Text(last))) = self.bits.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.piece(Piece::Text(text.to_owned()));
        }
    }

    pub(super) fn piece(&mut self, piece: Piece) {
        self.begun = true;
        self.bits.push(Bit::Piece(piece));
    }

    pub(super) fn unknown(&mut self, source: &str, quotes: Quotes) {
        let splits = quotes == Quotes::None;
        self.piece(Piece::Unknown { source: source.to_owned(), splits });
    }

    pub(super) fn words(self) -> Vec<Word> {
        expand(&self.bits)
    }

    /// One word, braces as they are.
    pub(super) fn word(self) -> Word {
        Word::from_pieces(self.bits.into_iter().map(|bit| match bit {
            Bit::Piece(piece) => piece,
            Bit::Mark(mark) => Piece::Text(mark.to_string()),
        }))
    }
}

/// Whether a character ends an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>')
}

impl<'t> Reader<'t, '_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Takes this text if it stands here.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        if here {
            self.at += text.len();
        }
        here
    }

    /// Takes one whole character.
    pub(super) fn take_char(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.at += self.rest().chars().next()?.len_utf8();
        Some(self.since(start))
    }

    /// Takes what is ordinary up to the next of these bytes.
    fn take_until(&mut self, special: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        let bytes = self.rest().bytes();
        self.at += bytes.take_while(|byte| !special(*byte)).count();
        self.since(start)
    }

    /// Blanks, continued lines and, before a word, a comment.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    self.take_until(|byte| byte == b'\n');
                    return;
                }
                _ => return,
            }
        }
    }

    /// A word, which braces may turn into several; none when no word stands here.
    pub(super) fn words(&mut self) -> Read<Vec<Word>> {
        let draft = self.draft(is_meta)?;
        let words = if draft.begun { draft.words() } else { Vec::new() };
        if self.found.commands.len() + words.len() > MAX_COMMANDS {
            return Err(Stop::TooLarge);
        }
        Ok(words)
    }

    /// A word without brace expansion, as in an assignment or behind a redirection.
    pub(super) fn word(&mut self) -> Read<Word> {
        Ok(self.draft(is_meta)?.word())
    }

    pub(super) fn draft(&mut self, ends: fn(u8) -> bool) -> Read<Draft> {
        let mut draft = Draft::default();
        if self.peek() == Some(b'~') {
            self.tilde(&mut draft);
        }
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => self.process(&mut draft)?,
                byte if ends(byte) => break,
                b'\\' if self.peek_at(1) == Some(b'\n') => self.at += 2,
                b'\\' => {
                    self.at += 1;
                    let escaped = self.take_char().unwrap_or("\\");
                    draft.text(escaped);
                }
                b'\'' => self.single(&mut draft)?,
                b'"' => self.double(&mut draft)?,
                b'$' => self.dollar(&mut draft, Quotes::None)?,
                b'`' => self.backticks(&mut draft, Quotes::None)?,
                b'*' | b'?' => {
                    self.at += 1;
                    draft.piece(Piece::Glob(char::from(byte).to_string()));
                }
                b'[' => self.bracket(&mut draft, ends),
                b'{' | b'}' | b',' => {
                    self.at += 1;
                    draft.begun = true;
                    draft.bits.push(Bit::Mark(char::from(byte)));
                }
                b'=' | b':' if self.peek_at(1) == Some(b'~') => {
                    self.at += 1;
                    draft.text(if byte == b'=' { "=" } else { ":" });
                    self.tilde(&mut draft);
                }
                _ => {
                    let text = self.ordinary(ends);
                    draft.text(text);
                }
            }
        }
        Ok(draft)
    }

    fn ordinary(&mut self, ends: fn(u8) -> bool) -> &'t str {
        let start = self.at;
        self.take_char();
        self.take_until(|byte| ends(byte) || b"\\'\"$`*?[{},=:<>".contains(&byte));
        self.since(start)
    }

    /// `~` and `~/`; the home of somebody else is not known.
    fn tilde(&mut self, draft: &mut Draft) {
        let start = self.at;
        self.at += 1;
        let name = self.take_until(|byte| is_meta(byte) || b"/:'\"\\$`".contains(&byte));
        if name.is_empty() {
            draft.piece(Piece::Home);
        } else {
            let source = self.since(start);
            draft.piece(Piece::Unknown { source: source.to_owned(), splits: false });
        }
    }

    fn single(&mut self, draft: &mut Draft) -> Read<()> {
        self.at += 1;
        let text = self.take_until(|byte| byte == b'\'');
        draft.text(text);
        if self.take("'") { Ok(()) } else { Err(Stop::Unreadable) }
    }

    /// A bracket expression is a pattern only when it is closed within the word.
    fn bracket(&mut self, draft: &mut Draft, ends: fn(u8) -> bool) {
        const LONGEST: usize = 256;
        let inside = self.rest().bytes().skip(1).take(LONGEST);
        let inside = inside.take_while(|byte| !ends(*byte) && !b"'\"\\$`".contains(byte));
        let close = inside.enumerate().filter(|(at, _)| *at > 0).find(|(_, byte)| *byte == b']');
        let start = self.at;
        self.at += close.map_or(1, |(at, _)| at + 2);
        if close.is_some() {
            draft.piece(Piece::Glob(self.since(start).to_owned()));
        } else {
            draft.text("[");
        }
    }

    pub(super) fn double(&mut self, draft: &mut Draft) -> Read<()> {
        self.at += 1;
        draft.begun = true;
        self.quoted(draft, Quotes::Double, b'"')?;
        if self.take("\"") { Ok(()) } else { Err(Stop::Unreadable) }
    }

    /// What stands between quotes: only expansions mean something.
    pub(super) fn quoted(&mut self, draft: &mut Draft, quotes: Quotes, end: u8) -> Read<()> {
        while let Some(byte) = self.peek() {
            match byte {
                byte if byte == end && quotes == Quotes::Double => break,
                b'\\' => {
                    self.at += 1;
                    match self.take_char() {
                        Some("\n") => {}
                        Some(escaped @ ("$" | "`" | "\\")) => draft.text(escaped),
                        Some("\"") if quotes == Quotes::Double => draft.text("\""),
                        other => {
                            draft.text("\\");
                            draft.text(other.unwrap_or_default());
                        }
                    }
                }
                b'$' => self.dollar(draft, quotes)?,
                b'`' => self.backticks(draft, quotes)?,
                _ => {
                    let text = self.take_until(|byte| byte == end || b"\\$`".contains(&byte));
                    draft.text(text);
                    if quotes == Quotes::Body && self.peek() == Some(end) {
                        self.at += 1;
                        draft.text(char::from(end).encode_utf8(&mut [0; 4]));
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs a reader over another text that the shell evaluates.
    pub(super) fn nested<T>(
        &mut self,
        text: &str,
        run: impl FnOnce(&mut Reader<'_, '_>) -> Read<T>,
    ) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::TooLarge);
        }
        let mut reader = Reader {
            text,
            at: 0,
            depth: self.depth + 1,
            place: Place::Substitution,
            by: self.by,
            pipes: self.pipes.clone(),
            found: self.found,
            pipelines: self.pipelines,
            waiting: Vec::new(),
            bodies: Vec::new(),
            marks: Vec::new(),
        };
        run(&mut reader)
    }

    /// Descends one level, and comes back.
    pub(super) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::TooLarge);
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    /// `<<` and `<<-`: announces a here-document and gives the number of its body.
    pub(super) fn announce(&mut self, tabs: bool) -> Read<usize> {
        self.skip_blanks();
        let start = self.at;
        // The word is not expanded, but it must be read as one to find its end.
        let word = self.end_mark()?;
        let source = self.since(start);
        if source.is_empty() {
            return Err(Stop::Unreadable);
        }
        let quoted = source.contains(['\'', '"', '\\']);
        let end = if quoted { word } else { source.to_owned() };
        self.waiting.push(Waiting { end, quoted, tabs, body: self.bodies.len() });
        self.bodies.push(None);
        Ok(self.bodies.len() - 1)
    }

    /// The word that ends a here-document; expansions in it are just text.
    fn end_mark(&mut self) -> Read<String> {
        let mut end = String::new();
        while let Some(byte) = self.peek() {
            match byte {
                byte if is_meta(byte) => break,
                b'\'' | b'"' => {
                    self.at += 1;
                    end.push_str(self.take_until(|it| it == byte || it == b'\\' && byte == b'"'));
                    let closed = self.peek() == Some(byte);
                    self.at += 1;
                    if !closed {
                        return Err(Stop::Unreadable);
                    }
                }
                b'\\' => {
                    self.at += 1;
                    end.push_str(self.take_char().ok_or(Stop::Unreadable)?);
                }
                // Nobody writes an expansion there, and what it would mean is no fun.
                b'$' | b'`' => return Err(Stop::Unreadable),
                _ => end.push_str(self.take_char().unwrap_or_default()),
            }
        }
        Ok(end)
    }

    /// Reads the bodies that were announced on the line that just ended.
    pub(super) fn read_bodies(&mut self) -> Read<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            let (body, closed) = self.body_lines(&waiting);
            if !closed {
                self.found.doubt(DoubtKind::Expansion, "<<");
            }
            let word = if waiting.quoted {
                Word::text(body)
            } else {
                let place = self.place;
                self.nested(&body, |reader| {
                    reader.place = if place == Place::Plain { Place::Substitution } else { place };
                    let mut draft = Draft::default();
                    reader.quoted(&mut draft, Quotes::Body, 0)?;
                    Ok(draft.word())
                })?
            };
            for (command, redirect, _) in self.marks.iter().filter(|mark| mark.2 == waiting.body) {
                let command = self.found.commands.get_mut(*command);
                if let Some(it) = command.and_then(|it| it.redirects.get_mut(*redirect)) {
                    it.target = word.clone();
                }
            }
            if let Some(slot) = self.bodies.get_mut(waiting.body) {
                *slot = Some(word);
            }
        }
        Ok(())
    }

    /// The lines up to the end mark, and whether it was there.
    fn body_lines(&mut self, waiting: &Waiting) -> (String, bool) {
        let mut body = String::new();
        while self.at < self.text.len() {
            let line = self.take_until(|byte| byte == b'\n');
            self.take("\n");
            let line = if waiting.tabs { line.trim_start_matches('\t') } else { line };
            if line == waiting.end {
                return (body, true);
            }
            body.push_str(line);
            body.push('\n');
        }
        (body, false)
    }
}

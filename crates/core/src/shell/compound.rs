//! Compound commands: groups, conditions, loops, functions.

use super::grammar::Simple;
use super::read::{Draft, Quotes, Read, Reader, Stop};
use super::word::Word;
use super::{DoubtKind, Place};

impl Reader<'_, '_> {
    /// A compound command, if one stands here.
    pub(super) fn compound(&mut self) -> Read<bool> {
        if self.peek() == Some(b'(') {
            self.bracket_command()?;
        } else {
            match self.peek_word() {
                "{" => self.deeper(|it| it.body("{", "}"))?,
                "if" => self.deeper(Self::condition)?,
                "while" => self.deeper(|it| it.looped("while"))?,
                "until" => self.deeper(|it| it.looped("until"))?,
                "for" => self.deeper(|it| it.each("for"))?,
                "select" => self.deeper(|it| it.each("select"))?,
                "case" => self.deeper(Self::case)?,
                "function" => {
                    self.at += "function".len();
                    self.skip_blanks();
                    let name = self.word()?.shown();
                    self.skip_blanks();
                    if self.take("(") {
                        self.skip_blanks();
                        self.expect(")")?;
                    }
                    self.lines()?;
                    self.function(&name)?;
                    return Ok(true);
                }
                "coproc" => {
                    self.coproc()?;
                    return Ok(true);
                }
                "[[" => {
                    self.test()?;
                    return Ok(true);
                }
                _ => return Ok(false),
            }
        }
        self.redirects()?;
        Ok(true)
    }

    fn lines(&mut self) -> Read<()> {
        self.skip_blanks();
        while self.take("\n") {
            self.read_bodies()?;
            self.skip_blanks();
        }
        Ok(())
    }

    /// Redirections behind a compound command: a command of its own without words.
    fn redirects(&mut self) -> Read<()> {
        let mut simple = Simple::default();
        simple.command.inner.start = self.found.commands.len();
        loop {
            self.skip_blanks();
            if !self.redirect(&mut simple)? {
                break;
            }
        }
        if simple.command.redirects.is_empty() { Ok(()) } else { self.emit(simple) }
    }

    fn expect(&mut self, text: &str) -> Read<()> {
        if self.take(text) { Ok(()) } else { Err(Stop::Unreadable) }
    }

    /// A keyword that must stand here.
    fn keyword(&mut self, word: &str) -> Read<()> {
        if self.peek_word() == word {
            self.at += word.len();
            return Ok(());
        }
        Err(Stop::Unreadable)
    }

    fn body(&mut self, open: &str, close: &str) -> Read<()> {
        self.keyword(open)?;
        self.list()?;
        self.keyword(close)
    }

    /// `(list)` or `((expression))`.
    fn bracket_command(&mut self) -> Read<()> {
        if self.peek_at(1) == Some(b'(') && self.arithmetic_end().is_some() {
            return self.deeper(Self::arithmetic);
        }
        self.at += 1;
        self.deeper(Self::list)?;
        self.expect(")")
    }

    fn condition(&mut self) -> Read<()> {
        self.keyword("if")?;
        loop {
            self.list()?;
            self.keyword("then")?;
            self.list()?;
            match self.peek_word() {
                "elif" => self.at += "elif".len(),
                "else" => {
                    self.at += "else".len();
                    self.list()?;
                    return self.keyword("fi");
                }
                _ => return self.keyword("fi"),
            }
        }
    }

    fn looped(&mut self, word: &str) -> Read<()> {
        self.keyword(word)?;
        self.list()?;
        self.body("do", "done")
    }

    /// `for` and `select`.
    fn each(&mut self, word: &str) -> Read<()> {
        self.keyword(word)?;
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            if self.arithmetic_end().is_none() {
                return Err(Stop::Unreadable);
            }
            self.arithmetic()?;
        } else {
            self.word()?;
            self.lines()?;
            if self.peek_word() == "in" {
                self.at += "in".len();
                loop {
                    self.skip_blanks();
                    if self.words()?.is_empty() {
                        break;
                    }
                }
            }
        }
        self.skip_blanks();
        self.take(";");
        self.lines()?;
        if self.peek_word() == "{" { self.body("{", "}") } else { self.body("do", "done") }
    }

    fn case(&mut self) -> Read<()> {
        self.keyword("case")?;
        self.skip_blanks();
        self.word()?;
        self.lines()?;
        self.keyword("in")?;
        loop {
            self.lines()?;
            if self.peek_word() == "esac" {
                return self.keyword("esac");
            }
            self.take("(");
            loop {
                self.skip_blanks();
                if self.words()?.is_empty() {
                    return Err(Stop::Unreadable);
                }
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            self.list()?;
            if !self.take(";;&") && !self.take(";;") && !self.take(";&") {
                self.lines()?;
                return self.keyword("esac");
            }
        }
    }

    /// The body of a function; its commands may start whenever its name is called.
    pub(super) fn function(&mut self, name: &str) -> Read<()> {
        self.found.doubt(DoubtKind::Renaming, name);
        self.inside(Place::Function, |reader| {
            if reader.compound()? { Ok(()) } else { Err(Stop::Unreadable) }
        })
    }

    /// `coproc command` or `coproc NAME compound`.
    fn coproc(&mut self) -> Read<()> {
        self.keyword("coproc")?;
        self.skip_blanks();
        let start = self.at;
        let named = !self.peek_word().is_empty() && {
            self.name();
            self.skip_blanks();
            let word = self.peek_word();
            self.peek() == Some(b'(')
                || ["{", "if", "while", "until", "for", "case", "select", "[["].contains(&word)
        };
        if !named {
            self.at = start;
        }
        self.command()
    }

    /// `[[ … ]]`: a command whose words are its terms.
    fn test(&mut self) -> Read<()> {
        let mut simple = Simple::default();
        simple.command.inner.start = self.found.commands.len();
        let mut words = vec![Word::text("[[")];
        self.at += 2;
        loop {
            self.lines()?;
            if self.peek_word() == "]]" {
                self.at += 2;
                break;
            }
            let operator =
                ["&&", "||", "(", ")", "<", ">"].into_iter().find(|it| self.rest().starts_with(it));
            match operator {
                Some(operator) => {
                    self.at += operator.len();
                    words.push(Word::text(operator));
                }
                None => words.push(self.term(words.last().and_then(Word::known) == Some("=~"))?),
            }
        }
        for seen in evaluated(&words) {
            self.found.doubt(DoubtKind::Evaluation, &seen);
        }
        words.push(Word::text("]]"));
        simple.command.words = words;
        loop {
            self.skip_blanks();
            if !self.redirect(&mut simple)? {
                break;
            }
        }
        self.emit(simple)
    }

    /// A word between `[[` and `]]`; on the right of `=~` brackets and bars are part of it.
    fn term(&mut self, regex: bool) -> Read<Word> {
        let ends: fn(u8) -> bool = if regex {
            |byte| matches!(byte, b' ' | b'\t' | b'\n')
        } else {
            |byte| {
                matches!(
                    byte,
                    b' ' | b'\t' | b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';'
                )
            }
        };
        let start = self.at;
        let mut draft = self.draft(ends)?;
        // A pattern such as `@(a|b)`.
        while !regex && self.peek() == Some(b'(') && draft.begun {
            let close = self.rest().find(')').ok_or(Stop::Unreadable)?;
            let inner = self.rest().get(1..close).unwrap_or_default().to_owned();
            self.nested(&inner, |it| it.quoted(&mut Draft::default(), Quotes::Body, 0))?;
            self.at += close + 1;
            let rest = self.draft(ends)?;
            draft.bits.extend(rest.bits);
        }
        if self.at == start {
            return Err(Stop::Unreadable);
        }
        Ok(draft.word())
    }
}

/// Terms of a test that bash evaluates as arithmetic or as a variable's name.
fn evaluated(words: &[Word]) -> Vec<String> {
    const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    let mut seen = Vec::new();
    let number = |word: &Word| {
        word.known()
            .is_some_and(|text| text.trim_start_matches('-').bytes().all(|it| it.is_ascii_digit()))
    };
    for window in words.windows(3) {
        if let [left, operator, right] = window
            && operator.known().is_some_and(|it| NUMERIC.contains(&it))
        {
            seen.extend([left, right].into_iter().filter(|it| !number(it)).map(Word::shown));
        }
    }
    for window in words.windows(2) {
        if let [operator, operand] = window {
            let name = operand.known().is_some_and(super::grammar::is_name);
            if operator.known().is_some_and(|it| matches!(it, "-v" | "-R")) && !name {
                seen.push(operand.shown());
            }
        }
    }
    seen
}

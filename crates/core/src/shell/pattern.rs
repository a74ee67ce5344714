//! Patterns for commands: `git push:*`, `npm run *`, `npm run build`.

use std::fmt;
use std::str::FromStr;

use super::word::{Piece, Word};

/// A pattern for one command.
///
/// `x:*` and `x *` stand for `x` with any arguments; `*` anywhere else stands for any text; `\*` is a star.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommandPattern {
    text: String,
    tokens: Vec<Token>,
    /// Any arguments may follow.
    prefix: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Token {
    Char(char),
    /// Between two words.
    Space,
    /// Anything.
    Star,
}

/// What a pattern is compared with, one character at a time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Sign {
    Char(char),
    /// Between two words.
    Space,
    /// Not known before it runs.
    Unknown,
}

/// How well a pattern fits.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Fit {
    No,
    /// If what is unknown turns out so.
    Perhaps,
    Yes,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(&'static str);

impl CommandPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(PatternError("a pattern for commands must not be empty"));
        }
        if trimmed.chars().any(char::is_control) {
            return Err(PatternError("a pattern for commands is one line"));
        }
        let stem = trimmed.strip_suffix(":*").or_else(|| trimmed.strip_suffix(" *"));
        let stem = stem.filter(|stem| !stem.ends_with('\\'));
        if stem.is_some_and(|stem| stem.trim().is_empty()) {
            return Err(PatternError("a command's name must stand before `:*`"));
        }
        let (body, prefix) = stem.map_or((trimmed, false), |stem| (stem.trim_end(), true));
        Ok(Self { text: text.to_owned(), tokens: tokens(body), prefix })
    }

    /// Whether it stands for every command.
    pub fn is_universal(&self) -> bool {
        self.tokens == [Token::Star]
    }

    /// Whether it names one command with all its arguments.
    pub fn is_exact(&self) -> bool {
        !self.prefix && !self.tokens.contains(&Token::Star)
    }

    /// Its words as written.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let text = self.text.trim();
        text.strip_suffix(":*").unwrap_or(text).split_whitespace()
    }

    /// Whether it speaks of the operators between commands.
    pub(super) fn spans_commands(&self) -> bool {
        let operator = |token: &Token| matches!(token, Token::Char('|' | ';' | '&' | '>' | '<'));
        self.tokens.iter().any(operator)
    }

    /// Compares with a name and words, where a space between words is not a space in a word.
    pub(super) fn fit_words<'w>(
        &self,
        name: &'w str,
        words: impl Iterator<Item = &'w Word>,
    ) -> Fit {
        // Most patterns are about another program.
        if matches!(self.tokens.first(), Some(Token::Char(first)) if !name.starts_with(*first)) {
            return Fit::No;
        }
        let spaced = words.flat_map(|word| std::iter::once(Sign::Space).chain(signs(word)));
        self.fit(name.chars().map(Sign::Char).chain(spaced), false)
    }

    /// Compares with words that may have a name that is not known.
    pub(super) fn fit_all<'w>(&self, words: impl Iterator<Item = &'w Word>) -> Fit {
        let spaced = words.flat_map(|word| std::iter::once(Sign::Space).chain(signs(word)));
        self.fit(spaced.skip(1), true)
    }

    /// Compares with a text as it was written.
    pub(super) fn fit_text(&self, text: &str) -> Fit {
        self.fit(text.chars().map(Sign::Char), true)
    }

    /// Follows every way through the pattern at once: linear in the text, whatever the stars.
    fn fit(&self, signs: impl Iterator<Item = Sign>, loose: bool) -> Fit {
        let end = self.tokens.len();
        let mut states = vec![Fit::No; end + 1];
        if let Some(first) = states.first_mut() {
            *first = Fit::Yes;
        }
        self.pass_stars(&mut states);
        let mut best = Fit::No;
        for sign in signs {
            let done = states.last().copied().unwrap_or(Fit::No);
            if self.prefix && done > best {
                best = match sign {
                    Sign::Space => done,
                    Sign::Char(' ') if loose => done,
                    Sign::Unknown => Fit::Perhaps.max(best),
                    Sign::Char(_) => best,
                };
            }
            states = self.step(&states, sign, loose);
            self.pass_stars(&mut states);
            if best == Fit::Yes || states.iter().all(|state| *state <= best) {
                return best;
            }
        }
        best.max(states.last().copied().unwrap_or(Fit::No))
    }

    /// A star may stand for nothing.
    fn pass_stars(&self, states: &mut [Fit]) {
        for (at, token) in self.tokens.iter().enumerate() {
            if *token == Token::Star {
                let here = states.get(at).copied().unwrap_or(Fit::No);
                if let Some(next) = states.get_mut(at + 1) {
                    *next = (*next).max(here);
                }
            }
        }
    }

    fn step(&self, states: &[Fit], sign: Sign, loose: bool) -> Vec<Fit> {
        let mut next = vec![Fit::No; states.len()];
        let mut raise = |at: usize, fit: Fit| {
            if let Some(state) = next.get_mut(at) {
                *state = (*state).max(fit);
            }
        };
        for (at, state) in states.iter().enumerate().filter(|(_, state)| **state != Fit::No) {
            let token = self.tokens.get(at);
            match (token, sign) {
                (Some(Token::Star), _) => raise(at, *state),
                (Some(Token::Char(wanted)), Sign::Char(it)) if *wanted == it => {
                    raise(at + 1, *state);
                }
                (Some(Token::Space), Sign::Space) => raise(at + 1, *state),
                (Some(Token::Space), Sign::Char(' ')) if loose => raise(at + 1, *state),
                _ => {}
            }
            if sign == Sign::Unknown {
                (at..states.len()).for_each(|at| raise(at, Fit::Perhaps));
            }
        }
        next
    }
}

fn tokens(body: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = body.chars().peekable();
    while let Some(it) = chars.next() {
        let token = match it {
            '\\' if chars.peek() == Some(&'*') => {
                chars.next();
                Token::Char('*')
            }
            '*' => Token::Star,
            ' ' | '\t' => Token::Space,
            it => Token::Char(it),
        };
        let twice = matches!(token, Token::Star | Token::Space) && tokens.last() == Some(&token);
        if !twice {
            tokens.push(token);
        }
    }
    tokens
}

fn signs(word: &Word) -> impl Iterator<Item = Sign> {
    word.pieces().iter().flat_map(|piece| {
        let (text, unknown) = match piece {
            Piece::Text(text) => (text.as_str(), false),
            Piece::Home => ("~", false),
            Piece::Glob(_) | Piece::Unknown { .. } => ("", true),
        };
        text.chars().map(Sign::Char).chain(unknown.then_some(Sign::Unknown))
    })
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for CommandPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Self::parse(text)
    }
}

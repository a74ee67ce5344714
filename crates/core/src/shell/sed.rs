//! What a `sed` script does besides printing: `e` runs commands, `w` writes files.

/// What a script does to the world.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Effects {
    /// A command that is run; empty when it is the pattern space.
    pub(super) runs: Option<String>,
    pub(super) writes: bool,
}

/// Reads a script. What it does not understand is taken for the worst.
pub(super) fn effects(script: &str) -> Effects {
    let mut effects = Effects::default();
    let mut chars = Chars { rest: script };
    if chars.script(&mut effects).is_none() {
        effects.runs.get_or_insert_default();
    }
    effects
}

struct Chars<'s> {
    rest: &'s str,
}

impl<'s> Chars<'s> {
    fn next(&mut self) -> Option<char> {
        let it = self.rest.chars().next()?;
        self.rest = self.rest.get(it.len_utf8()..)?;
        Some(it)
    }

    fn skip(&mut self, what: &[char]) {
        self.rest = self.rest.trim_start_matches(what);
    }

    fn line(&mut self) -> &'s str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Up to an unescaped delimiter, which is taken.
    fn part(&mut self, delimiter: char) -> Option<()> {
        let mut class = false;
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '[' if delimiter != '[' => class = true,
                ']' => class = false,
                it if it == delimiter => {
                    // Within a bracket expression some versions take it literally; either way is well formed
                    // only when a later one closes the part.
                    if !class || !self.rest.contains(delimiter) {
                        return Some(());
                    }
                    class = false;
                }
                _ => {}
            }
        }
    }

    fn script(&mut self, effects: &mut Effects) -> Option<()> {
        loop {
            self.skip(&[' ', '\t', '\n', ';', '}']);
            if self.rest.is_empty() {
                return Some(());
            }
            self.addresses()?;
            match self.next()? {
                '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
                | 'z' | 'F' => {}
                'l' | 'L' | 'q' | 'Q' => {
                    self.skip(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ' ']);
                }
                ':' | 'b' | 't' | 'T' => {
                    let end = self.rest.find([';', '\n', '}']).unwrap_or(self.rest.len());
                    self.rest = self.rest.get(end..)?;
                }
                '#' | 'a' | 'i' | 'c' | 'r' | 'R' | 'v' => while self.line().ends_with('\\') {},
                'e' => effects.runs = Some(self.line().trim().to_owned()),
                'w' | 'W' => {
                    self.line();
                    effects.writes = true;
                }
                's' => self.substitute(effects)?,
                'y' => {
                    let delimiter = self.next()?;
                    self.part(delimiter)?;
                    self.part(delimiter)?;
                }
                _ => return None,
            }
        }
    }

    /// `1,5`, `/x/,$`, `0~3`, `!`
    fn addresses(&mut self) -> Option<()> {
        loop {
            let before = self.rest.len();
            self.skip(&[
                '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '$', ',', '~', '+', '!', ' ',
                '\t',
            ]);
            if self.rest.starts_with('/') {
                self.next()?;
                self.part('/')?;
                self.skip(&['I', 'M']);
            } else if self.rest.starts_with('\\') {
                self.next()?;
                let delimiter = self.next()?;
                self.part(delimiter)?;
                self.skip(&['I', 'M']);
            }
            if self.rest.len() == before {
                return Some(());
            }
        }
    }

    fn substitute(&mut self, effects: &mut Effects) -> Option<()> {
        let delimiter = self.next()?;
        self.part(delimiter)?;
        self.part(delimiter)?;
        loop {
            let flag = self.rest.chars().next();
            match flag {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next()?;
                }
                Some('e') => {
                    self.next()?;
                    effects.runs.get_or_insert_default();
                }
                Some('w') => {
                    self.line();
                    effects.writes = true;
                    return Some(());
                }
                None | Some(' ' | '\t' | ';' | '\n' | '}' | '#') => return Some(()),
                Some(_) => return None,
            }
        }
    }
}

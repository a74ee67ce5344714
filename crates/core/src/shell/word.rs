//! A word: what is known of its value, and what is not.

use std::borrow::Cow;

/// A word after quote removal and brace expansion.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Word {
    pieces: Vec<Piece>,
}

/// A part of a word.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Piece {
    /// Exactly this.
    Text(String),
    /// A pattern for file names: `*`, `?` or the text of a bracket expression.
    Glob(String),
    /// The home folder: `~`, `$HOME`.
    Home,
    /// Not known before it runs.
    Unknown {
        /// As it was written.
        source: String,
        /// Whether it may become several words, or none.
        splits: bool,
    },
}

impl Word {
    /// A word whose value is known.
    pub fn text(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())] }
    }

    /// A word of which nothing is known.
    pub(super) fn unknown(source: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Unknown { source: source.into(), splits: true }] }
    }

    pub(super) fn from_pieces(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut word = Self::default();
        for piece in pieces {
            word.push(piece);
        }
        word
    }

    fn push(&mut self, piece: Piece) {
        if let (Some(Piece::Text(last)), Piece::Text(text)) = (self.pieces.last_mut(), &piece) {
            last.push_str(text);
            return;
        }
        self.pieces.push(piece);
    }

    /// Its parts; neighbouring text is one part.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The value, when all of it is known.
    pub fn known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The known text in front.
    pub fn lead(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// The value, with `~`, `*` and `$X` standing for themselves.
    pub fn shown(&self) -> String {
        let shown = |piece: &Piece| match piece {
            Piece::Text(text) => Cow::Owned(text.clone()),
            Piece::Glob(glob) => Cow::Owned(glob.clone()),
            Piece::Home => Cow::Borrowed("~"),
            Piece::Unknown { source, .. } => Cow::Owned(source.clone()),
        };
        self.pieces.iter().map(shown).collect()
    }

    /// Whether a value in it is not known before it runs. A pattern for file names is no such value.
    pub fn is_open(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown { .. }))
    }

    /// Whether it may become several words, or none.
    pub fn may_split(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown { splits: true, .. }))
    }

    /// Whether it has a pattern for file names in it.
    pub fn is_glob(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
    }

    /// Whether it may be an option: it begins with `-`, or with something unknown.
    pub fn may_be_option(&self) -> bool {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text.starts_with('-') || self.may_split(),
            Some(Piece::Home | Piece::Glob(_)) => self.may_split(),
            Some(Piece::Unknown { .. }) => true,
            None => false,
        }
    }

    /// What stands behind the last `/`, when that is known and the word is one word.
    pub fn base_name(&self) -> Option<&str> {
        match self.pieces.last() {
            Some(Piece::Text(text)) => {
                let (folder, base) = text
                    .rsplit_once('/')
                    .map_or((None, text.as_str()), |(folder, base)| (Some(folder), base));
                let whole = self.pieces.len() == 1;
                (whole || folder.is_some() && !self.may_split()).then_some(base)
            }
            _ => None,
        }
    }

    /// The same word without a known prefix.
    pub(super) fn without(&self, prefix: &str) -> Option<Self> {
        let (first, rest) = self.pieces.split_first()?;
        let Piece::Text(text) = first else { return None };
        let left = text.strip_prefix(prefix)?;
        let head = (!left.is_empty()).then(|| Piece::Text(left.to_owned()));
        Some(Self::from_pieces(head.into_iter().chain(rest.iter().cloned())))
    }

    /// Splits at the first `=` of the known text in front.
    pub(super) fn split_assignment(&self) -> Option<(&str, Self)> {
        let (name, _) = self.lead().split_once('=')?;
        let prefix = self.lead().get(..=name.len())?;
        Some((name, self.without(prefix)?))
    }
}

impl From<Piece> for Word {
    fn from(piece: Piece) -> Self {
        Self { pieces: vec![piece] }
    }
}

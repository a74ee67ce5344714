//! Finding options and what stands behind them, the way GNU's `getopt` does.

use super::word::Word;

/// How a program's options are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Letters that take a value.
    pub(super) letters: &'static str,
    /// Long names that take a value as the next word.
    pub(super) names: &'static [&'static str],
}

/// The values an option was given: `-P x`, `-Px`, `-aP x`, `--pager x`, `--pager=x`, `--pag x`.
pub(super) fn values(arguments: &[Word], letters: &str, names: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let lead = word.lead();
        if let Some(long) = lead.strip_prefix("--") {
            let (name, attached) =
                long.split_once('=').map_or((long, false), |(name, _)| (name, true));
            if !is_abbreviation(name, names) {
                continue;
            }
            let prefix = lead.get(..name.len() + 3).unwrap_or_default();
            let value = if attached { word.without(prefix) } else { words.next().cloned() };
            found.extend(value);
        } else if let Some(cluster) = lead.strip_prefix('-') {
            let Some(at) = cluster.find(|it| letters.contains(it)) else { continue };
            let attached = word.without(lead.get(..at + 2).unwrap_or_default());
            let attached = attached.filter(|it| !it.pieces().is_empty());
            found.extend(attached.or_else(|| words.next().cloned()));
        }
    }
    found
}

/// Whether an option is given, by letter or by name.
pub(super) fn has(arguments: &[Word], letters: &str, names: &[&str]) -> bool {
    arguments.iter().any(|word| {
        let lead = word.lead();
        match lead.strip_prefix("--") {
            Some(long) => is_abbreviation(long.split('=').next().unwrap_or_default(), names),
            None => lead.strip_prefix('-').is_some_and(|it| it.contains(|it| letters.contains(it))),
        }
    })
}

fn is_abbreviation(name: &str, names: &[&str]) -> bool {
    name.len() >= 2 && names.iter().any(|full| full.starts_with(name))
}

impl Options {
    /// Where the operands begin.
    pub(super) fn end(&self, arguments: &[Word]) -> usize {
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            let lead = word.lead();
            if lead == "--" {
                return at + 1;
            }
            if !lead.starts_with('-') || word.known() == Some("-") {
                return at;
            }
            at += self.width(lead);
        }
        at
    }

    /// How many words an option takes.
    fn width(&self, lead: &str) -> usize {
        if let Some(long) = lead.strip_prefix("--") {
            return 1 + usize::from(!long.contains('=') && is_abbreviation(long, self.names));
        }
        let cluster = lead.strip_prefix('-').unwrap_or_default();
        let takes = cluster.char_indices().find(|(_, it)| self.letters.contains(*it));
        1 + usize::from(takes.is_some_and(|(at, it)| at + it.len_utf8() == cluster.len()))
    }

    /// The operands: what is left when options and their values are taken away.
    pub(super) fn operands<'w>(&self, arguments: &'w [Word]) -> Vec<&'w Word> {
        let (mut at, mut found) = (0, Vec::new());
        while let Some(word) = arguments.get(at) {
            let lead = word.lead();
            if lead == "--" {
                found.extend(arguments.iter().skip(at + 1));
                break;
            }
            if lead.starts_with('-') && word.known() != Some("-") {
                at += self.width(lead);
            } else {
                found.push(word);
                at += 1;
            }
        }
        found
    }
}

//! Brace expansion: `r{m,}` is two words, `{1..3}` is three.

use super::word::{Piece, Word};

/// More words than this are not spelled out: the word becomes unknown.
const MAX_WORDS: usize = 256;
/// Nor are the braces of a word with more parts than this looked at.
const MAX_BITS: usize = 2048;

/// A part of a word before brace expansion.
#[derive(Clone, Debug)]
pub(super) enum Bit {
    /// What needs no expansion.
    Piece(Piece),
    /// An unquoted `{`, `}` or `,`.
    Mark(char),
}

/// The words that one word becomes.
pub(super) fn expand(bits: &[Bit]) -> Vec<Word> {
    if !bits.iter().any(|bit| matches!(bit, Bit::Mark('{'))) {
        return vec![join(bits)];
    }
    let mut fuel = MAX_WORDS;
    let words = if bits.len() > MAX_BITS { None } else { alternatives(bits, &mut fuel) };
    match words {
        Some(words) => words.iter().map(|bits| join(bits)).collect(),
        None => vec![Word::unknown(join(bits).shown())],
    }
}

fn join(bits: &[Bit]) -> Word {
    Word::from_pieces(bits.iter().map(|bit| match bit {
        Bit::Piece(piece) => piece.clone(),
        Bit::Mark(mark) => Piece::Text(mark.to_string()),
    }))
}

/// All words of a text with braces in it; none when there are too many.
fn alternatives(bits: &[Bit], fuel: &mut usize) -> Option<Vec<Vec<Bit>>> {
    let Some((open, close, choices)) = first_group(bits) else { return Some(vec![bits.to_vec()]) };
    let head = bits.get(..open)?;
    let mut middles = Vec::new();
    for choice in choices {
        *fuel = fuel.checked_sub(1)?;
        middles.extend(alternatives(&choice, fuel)?);
    }
    let tails = alternatives(bits.get(close + 1..)?, fuel)?;
    *fuel = fuel.checked_sub(middles.len().checked_mul(tails.len())?)?;
    let pairs = middles.iter().flat_map(|middle| tails.iter().map(move |tail| (middle, tail)));
    Some(pairs.map(|(middle, tail)| [head, middle, tail].concat()).collect())
}

/// The first group that expands: where it opens and closes, and its choices.
fn first_group(bits: &[Bit]) -> Option<(usize, usize, Vec<Vec<Bit>>)> {
    let opens = bits.iter().enumerate().filter(|(_, bit)| matches!(bit, Bit::Mark('{')));
    for (open, _) in opens {
        if let Some((close, choices)) = group_at(bits, open) {
            return Some((open, close, choices));
        }
    }
    None
}

fn group_at(bits: &[Bit], open: usize) -> Option<(usize, Vec<Vec<Bit>>)> {
    let (mut depth, mut choices, mut choice) = (0_usize, Vec::new(), Vec::new());
    for (at, bit) in bits.iter().enumerate().skip(open + 1) {
        match bit {
            Bit::Mark('}') if depth == 0 => {
                choices.push(choice);
                let choices = if choices.len() > 1 { choices } else { sequence(&choices)? };
                return Some((at, choices));
            }
            Bit::Mark(',') if depth == 0 => choices.push(std::mem::take(&mut choice)),
            Bit::Mark(mark) => {
                depth = if *mark == '{' {
                    depth + 1
                } else {
                    depth.saturating_sub(usize::from(*mark == '}'))
                };
                choice.push(bit.clone());
            }
            Bit::Piece(_) => choice.push(bit.clone()),
        }
    }
    None
}

/// `1..3`, `a..c`, `1..9..2`.
fn sequence(choices: &[Vec<Bit>]) -> Option<Vec<Vec<Bit>>> {
    let [choice] = choices else { return None };
    let word = join(choice);
    let text = word.known()?;
    let mut parts = text.split("..");
    let (from, to) = (parts.next()?, parts.next()?);
    let step = parts.next().map_or(Some(1), |step| step.parse::<i64>().ok())?;
    let step = usize::try_from(step.unsigned_abs().max(1)).ok()?;
    let one = |text: String| vec![Bit::Piece(Piece::Text(text))];
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let width = from.abs_diff(to);
        if width > 1 << 20 {
            return None;
        }
        let up = (from.min(to)..=from.max(to)).step_by(step).take(MAX_WORDS + 1);
        return Some(up.map(|number| one(number.to_string())).collect());
    }
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|it| it.is_ascii() && chars.next().is_none())
    };
    let (from, to) = (letter(from)?, letter(to)?);
    Some((from.min(to)..=from.max(to)).step_by(step).map(|it| one(it.to_string())).collect())
}

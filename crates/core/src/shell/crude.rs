//! What is visible in a text that cannot be read properly: no rule goes blind because of a limit.

use super::word::Word;
use super::{Analysis, Command, MAX_COMMANDS, Place};

/// More words than this are not part of a command that anybody wrote.
const MAX_WORDS: usize = 64;

/// Adds what looks like a command. Linear, and knows no quotes.
pub(super) fn look(found: &mut Analysis, text: &str) {
    let parts = text.split(['\n', ';', '&', '|', '(', ')', '{', '}', '`', '<', '>', '!']);
    for part in parts {
        let words = part.split([' ', '\t', '\r']).map(|word| word.replace(['\'', '"', '\\'], ""));
        let words = words.filter(|word| !word.is_empty());
        let keyword = |word: &String| {
            matches!(word.as_str(), "then" | "else" | "do" | "if" | "while" | "time")
                || word.ends_with('=')
        };
        let words: Vec<Word> = words.skip_while(keyword).take(MAX_WORDS).map(Word::text).collect();
        if words.is_empty() {
            continue;
        }
        if found.commands.len() >= MAX_COMMANDS {
            return;
        }
        found.commands.push(Command { words, place: Place::Crude, ..Command::default() });
    }
}

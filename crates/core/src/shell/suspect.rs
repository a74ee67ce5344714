//! Characters that cannot be seen, or that make text look like other text.

/// The first character that has no business in a command line.
pub(super) fn disguise(text: &str) -> Option<char> {
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(it) = chars.next() {
        // Families of emoji are joined by it.
        let joins = it == '\u{200d}'
            && !before.is_ascii()
            && chars.peek().is_some_and(|next| !next.is_ascii());
        if is_hidden(it) && !joins {
            return Some(it);
        }
        before = it;
    }
    None
}

fn is_hidden(it: char) -> bool {
    (it.is_control() && !matches!(it, '\t' | '\n'))
        || matches!(
            it,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

//! What is written where: data on standard output, everything else on standard error.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use anstyle::{AnsiColor, Style};

use crate::exit::Exit;
use crate::problem::Problem;

/// Good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Bad news.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// News to look at.
pub(crate) const CARE: Style = AnsiColor::Yellow.on_default();
/// What may be read later.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What is to be seen first.
pub(crate) const STRONG: Style = Style::new().bold();

/// Text in a style.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes data. A reader that has gone away, such as `head`, is no error; a full disk is.
pub(crate) fn data(text: impl Display) -> Result<(), Problem> {
    let mut stdout = anstream::stdout();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("the output cannot be written: {error}");
            Err(Problem::new(Exit::Unavailable, "output", message))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a message for the person.
pub(crate) fn tell(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Foreign text made safe for a terminal: it can neither move the cursor nor hide what stands before it.
pub(crate) fn harmless(text: &str) -> String {
    let visible = |c: char| match c {
        '\n' | '\t' => c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(visible).collect()
}

/// The first line of a foreign text, harmless and short.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line = harmless(text.trim()).lines().next().unwrap_or_default().to_owned();
    let short: String = line.chars().take(most).collect();
    let cut = short.len() < line.len() || text.trim().lines().count() > 1;
    if cut { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::{harmless, one_line};

    #[test]
    fn hook_text_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\rc\u{202e}d"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("a\nb", 10), "a…");
        assert_eq!(one_line("abc", 3), "abc");
    }
}

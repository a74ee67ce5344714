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

/// Foreign text in which every character that cannot be seen is spelled out, for whoever has to approve it.
pub(crate) fn spelled_out(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        let hidden = c.is_control() || is_invisible(c) || c.is_whitespace() && !" \n\t".contains(c);
        if hidden && !"\n\t".contains(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Characters that take no room or change the direction of others.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
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
    use super::{harmless, one_line, spelled_out};

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(
            spelled_out("a\u{202e}b\u{200b}\u{1b}[1m\r\n"),
            "a\\u{202e}b\\u{200b}\\u{1b}[1m\\u{d}\n"
        );
        assert_eq!(spelled_out("caf\u{e9}\u{a0}x"), "caf\u{e9}\\u{a0}x");
    }

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

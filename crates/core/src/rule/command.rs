//! What rules say about command lines.

use std::fmt;

use super::{Hit, RuleError, star_matches};

/// `git:*`, `npm run *` or `npm run build`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct CommandPattern {
    text: String,
}

impl CommandPattern {
    pub(super) fn read(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.contains('\n') {
            let message = "a rule about a command is one line".to_owned();
            return Err(RuleError { message, hint: "write one rule for each command".to_owned() });
        }
        Ok(Self { text: text.to_owned() })
    }

    pub(super) fn hits(&self, command: &str) -> Hit {
        if self.fits(command.trim()) {
            return Hit::Yes;
        }
        if is_plain(command) {
            Hit::No
        } else {
            Hit::Perhaps("it is not one plain command".to_owned())
        }
    }

    pub(super) fn proves(&self, command: &str) -> bool {
        is_plain(command) && self.fits(command.trim())
    }

    fn fits(&self, command: &str) -> bool {
        match self.text.strip_suffix(":*") {
            Some(prefix) => {
                let rest = command.strip_prefix(prefix);
                rest.is_some_and(|it| it.is_empty() || it.starts_with(' '))
            }
            None => star_matches(&self.text, command),
        }
    }
}

fn is_plain(command: &str) -> bool {
    command.chars().all(|c| c.is_alphanumeric() || " ._-/=:,@+".contains(c))
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

//! The names of tools, as far as agents share them.

use crate::diagnostic::nearest;

/// As Claude Code and those who follow it call them.
const CAMEL: [&str; 13] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "Glob",
    "Grep",
    "WebFetch",
    "WebSearch",
    "Task",
    "TodoWrite",
    "NotebookEdit",
    "AskUserQuestion",
    "LSP",
];
/// The same where names are lower case.
const SNAKE: [(&str, &str); 9] = [
    ("Bash", "bash"),
    ("Read", "read_file"),
    ("Write", "write_file"),
    ("Edit", "edit_file"),
    ("Glob", "glob"),
    ("Grep", "grep"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "web_search"),
    ("TodoWrite", "todo_write"),
];

/// How a system writes the names of its tools.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Spelling {
    /// `WebFetch`.
    Camel,
    /// `web_fetch`.
    Snake,
}

/// What is wrong with the name of a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Misspelt {
    /// Another system calls its tool so; here it has this name.
    Elsewhere(&'static str),
    /// It is nearly this name.
    Nearly(&'static str),
}

/// Whether agents that spell names so have a tool of this name.
pub(super) fn is_known(name: &str, spelling: Spelling) -> bool {
    names(spelling).any(|it| it == name)
}

fn names(spelling: Spelling) -> impl Iterator<Item = &'static str> {
    let camel = CAMEL.iter().copied().filter(move |_| spelling == Spelling::Camel);
    let snake = SNAKE.iter().map(|it| it.1).filter(move |_| spelling == Spelling::Snake);
    camel.chain(snake)
}

/// What somebody most likely meant who wrote this name of a tool, if it is not one.
pub(super) fn misspelt(name: &str, spelling: Spelling) -> Option<Misspelt> {
    if is_known(name, spelling) {
        return None;
    }
    if let Some(known) = names(spelling).find(|it| it.eq_ignore_ascii_case(name)) {
        return Some(Misspelt::Elsewhere(known));
    }
    let translated = SNAKE.iter().find_map(|(camel, snake)| match spelling {
        Spelling::Camel => (*snake == name).then_some(*camel),
        Spelling::Snake => camel.eq_ignore_ascii_case(name).then_some(*snake),
    });
    if let Some(known) = translated {
        return Some(Misspelt::Elsewhere(known));
    }
    // Short names are near to everything, and other tools there are many.
    let near = nearest(name, names(spelling)).filter(|it| name.len() > 3 && is_slip(name, it));
    near.map(Misspelt::Nearly)
}

/// Whether one letter is wrong, missing, too many, or in the wrong place.
fn is_slip(name: &str, known: &str) -> bool {
    strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase()) == 1
}

#[cfg(test)]
mod tests {
    use super::{Misspelt, Spelling, misspelt};

    #[test]
    fn a_name_that_is_nearly_a_tool_is_told_from_one_that_is_another() {
        for (name, spelling, expected) in [
            ("Bash", Spelling::Camel, None),
            ("bash", Spelling::Camel, Some(Misspelt::Elsewhere("Bash"))),
            ("read_file", Spelling::Camel, Some(Misspelt::Elsewhere("Read"))),
            ("Wirte", Spelling::Camel, Some(Misspelt::Nearly("Write"))),
            ("Read", Spelling::Snake, Some(Misspelt::Elsewhere("read_file"))),
            ("BASH", Spelling::Snake, Some(Misspelt::Elsewhere("bash"))),
            ("write_fle", Spelling::Snake, Some(Misspelt::Nearly("write_file"))),
            ("deploy", Spelling::Camel, None),
            ("mcp__git__push", Spelling::Snake, None),
            ("Skill", Spelling::Camel, None),
            ("Trash", Spelling::Camel, None),
        ] {
            assert_eq!(misspelt(name, spelling), expected, "{name}");
        }
    }
}

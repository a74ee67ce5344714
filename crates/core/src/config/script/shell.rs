//! A shell command as words, as far as that is needed to see what it starts.

/// Programs that read a script, or a command after `-c`.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];
/// Other programs that read a script.
const INTERPRETERS: [&str; 6] = ["python", "python3", "node", "ruby", "perl", "php"];
/// Words that may stand before the program that is started.
const BEFORE: [&str; 14] = [
    "exec", "command", "env", "if", "then", "else", "elif", "while", "until", "do", "!", "{",
    "time", "nohup",
];

/// One word, without its quotes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(in super::super) struct Word {
    pub(in super::super) text: String,
    /// Whether it means what it says: nothing in it is replaced by the shell.
    pub(in super::super) plain: bool,
}

/// One program that a command starts, with its arguments.
#[derive(Debug)]
pub(super) struct Call<'w> {
    pub(super) program: &'w Word,
    pub(super) arguments: &'w [Word],
}

impl<'w> Call<'w> {
    /// What a simple command starts; `None` where it only sets variables.
    pub(super) fn of(words: &'w [Word]) -> Option<Self> {
        let skipped = |word: &&Word| BEFORE.contains(&&*word.text) || is_assignment(&word.text);
        let start = words.iter().take_while(skipped).count();
        let (program, arguments) = words.get(start..)?.split_first()?;
        Some(Self { program, arguments })
    }

    /// The program without its folder.
    pub(super) fn name(&self) -> &'w str {
        self.program.text.rsplit('/').next().unwrap_or_default()
    }

    /// Whether the program reads scripts.
    pub(super) fn interprets(&self) -> bool {
        SHELLS.contains(&self.name()) || INTERPRETERS.contains(&self.name())
    }

    /// The script that an interpreter is given; none where the program text stands in the command.
    pub(super) fn script(&self) -> Option<&'w Word> {
        let shell = SHELLS.contains(&self.name());
        let flags: &[char] = if shell { &['c'] } else { &['c', 'e', 'm', 'p', 'r'] };
        let first = self.arguments.iter().find(|it| {
            let inline = it.text.starts_with('-') && it.text.ends_with(flags);
            !it.text.starts_with('-') || inline || it.text == "--eval"
        })?;
        (self.interprets() && !first.text.starts_with('-')).then_some(first)
    }

    /// What a shell is given to read as a command.
    pub(super) fn evaluated(&self) -> Option<&'w [Word]> {
        if self.program.text == "eval" {
            return Some(self.arguments);
        }
        let flag = self.arguments.iter().position(|it| it.text == "-c" || it.text == "-lc")?;
        // What comes after the command are its arguments, and stays one word each.
        SHELLS.contains(&self.name()).then(|| self.arguments.get(flag + 1..flag + 2)).flatten()
    }
}

fn is_assignment(word: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(in_name))
}

/// The simple commands of a text. Where a redirection leads is left out.
pub(super) fn commands(text: &str) -> Vec<Vec<Word>> {
    let mut splitter = Splitter::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (splitter.quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => splitter.quote = None,
            (None, '\'' | '"') => {
                splitter.quote = Some(c);
                splitter.word.get_or_insert_with(plain);
            }
            (Some('"') | None, '\\') => splitter.push(chars.next().unwrap_or('\\'), true),
            (Some('\''), _) => splitter.push(c, true),
            (Some(_), _) => splitter.push(c, !"$`".contains(c)),
            (None, '>' | '<') => {
                splitter.end_redirected();
                while chars.next_if(|it| ">&|<".contains(*it)).is_some() {}
                splitter.target = true;
            }
            (None, ';' | '&' | '|' | '(' | ')' | '\n') => splitter.end_command(),
            (None, c) if c.is_whitespace() => splitter.end_word(),
            (None, c) => splitter.push(c, !"$`*?[]{}~".contains(c)),
        }
    }
    splitter.end_command();
    splitter.commands
}

fn plain() -> Word {
    Word { text: String::new(), plain: true }
}

#[derive(Debug, Default)]
struct Splitter {
    commands: Vec<Vec<Word>>,
    words: Vec<Word>,
    word: Option<Word>,
    quote: Option<char>,
    /// Whether the next word says where a redirection leads.
    target: bool,
}

impl Splitter {
    fn push(&mut self, c: char, means_itself: bool) {
        let word = self.word.get_or_insert_with(plain);
        word.text.push(c);
        word.plain &= means_itself;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if !std::mem::take(&mut self.target) {
            self.words.push(word);
        }
    }

    /// A number before a redirection says which stream it is about.
    fn end_redirected(&mut self) {
        let number = |it: &Word| it.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            self.word = None;
        }
        self.end_word();
    }

    fn end_command(&mut self) {
        self.end_word();
        self.target = false;
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }
}

/// The first of these variables that stands in a command without quotes around it.
pub(in super::super) fn unquoted<'v>(command: &str, variables: &[&'v str]) -> Option<&'v str> {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for (at, c) in command.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !single => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if !single && !double => {
                let rest = command.get(at + 1..).unwrap_or_default();
                let rest = rest.strip_prefix('{').unwrap_or(rest);
                let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let name = rest.split(|c| !in_name(c)).next().unwrap_or_default();
                let known = variables.iter().copied().find(|it| *it == name);
                if known.is_some() {
                    return known;
                }
            }
            _ => (),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Call, commands, unquoted};

    #[test]
    fn only_a_variable_outside_of_quotes_is_split_by_the_shell() {
        for (command, found) in [
            ("echo $IN", true),
            ("echo ${IN}", true),
            ("echo ${IN:-x}", true),
            ("echo \"a\" $IN", true),
            ("echo \"$IN\"", false),
            ("echo \"a \\\" $IN\"", false),
            ("echo '$IN'", false),
            ("echo \\$IN", false),
            ("echo $INPUT", false),
            ("echo \"it's $IN\"", false),
        ] {
            assert_eq!(unquoted(command, &["IN"]).is_some(), found, "{command}");
        }
    }

    #[test]
    fn a_command_is_what_it_starts() {
        let starts = |text: &str| -> Vec<String> {
            let commands = commands(text);
            let calls = commands.iter().filter_map(|it| Call::of(it));
            calls.map(|it| it.script().unwrap_or(it.program).text.clone()).collect()
        };
        for (text, expected) in [
            ("./a.sh x", &["./a.sh"][..]),
            ("A=1 env B=2 sh -e './a b.sh' 2>&1 | tee ./log.txt", &["./a b.sh", "tee"]),
            ("if grep -q x; then python3 -u guard.py; fi", &["grep", "guard.py", "fi"]),
            ("bash -c 'exit 2' > ./out.log", &["bash"]),
            ("cat < ./in.json && node --no-warnings x.js", &["cat", "x.js"]),
            ("A=1", &[]),
            ("", &[]),
        ] {
            assert_eq!(starts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_is_plain_when_the_shell_leaves_it_alone() {
        for (text, plain) in [
            ("./a.sh", true),
            ("'./$a'", true),
            ("\"./$a\"", false),
            ("./*.sh", false),
            ("~/a", false),
        ] {
            assert_eq!(commands(text).concat().first().map(|it| it.plain), Some(plain), "{text}");
        }
    }
}

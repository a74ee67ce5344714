//! What can be told about a command and the scripts it starts, without running them.

mod call;
mod text;

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::tree::Problems;
use super::{Code, World};
use crate::world::ScriptFile;

use self::call::{evaluated, interprets, script, split_variables};
pub(super) use self::text::Text;
use crate::shell::{Analysis, Command, Word};

/// The most scripts of one command that are looked into.
const MAX_SCRIPTS: usize = 4;
/// Ends of file names by which a script is known.
const SCRIPTS: [&str; 7] = ["sh", "bash", "py", "js", "mjs", "rb", "pl"];
/// Ends of a command that cannot fail.
const HARMLESS: [&str; 4] = ["exit 0", "true", "|| :", "; :"];
/// Programs that end with 2 when something small is wrong with a file.
const TWOS: [&str; 12] = [
    "prettier", "eslint", "tsc", "ruff", "mypy", "pylint", "grep", "rg", "diff", "cmp", "make",
    "ls",
];
/// Words by which a script gives itself away as a guard.
const GUARDS: [&str; 18] = [
    "validate",
    "validator",
    "validation",
    "check",
    "checker",
    "guard",
    "security",
    "secure",
    "block",
    "blocker",
    "deny",
    "forbid",
    "protect",
    "policy",
    "restrict",
    "firewall",
    "allowlist",
    "denylist",
];

/// A command and the scripts it starts.
#[derive(Debug)]
pub(super) struct Script<'c> {
    command: &'c str,
    start: PathBuf,
    analysis: Analysis,
    started: Vec<Started>,
    inline: Text,
    files: Vec<Text>,
}

/// A script as a command names it.
#[derive(Debug)]
struct Started {
    name: String,
    path: PathBuf,
    /// Whether it is started by its own name, rather than read by an interpreter.
    by_name: bool,
    file: Option<ScriptFile>,
}

/// How clearly a hook shows that it is there to refuse.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Wish {
    /// Not at all.
    None,
    /// By its name.
    Named,
    /// By what it does.
    Shown,
}

impl<'c> Script<'c> {
    /// Looks at a command that is run in a folder.
    pub(super) fn read(command: &'c str, start: &Path, world: &dyn World) -> Self {
        let analysis = Analysis::of(command);
        let mut started = Vec::new();
        for call in &analysis.commands {
            // After this nobody knows where relative paths start from.
            if call.name() == Some("cd") || started.len() == MAX_SCRIPTS {
                break;
            }
            let by_name = !interprets(call);
            let named = if by_name { call.words.first() } else { script(call) };
            // A placeholder stands for a name that nobody knows yet.
            let is_path = |it: &&str| !it.contains('{') && (!by_name || it.contains('/'));
            if let Some(name) = named.and_then(Word::known).filter(is_path) {
                let path = start.join(name);
                let file = world.script(&path);
                started.push(Started { name: name.to_owned(), path, by_name, file });
            }
        }
        let texts = started.iter().filter_map(|it| it.file.as_ref()).map(|it| it.text.as_str());
        let files = texts.map(Text::new).collect();
        let start = start.to_path_buf();
        Self { command, start, analysis, started, inline: Text::new(command), files }
    }

    fn texts(&self) -> impl Iterator<Item = &Text> {
        std::iter::once(&self.inline).chain(&self.files)
    }

    /// The command itself.
    pub(super) fn inline(&self) -> &Text {
        &self.inline
    }

    /// Whether a text says so, in the command or in a script.
    pub(super) fn any(&self, is: impl Fn(&Text) -> bool) -> bool {
        self.texts().any(is)
    }

    /// Whether it ends with this code somewhere.
    pub(super) fn exits_with(&self, code: u8) -> bool {
        self.any(|text| text.exits().contains(&code))
    }

    /// Whether it ends with a code that is a failure.
    pub(super) fn fails(&self) -> bool {
        self.any(|text| text.exits().iter().any(|code| *code > 0))
    }

    /// Whether it prints an answer that would be a refusal somewhere.
    pub(super) fn refuses(&self) -> bool {
        self.any(Text::refuses)
    }

    /// The code with which it ends right after printing a refusal.
    pub(super) fn exit_after_answer(&self) -> Option<u8> {
        self.texts().find_map(Text::exit_after_answer)
    }

    /// Whether it prints plain text beside an answer with one of these fields.
    pub(super) fn talks_beside(&self, fields: &[&str]) -> bool {
        self.any(|text| text.talks_beside(fields))
    }

    /// How clearly it shows, with the name its hook has, that it is there to refuse.
    pub(super) fn wish(&self, name: &str) -> Wish {
        let guard = is_guard(name) || self.names().any(is_guard);
        let inline = self.inline.exits().iter().any(|code| *code > 0);
        let fails = |text: &Text| {
            let fails = text.exits().iter().any(|code| *code > 0);
            fails && (guard || text.says_no())
        };
        match guard {
            _ if self.refuses() || inline || self.files.iter().any(fails) => Wish::Shown,
            true => Wish::Named,
            false => Wish::None,
        }
    }

    /// The file names of the programs and scripts it starts.
    fn names(&self) -> impl Iterator<Item = &str> {
        let calls = self.analysis.commands.iter();
        let named = calls.filter_map(|call| script(call).or_else(|| call.words.first()));
        named.filter_map(Word::base_name)
    }

    /// Whether it would wait for an event on standard input.
    pub(super) fn reads_input(&self) -> bool {
        let alone = |call: &Command| {
            let arguments = || call.arguments().iter().map(Word::lead);
            let operands = arguments().filter(|it| !it.starts_with('-')).count();
            match call.name() {
                Some("cat") => operands == 0,
                Some("jq") => operands < 2 && !arguments().any(|it| is_flag(it, 'n')),
                Some("read") => true,
                Some(_) | None => false,
            }
        };
        let first = self.analysis.commands.first().is_some_and(alone);
        first && !self.command.contains('<') || self.any(Text::reads_input)
    }

    /// The words that another shell would read as a command.
    pub(super) fn evaluated(&self) -> impl Iterator<Item = &Word> {
        self.analysis.commands.iter().flat_map(evaluated)
    }

    /// The first of these variables that the shell splits into words.
    pub(super) fn unquoted<'v>(&self, variables: &[&'v str]) -> Option<&'v str> {
        let words = self.analysis.commands.iter().flat_map(|it| &it.words);
        let mut names = words.flat_map(split_variables);
        names.find_map(|name| variables.iter().copied().find(|it| *it == name))
    }

    /// A program at its end whose ordinary complaints are exit code 2.
    pub(super) fn may_end_with_two(&self) -> Option<&str> {
        let end = self.command.trim_end();
        if HARMLESS.iter().any(|it| end.ends_with(it)) {
            return None;
        }
        let last = self.analysis.commands.last()?;
        let runner = ["npx", "bunx", "pnpx", "uvx"].contains(&last.name()?);
        let name = if runner { last.arguments().first()?.known() } else { last.name() }?;
        TWOS.iter().copied().find(|it| *it == name)
    }

    /// Whether the command ends in a way that cannot fail.
    pub(super) fn ends_well(&self) -> bool {
        HARMLESS.iter().any(|it| self.command.trim_end().ends_with(it))
    }

    /// Reports scripts that cannot be started and characters that cannot be seen.
    pub(super) fn lint(&self, at: &Range<usize>, world: &dyn World, problems: &mut Problems<'_>) {
        if self.command.chars().any(is_invisible) {
            let message = "the command holds characters that cannot be seen";
            problems.report_with_hint(Code::Invisible, at, message, "delete them");
        }
        for started in &self.started {
            started.lint(at, world, problems);
        }
        self.lint_bare(at, world, problems);
        let interpreters = self.analysis.commands.iter().filter(|it| interprets(it));
        let mut programs = interpreters.filter_map(|it| it.words.first()?.known());
        if let Some(program) = programs.find(|it| !world.has_program(it)) {
            let message = format!("`{program}` is not on this machine");
            problems.report_with_hint(Code::Interpreter, at, message, "install it");
        }
    }

    /// A script of the folder that is looked for among the programs.
    fn lint_bare(&self, at: &Range<usize>, world: &dyn World, problems: &mut Problems<'_>) {
        let first = self.analysis.commands.first().and_then(|it| it.words.first()?.known());
        let Some(name) = first.filter(|it| !it.contains('/')) else { return };
        let script = Path::new(name).extension().and_then(|it| it.to_str());
        if script.is_some_and(|it| SCRIPTS.contains(&it))
            && !world.has_program(name)
            && world.has_file(&self.start.join(name))
        {
            let message = format!("`{name}` is looked for among the programs, not here");
            let hint = format!("write `./{name}`");
            problems.report_with_hint(Code::ScriptMissing, at, message, hint);
        }
    }
}

impl Started {
    fn lint(&self, at: &Range<usize>, world: &dyn World, problems: &mut Problems<'_>) {
        let name = &self.name;
        let Some(file) = &self.file else {
            let (code, hint) = if Path::new(name).is_absolute() {
                (Code::ScriptMissing, "mend the path")
            } else if self.path.extension().is_some() {
                (Code::ScriptNotHere, "paths start from the workspace, or from the handler's `cwd`")
            } else {
                return;
            };
            problems.report_with_hint(code, at, format!("`{name}` does not exist"), hint);
            return;
        };
        if self.by_name && !file.executable {
            let message = format!("`{name}` is not marked as executable");
            let hint = format!("`chmod +x {name}`, or write `sh {name}`");
            problems.report_with_hint(Code::ScriptMode, at, message, hint);
        }
        let reader = file.text.strip_prefix("#!").filter(|_| self.by_name).and_then(|rest| {
            let mut words = rest.lines().next()?.split_whitespace();
            let first = words.next()?;
            if first.ends_with("/env") {
                words.find(|it| !it.starts_with('-'))
            } else {
                Some(first)
            }
        });
        if let Some(reader) = reader.filter(|it| !world.has_program(it)) {
            let message = format!("`{name}` is to be read by `{reader}`, which is not there");
            problems.report_with_hint(Code::Interpreter, at, message, "install it");
        }
    }
}

/// Whether a word holds this short flag, perhaps among others.
fn is_flag(text: &str, flag: char) -> bool {
    text.strip_prefix('-').is_some_and(|it| !it.starts_with('-') && it.contains(flag))
}

/// Whether a name says that somebody is to be stopped.
fn is_guard(name: &str) -> bool {
    let low = name.to_lowercase();
    low.split(|c: char| !c.is_alphanumeric()).any(|word| GUARDS.contains(&word))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{Script, World};

    struct Nothing;

    impl World for Nothing {
        fn variable(&self, _: &str) -> Option<String> {
            None
        }

        fn has_file(&self, _: &Path) -> bool {
            false
        }

        fn knows_secret(&self, _: &str) -> bool {
            false
        }
    }

    fn script(command: &str) -> Script<'_> {
        Script::read(command, Path::new("/w"), &Nothing)
    }

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
            ("x=$IN", false),
        ] {
            assert_eq!(script(command).unquoted(&["IN"]).is_some(), found, "{command}");
        }
    }

    #[test]
    fn a_command_is_known_by_the_scripts_it_starts() {
        for (command, expected) in [
            ("./a.sh x", &["./a.sh"][..]),
            ("A=1 env B=2 sh -e './a b.sh' 2>&1 | tee ./log.txt", &["./a b.sh"]),
            ("if grep -q x; then python3 -u guard.py; fi", &["guard.py"]),
            ("bash -c 'exit 2' > ./out.log", &[]),
            ("cat < ./in.json && node --no-warnings x.js", &["x.js"]),
            ("cd elsewhere && ./a.sh", &[]),
            ("\"$HOME/a.sh\" && ./{name}.sh", &[]),
            ("", &[]),
        ] {
            let names: Vec<_> = script(command).started.into_iter().map(|it| it.name).collect();
            assert_eq!(names, expected, "{command}");
        }
    }

    #[test]
    fn an_event_on_standard_input_is_waited_for_by_those_who_are_given_nothing_else() {
        for (command, reads) in [
            ("cat > seen", true),
            ("cat seen.txt", false),
            ("jq -r .a", true),
            ("jq -r .a file.json", false),
            ("jq -nc '$ENV.A'", false),
            ("jq . < file.json", false),
            ("x=$(cat); echo \"$x\"", true),
            ("echo \"$A\" | jq .", false),
        ] {
            assert_eq!(script(command).reads_input(), reads, "{command}");
        }
    }

    proptest! {
        #[test]
        fn no_command_makes_it_panic(command in r#"[a-c $\{}"'`;|&<>()=\\\n./exit0-9-]{0,60}"#) {
            let script = script(&command);
            let _ = (script.wish(""), script.reads_input(), script.exit_after_answer());
            let _ = (script.unquoted(&["a"]), script.evaluated().count(), script.may_end_with_two());
            let _ = (script.talks_beside(&["a"]), script.any(|text| text.uses("a")));
        }
    }
}

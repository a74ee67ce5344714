//! Programs that are given code in another language than the shell's.

use super::option::{Options, has, values};
use super::program::{Input, Start, Starts};
use super::word::Word;
use super::{DoubtKind, Place};

/// How an interpreter is given code.
struct Interpreter {
    names: &'static [&'static str],
    /// Letters and long names of the options that take code.
    letters: &'static str,
    longs: &'static [&'static str],
}

const fn row(
    names: &'static [&'static str],
    letters: &'static str,
    longs: &'static [&'static str],
) -> Interpreter {
    Interpreter { names, letters, longs }
}

const INTERPRETERS: &[Interpreter] = &[
    row(&["python", "python2", "python3", "pypy", "pypy3", "ipython"], "c", &[]),
    row(&["perl", "perl5", "ruby", "irb", "jruby", "groovy", "scala"], "eE", &[]),
    row(&["node", "nodejs", "bun", "tsx", "ts-node"], "ep", &["eval", "print"]),
    row(&["php"], "rBRE", &["run"]),
    row(
        &["lua", "luajit", "lua5.3", "lua5.4", "elixir", "clojure", "racket", "raku"],
        "e",
        &["eval"],
    ),
    row(&["Rscript", "R", "julia", "gnuplot", "osascript", "dc"], "eE", &["eval", "expression"]),
    row(&["guile", "expect", "tclsh", "psql"], "c", &["command"]),
    row(&["mysql", "mariadb", "sqlcmd"], "e", &["execute", "init-command"]),
    row(&["emacs", "sbcl", "octave", "erl"], "", &["eval", "execute", "exec"]),
    row(&["pwsh", "powershell"], "cC", &["Command", "command"]),
    row(&["make", "gmake", "m4", "bc", "crontab", "gnuplot"], "", &["eval"]),
];

/// Names in code that start programs, or run code that nobody sees.
const STARTERS: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "popen2",
    "popen3",
    "open3",
    "Open3",
    "subprocess",
    "child_process",
    "spawn",
    "spawnSync",
    "execSync",
    "execFile",
    "execFileSync",
    "spawnv",
    "spawnl",
    "spawnlp",
    "spawnvp",
    "posix_spawn",
    "exec",
    "execv",
    "execl",
    "execvp",
    "execlp",
    "execve",
    "execvpe",
    "execle",
    "qx",
    "eval",
    "Eval",
    "fork",
    "pty",
    "ctypes",
    "__import__",
    "getattr",
    "importlib",
    "Runtime",
    "ProcessBuilder",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "syscall",
    "dlopen",
    "shell",
    "Kernel",
    "IO",
    "Command",
    "backtick",
    "system2",
    "commands",
    "getoutput",
    "runpy",
    "marshal",
    "pickle",
    "instance_eval",
    "class_eval",
    "loadstring",
    "dofile",
    "require_once",
    "vm",
    "runInNewContext",
    "Function",
    "syscmd",
    "esyscmd",
    "os.execute",
    "execute",
    "sh",
    "bash",
    "ProcessInfo",
    "IEX",
    "Invoke",
    "iex",
    "process",
];

/// What an interpreter is given on its command line.
pub(super) fn interpret(name: &str, arguments: &[Word], input: &Input, starts: &mut Starts) {
    if let Some(row) = interpreter(name) {
        let leading = leading_options(arguments);
        if reads_program(arguments) {
            match input {
                // Lines of these are command lines by themselves.
                Input::Text(code) if matches!(name, "make" | "gmake" | "crontab") => {
                    starts.doubt(DoubtKind::Code, &code.shown());
                }
                Input::Text(code) => inspect(code, starts),
                Input::Unknown => starts.doubt(DoubtKind::Code, name),
                Input::Nothing | Input::File => {}
            }
        }
        for code in values(leading, row.letters, row.longs) {
            // A rule of a makefile is a command line by itself.
            if matches!(name, "make" | "gmake") {
                starts.doubt(DoubtKind::Code, &code.shown());
            }
            inspect(&code, starts);
        }
    }
    match name {
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => awk(arguments, starts),
        "sed" | "gsed" => sed(arguments, starts),
        "vi" | "vim" | "nvim" | "ex" | "view" | "gvim" | "vimdiff" | "rvim" => {
            vim(arguments, starts);
        }
        "gdb" | "lldb" => debugger(arguments, starts),
        "sqlite3" | "sqlite" => {
            for word in arguments {
                let text = word.shown();
                if text.contains(".shell") || text.contains(".system") || word.is_open() {
                    starts.doubt(DoubtKind::Code, &text);
                }
            }
        }
        "deno" if arguments.first().and_then(Word::known) == Some("eval") => {
            arguments.get(1..).unwrap_or_default().iter().for_each(|word| inspect(word, starts));
        }
        _ => {}
    }
}

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let versionless = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    let mut rows = INTERPRETERS.iter();
    rows.find(|row| row.names.contains(&name) || row.names.contains(&versionless))
}

/// Whether a program may take code from its standard input.
pub(super) fn reads_code(name: &str) -> bool {
    interpreter(name).is_some()
}

/// Without a script, a module or code of its own a program reads what it runs.
fn reads_program(arguments: &[Word]) -> bool {
    let dash = arguments.iter().any(|it| matches!(it.known(), Some("-" | "/dev/stdin")));
    dash || arguments.iter().all(|it| {
        let lead = it.lead();
        lead.starts_with('-') && !lead.contains(['c', 'e', 'm', 'r', 'n', 'p', 'V', 'h'])
    })
}

/// Behind the first operand stand the arguments of a script, which are its own affair.
fn leading_options(arguments: &[Word]) -> &[Word] {
    let script = arguments.iter().position(|word| {
        !word.lead().starts_with('-')
            && word.known().is_some_and(|it| it.contains('.') && !it.contains([' ', '(', ';']))
    });
    arguments.get(..script.unwrap_or(arguments.len())).unwrap_or_default()
}

/// Code in some language: whoever can start programs with it probably does.
fn inspect(code: &Word, starts: &mut Starts) {
    if code.is_open() {
        starts.doubt(DoubtKind::Code, &code.shown());
        return;
    }
    let text = code.shown();
    let mut names = text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    let outside = outside_quotes(&text);
    let starter = names.any(|name| STARTERS.contains(&name) && outside.contains(name));
    if !starter
        && !outside.contains(['`', '!'])
        && !outside.contains("%x")
        && !outside.contains("\\!")
    {
        return;
    }
    if !starter
        && !outside.contains('`')
        && !outside.contains("%x")
        && !text.trim_start().starts_with(['!', '\\'])
    {
        return;
    }
    starts.doubt(DoubtKind::Code, &text);
    let literals = literals(&text);
    for literal in &literals {
        starts.text(Word::text(literal.clone()), Place::Nested);
    }
    if literals.len() > 1 {
        let words = literals.iter().map(|it| Word::text(it.clone())).collect();
        starts.words(words, Place::Nested);
    }
}

/// The text with everything between quotes blanked out.
fn outside_quotes(text: &str) -> String {
    let mut quote = None;
    let mut escaped = false;
    text.chars()
        .map(|it| {
            let inside = quote.is_some();
            match (quote, it) {
                _ if escaped => escaped = false,
                (Some(_), '\\') => escaped = true,
                (Some(open), it) if open == it => quote = None,
                (None, '"' | '\'') => quote = Some(it),
                _ => {}
            }
            if inside || quote.is_some() { ' ' } else { it }
        })
        .collect()
}

/// The texts between quotes, and between backticks.
fn literals(text: &str) -> Vec<String> {
    const MOST: usize = 64;
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let behind = rest.get(open..).unwrap_or_default();
        let Some(quote) = behind.chars().next() else { break };
        let behind = behind.get(1..).unwrap_or_default();
        let Some(close) = behind.find(quote) else { break };
        found.extend(behind.get(..close).map(str::to_owned));
        rest = behind.get(close + 1..).unwrap_or_default();
        if found.len() >= MOST {
            break;
        }
    }
    if let Some((_, command)) = text.split_once('!') {
        found.push(command.to_owned());
    }
    found
}

const AWK: Options = Options {
    letters: "FvfieEl",
    names: &["file", "source", "include", "exec", "assign", "field-separator", "load"],
};

fn awk(arguments: &[Word], starts: &mut Starts) {
    if has(arguments, "fElI", &["file", "exec", "load", "include"]) {
        starts.doubt(DoubtKind::Expansion, "awk -f");
    }
    let sources = values(arguments, "e", &["source"]);
    let operands = AWK.operands(arguments);
    for program in sources.iter().chain(operands.first().copied()) {
        let text = program.shown();
        if program.is_open() {
            starts.doubt(DoubtKind::Code, &text);
            continue;
        }
        let bare = without_patterns(&outside_quotes(&text));
        if bare.contains("system")
            || has_single_bar(&bare)
            || bare.contains('@')
            || bare.contains("/inet/")
        {
            starts.doubt(DoubtKind::Code, &text);
            for literal in literals(&text) {
                starts.text(Word::text(literal), Place::Nested);
            }
        }
        if prints_to_file(&bare) {
            starts.doubt(DoubtKind::Writing, &text);
        }
    }
}

/// Whether a `print` is sent to a file.
fn prints_to_file(bare: &str) -> bool {
    bare.split([';', '}', '\n']).any(|statement| {
        let Some(at) = statement.find("print") else { return false };
        let mut depth = 0_i32;
        statement.get(at..).unwrap_or_default().chars().any(|it| {
            depth += i32::from(it == '(') - i32::from(it == ')');
            it == '>' && depth <= 0
        })
    })
}

fn has_single_bar(bare: &str) -> bool {
    bare.replace("||", "").contains('|')
}

/// The text with regular expressions between slashes blanked out.
fn without_patterns(bare: &str) -> String {
    let mut last = '(';
    let mut inside = false;
    let mut escaped = false;
    let mut out = String::new();
    for it in bare.chars() {
        let opens = it == '/' && !inside && "(,~!&|{;=\n".contains(last);
        let closes = it == '/' && inside && !escaped;
        escaped = inside && it == '\\' && !escaped;
        out.push(if inside || opens { ' ' } else { it });
        inside = (inside || opens) && !closes;
        if !it.is_whitespace() || it == '\n' {
            last = it;
        }
    }
    out
}

fn vim(arguments: &[Word], starts: &mut Starts) {
    let mut commands = values(arguments, "c", &["cmd"]);
    commands.extend(arguments.iter().filter_map(|word| word.without("+")));
    for command in commands {
        let text = command.shown();
        if let Some((_, shell)) = text.split_once('!') {
            starts.text(Word::text(shell), Place::Nested);
        }
        let calls =
            ["!", "system", "term", "py", "lua", "perl", "ruby", "source", "exe", "call", "job"];
        if command.is_open() || calls.iter().any(|it| text.contains(it)) {
            starts.doubt(DoubtKind::Code, &text);
        }
    }
    if has(arguments, "SsW", &[]) {
        starts.doubt(DoubtKind::Expansion, "vim -S");
    }
}

fn debugger(arguments: &[Word], starts: &mut Starts) {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.known() {
            Some("-ex" | "--ex" | "-iex" | "--eval-command" | "-o" | "-O" | "--one-line") => {
                let Some(command) = words.next() else { return };
                let text = command.shown();
                let shell = text.strip_prefix("shell ").or_else(|| text.strip_prefix('!'));
                if let Some(shell) = shell {
                    starts.text(Word::text(shell), Place::Nested);
                }
                let calls = [
                    "sh", "!", "py", "pipe", "|", "source", "make", "guile", "call", "print", "p ",
                ];
                if command.is_open() || calls.iter().any(|it| text.starts_with(it)) {
                    starts.doubt(DoubtKind::Code, &text);
                }
            }
            Some("--args") => {
                starts.words(words.cloned().collect(), Place::Wrapped);
                return;
            }
            _ => {}
        }
    }
}

const SED: Options = Options { letters: "efl", names: &["expression", "file", "line-length"] };

fn sed(arguments: &[Word], starts: &mut Starts) {
    if has_in_place(arguments) {
        starts.doubt(DoubtKind::Writing, "sed -i");
    }
    if has(arguments, "f", &["file"]) {
        starts.doubt(DoubtKind::Expansion, "sed -f");
    }
    let mut scripts = values(arguments, "e", &["expression"]);
    if scripts.is_empty() && !has(arguments, "f", &["file"]) {
        scripts.extend(SED.operands(arguments).first().copied().cloned());
    }
    for script in scripts {
        let text = script.shown();
        if script.is_open() {
            starts.doubt(DoubtKind::Expansion, &text);
        }
        let effects = super::sed::effects(&text);
        if let Some(command) = effects.runs {
            starts.doubt(DoubtKind::Code, &text);
            starts.text(Word::text(command), Place::Nested);
        }
        if effects.writes {
            starts.doubt(DoubtKind::Writing, &text);
        }
    }
}

/// `-i` may stand in a cluster and carry a suffix: `-ni`, `-i.bak`.
fn has_in_place(arguments: &[Word]) -> bool {
    arguments.iter().any(|word| {
        let lead = word.lead();
        let cluster = lead.strip_prefix('-').filter(|it| !it.starts_with('-')).unwrap_or_default();
        let flags = cluster.split(['e', 'f', 'l']).next().unwrap_or_default();
        flags.contains('i') || lead.starts_with("--in") || lead.starts_with("--i")
    })
}

impl Starts {
    pub(super) fn doubt(&mut self, kind: DoubtKind, seen: &str) {
        self.0.push(Start::Doubt(kind, seen.to_owned()));
    }

    pub(super) fn text(&mut self, text: Word, place: Place) {
        self.0.push(Start::Text { text, place });
    }

    pub(super) fn words(&mut self, words: Vec<Word>, place: Place) {
        self.0.push(Start::Words { words, place, assignments: Vec::new() });
    }
}

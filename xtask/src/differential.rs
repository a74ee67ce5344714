//! `cargo xtask fuzz shell`: what bash really starts against what the analysis saw.
//!
//! Made-up command lines run in a folder of their own, with nothing on the path but programs that write
//! down their names and a few real wrappers. A program that started and was neither seen nor doubted is a
//! finding. No absolute path and no `kill` is ever generated.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use becket_core::shell::Analysis;

use crate::problem::Problem;
use crate::shell::root;

/// Programs that only write down that they were started.
const STUBS: [&str; 6] = ["rm", "git", "ls", "cat", "curl", "tool"];
/// Programs that really start others.
const REAL: [&str; 11] =
    ["env", "nice", "nohup", "timeout", "setsid", "stdbuf", "xargs", "find", "sh", "bash", "dash"];
/// Longer commands of the corpus are not run.
const LONGEST: usize = 400;
/// What never runs, whoever wrote it.
const FORBIDDEN: [&str; 8] = ["/", "kill", "ulimit", "suspend", "enable", "FUNCNEST", "PATH", "-i"];
/// Characters that mean something to a shell.
const SPECIAL: &[&str] = &[
    ";", "&", "|", "(", ")", "<", ">", "{", "}", "$", "\"", "'", "`", "\\", "\n", "#", "=", "[",
    "]", "!", " ", "*", "~", "a", "-", "$(", "${", "((", "<<", "&&",
];

/// Runs made-up commands for some time.
pub(crate) fn run(seconds: u64) -> Result<(), Problem> {
    let yard = Yard::new()?;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ u64::from(std::process::id()));
    let corpus = corpus()?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut count, mut started, mut whole, mut findings) = (0_usize, 0_usize, 0_usize, Vec::new());
    while Instant::now() < end {
        let text = dice.text(&corpus);
        if FORBIDDEN.iter().any(|it| text.contains(it)) {
            continue;
        }
        let seen = yard.started(count, &text)?;
        count += 1;
        started += usize::from(!seen.is_empty());
        let analysis = Analysis::of(&text);
        let known: BTreeSet<&str> = analysis.commands.iter().filter_map(|it| it.name()).collect();
        if analysis.hides().is_none() {
            whole += usize::from(!seen.is_empty());
            let missed = seen.iter().filter(|it| !known.contains(it.as_str()));
            findings.extend(missed.map(|it| format!("`{it}` was started by {text:?}")));
        }
    }
    drop(yard);
    println!(
        "{count} command lines, {started} started something, {whole} of these without a doubt"
    );
    if findings.is_empty() {
        return Ok(());
    }
    Err(Problem::finding(format!("{} not seen:\n{}", findings.len(), findings.join("\n"))))
}

/// The commands of the corpus that may be run and changed.
fn corpus() -> Result<Vec<String>, Problem> {
    let path = root().join("fixtures/safety/bypass_corpus.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| Problem::file(&path, &error))?;
    let rows = text.lines().filter_map(|it| serde_json::from_str::<serde_json::Value>(it).ok());
    let commands =
        rows.filter_map(|it| Some(it.get("input")?.get("command")?.as_str()?.to_owned()));
    Ok(commands.filter(|it| it.len() < LONGEST).collect())
}

/// The folder in which everything happens.
struct Yard {
    folder: PathBuf,
}

impl Yard {
    fn new() -> Result<Self, Problem> {
        let folder = std::env::temp_dir().join(format!("becket-shell-{}", std::process::id()));
        let yard = Self { folder };
        yard.build().map_err(|error| Problem::file(&yard.folder, &error))?;
        Ok(yard)
    }

    fn build(&self) -> std::io::Result<()> {
        let bin = self.folder.join("bin");
        fs::create_dir_all(&bin)?;
        for stub in STUBS {
            // Each run calls the folder by another name, so that no late program writes into the next run.
            let script = format!("#!/bin/sh\nprintf '%s\\n' {stub} >> \"${{0%/*}}.log\"\n");
            fs::write(bin.join(stub), script)?;
            fs::set_permissions(bin.join(stub), fs::Permissions::from_mode(0o755))?;
        }
        for name in REAL {
            let found = ["/usr/bin", "/bin"].map(|it| Path::new(it).join(name));
            if let Some(path) = found.into_iter().find(|it| it.exists()) {
                symlink(path, bin.join(name))?;
            }
        }
        Ok(())
    }

    /// The stubs that a text starts.
    fn started(&self, run: usize, text: &str) -> Result<BTreeSet<String>, Problem> {
        let work = self.folder.join("work");
        let (bin, log) =
            (self.folder.join(format!("bin-{run}")), self.folder.join(format!("bin-{run}.log")));
        let prepare = || -> std::io::Result<()> {
            if work.exists() {
                fs::remove_dir_all(&work)?;
            }
            fs::create_dir_all(&work)?;
            symlink(self.folder.join("bin"), &bin)?;
            let mut command = Command::new("timeout");
            command.args(["-s", "KILL", "2", "bash", "--norc", "--noprofile", "-c"]);
            command.arg("ulimit -f 64 -t 2; eval \"$0\"").arg(text);
            command.env_clear().env("PATH", &bin).env("HOME", &work);
            command.env("FUNCNEST", "6").current_dir(&work);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status()?;
            Ok(())
        };
        prepare().map_err(|error| Problem::file(&self.folder, &error))?;
        let text = fs::read_to_string(&log).unwrap_or_default();
        Ok(text.lines().map(str::to_owned).collect())
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A source of chance that needs no crate.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides.max(1)
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        let at = self.roll(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    /// A command line: made up, or one of the corpus, as it is or damaged.
    fn text(&mut self, corpus: &[String]) -> String {
        let at = self.roll(corpus.len());
        let mut text = match self.roll(4) {
            0 => corpus.get(at).cloned().unwrap_or_default(),
            _ => self.command(4),
        };
        for _ in 0..self.roll(3) {
            text = self.damaged(&text);
        }
        text
    }

    fn damaged(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        let at = self.roll(chars.len() + 1);
        match self.roll(3) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 => {
                let copied: Vec<char> = chars.iter().skip(at).take(6).copied().collect();
                let to = self.roll(chars.len() + 1);
                chars.splice(to..to, copied);
            }
            _ => {
                let special = self.pick(SPECIAL);
                chars.splice(at..at, special.chars());
            }
        }
        chars.into_iter().collect()
    }

    /// The name of a program, spelled somehow.
    fn name(&mut self) -> String {
        let name = self.pick(&STUBS);
        let (head, tail) = name.split_at(1);
        match self.roll(12) {
            0 => format!("\\{name}"),
            1 => format!("'{name}'"),
            2 => format!("\"{name}\""),
            3 => format!("{head}''{tail}"),
            4 => format!("{head}\\\n{tail}"),
            5 => name.bytes().fold("$'".to_owned(), |text, it| format!("{text}\\x{it:x}")) + "'",
            6 => format!("{head}{{{tail},x}}"),
            7 => format!("{head}$'{tail}'"),
            8 => format!("x={name}; $x"),
            _ => name.to_owned(),
        }
    }

    fn argument(&mut self, depth: usize) -> String {
        if depth == 0 {
            let words =
                ["x", "-f", "'a b'", "\"$HOME\"", "*", "~", "#", "a#b", "{a,b}", "$((1+2))"];
            return self.pick(&words).to_owned();
        }
        let inner = self.command(depth - 1);
        match self.roll(11) {
            0 => format!("$({inner})"),
            1 => format!("\"$({inner})\""),
            2 if !inner.contains(['`', '\\']) => format!("`{inner}`"),
            3 => format!("<({inner})"),
            4 => format!("\"${{x:-$({inner})}}\""),
            5 => format!("${{x/a/$({inner})}}"),
            6 => format!("$((1+$({inner})0))"),
            7 => format!("\"a ${{x:=`{}`}} b\"", self.pick(&STUBS)),
            8 => format!("${{a[$({inner})]}}"),
            _ => self.argument(0),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let prefix = [
            "",
            "",
            "",
            "A=1 ",
            ">o ",
            "2>&1 ",
            "! ",
            "time ",
            "env ",
            "env A=1 ",
            "nice -n 1 ",
            "timeout 1 ",
            "nohup ",
            "command ",
            "exec ",
            "builtin command ",
            "stdbuf -oL ",
            "setsid -w ",
            "time -p ",
            "A=(1 2); ",
            "{fd}>o ",
        ];
        let (prefix, name) = (self.pick(&prefix), self.name());
        let argument = self.argument(depth);
        let suffix = self.pick(&["", "", "", " >o", " 2>&1", " <<<x", " # c", " &", " </dev/null"]);
        let suffix = if suffix.contains("/dev") { "" } else { suffix };
        format!("{prefix}{name} {argument}{suffix}")
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let (one, two) = (self.command(depth - 1), self.command(depth - 1));
        let quoted = one.replace('\'', "'\\''");
        match self.roll(30) {
            0 => format!("{one}\n{two}"),
            1 => format!("{one} && {two}"),
            2 => format!("{one} || {two}"),
            3 => format!("{one} | {two}"),
            4 => format!("( {one}\n{two} )"),
            5 => format!("{{ {one}\n}}"),
            6 => format!("if {one}\nthen {two}\nfi"),
            7 => format!("if ! true\nthen :\nelse {two}\nfi"),
            8 => format!("for i in 1 \"$(:)\"; do {one}\ndone"),
            9 => format!("case x in (y) {two}\n;; x) {one}\n;; esac"),
            10 => format!("f() {{ {one}\n}}\nf"),
            11 => format!("bash -c '{quoted}'"),
            12 => format!("sh -ec '{quoted}'"),
            13 => format!("eval '{quoted}'"),
            14 => format!("trap '{quoted}' EXIT"),
            15 => format!("bash <<'E'\n{one}\nE"),
            16 => format!("tool <<E\n$({one})\nE\n{two}"),
            17 => format!("tool <<-'E' <<F\n\t$({one})\n\tE\nx\nF\n{two}"),
            18 => format!("[[ -n \"$({one})\" || x == x ]] && {two}"),
            19 => format!("(( $({one})1 )) && {two}"),
            20 => format!("echo x | xargs {}", self.pick(&STUBS)),
            21 => format!("find . -maxdepth 0 -exec {} {{}} \\;", self.pick(&STUBS)),
            22 => format!("x=$({one}); {two}"),
            23 => format!("function g {{ {one}\n}}; g"),
            24 => format!("coproc {{ {one}\n}}; wait"),
            25 => format!("while :; do {one}\nbreak; done"),
            26 => format!("echo '{}' | sh", self.pick(&STUBS)),
            27 => format!("a=( $({one}) x ); {two}"),
            _ => self.simple(depth - 1),
        }
    }
}

//! The commands and their arguments.

mod check;
mod demo;
mod doctor;
mod explain;
mod fire;
mod init;
mod list;
mod paper;
mod test;
mod trust;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::exit::Exit;
use crate::out;
use crate::problem::Problem;
use crate::project::Project;

/// The hook runtime for AI agents: one engine for anybody's hooks.
#[derive(Debug, Parser)]
#[command(name = "becket", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 findings, 2 blocked, 3 ask a person, 64 wrong usage, \
65 unreadable input, 69 a backend is missing, 70 a bug, 78 unusable configuration.\n\n\
Start with: becket demo"
)]
pub(crate) struct Cli {
    /// Print JSON for machines
    #[arg(long, global = true)]
    json: bool,

    /// The workspace [default: the nearest one above the current folder]
    #[arg(short = 'C', value_name = "DIR", global = true)]
    directory: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

/// One command.
#[derive(Debug, Subcommand)]
enum Command {
    /// See hooks block, rewrite and observe, offline, in a temporary folder
    #[command(after_help = "Example:\n  becket demo")]
    Demo,

    /// Write a commented starter folder: a guard, an observer, permission rules
    #[command(after_help = "Examples:\n  becket init\n  becket init -C ../project\n\n\
Nothing that is already there is overwritten.")]
    Init,

    /// Read every hook file and tell what is wrong with each
    #[command(
        after_help = "Examples:\n  becket check\n  becket check .openharness/hooks --deny-warnings\n  \
becket check --dialect oah --hooks ./hooks --json"
    )]
    Check(check::Check),

    /// Show the hooks in force, per event, and the permission rules
    #[command(
        after_help = "Examples:\n  becket list\n  becket list --dialect oah --hooks .openharness/hooks\n  becket list --show-origin\n  becket list --events"
    )]
    List(list::List),

    /// Show what an event would cause, and why, without running anything
    #[command(after_help = "Examples:\n  becket explain PreToolUse --input event.json\n  \
echo '{\"tool_name\":\"Bash\",\"tool_input\":{}}' | becket explain before_tool_dispatch --dialect oah --hooks .openharness/hooks")]
    Explain(explain::Explain),

    /// Send one event through the real hooks
    #[command(
        after_help = "Examples:\n  becket fire before_tool_dispatch --dialect oah --hooks .openharness/hooks --input event.json\n  \
echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}' | \\\n    becket fire PreToolUse --dialect oah --hooks .openharness/hooks --json\n\n\
Exit codes: 0 pass or allow, 2 blocked, 3 ask. Hooks that a project brings along run once they are \
approved (`becket trust`) or named with --hooks."
    )]
    Fire(fire::Fire),

    /// Score the rules and guards in force against attacks and harmless look-alikes
    #[command(
        after_help = "Examples:\n  becket test --security\n  becket test --security --rules rules.json --json"
    )]
    Test(test::Test),

    /// Show what the project brings along and what changed since it was approved, and approve it
    #[command(
        after_help = "Examples:\n  becket trust\n  becket trust --json\n  becket trust --yes DIGEST\n\n\
Approving needs a terminal, or the digest that was shown. What is approved is content: a change of a hook, \
of a script it names or of the project's place takes it back."
    )]
    Trust(trust::Trust),

    /// Forget what was approved in the project
    #[command(after_help = "Example:\n  becket untrust")]
    Untrust(trust::Untrust),

    /// Look whether everything that should be in force is
    #[command(after_help = "Examples:\n  becket doctor\n  becket doctor --json")]
    Doctor(doctor::Doctor),

    /// Print a JSON Schema: of hook files, settings, the envelope or the outcome
    #[command(
        after_help = "Examples:\n  becket schema\n  becket schema oah-hook > oah-hook.schema.json"
    )]
    Schema {
        /// Which one; without it, their names
        name: Option<String>,
    },

    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  becket completions bash > ~/.local/share/bash-completion/completions/becket"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },

    /// Print the manual page
    #[command(after_help = "Example:\n  becket man | man -l -")]
    Man,
}

/// The word that makes this program the guardian of another one's hooks. It is no command for people.
pub(crate) const GUARD: &str = "__guard";

/// Runs the command line. A panic anywhere is a bug of ours and says so.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.collect();
    if args.get(1).is_some_and(|word| word == GUARD) {
        // There is nobody to tell.
        let _ = becket::guardian::watch();
        return Exit::Fine;
    }
    let as_json = args.iter().any(|arg| arg == "--json");
    let result = catch_unwind(AssertUnwindSafe(|| match Cli::try_parse_from(&args) {
        Ok(cli) => cli.run(),
        Err(error) => misused(&error),
    }));
    match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(problem)) => {
            problem.tell(as_json);
            problem.exit
        }
        Err(_) => {
            let problem =
                Problem::new(Exit::Bug, "bug", "becket itself has failed; nothing was decided");
            problem.tell(as_json);
            problem.exit
        }
    }
}

/// Help and version are answers; anything else is wrong usage, and never exit code 2.
fn misused(error: &clap::Error) -> Result<Exit, Problem> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            out::data(error.render().ansi())?;
            Ok(Exit::Fine)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            out::tell(error.render().ansi());
            Ok(Exit::Usage)
        }
        _ => {
            let text = error.render().to_string();
            let told = text.split("\n\n").flat_map(str::lines).map(str::trim);
            let told: Vec<&str> = told.take_while(|line| !line.starts_with("Usage:")).collect();
            let tip = told.iter().find_map(|line| line.strip_prefix("tip: ").map(str::to_owned));
            let noise = |line: &str| {
                line.is_empty() || line.starts_with("tip: ") || line.starts_with("For more")
            };
            let said = told.iter().filter(|line| !noise(line));
            let message = said.copied().collect::<Vec<_>>().join(" ");
            let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
            let hint = tip.unwrap_or_else(|| "`becket --help` shows what there is".to_owned());
            Err(Problem::usage(message).with_hint(hint))
        }
    }
}

impl Cli {
    fn run(mut self) -> Result<Exit, Problem> {
        if let Some(project) = self.command.project() {
            project.directory.clone_from(&self.directory);
        }
        match self.command {
            Command::Demo => demo::run(self.json),
            Command::Init => init::run(self.directory.as_deref(), self.json),
            Command::Check(check) => check.run(self.json),
            Command::List(list) => list.run(self.json),
            Command::Explain(explain) => explain.run(self.json),
            Command::Fire(fire) => fire.run(self.json),
            Command::Test(test) => test.run(self.json),
            Command::Trust(trust) => trust.run(self.json),
            Command::Untrust(untrust) => untrust.run(self.json),
            Command::Doctor(doctor) => doctor.run(self.json),
            Command::Schema { name } => paper::schema(name.as_deref(), self.json),
            Command::Completions { shell } => paper::completions(shell),
            Command::Man => paper::manual(),
        }
    }
}

impl Command {
    /// The hooks a command is about, where it is about any.
    fn project(&mut self) -> Option<&mut Project> {
        match self {
            Self::Check(check) => Some(&mut check.project),
            Self::List(list) => Some(&mut list.project),
            Self::Explain(explain) => Some(&mut explain.project),
            Self::Fire(fire) => Some(&mut fire.project),
            Self::Test(test) => Some(&mut test.project),
            Self::Trust(trust) => Some(&mut trust.project),
            Self::Untrust(untrust) => Some(&mut untrust.project),
            Self::Doctor(doctor) => Some(&mut doctor.project),
            Self::Demo
            | Self::Init
            | Self::Schema { .. }
            | Self::Completions { .. }
            | Self::Man => None,
        }
    }
}

/// Where the payload of an event comes from.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Input {
    /// The event's fields as a JSON object; `-` is standard input [default: - when it is not a terminal]
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
}

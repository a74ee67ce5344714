//! `becket trust` and `becket untrust`: what a project brings along, for a person to approve.

mod show;

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use becket::trust::Review;
use becket::{Digest, Engine, state};
use clap::Args;
use serde_json::json;

use crate::exit::Exit;
use crate::out::{self, GOOD, paint};
use crate::problem::Problem;
use crate::project::Project;

/// Arguments of `trust`.
#[derive(Args, Debug)]
pub(crate) struct Trust {
    #[arg(skip)]
    pub(super) project: Project,

    /// Approve without a question what has this digest, as `becket trust` has shown it
    #[arg(long, value_name = "DIGEST")]
    yes: Option<Digest>,
}

/// Arguments of `untrust`.
#[derive(Args, Debug)]
pub(crate) struct Untrust {
    #[arg(skip)]
    pub(super) project: Project,
}

/// Variables that hooks and the shells of agents find in their environment. A person's shell has none of
/// them: whoever does is not the one to approve anything.
const AGENTS: [&str; 8] = [
    "BECKET_DEPTH",
    "BECKET_RUN",
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
];

impl Trust {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let folder = folder()?;
        let engine = self.project.engine()?;
        let review = engine.review(Some(&folder));
        if as_json && self.yes.is_none() {
            out::data(show::as_value(&review))?;
            return Ok(Exit::Fine);
        }
        if review.pending().count() == 0 && review.gone.is_empty() && review.problem.is_none() {
            return told(&show::story(&review), as_json.then(|| show::as_value(&review)));
        }
        by_a_person()?;
        if let Some(digest) = self.yes.filter(|it| *it != review.digest) {
            let message = format!("the project is {} now, not {digest}", review.digest);
            return Err(Problem::new(Exit::Config, "untrusted", message)
                .with_hint("`becket trust` shows what there is"));
        }
        if self.yes.is_none() && !ask(&review)? {
            out::tell("nothing was approved");
            return Ok(Exit::Findings);
        }
        let failed = |why| Problem::new(Exit::Config, "trust_store", why);
        // What was shown is approved, even if it has changed by now.
        review.approve(&folder).map_err(failed)?;
        let done = engine.review(Some(&folder));
        told(&paint(GOOD, "approved"), as_json.then(|| show::as_value(&done)))
    }
}

impl Untrust {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let engine = self.project.engine()?;
        let failed =
            |error: std::io::Error| Problem::new(Exit::Config, "trust_store", error.to_string());
        let forgotten = Review::forget(engine.workspace(), &folder()?).map_err(failed)?;
        let text = if forgotten {
            "nothing of this project is approved any more"
        } else {
            "nothing of this project was approved"
        };
        told(text, as_json.then(|| json!({ "forgotten": forgotten })))
    }
}

/// Says so when the project brings along something that nobody has approved.
pub(super) fn require(engine: &Engine, by_token: bool) -> Result<(), Problem> {
    let review = engine.review(state::folder().as_deref());
    match review.pending().count() {
        _ if by_token => Ok(()),
        0 => Ok(()),
        count => {
            let message = format!("{count} hooks or permissions of this project are not approved");
            Err(Problem::new(Exit::Config, "untrusted", message).with_hint(
                "`becket trust` shows and approves them; `--trust DIGEST` does for one run",
            ))
        }
    }
}

fn told(text: &str, value: Option<serde_json::Value>) -> Result<Exit, Problem> {
    match value {
        Some(value) => out::data(value)?,
        None => out::data(text)?,
    }
    Ok(Exit::Fine)
}

fn folder() -> Result<PathBuf, Problem> {
    let message = "neither XDG_STATE_HOME nor HOME is an absolute path: nothing can be remembered";
    state::folder().ok_or_else(|| Problem::new(Exit::Config, "trust_store", message))
}

/// An agent does not approve what is to keep watch over it.
fn by_a_person() -> Result<(), Problem> {
    match AGENTS.iter().find(|name| std::env::var_os(name).is_some()) {
        None => Ok(()),
        Some(name) => {
            let message = format!(
                "a person has to approve this: `{name}` is set, as in the shell of an agent"
            );
            Err(Problem::new(Exit::Config, "not_a_person", message)
                .with_hint("run `becket trust` in a terminal of your own"))
        }
    }
}

/// Asks the person at the terminal, wherever input and output go.
fn ask(review: &Review) -> Result<bool, Problem> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(|_| {
        let message = "there is no terminal, so nobody can be asked";
        let hint =
            format!("look at `becket trust --json`, then: becket trust --yes {}", review.digest);
        Problem::new(Exit::Usage, "no_terminal", message).with_hint(hint)
    })?;
    let failed =
        |error: std::io::Error| Problem::new(Exit::Unavailable, "terminal", error.to_string());
    let mut answers = BufReader::new(terminal.try_clone().map_err(failed)?);
    let mut screen = anstream::AutoStream::auto(terminal);
    write!(screen, "{}\n\nApprove this? [y/N] ", show::story(review)).map_err(failed)?;
    screen.flush().map_err(failed)?;
    let mut answer = String::new();
    answers.by_ref().take(1024).read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

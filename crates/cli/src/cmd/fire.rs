//! `becket fire`: one event through the real hooks.

mod microai;

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket::core::event::{MAX_PAYLOAD, parse_payload};
use becket::core::outcome::{Author, State};
use becket::core::report::Report;
use becket::{Decision, Engine, Event, EventKind, Orphans, Outcome, state};
use clap::{Args, ValueEnum};
use futures_util::FutureExt;
use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{GUARD, Input};
use crate::exit::Exit;
use crate::out::{self, BAD, CARE, DIM, GOOD, STRONG, paint};
use crate::problem::Problem;
use crate::project::{self, Project};

/// Arguments of `fire`.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Fire {
    /// The event, by its name in any dialect
    event: String,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    pub(super) project: Project,

    /// Nobody can be asked: asking counts as a refusal
    #[arg(long)]
    headless: bool,

    /// A hook that fails counts as a refusal, whatever its dialect says
    #[arg(long)]
    strict: bool,

    /// Refuse to go on when the project brings along something that nobody has approved
    #[arg(long)]
    require_trust: bool,

    /// Lend prompt and agent hooks the answers in this file
    #[arg(long, value_name = "FILE")]
    model_script: Option<PathBuf>,

    /// Print the outcome in the words of another system
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,

    /// Keep no record of this event
    #[arg(long)]
    no_journal: bool,
}

/// In whose words an outcome is printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// The object that the `MicroAI` specification tests hooks with
    Microai,
}

impl Fire {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let builder = self.project.builder()?.headless(self.headless).strict(self.strict);
        // This process has no children but hooks, and ends them even if it is killed.
        let builder = match std::env::current_exe() {
            Ok(own) => builder.guardian([own.into_os_string(), GUARD.into()]),
            Err(_) => builder,
        };
        let builder = builder.orphans(Orphans::All);
        let builder = match state::folder() {
            _ if self.no_journal => builder,
            Some(folder) => builder.journal(folder),
            None => builder.no_journal("neither XDG_STATE_HOME nor HOME is an absolute path"),
        };
        let engine = project::lend(builder, self.model_script.as_deref())?.build();
        self.project.usable(&engine)?;
        if self.require_trust {
            super::trust::require(&engine, self.project.token.is_some())?;
        }
        let kind = project::event(&engine, &self.event)?;
        let event = self.input.event(kind)?;
        fire(&engine, event, |outcome| self.tell(outcome, as_json))
    }

    fn tell(&self, outcome: &Outcome, as_json: bool) -> Result<Exit, Problem> {
        match self.format {
            Some(Format::Microai) => out::data(microai::report(outcome))?,
            None if as_json => {
                out::data(serde_json::to_value(Report::from(outcome)).unwrap_or(Value::Null))?;
            }
            None => out::data(story(outcome))?,
        }
        Ok(Exit::from(outcome))
    }
}

/// How long a finished event waits for hooks that nobody waits for.
const LINGER: Duration = Duration::from_secs(10);

/// Fires one event and tells what came of it. Starting a runtime takes longer than finding out
/// that nothing will run.
fn fire(
    engine: &Engine,
    event: Event,
    tell: impl FnOnce(&Outcome) -> Result<Exit, Problem>,
) -> Result<Exit, Problem> {
    if !engine.would_run(&event)
        && let Some(outcome) = engine.fire(event.clone()).now_or_never()
    {
        return tell(&outcome);
    }
    let failed = |error: std::io::Error| Problem::new(Exit::Bug, "runtime", error.to_string());
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let exit = runtime.block_on(async {
        let mut signals = Signals::new().map_err(failed)?;
        let mut ended_by = None;
        // Hooks run in groups of their own, which a terminal does not reach: calling the event off ends them.
        let outcome = engine.fire_unless(event, signals.any(&mut ended_by)).await;
        let exit = match ended_by {
            None => tell(&outcome),
            Some(number) => Err(Problem::new(
                Exit::Signal(number),
                "signal",
                "ended by a signal; the hooks were ended too",
            )),
        };
        // Hooks that nobody waits for would end with this process, so they get a moment.
        let linger = if ended_by.is_some() { Duration::ZERO } else { LINGER };
        tokio::select! {
            biased;
            () = signals.any(&mut ended_by) => (),
            () = engine.drain(linger) => (),
        }
        exit
    });
    // A name that is still being looked up must not hold up the answer.
    runtime.shutdown_background();
    exit
}

/// The signals that ask this process to end.
struct Signals([(Signal, u8); 3]);

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self([
            (signal(SignalKind::interrupt())?, 2),
            (signal(SignalKind::terminate())?, 15),
            (signal(SignalKind::hangup())?, 1),
        ]))
    }

    /// Waits for one of them, and says which it was.
    async fn any(&mut self, which: &mut Option<u8>) {
        let received = self.0.iter_mut().map(|(signal, number)| {
            Box::pin(async move {
                signal.recv().await;
                *number
            })
        });
        *which = Some(futures_util::future::select_all(received).await.0);
    }
}

impl Input {
    /// The event a person gave; without any, one without fields.
    pub(crate) fn event(&self, kind: EventKind) -> Result<Event, Problem> {
        match self.bytes()? {
            Some(bytes) => self.parse(kind, &bytes),
            None => parse_payload(kind, b"{}").map_err(|error| {
                let problem = Problem::new(Exit::Data, error.code, error.message);
                problem.with_hint("give the event's fields with `--input FILE`")
            }),
        }
    }

    /// Reads a payload.
    pub(crate) fn parse(&self, kind: EventKind, bytes: &[u8]) -> Result<Event, Problem> {
        let file = self
            .input
            .as_deref()
            .filter(|it| *it != Path::new("-"))
            .unwrap_or(Path::new("standard input"));
        parse_payload(kind, bytes).map_err(|error| Problem {
            file: Some(file.display().to_string()),
            line: error.line,
            column: error.column,
            ..Problem::new(Exit::Data, error.code, error.message)
        })
    }

    /// The payload; `None` when nobody gave one.
    pub(crate) fn bytes(&self) -> Result<Option<Vec<u8>>, Problem> {
        let stdin = std::io::stdin();
        let limit = MAX_PAYLOAD as u64 + 1;
        let mut bytes = Vec::new();
        let read = match self.input.as_deref() {
            Some(path) if path != Path::new("-") => {
                std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
            }
            None if stdin.is_terminal() => return Ok(None),
            Some(_) | None => stdin.lock().take(limit).read_to_end(&mut bytes),
        };
        match read {
            Ok(0) if self.input.is_none() => Ok(None),
            Ok(_) => Ok(Some(bytes)),
            Err(error) => Err(Problem {
                file: self.input.as_ref().map(|path| path.display().to_string()),
                ..Problem::new(Exit::Data, "E_READ", error.to_string())
            }),
        }
    }
}

/// An outcome as people read it.
pub(crate) fn story(outcome: &Outcome) -> String {
    let style = match Exit::from(outcome) {
        Exit::Fine => GOOD,
        Exit::Ask => CARE,
        _ => BAD,
    };
    let effects: Vec<_> = outcome.effects.iter().map(|effect| effect.kind.name()).collect();
    let mut lines = vec![format!(
        "{}  {}{}",
        paint(STRONG, outcome.event.kind().name()),
        paint(style, outcome.decision.name()),
        if effects.is_empty() { String::new() } else { format!("  ({})", effects.join(", ")) }
    )];
    lines.extend(outcome.hooks().iter().map(|(hook, state)| hook_line(hook.name(), state)));
    for reason in &outcome.reasons {
        if let Author::Rule(rule) = &reason.by {
            let text = out::one_line(&reason.text, 160);
            lines.push(format!("  {} {}  {text}", paint(style, "#"), out::one_line(rule, 80)));
        }
    }
    for (scope, value) in &outcome.patched {
        lines.push(format!(
            "  {} {}",
            paint(CARE, format!("{} is now", scope.field())),
            out::one_line(&value.to_string(), 200)
        ));
    }
    for text in &outcome.context {
        lines.push(format!("  {} {}", paint(DIM, "to the model:"), out::one_line(text, 200)));
    }
    for text in &outcome.messages {
        lines.push(format!("  {} {}", paint(DIM, "to you:"), out::one_line(text, 200)));
    }
    for note in &outcome.notes {
        let hook = note.hook().map(|hook| format!("{hook}: ")).unwrap_or_default();
        lines.push(format!("  {} {hook}{}", paint(DIM, "note:"), out::harmless(&note.to_string())));
    }
    lines.push(paint(DIM, format!("trace {}", outcome.trace)));
    lines.join("\n")
}

fn hook_line(name: &str, state: &State<'_>) -> String {
    match state {
        State::Queued => format!("  {} {name}  started; nobody waits for it", paint(GOOD, ">")),
        State::Skipped(skip) => {
            format!("  {} {name}  {}", paint(DIM, "-"), paint(DIM, format!("skipped: {skip}")))
        }
        State::Ran(run) => {
            let verdict = &run.settled.verdict;
            let (mark, word) = match (&run.settled.failure, verdict.decision) {
                (Some(failure), _) => (paint(CARE, "!"), format!("failed ({})", failure.kind)),
                (None, Decision::Deny) => (paint(BAD, "x"), "deny".to_owned()),
                (None, Decision::Ask) => (paint(CARE, "?"), "ask".to_owned()),
                (None, _) if verdict.stop.is_some() => (paint(BAD, "x"), "stop".to_owned()),
                (None, decision) => (paint(GOOD, "+"), decision.name().to_owned()),
            };
            let took = format!("{:.1} ms", run.took.as_secs_f64() * 1000.0);
            let stop = verdict.stop.as_ref().and_then(|stop| stop.reason.as_deref());
            let reason = verdict
                .reason
                .as_deref()
                .or(stop)
                .map(|it| out::one_line(it, 160))
                .unwrap_or_default();
            format!("  {mark} {name}  {word}  {}  {reason}", paint(DIM, took)).trim_end().to_owned()
        }
    }
}

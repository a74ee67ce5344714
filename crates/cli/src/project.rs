//! Which hooks a command is about: those named on the command line, else those of the workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket::core::config::READABLE;
use becket::core::diagnostic::Diagnostic;
use becket::port::{Model, Secrets};
use becket::source::{workspace_above, workspace_of};
use becket::{Builder, Compat, Dialect, Digest, Engine, EventKind, Trust, state};
use becket_agent::model::{Remote, Scripted};
use clap::{Args, ValueEnum};

use crate::exit::Exit;
use crate::problem::Problem;

/// Which hooks to look at.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Project {
    /// The workspace, from `-C`
    #[arg(skip)]
    pub(crate) directory: Option<PathBuf>,

    /// Read only this file or folder, and trust it; needs --dialect
    #[arg(long, value_name = "PATH")]
    pub(crate) hooks: Option<PathBuf>,

    /// The dialect that --hooks is written in
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    pub(crate) dialect: Option<Dialect>,

    /// Trust what the project brings along, this once, if it has this digest
    #[arg(long = "trust", value_name = "DIGEST", conflicts_with = "hooks")]
    pub(crate) token: Option<Digest>,

    /// Also put the permission rules of this file in force, and trust it: JSON or YAML, the rules or settings
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,

    /// Whose behaviour to follow: ours, or the original's with its quirks
    #[arg(long, value_name = "MODE", default_value = "safe")]
    pub(crate) compat: CompatArg,
}

/// Whose behaviour to follow.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum CompatArg {
    /// Everything a dialect documents; what crashes, hangs or is silently dead is mended
    #[default]
    Safe,
    /// What the original program does
    Exact,
}

impl From<CompatArg> for Compat {
    fn from(arg: CompatArg) -> Self {
        match arg {
            CompatArg::Safe => Self::Safe,
            CompatArg::Exact => Self::Exact,
        }
    }
}

fn dialect(name: &str) -> Result<Dialect, String> {
    let names = READABLE.map(Dialect::name).join(", ");
    match Dialect::named(name) {
        Some(dialect) if READABLE.contains(&dialect) => Ok(dialect),
        Some(_) => Err(format!("this version does not read this dialect yet; it reads: {names}")),
        None => Err(format!("there is no such dialect; this version reads: {names}")),
    }
}

impl Project {
    /// An engine over these hooks.
    pub(crate) fn engine(&self) -> Result<Engine, Problem> {
        Ok(self.builder()?.build())
    }

    /// The same, before it is built.
    pub(crate) fn builder(&self) -> Result<Builder, Problem> {
        let builder =
            Engine::builder().compat(self.compat.into()).secrets(Secrets::from_environment());
        let builder = self.rules.iter().fold(builder, Builder::rules_from);
        let builder = state::folder().into_iter().fold(builder, Builder::cache);
        match (&self.hooks, self.dialect) {
            (Some(path), Some(dialect)) => {
                if !path.exists() {
                    return Err(Problem::new(
                        Exit::Config,
                        "E_READ",
                        format!("`{}` does not exist", path.display()),
                    ));
                }
                Ok(builder.workspace(self.workspace(Some(path))?).hooks(dialect, path))
            }
            (Some(_), None) => Err(Problem::usage("`--hooks` needs `--dialect`")
                .with_hint(format!("one of: {}", READABLE.map(Dialect::name).join(", ")))),
            (None, Some(_)) => Err(Problem::usage("`--dialect` needs `--hooks`")),
            (None, None) => Ok(builder.workspace(self.workspace(None)?).discover(self.trust())),
        }
    }

    /// Who says which of the project's own hooks may run.
    fn trust(&self) -> Trust {
        match (self.token, state::folder()) {
            (Some(digest), _) => Trust::Exactly(digest),
            (None, Some(folder)) => Trust::Stored(folder),
            (None, None) => Trust::Withheld,
        }
    }

    /// Says that a configuration cannot be used: the original would refuse it as a whole, rules that were
    /// named cannot be read, or it is not what was to be trusted.
    pub(crate) fn usable(&self, engine: &Engine) -> Result<(), Problem> {
        if let Some(problem) = engine.trust_problem().filter(|_| self.token.is_some()) {
            return Err(Problem { code: "untrusted", ..Problem::config(&problem) });
        }
        let named = |it: &&Diagnostic| self.rules.as_ref() == Some(&*it.origin.file);
        if let Some(first) = engine.diagnostics().iter().filter(named).find(|it| it.is_error()) {
            return Err(Problem::config(first));
        }
        match engine.diagnostics().iter().find(|it| it.is_error()) {
            Some(first) if engine.is_refused() => Err(Problem::config(first)
                .with_hint("the original refuses the whole folder; `--compat safe` runs the rest")),
            Some(_) | None => Ok(()),
        }
    }

    /// The folder that relative paths start from.
    fn workspace(&self, hooks: Option<&Path>) -> Result<PathBuf, Problem> {
        match (&self.directory, hooks) {
            (Some(directory), _) if !directory.is_dir() => Err(Problem::new(
                Exit::Config,
                "E_READ",
                format!("`{}` is not a folder", directory.display()),
            )),
            (Some(directory), _) => Ok(directory.clone()),
            (None, Some(hooks)) => Ok(workspace_of(hooks).unwrap_or_else(|| PathBuf::from("."))),
            (None, None) => {
                let here = std::env::current_dir();
                let here =
                    here.map_err(|error| Problem::new(Exit::Config, "E_READ", error.to_string()))?;
                Ok(workspace_above(&here))
            }
        }
    }
}

/// Lends an engine the model of a script, or else those that settings name.
pub(crate) fn lend(builder: Builder, script: Option<&Path>) -> Result<Builder, Problem> {
    let Some(path) = script else {
        return Ok(builder.models(|models, secrets| {
            let remote = Remote::new(models.clone(), secrets).ok()?;
            Some(Arc::new(remote) as Arc<dyn Model>)
        }));
    };
    let scripted = Scripted::read(path).map_err(|error| Problem {
        file: Some(error.file.display().to_string()),
        line: error.place.map(|it| it.0),
        column: error.place.map(|it| it.1),
        ..Problem::new(Exit::Config, "E_SCRIPT", error.message)
    })?;
    let scripted = Arc::new(scripted);
    Ok(builder.model(Arc::<Scripted>::clone(&scripted)).subagent(scripted))
}

/// The event a person means.
pub(crate) fn event(engine: &Engine, name: &str) -> Result<EventKind, Problem> {
    engine.event_named(name).ok_or_else(|| {
        let known: Vec<String> =
            EventKind::KNOWN.iter().map(|kind| kind.name().to_owned()).collect();
        let custom = engine.custom_events().into_iter().map(|event| event.name.clone());
        let names: Vec<String> = known.into_iter().chain(custom).collect();
        let problem = Problem::usage(format!("there is no event `{name}`"));
        match becket::core::diagnostic::nearest(name, names.iter().map(String::as_str)) {
            Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
            None => problem.with_hint("`becket list --events` shows all of them"),
        }
    })
}

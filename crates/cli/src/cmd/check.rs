//! `becket check`: every hook file read, every problem told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use becket::core::diagnostic::Diagnostic;
use becket::source::{discover, workspace_above, workspace_of};
use becket::{Dialect, Engine};
use clap::Args;
use serde_json::json;

use crate::exit::Exit;
use crate::out::{self, BAD, CARE, GOOD, paint};
use crate::problem::{self, Problem};
use crate::project::Project;

/// Arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Files or folders [default: the hooks of the workspace]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) project: Project,

    /// Warnings count as errors
    #[arg(long)]
    deny_warnings: bool,
}

impl Check {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let engines = self.engines()?;
        let mut found: Vec<&Diagnostic> = engines.iter().flat_map(Engine::diagnostics).collect();
        found.sort_by(|a, b| {
            let place =
                |it: &Diagnostic| (it.origin.file.to_path_buf(), it.origin.line, it.origin.column);
            place(a).cmp(&place(b))
        });
        let errors = found.iter().filter(|it| it.is_error()).count();
        let warnings = found.len() - errors;
        let hooks: usize = engines.iter().map(sound_hooks).sum();
        if as_json {
            let problems: Vec<_> = found.iter().map(|it| problem::as_json(it)).collect();
            out::data(
                json!({ "hooks": hooks, "errors": errors, "warnings": warnings, "problems": problems }),
            )?;
        } else {
            for finding in &found {
                out::data(format!("{}\n", problem::render(finding)))?;
            }
            out::data(summary(hooks, errors, warnings, &found))?;
        }
        let failed = errors > 0 || (self.deny_warnings && warnings > 0);
        Ok(if failed { Exit::Findings } else { Exit::Fine })
    }

    /// One engine per place, so that names need to be unique within one only.
    fn engines(&self) -> Result<Vec<Engine>, Problem> {
        if self.paths.is_empty() {
            return Ok(vec![self.project.builder()?.lint(true).build()]);
        }
        if self.project.hooks.is_some() {
            return Err(Problem::usage("give either paths or `--hooks`, not both"));
        }
        self.paths.iter().map(|path| self.engine_for(path)).collect()
    }

    fn engine_for(&self, path: &Path) -> Result<Engine, Problem> {
        if !path.exists() {
            return Err(Problem::new(
                Exit::Config,
                "E_READ",
                format!("`{}` does not exist", path.display()),
            ));
        }
        let (dialect, hooks) = match (self.project.dialect, discover(path).into_iter().next()) {
            (Some(dialect), _) => (dialect, path.to_path_buf()),
            (None, Some(found)) => found,
            (None, None) => {
                if workspace_of(path).is_none() {
                    out::tell(format!(
                        "reading `{}` as {}; say so with --dialect",
                        path.display(),
                        Dialect::Oah.name()
                    ));
                }
                (Dialect::Oah, path.to_path_buf())
            }
        };
        let workspace = match &self.project.directory {
            Some(directory) => directory.clone(),
            None => workspace_of(&hooks).unwrap_or_else(|| above(path)),
        };
        let named = Project {
            hooks: Some(hooks),
            dialect: Some(dialect),
            directory: Some(workspace),
            ..self.project.clone()
        };
        Ok(named.builder()?.lint(true).build())
    }
}

/// The workspace that a path lies in, also when the path is relative.
fn above(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    workspace_above(folder)
}

/// How many hooks can run: those in whose files nothing is an error.
fn sound_hooks(engine: &Engine) -> usize {
    let broken = |file: &Path| {
        engine.diagnostics().iter().any(|it| it.is_error() && **it.origin.file == *file)
    };
    engine.snapshot().hooks().filter(|hook| !broken(&hook.spec().origin.file)).count()
}

fn summary(hooks: usize, errors: usize, warnings: usize, found: &[&Diagnostic]) -> String {
    let files: BTreeSet<_> = found.iter().map(|it| it.origin.file.to_path_buf()).collect();
    let count = |number: usize, word: &str| {
        format!("{number} {word}{}", if number == 1 { "" } else { "s" })
    };
    let good = count(hooks, "hook");
    if found.is_empty() {
        return format!("{}: {good}, nothing to complain about", paint(GOOD, "fine"));
    }
    let style = if errors > 0 { BAD } else { CARE };
    let bad = format!(
        "{}, {} in {}",
        count(errors, "error"),
        count(warnings, "warning"),
        count(files.len(), "file")
    );
    format!("{}; {good} can run", paint(style, bad))
}

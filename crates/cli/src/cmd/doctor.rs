//! `becket doctor`: whether everything that should be in force is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use becket::core::diagnostic::Diagnostic;
use becket::core::hook::{Disabled, Hook, Layer};
use becket::core::registry::Registry;
use becket::trust::Review;
use becket::{Dialect, source, state};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::out::{self, BAD, CARE, DIM, GOOD, STRONG, harmless, paint};
use crate::problem::{self, Problem};
use crate::project::Project;

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub(crate) struct Doctor {
    #[arg(skip)]
    pub(super) project: Project,
}

/// What there is to tell.
struct Findings {
    places: Vec<Place>,
    problems: Vec<Diagnostic>,
    review: Review,
    idle: Vec<Idle>,
    /// Files whose last good version is in force instead.
    kept: Vec<becket::Problem>,
    state: Option<PathBuf>,
    /// What is wrong with the state folder.
    state_problems: Vec<String>,
}

/// A hook that will never run.
struct Idle {
    name: String,
    why: String,
    /// Whether somebody wanted it so.
    wanted: bool,
}

/// A file or folder that hooks are read from.
struct Place {
    path: PathBuf,
    dialect: Dialect,
    layer: Layer,
    hooks: usize,
    refused: usize,
}

impl Doctor {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let engine = self.project.builder()?.lint(true).build();
        let registry = engine.snapshot();
        let state = state::folder();
        let none = "neither XDG_STATE_HOME nor HOME is an absolute path".to_owned();
        let findings = Findings {
            places: places(&registry, engine.workspace()),
            problems: engine.diagnostics().to_vec(),
            review: engine.review(state.as_deref()),
            idle: idle(&registry),
            kept: self.kept()?,
            state_problems: state.as_deref().map_or(vec![none], state::problems),
            state,
        };
        if as_json {
            out::data(findings.as_value())?;
        } else {
            out::data(findings.story())?;
        }
        Ok(if findings.is_well() { Exit::Fine } else { Exit::Findings })
    }
}

impl Doctor {
    /// Whoever looks for problems reads the files as they are; what is in force is another matter.
    fn kept(&self) -> Result<Vec<becket::Problem>, Problem> {
        let engine = self.project.engine()?;
        Ok(engine.problems().into_iter().filter(|it| it.kept).collect())
    }
}

impl Findings {
    fn is_well(&self) -> bool {
        !self.problems.iter().any(Diagnostic::is_error)
            && self.review.pending().count() == 0
            && self.review.problem.is_none()
            && self.idle.iter().all(|it| it.wanted)
            && self.kept.is_empty()
            && self.state_problems.is_empty()
    }

    fn story(&self) -> String {
        let mut lines = Vec::new();
        let root = self.review.project.root.display().to_string();
        lines.push(format!("{}  {}", paint(STRONG, "project"), harmless(&root)));
        if self.places.is_empty() {
            lines.push(format!("  {} no hooks are configured", paint(DIM, "-")));
        }
        for place in &self.places {
            let refused = match place.refused {
                0 => String::new(),
                count => format!(", {count} refused"),
            };
            lines.push(format!(
                "  {} {}  {}, {}: {} hooks{refused}",
                mark(place.refused == 0),
                harmless(&place.path.display().to_string()),
                place.dialect.name(),
                place.layer.name(),
                place.hooks,
            ));
        }
        lines.push(paint(STRONG, "trust"));
        lines.extend(self.trust());
        lines.push(paint(STRONG, "hooks that never run"));
        if self.idle.is_empty() {
            lines.push(format!("  {} none", mark(true)));
        }
        for idle in &self.idle {
            let sign = if idle.wanted { paint(DIM, "-") } else { mark(false) };
            lines.push(format!("  {sign} {}: {}", harmless(&idle.name), harmless(&idle.why)));
        }
        lines.push(paint(STRONG, "problems in files"));
        if self.problems.is_empty() {
            lines.push(format!("  {} none", mark(true)));
        }
        for problem in &self.problems {
            let sign = if problem.is_error() { paint(BAD, "x") } else { paint(CARE, "!") };
            lines.push(format!("  {sign} {}", harmless(&problem.to_string())));
        }
        lines.extend(self.kept.iter().map(|it| {
            let file = harmless(&it.file.display().to_string());
            format!("  {} {file} counts as it was before: {}", mark(false), harmless(&it.why))
        }));
        lines.push(paint(STRONG, "state"));
        let folder = self.state.as_ref().map(|it| it.display().to_string()).unwrap_or_default();
        if self.state_problems.is_empty() {
            lines.push(format!(
                "  {} {}: yours alone, and can be written",
                mark(true),
                harmless(&folder)
            ));
        }
        let wrong = self.state_problems.iter();
        lines.extend(wrong.map(|it| format!("  {} {}", mark(false), harmless(it))));
        lines.push(String::new());
        lines.push(if self.is_well() {
            paint(GOOD, "all is well")
        } else {
            paint(CARE, "something needs a look")
        });
        lines.join("\n")
    }

    /// How the files of the project stand, and what to do about it.
    fn trust(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(problem) = &self.review.problem {
            lines.push(format!("  {} {}", mark(false), harmless(&problem.to_string())));
        }
        for (file, (approved, pending)) in self.by_file() {
            let file = harmless(&file);
            lines.push(if pending == 0 {
                format!("  {} {file}  {approved} approved", mark(true))
            } else {
                let waits = format!("{pending} not approved, {approved} approved");
                format!("  {} {file}  {waits}: run `becket trust`", mark(false))
            });
        }
        if lines.is_empty() {
            lines.push(format!("  {} the project brings nothing that needs approval", mark(true)));
        }
        lines
    }

    /// How many things of each project file are approved, and how many are not.
    fn by_file(&self) -> BTreeMap<String, (usize, usize)> {
        let mut files: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for item in &self.review.items {
            let counted = files.entry(item.origin.file.display().to_string()).or_default();
            if item.is_pending() {
                counted.1 += 1;
            } else {
                counted.0 += 1;
            }
        }
        files
    }

    fn as_value(&self) -> Value {
        let places = self.places.iter().map(|it| {
            json!({
                "path": it.path,
                "dialect": it.dialect.name(),
                "scope": it.layer.name(),
                "hooks": it.hooks,
                "refused": it.refused,
            })
        });
        let trust = self.by_file().into_iter().map(|(file, (approved, pending))| {
            json!({ "file": file, "approved": approved, "pending": pending })
        });
        let idle = self.idle.iter();
        let idle = idle.map(|it| json!({ "hook": it.name, "why": it.why, "wanted": it.wanted }));
        json!({
            "well": self.is_well(),
            "project": self.review.project.root,
            "places": places.collect::<Vec<_>>(),
            "trust": trust.collect::<Vec<_>>(),
            "trust_problem": self.review.problem.as_ref().map(problem::as_json),
            "digest": self.review.digest,
            "idle": idle.collect::<Vec<_>>(),
            "problems": self.problems.iter().map(problem::as_json).collect::<Vec<_>>(),
            "kept": self.kept.iter().map(|it| json!({ "file": it.file, "why": it.why })).collect::<Vec<_>>(),
            "state": { "folder": self.state, "problems": self.state_problems },
        })
    }
}

fn mark(good: bool) -> String {
    if good { paint(GOOD, "+") } else { paint(BAD, "x") }
}

/// Where hooks come from: every place that has some, and every other one that is there.
fn places(registry: &Registry, workspace: &std::path::Path) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut at = |path: &PathBuf, dialect: Dialect, layer: Layer| -> usize {
        let same = |it: &Place| it.path == *path && it.dialect == dialect && it.layer == layer;
        places.iter().position(same).unwrap_or_else(|| {
            places.push(Place { path: path.clone(), dialect, layer, hooks: 0, refused: 0 });
            places.len() - 1
        })
    };
    let counted: Vec<usize> =
        registry.hooks().map(Hook::spec).map(|it| at(&it.source, it.dialect, it.layer)).collect();
    for (dialect, path) in source::discover(workspace) {
        at(&path, dialect, Layer::Project);
    }
    for at in counted {
        if let Some(place) = places.get_mut(at) {
            place.hooks += 1;
        }
    }
    for refused in registry.refused() {
        let place = places.iter_mut().find(|it| refused.file.starts_with(&it.path));
        if let Some(place) = place {
            place.refused += 1;
        }
    }
    places
}

/// Hooks that nothing will ever start, whatever happens.
fn idle(registry: &Registry) -> Vec<Idle> {
    let why = |hook: &Hook| match (&hook.spec().disabled, hook.matcher().validate()) {
        (_, Err(error)) => Some((format!("its matcher can never match: {}", error.message), false)),
        (Some(Disabled::Duplicate { of }), _) => Some((format!("`{of}` does the same"), false)),
        (Some(Disabled::Off { by }), _) => Some((format!("it is switched off by {by}"), true)),
        (Some(Disabled::WrongKind { kind }), _) => {
            Some((format!("a workspace of kind `{kind}` has no hooks"), true))
        }
        (Some(_) | None, Ok(())) => None,
    };
    let idle = registry.hooks().filter_map(|hook| {
        let (why, wanted) = why(hook)?;
        Some(Idle { name: hook.name().to_owned(), why, wanted })
    });
    idle.collect()
}

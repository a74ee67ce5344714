//! `becket list`: the hooks and rules in force.

mod origin;
mod rules;

use becket::core::config::Refused;
use becket::core::hook::{Disabled, Hook, HookSpec, Mode};
use becket::core::matcher::MatcherLanguage;
use becket::{Dialect, Engine, EventKind};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::out::{self, CARE, DIM, STRONG, paint};
use crate::problem::Problem;
use crate::project::Project;

/// Arguments of `list`.
#[derive(Args, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub(super) project: Project,

    /// Show the events there are instead
    #[arg(long)]
    events: bool,

    /// Show hooks and rules in the order in which they count, with where each was written
    #[arg(long, conflicts_with = "events")]
    show_origin: bool,
}

impl List {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let engine = self.project.engine()?;
        if self.events {
            events(&engine, as_json)?;
            return Ok(Exit::Fine);
        }
        self.project.usable(&engine)?;
        let registry = engine.snapshot();
        if self.show_origin {
            out::data(origin::of(&engine, as_json))?;
            return Ok(Exit::Fine);
        }
        if as_json {
            let hooks: Vec<Value> = registry.hooks().map(entry).collect();
            let refused: Vec<Value> =
                registry.refused().iter().map(|it| crate::problem::as_json(&it.why)).collect();
            out::data(json!({
                "hooks": hooks,
                "rules": rules::as_value(registry.rules()),
                "refused": refused,
                "generation": registry.generation(),
            }))?;
            return Ok(Exit::Fine);
        }
        let kinds = EventKind::KNOWN.into_iter();
        let custom = engine.custom_events().into_iter().map(EventKind::Custom);
        for kind in kinds.chain(custom) {
            let hooks: Vec<&Hook> = registry.hooks_for(&kind).map(|(_, hook)| hook).collect();
            if !hooks.is_empty() {
                out::data(paint(STRONG, kind.name()))?;
                out::data(table(&hooks))?;
            }
        }
        for line in rules::story(registry.rules()) {
            out::data(line)?;
        }
        if registry.hooks().next().is_none() {
            out::tell(format!("no hooks in `{}`", engine.workspace().display()));
        }
        for refused in registry.refused() {
            let why = out::harmless(&refused.why.to_string());
            let key = |it: &Refused| (it.file.clone(), it.name.clone());
            let asks = registry.tombstones().iter().any(|it| key(it.refused()) == key(refused));
            let what = if asks { "not in force, somebody is asked" } else { "not in force" };
            out::tell(format!("{}: {why}", paint(CARE, what)));
        }
        Ok(Exit::Fine)
    }
}

fn state(hook: &Hook) -> &'static str {
    match &hook.spec().disabled {
        None => "in force",
        Some(Disabled::Untrusted) => "untrusted",
        Some(Disabled::WrongKind { .. }) => "ignored: chat",
        Some(_) => "disabled",
    }
}

fn entry(hook: &Hook) -> Value {
    let spec = hook.spec();
    json!({
        "name": spec.name,
        "events": spec.events.iter().map(EventKind::name).collect::<Vec<_>>(),
        "part": hook.part().name(),
        "handler": spec.handler.kind(),
        "matcher": spec.matcher,
        "dialect": spec.dialect.name(),
        "compat": spec.compat.name(),
        "scope": spec.layer.name(),
        "mode": spec.mode.name(),
        "order": spec.order,
        "description": spec.description,
        "state": state(hook),
        "trusted": spec.disabled != Some(Disabled::Untrusted),
        "source": format!("{}:{}", spec.origin.file.display(), spec.origin.line),
    })
}

fn table(hooks: &[&Hook]) -> String {
    aligned(&hooks.iter().map(|hook| row(hook)).collect::<Vec<_>>())
}

/// Rows with their columns one below the other.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: Vec<usize> = (0..N)
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        })
        .collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// How many things are told about a hook.
const COLUMNS: usize = 8;

fn row(hook: &Hook) -> [String; COLUMNS] {
    let spec = hook.spec();
    let is_regex = spec.profile().matcher == MatcherLanguage::EcmaRegex;
    let matcher = match spec.matcher.as_deref() {
        None | Some("") => "any".to_owned(),
        Some(regex) if is_regex => format!("/{regex}/"),
        Some(matcher) => matcher.to_owned(),
    };
    let cells = [
        spec.name.clone(),
        hook.part().name().to_owned(),
        spec.handler.kind().to_owned(),
        matcher,
        format!("{}, {}", spec.dialect.name(), spec.layer.name()),
        mode(spec),
        state(hook).to_owned(),
        format!("{}:{}", spec.origin.file.display(), spec.origin.line),
    ];
    // A table has one line per hook, whatever its file says.
    cells.map(|cell| out::one_line(&cell, 120))
}

/// How much it counts, and where it stands among the hooks of its layer where it says.
fn mode(spec: &HookSpec) -> String {
    let mode = match spec.mode {
        Mode::Canary(percent) => format!("canary {percent}%"),
        Mode::Enforce | Mode::Warn | Mode::Shadow => spec.mode.name().to_owned(),
    };
    if spec.order == 0 { mode } else { format!("{mode}, order {}", spec.order) }
}

fn events(engine: &Engine, as_json: bool) -> Result<(), Problem> {
    let custom = engine.custom_events().into_iter().map(EventKind::Custom);
    let kinds: Vec<EventKind> = EventKind::KNOWN.into_iter().chain(custom).collect();
    if as_json {
        let rows = kinds.iter().map(|kind| {
            json!({ "name": kind.name(), "summary": kind.summary(), "aliases": kind.aliases().collect::<Vec<_>>() })
        });
        return out::data(Value::Array(rows.collect()));
    }
    for kind in &kinds {
        let oah = kind.name_in(Dialect::Oah).filter(|name| *name != kind.name());
        let also = oah.map(|name| paint(DIM, format!(" (oah: {name})"))).unwrap_or_default();
        out::data(format!("{:20} {}{also}", kind.name(), kind.summary()))?;
    }
    Ok(())
}

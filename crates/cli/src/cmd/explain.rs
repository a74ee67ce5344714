//! `becket explain`: the plan of an event, without running anything.

mod call;

use std::time::Duration;

use becket::core::hook::{Hook, Mode};
use becket::core::plan::plan;
use becket::core::skip::{Skip, why_not};
use becket::{Engine, Event, EventKind};
use clap::Args;
use serde_json::{Map, Value, json};

use super::Input;
use crate::exit::Exit;
use crate::out::{self, CARE, DIM, GOOD, STRONG, paint};
use crate::problem::Problem;
use crate::project::{self, Project};

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The event, by its name in any dialect
    event: String,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    pub(super) project: Project,
}

impl Explain {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let engine = self.project.engine()?;
        self.project.usable(&engine)?;
        let kind = project::event(&engine, &self.event)?;
        // Without a payload the plan is explained as far as it can be.
        let event = match self.input.bytes()? {
            Some(bytes) => self.input.parse(kind, &bytes)?,
            None => Event::new(kind, Map::new()),
        };
        let event = engine.complete(event, "explained");
        if as_json {
            out::data(as_value(&engine, &event))?;
        } else {
            out::data(story(&engine, &event))?;
        }
        Ok(Exit::Fine)
    }
}

/// What is to be said about one hook.
struct Explained<'e> {
    hook: &'e Hook,
    /// In which wave it would run; `None` when it would not.
    wave: Option<usize>,
    why: String,
    code: Option<&'static str>,
}

fn explain<'e>(
    registry: &'e becket::core::registry::Registry,
    event: &Event,
) -> Vec<Explained<'e>> {
    let plan = plan(registry, event);
    let waves = plan.waves();
    let wave_of = |hook: &Hook| {
        waves.iter().position(|wave| wave.iter().any(|it| std::ptr::eq(*it, hook))).map(|at| at + 1)
    };
    let explained = registry.hooks_for(event.kind()).map(|(_, hook)| {
        if let Some(wave) = wave_of(hook) {
            return Explained { hook, wave: Some(wave), why: why(hook, event), code: None };
        }
        // A matcher that cannot match anything says so, whatever the event.
        let invalid = hook
            .matcher()
            .validate()
            .err()
            .map(|it| Skip::MatcherInvalid { why: it.message.clone() });
        let skip = invalid.or_else(|| why_not(hook, event)).or_else(|| plan.twin_of(hook));
        let skip = skip.unwrap_or(Skip::TooMany);
        Explained { hook, wave: None, why: skip.to_string(), code: Some(skip.code()) }
    });
    explained.collect()
}

/// Why a hook would run.
fn why(hook: &Hook, event: &Event) -> String {
    let rules: Vec<String> = hook.spec().only_if.iter().map(ToString::to_string).collect();
    let also = match rules.as_slice() {
        [] => String::new(),
        rules => format!("; its `if: {}` hits this call", rules.join(", ")),
    };
    why_matched(hook, event) + &also
}

fn why_matched(hook: &Hook, event: &Event) -> String {
    match (&hook.spec().matcher, hook.subject_field(event), hook.subject(event)) {
        (None, _, _) => "it has no matcher, so it runs for every such event".to_owned(),
        (Some(_), None, _) => {
            "this event has nothing to match on, so its matcher is ignored".to_owned()
        }
        (Some(matcher), Some(field), Some(subject)) => {
            format!("matcher `{matcher}` matches {} `{subject}`", field.replace('_', " "))
        }
        (Some(matcher), Some(field), None) => {
            format!("the input has no `{field}`; with one, matcher `{matcher}` decides")
        }
    }
}

fn terms(hook: &Hook, kind: &EventKind, event: &Event) -> String {
    let (limit, default) = hook.timeout(kind);
    let block =
        event.block_in(hook.spec().dialect).map_or("cannot block", becket::EffectKind::name);
    let spec = hook.spec();
    let counts = match (spec.mode, hook.mode(event)) {
        (Mode::Enforce, _) => String::new(),
        (mode @ Mode::Canary(_), now) => format!(" · mode: {}, here {}", mode.name(), now.name()),
        (mode @ (Mode::Warn | Mode::Shadow), _) => format!(" · mode: {}", mode.name()),
    };
    let condition = spec.condition.as_deref();
    let condition =
        condition.map(|it| format!(" · condition: {}", out::one_line(it, 60))).unwrap_or_default();
    format!(
        "{} · {}{} · on failure: {} · block: {block}{counts}{condition}",
        spec.handler.kind(),
        time(limit),
        if default { " (default)" } else { "" },
        hook.on_failure(kind).name(),
    )
}

/// Whole seconds where they are whole.
fn time(limit: Duration) -> String {
    if limit.subsec_millis() == 0 {
        format!("{} s", limit.as_secs())
    } else {
        format!("{} ms", limit.as_millis())
    }
}

fn story(engine: &Engine, event: &Event) -> String {
    let registry = engine.snapshot();
    let kind = event.kind();
    let mut lines = vec![format!("{}  {}", paint(STRONG, kind.name()), paint(DIM, kind.summary()))];
    let explained = explain(&registry, event);
    for it in &explained {
        if let Some(wave) = it.wave {
            lines.push(format!(
                "  {} {}",
                paint(GOOD, format!("{wave}.")),
                paint(STRONG, out::harmless(it.hook.name()))
            ));
            lines.push(format!("     runs: {}", out::harmless(&it.why)));
            lines.push(format!("     {}", paint(DIM, terms(it.hook, kind, event))));
        } else {
            lines.push(format!("  {} {}", paint(DIM, "-"), out::harmless(it.hook.name())));
            lines.push(format!("     does not run: {}", out::harmless(&it.why)));
        }
    }
    for tombstone in registry.tombstones() {
        let Some(decision) = tombstone.answer(event) else { continue };
        let name = out::harmless(&tombstone.name());
        lines.push(format!("  {} {}", paint(CARE, "!"), paint(STRONG, name)));
        let reason = out::harmless(&tombstone.reason());
        lines.push(format!("     answers {} in its place: {reason}", decision.name()));
    }
    lines.extend(call::story(&registry, event));
    let elsewhere = registry.hooks().count() - explained.len();
    if explained.is_empty() {
        lines.push("  no hook is registered for it".to_owned());
    }
    if elsewhere > 0 {
        lines.push(paint(
            DIM,
            format!("  {elsewhere} more hang on other events; `becket list` shows them"),
        ));
    }
    for refused in registry.refused() {
        let why = out::harmless(&refused.why.to_string());
        lines.push(format!("  {} {why}", paint(CARE, "not in force:")));
    }
    lines.join("\n")
}

fn as_value(engine: &Engine, event: &Event) -> Value {
    let registry = engine.snapshot();
    let kind = event.kind();
    let hooks = explain(&registry, event).into_iter().map(|it| {
        let (limit, default) = it.hook.timeout(kind);
        let spec = it.hook.spec();
        json!({
            "name": spec.name,
            "state": if it.wave.is_some() { "would_run" } else { "skipped" },
            "wave": it.wave,
            "skip": it.code.map(|code| json!({ "code": code, "text": it.why })),
            "why": it.why,
            "dialect": spec.dialect.name(),
            "source": format!("{}:{}", spec.origin.file.display(), spec.origin.line),
            "handler": spec.handler.kind(),
            "part": it.hook.part().name(),
            "scope": spec.layer.name(),
            "order": spec.order,
            "mode": spec.mode.name(),
            "counts": it.hook.mode(event) == Mode::Enforce,
            "if": spec.only_if.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "condition": spec.condition,
            "timeout_ms": u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            "timeout_is_default": default,
            "on_failure": it.hook.on_failure(kind).name(),
            "block": event.block_in(spec.dialect).map(becket::EffectKind::name),
        })
    });
    let tombstones = registry.tombstones().iter().filter_map(|it| {
        let decision = it.answer(event)?.name();
        Some(json!({ "name": it.name(), "decision": decision, "reason": it.reason() }))
    });
    json!({
        "event": kind.name(),
        "hooks": hooks.collect::<Vec<_>>(),
        "call": call::as_value(&registry, event),
        "tombstones": tombstones.collect::<Vec<_>>(),
        "refused": registry.refused().iter().map(|it| crate::problem::as_json(&it.why)).collect::<Vec<_>>(),
        "generation": registry.generation(),
    })
}

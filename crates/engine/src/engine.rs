//! The straight line an event takes.

mod asking;
mod builder;
mod reading;
mod reload;
mod standing;
mod trusting;

use std::borrow::Cow;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use becket_core::config::{Loaded, Place};
use becket_core::diagnostic::{Diagnostic, Origin};
use becket_core::dialect::{Compat, Dialect};
use becket_core::event::{Class, CustomEvent, Event, EventKind, Scene};
use becket_core::hook::{Handler, Hook, HookSpec, Layer};
use becket_core::outcome::{Note, Outcome, Tally};
use becket_core::patch::{Capability, Scope};
use becket_core::plan::plan;
use becket_core::registry::{HookId, Registry};
use becket_core::reply::Reply;
use becket_core::verdict::{OnFailure, Remark, Settled, Verdict};
use becket_core::wire::wire;

use crate::clock;
use crate::handler::{Closure, Surroundings};
use crate::journal::Journal;
use crate::permission::Answers;
use crate::point::Point;
use crate::port::Ask;
use crate::run;

pub use self::builder::Builder;
pub use self::reload::Problem;
use self::reload::{Configuration, Reloader};

/// Runs the hooks of one agent.
pub struct Engine {
    /// Everything that says what it reads.
    sources: Builder,
    configuration: RwLock<Arc<Configuration>>,
    reloader: Reloader,
    diagnostics: Vec<Diagnostic>,
    fatal: bool,
    surroundings: Arc<Surroundings>,
    background: run::Background,
    journal: Option<Result<Journal, String>>,
    person: Option<Arc<dyn Ask>>,
    answers: Option<Answers>,
    workspace: Arc<PathBuf>,
    scene: Scene,
    headless: bool,
    strict: bool,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("workspace", &self.workspace)
            .field("registry", &self.snapshot())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts an engine.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Tells every hook that cares what happened, and says what to do about it.
    ///
    /// This cannot fail: a hook that fails is part of the outcome. Dropping it ends the hooks.
    pub async fn fire(&self, event: Event) -> Outcome {
        self.fire_unless(event, std::future::pending()).await
    }

    /// The same, until somebody calls it off: then the hooks that run are ended, and the event is refused.
    pub async fn fire_unless(&self, event: Event, called_off: impl Future<Output = ()>) -> Outcome {
        let (configuration, changes) = self.refresh(&event).await;
        let registry = Arc::clone(&configuration.registry);
        let trace = uuid::Uuid::now_v7().to_string();
        let event = self.complete(event, &trace);
        let mut plan = plan(&registry, &event);
        // Only hooks want to know what time it is.
        let event = if plan.is_empty() { event } else { event.at(clock::moment()) };
        let mut tally = Tally::new(Arc::clone(&registry), event);
        let standing = &configuration.read.standing;
        standing
            .iter()
            .chain(&changes)
            .chain(&self.misnamed(tally.event()))
            .for_each(|note| tally.note(note.clone()));
        let mut called_off = std::pin::pin!(called_off);
        while let Some(wave) = plan.next(&mut tally) {
            let wave = self.detach(&registry, wave, &mut tally);
            let event = tally.event();
            let judge = |hook: &Hook, reply: &Reply| self.judge(hook, event, reply);
            let ran = run::wave(wave, event, &self.surroundings, judge, called_off.as_mut()).await;
            ran.runs.into_iter().for_each(|(id, run)| tally.absorb(id, run));
            if ran.called_off {
                tally.call_off();
                break;
            }
        }
        self.ask(&mut tally).await;
        let mut outcome = tally.finish(self.headless);
        outcome.trace = trace;
        self.record(&mut outcome);
        outcome
    }

    /// The hooks and problems in force now.
    pub fn snapshot(&self) -> Arc<Registry> {
        Arc::clone(&self.configuration().registry)
    }

    /// Whether any hook would run. If not, [`Engine::fire`] is done at once, without a runtime.
    pub fn would_run(&self, event: &Event) -> bool {
        !plan(&self.snapshot(), event).is_empty()
    }

    /// Hangs a closure on an event.
    pub fn on<P: Point>(
        &self,
        hook: impl for<'e> Fn(P::View<&'e Event>) -> P::Action + Send + Sync + 'static,
    ) {
        let closure = move |event: &Event| hook(P::view(event)).into();
        self.add(P::kind(), Closure::immediate(Arc::new(closure)));
    }

    /// Hangs a closure on an event that may take its time: it runs on a thread of its own.
    ///
    /// Its deadline holds from the first call on. One that was hung with [`Engine::on`] moves there
    /// when it is slow for the first time.
    pub fn on_blocking<P: Point>(
        &self,
        hook: impl for<'e> Fn(P::View<&'e Event>) -> P::Action + Send + Sync + 'static,
    ) {
        let closure = move |event: &Event| hook(P::view(event)).into();
        self.add(P::kind(), Closure::blocking(Arc::new(closure)));
    }

    /// Hangs a closure that answers later on an event.
    pub fn on_async<P, F>(&self, hook: impl Fn(P::View<Event>) -> F + Send + Sync + 'static)
    where
        P: Point,
        F: Future<Output = P::Action> + Send + 'static,
    {
        let closure = move |event: Event| {
            let answer = hook(P::view(event));
            Box::pin(async move { answer.await.into() })
                as std::pin::Pin<Box<dyn Future<Output = _> + Send>>
        };
        self.add(P::kind(), Closure::Eventual(Arc::new(closure)));
    }

    /// What was found wrong with the configuration when the engine was built.
    ///
    /// [`Engine::problems`] tells what is wrong now.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether the original would have refused the whole configuration (`exact` only).
    pub fn is_refused(&self) -> bool {
        self.fatal
    }

    /// The folder that relative paths start from.
    pub fn workspace(&self) -> &std::path::Path {
        &self.workspace
    }

    /// The kind of event that some system, or the settings, call by this name.
    pub fn event_named(&self, name: &str) -> Option<EventKind> {
        let custom = self.custom_events().into_iter().find(|event| event.name == name);
        custom.map(EventKind::Custom).or_else(|| EventKind::named(name))
    }

    /// The events that settings declare.
    pub fn custom_events(&self) -> Vec<Arc<CustomEvent>> {
        self.configuration().read.events.clone()
    }

    /// The event as hooks will see it: with what every envelope carries filled in.
    pub fn complete(&self, event: Event, trace: &str) -> Event {
        let defaults: [(&str, Cow<'_, str>); 3] = [
            ("cwd", self.workspace.to_string_lossy()),
            ("run_id", trace.into()),
            (
                "workspace_id",
                self.workspace
                    .file_name()
                    .map_or("workspace".into(), std::ffi::OsStr::to_string_lossy),
            ),
        ];
        event.with_defaults(&defaults).set_in(self.scene.clone())
    }

    /// A payload may name another event than the one that is fired.
    fn misnamed(&self, event: &Event) -> Option<Note> {
        let said = event.text("hook_event_name")?;
        let differs = self.event_named(said).as_ref() != Some(event.kind());
        let fired = event.kind().name().to_owned();
        differs.then(|| Note::EventNameDiffers { fired, said: said.to_owned() })
    }

    /// Cuts what a hook tells the model to a bound, and keeps the whole beside the journal.
    fn fit_texts(&self, hook: &Hook, mut verdict: Verdict) -> Verdict {
        let most = self.surroundings.limits.text_chars;
        if hook.spec().compat == Compat::Exact {
            return verdict;
        }
        for text in &mut verdict.context {
            let Some((end, _)) = text.char_indices().nth(most) else { continue };
            let kept = match &self.journal {
                Some(Ok(journal)) => journal.keep(text).ok(),
                Some(Err(_)) | None => None,
            };
            text.truncate(end);
            let whole = kept.map(|it| format!("; all of it is in `{}`", it.display()));
            let whole = whole.unwrap_or_default();
            let note = format!("its text for the model was cut after {most} characters{whole}");
            verdict.remarks.push(Remark { code: "text_cut", text: note });
        }
        verdict
    }

    /// What a hook's answer means, by the policy in force.
    fn judge(&self, hook: &Hook, event: &Event, reply: &Reply) -> Settled {
        let verdict = wire(hook.spec().dialect).verdict(hook, event, reply);
        let verdict = verdict.map(|verdict| self.fit_texts(hook, verdict));
        self.policy(hook, event.kind()).settle(verdict)
    }

    fn policy(&self, hook: &Hook, kind: &EventKind) -> OnFailure {
        match kind.class() {
            Class::Gate | Class::Mutate if self.strict => OnFailure::Deny,
            Class::Gate | Class::Mutate | Class::Loop | Class::Observe | Class::Farewell => {
                hook.on_failure(kind)
            }
        }
    }

    /// Starts those of a wave that nobody waits for, and returns the others.
    fn detach<'r>(
        &self,
        registry: &Arc<Registry>,
        wave: Vec<(HookId, &'r Hook)>,
        tally: &mut Tally,
    ) -> Vec<(HookId, &'r Hook)> {
        let (detached, attached): (Vec<_>, Vec<_>) =
            wave.into_iter().partition(|(_, hook)| hook.spec().detached);
        for (id, hook) in detached {
            let (event, surroundings) = (tally.event().clone(), Arc::clone(&self.surroundings));
            tally.queue(id);
            if !self.background.start(Arc::clone(registry), id, event, surroundings) {
                let text = format!(
                    "the oldest hook that nobody waits for was ended to make room for `{}`",
                    hook.name()
                );
                tally.note(Note::General { code: "queue_full", text });
            }
        }
        attached
    }

    /// Waits for hooks that were started and that nobody waited for; ends those that take longer.
    ///
    /// Returns when no process of any hook is left.
    pub async fn drain(&self, limit: Duration) {
        self.background.drain(limit).await;
        self.surroundings.processes.settle().await;
    }

    fn record(&self, outcome: &mut Outcome) {
        let why = match &self.journal {
            None => return,
            Some(Ok(journal)) => journal.append(outcome).err().map(|it| it.to_string()),
            Some(Err(why)) => Some(why.clone()),
        };
        if let Some(why) = why {
            let text = format!("this event is not in the journal: {why}");
            outcome.notes.push(Note::General { code: "journal_unwritable", text });
        }
    }

    fn add(&self, kind: EventKind, closure: Closure) {
        let id = self.surroundings.closures.add(closure);
        let everything = Scope::ALL.map(Capability::Rewrite);
        let place = Place {
            dialect: Dialect::Becket,
            compat: Compat::Safe,
            layer: Layer::Host,
            source: Arc::default(),
            workspace: Arc::clone(&self.workspace),
            disabled: None,
            events: Vec::new(),
        };
        let name = format!("{}#{}", kind.name(), id + 1);
        let origin = Origin { file: Arc::new(PathBuf::from("in process")), ..Origin::default() };
        let spec = place.hook(name, vec![kind], Handler::InProcess(id), origin);
        let spec = HookSpec { capabilities: everything.into(), ..spec };
        self.replace(|current| current.with_closure(spec));
    }
}

/// Everything that was loaded, in one.
fn gather(parts: Vec<Loaded>) -> Loaded {
    let mut all = Loaded::default();
    for part in parts {
        all.specs.extend(part.specs);
        all.rules.extend(part.rules);
        // Two dialects may read one file; what is wrong with it as a whole is told once.
        let told = |it: &Diagnostic, all: &[Diagnostic]| it.origin.line == 0 && all.contains(it);
        let fresh = part.refused.into_iter().filter(|it| !told(&it.why, &all.diagnostics));
        all.refused.extend(fresh);
        let fresh = part.diagnostics.into_iter().filter(|it| !told(it, &all.diagnostics));
        let fresh: Vec<_> = fresh.collect();
        all.diagnostics.extend(fresh);
        all.switches.extend(part.switches);
        all.fatal |= part.fatal;
    }
    all
}

//! Runs the hooks of one wave together.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use becket_core::event::Event;
use becket_core::hook::{Handler, Hook};
use becket_core::outcome::Run;
use becket_core::profile::Answers;
use becket_core::registry::{HookId, Registry};
use becket_core::reply::Reply;
use becket_core::verdict::{Failure, FailureKind, OnFailure, Settled};
use becket_core::wire::{Envelope, wire};
use futures_util::StreamExt;
use futures_util::stream;
use tokio::task::{AbortHandle, JoinSet};

use crate::handler::{self, Surroundings};

/// How the hooks of a wave went.
pub(crate) struct Ran {
    /// In configured order, whoever finished first; where a dialect says so, as they finished.
    pub(crate) runs: Vec<(HookId, Run)>,
    /// Whether somebody called it off.
    pub(crate) called_off: bool,
}

/// What the answer of a hook means, by the policy in force.
pub(crate) trait Judge: Fn(&Hook, &Reply) -> Settled {}
impl<F: Fn(&Hook, &Reply) -> Settled> Judge for F {}

/// Runs one wave.
///
/// A refusal answers for all: nobody waits for the others any more, and they are ended.
pub(crate) async fn wave(
    wave: Vec<(HookId, &Hook)>,
    event: &Event,
    surroundings: &Surroundings,
    judge: impl Judge,
    mut called_off: impl Future<Output = ()> + Unpin,
) -> Ran {
    // Hooks of a wave speak one dialect in one workspace, so one envelope serves them all.
    // Closures see the event itself and need none.
    let reader =
        wave.iter().find(|(_, hook)| !matches!(hook.spec().handler, Handler::InProcess(_)));
    let shared = reader.map_or_else(Envelope::default, |(_, hook)| {
        wire(hook.spec().dialect).envelope(hook, event)
    });
    let started = Instant::now();
    let mut answered: Vec<(usize, Option<Run>)> = wave.iter().map(|_| (wave.len(), None)).collect();
    let mut arrived = 0;
    let call =
        |(place, it): (usize, &(HookId, _))| one(place, it.1, event, (&shared, surroundings));
    let calls: Vec<_> = wave.iter().enumerate().map(call).collect();
    let mut answers = stream::iter(calls).buffer_unordered(surroundings.limits.parallel.max(1));
    let mut off = false;
    loop {
        let next = tokio::select! {
            biased;
            next = answers.next() => next,
            () = &mut called_off => { off = true; None }
        };
        let Some((place, hook, reply, took)) = next else { break };
        let settled = judge(hook, &reply);
        let over = hook.ends_its_wave(event, &settled.verdict);
        if let Some(answer) = answered.get_mut(place) {
            *answer = (arrived, Some(Run { reply, settled, took }));
        }
        arrived += 1;
        if over {
            break;
        }
    }
    drop(answers);
    let mut runs: Vec<_> = wave.iter().zip(answered).collect();
    if wave.first().is_some_and(|(_, hook)| hook.profile().answers == Answers::Arrival) {
        runs.sort_by_key(|(_, (arrived, _))| *arrived);
    }
    let run = |run: Option<Run>| run.unwrap_or_else(|| cancelled(started, off));
    let runs = runs.into_iter().map(|((id, _), (_, it))| (*id, run(it)));
    Ran { runs: runs.collect(), called_off: off }
}

async fn one<'r>(
    place: usize,
    hook: &'r Hook,
    event: &Event,
    (envelope, surroundings): (&Envelope, &Surroundings),
) -> (usize, &'r Hook, Reply, Duration) {
    let started = Instant::now();
    let reply = handler::call(hook, event, envelope, surroundings).await;
    (place, hook, reply, started.elapsed())
}

/// The run of a hook that was ended because nobody needs its answer any more.
fn cancelled(started: Instant, called_off: bool) -> Run {
    let why = if called_off { "the event was called off" } else { "another hook refused first" };
    let failure = Failure::new(FailureKind::Cancelled, why);
    let settled = OnFailure::Allow.settle(Err(failure.clone()));
    Run { reply: Reply::Failed(failure), settled, took: started.elapsed() }
}

/// Hooks that were started and that nobody waits for.
#[derive(Debug, Default)]
pub(crate) struct Background(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    running: JoinSet<()>,
    /// The same, oldest first.
    oldest: VecDeque<AbortHandle>,
}

impl Background {
    /// Starts a hook; false when an older one had to be ended to make room for it.
    pub(crate) fn start(
        &self,
        registry: Arc<Registry>,
        id: HookId,
        event: Event,
        surroundings: Arc<Surroundings>,
    ) -> bool {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while queue.running.try_join_next().is_some() {}
        queue.oldest.retain(|it| !it.is_finished());
        let full = queue.oldest.len() >= surroundings.limits.queue;
        if full && let Some(oldest) = queue.oldest.pop_front() {
            oldest.abort();
        }
        let depth = handler::above();
        let handle = queue.running.spawn(handler::at(depth, async move {
            if let Some(hook) = registry.hook(id) {
                let envelope = wire(hook.spec().dialect).envelope(hook, &event);
                handler::call(hook, &event, &envelope, &surroundings).await;
            }
        }));
        queue.oldest.push_back(handle);
        !full
    }

    /// Waits for all of them, but not longer than this; what still runs then is ended.
    pub(crate) async fn drain(&self, limit: Duration) {
        let mut queue = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async { while queue.running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(limit, all).await;
        queue.running.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::{Orphans, Processes};
    use becket_core::config::Place;
    use becket_core::decision::Decision;
    use becket_core::diagnostic::Origin;
    use becket_core::dialect::{Compat, Dialect};
    use becket_core::event::EventKind;
    use becket_core::hook::Layer;

    fn hook(name: &str, command: &str) -> Hook {
        let place = Place {
            dialect: Dialect::Becket,
            compat: Compat::Safe,
            layer: Layer::CommandLine,
            source: Arc::default(),
            workspace: Arc::new("/".into()),
            disabled: None,
            events: Vec::new(),
        };
        let (command, environment) = (command.to_owned(), Vec::new());
        let handler = Handler::Command { command, args: None, cwd: None, environment };
        let kinds = vec![EventKind::PreToolUse];
        place.hook(name.to_owned(), kinds, handler, Origin::default()).compile()
    }

    #[tokio::test]
    async fn a_refusal_answers_for_all_that_run_beside_it_and_ends_them() {
        let specs = ["sleep infinity", "echo no >&2; exit 2"].map(|it| hook(it, it).spec().clone());
        let registry = Registry::new(specs.into(), Vec::new(), 1);
        let hooks: Vec<_> = registry.hooks_for(&EventKind::PreToolUse).collect();
        let event = Event::new(EventKind::PreToolUse, serde_json::Map::new());
        let processes = Processes::new(8, Orphans::Left, crate::guardian::Guardian::default());
        let lent = crate::port::Lent::nothing();
        let surroundings = Surroundings::new(
            lent,
            becket_core::limits::Limits::default(),
            becket_core::network::Network::default(),
            processes,
        );
        let judge = |hook: &Hook, reply: &Reply| {
            OnFailure::Ask.settle(wire(Dialect::Becket).verdict(hook, &event, reply))
        };
        let started = Instant::now();
        let ran = wave(hooks, &event, &surroundings, judge, std::future::pending()).await;
        assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
        let told: Vec<_> = ran
            .runs
            .iter()
            .map(|(_, run)| {
                (run.settled.verdict.decision, run.settled.failure.as_ref().map(|it| it.kind))
            })
            .collect();
        let expected = [(Decision::Pass, Some(FailureKind::Cancelled)), (Decision::Deny, None)];
        assert_eq!(told, expected);
        surroundings.processes.settle().await;
    }
}

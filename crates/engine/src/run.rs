//! Runs the hooks of one wave together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use becket_core::event::Event;
use becket_core::hook::{Handler, Hook};
use becket_core::profile::Answers;
use becket_core::registry::{HookId, Registry};
use becket_core::reply::Reply;
use becket_core::wire::{Envelope, wire};
use futures_util::StreamExt;
use futures_util::stream;
use tokio::task::JoinSet;

use crate::handler::{self, Surroundings};

/// What one hook of a wave gave back, and how long it took.
pub(crate) type Answered = (HookId, Reply, Duration);

/// Runs one wave. Replies come back in configured order, whoever finished first; where a dialect
/// says so, in the order of their arrival.
pub(crate) async fn wave(
    wave: Vec<(HookId, &Hook)>,
    event: &Event,
    surroundings: &Surroundings,
    parallel: usize,
) -> Vec<Answered> {
    // Hooks of a wave speak one dialect in one workspace, so one envelope serves them all.
    // Closures see the event itself and need none.
    let reader =
        wave.iter().find(|(_, hook)| !matches!(hook.spec().handler, Handler::InProcess(_)));
    let shared = reader.map_or_else(Envelope::default, |(_, hook)| {
        wire(hook.spec().dialect).envelope(hook, event)
    });
    let call = |(id, hook)| one(id, hook, event, (&shared, surroundings));
    let answers = wave.first().map_or(Answers::Configured, |(_, hook)| hook.profile().answers);
    let calls = stream::iter(wave.into_iter().map(call).collect::<Vec<_>>());
    match answers {
        Answers::Configured => calls.buffered(parallel.max(1)).collect().await,
        Answers::Arrival => calls.buffer_unordered(parallel.max(1)).collect().await,
    }
}

async fn one(
    id: HookId,
    hook: &Hook,
    event: &Event,
    (envelope, surroundings): (&Envelope, &Surroundings),
) -> Answered {
    let started = Instant::now();
    let reply = handler::call(hook, event, envelope, surroundings).await;
    (id, reply, started.elapsed())
}

/// Hooks that were started and that nobody waits for.
#[derive(Debug, Default)]
pub(crate) struct Background(Mutex<JoinSet<()>>);

/// The most hooks that may run in the background.
const MAX_BACKGROUND: usize = 256;

impl Background {
    /// Starts a hook; false when too many are running already.
    pub(crate) fn start(
        &self,
        registry: Arc<Registry>,
        id: HookId,
        event: Event,
        surroundings: Arc<Surroundings>,
    ) -> bool {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        if running.len() >= MAX_BACKGROUND {
            return false;
        }
        running.spawn(async move {
            if let Some(hook) = registry.hook(id) {
                let envelope = wire(hook.spec().dialect).envelope(hook, &event);
                one(id, hook, &event, (&envelope, &surroundings)).await;
            }
        });
        true
    }

    /// Waits for all of them, but not longer than this; what still runs then is ended.
    pub(crate) async fn drain(&self, limit: Duration) {
        let mut running =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async { while running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(limit, all).await;
    }
}

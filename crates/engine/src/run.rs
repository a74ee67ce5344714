//! Runs the hooks of one wave together.

use std::time::{Duration, Instant};

use becket_core::event::Event;
use becket_core::hook::Hook;
use becket_core::registry::HookId;
use becket_core::reply::Reply;
use becket_core::wire::{Envelope, wire};
use futures_util::StreamExt;
use futures_util::stream;

use crate::handler::{self, Surroundings};

/// What one hook of a wave gave back, and how long it took.
pub(crate) type Answered = (HookId, Reply, Duration);

/// Runs one wave. Replies come back in configured order, whoever finished first.
pub(crate) async fn wave(
    wave: Vec<(HookId, &Hook)>,
    event: &Event,
    surroundings: &Surroundings,
    parallel: usize,
) -> Vec<Answered> {
    // Hooks of a wave speak one dialect in one workspace, so one envelope serves them all.
    let shared = wave.first().map_or_else(Envelope::default, |(_, hook)| {
        wire(hook.spec().dialect).envelope(hook, event)
    });
    let call = |(id, hook)| one(id, hook, event, (&shared, surroundings));
    let calls: Vec<_> = wave.into_iter().map(call).collect();
    stream::iter(calls).buffered(parallel.max(1)).collect().await
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

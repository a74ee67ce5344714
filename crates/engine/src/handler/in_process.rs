//! Closures of the host.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use becket_core::event::Event;
use becket_core::reply::Reply;
use becket_core::verdict::{Failure, FailureKind, Verdict};
use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::timed_out;

/// A closure that answers at once.
pub(crate) type Immediate = Arc<dyn Fn(&Event) -> Verdict + Send + Sync>;
/// A closure that answers later.
pub(crate) type Eventual =
    Arc<dyn Fn(Event) -> Pin<Box<dyn Future<Output = Verdict> + Send>> + Send + Sync>;

/// Calls a closure: at once, or on a thread of its own where it was slow before.
async fn immediate(
    closure: &Immediate,
    slow: &AtomicBool,
    event: &Event,
    limit: Duration,
) -> Reply {
    if slow.load(Ordering::Relaxed) && Handle::try_current().is_ok() {
        let (closure, event) = (Arc::clone(closure), event.clone());
        let call = tokio::task::spawn_blocking(move || closure(&event));
        return match timeout(limit, call).await {
            Ok(answer) => answer.map_or_else(|_| panicked(), answered),
            Err(_) => timed_out(limit),
        };
    }
    let started = Instant::now();
    let answer = std::panic::catch_unwind(AssertUnwindSafe(|| closure(event)));
    let took = started.elapsed();
    if took > SLOW {
        slow.store(true, Ordering::Relaxed);
    }
    match answer {
        Err(_) => panicked(),
        // A refusal that came late is a refusal; anything else came too late.
        Ok(verdict) if took > limit && !verdict.objects() => timed_out(limit),
        Ok(verdict) => answered(verdict),
    }
}

fn panicked() -> Reply {
    Reply::Failed(Failure::new(FailureKind::Signalled, "the closure panicked"))
}

fn answered(verdict: Verdict) -> Reply {
    Reply::InProcess(Box::new(verdict))
}

/// One closure.
#[derive(Clone)]
pub(crate) enum Closure {
    /// With whether it was slow before: such a closure gets a thread of its own.
    Immediate(Immediate, Arc<AtomicBool>),
    Eventual(Eventual),
}

/// A closure that took longer than this is not called on the caller's thread again.
const SLOW: Duration = Duration::from_millis(1);

impl Closure {
    /// A closure that answers at once.
    pub(crate) fn immediate(closure: Immediate) -> Self {
        Self::Immediate(closure, Arc::default())
    }

    /// A closure that takes its time.
    pub(crate) fn blocking(closure: Immediate) -> Self {
        Self::Immediate(closure, Arc::new(AtomicBool::new(true)))
    }
}

/// All closures, by the number their hooks carry.
#[derive(Default)]
pub(crate) struct Closures(RwLock<Vec<Closure>>);

impl Closures {
    /// Keeps a closure and gives it its number.
    pub(crate) fn add(&self, closure: Closure) -> usize {
        let mut closures = self.0.write().unwrap_or_else(PoisonError::into_inner);
        closures.push(closure);
        closures.len() - 1
    }

    /// Calls one. A panic in it is its failure, not the host's.
    pub(super) async fn call(&self, id: usize, event: &Event, limit: Duration) -> Reply {
        let closure = self.0.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        match closure {
            Some(Closure::Immediate(closure, slow)) => {
                immediate(&closure, &slow, event, limit).await
            }
            Some(Closure::Eventual(closure)) => {
                let answer = async { closure(event.clone()).await };
                match timeout(limit, AssertUnwindSafe(answer).catch_unwind()).await {
                    Ok(answer) => answer.map_or_else(|_| panicked(), answered),
                    Err(_) => timed_out(limit),
                }
            }
            None => super::not_started("the closure is gone"),
        }
    }
}

impl fmt::Debug for Closures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closures(..)")
    }
}

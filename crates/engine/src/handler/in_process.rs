//! Closures of the host.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use becket_core::event::Event;
use becket_core::reply::Reply;
use becket_core::verdict::{Failure, FailureKind, Verdict};
use futures_util::FutureExt;
use tokio::time::timeout;

use super::timed_out;

/// A closure that answers at once.
pub(crate) type Immediate = Arc<dyn Fn(&Event) -> Verdict + Send + Sync>;
/// A closure that answers later.
pub(crate) type Eventual =
    Arc<dyn Fn(Event) -> Pin<Box<dyn Future<Output = Verdict> + Send>> + Send + Sync>;

/// One closure.
#[derive(Clone)]
pub(crate) enum Closure {
    Immediate(Immediate),
    Eventual(Eventual),
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
        let panicked =
            |_| Reply::Failed(Failure::new(FailureKind::Signalled, "the closure panicked"));
        let answered = |verdict| Reply::InProcess(Box::new(verdict));
        match closure {
            Some(Closure::Immediate(closure)) => {
                std::panic::catch_unwind(AssertUnwindSafe(|| closure(event)))
                    .map_or_else(panicked, answered)
            }
            Some(Closure::Eventual(closure)) => {
                let answer = async { closure(event.clone()).await };
                match timeout(limit, AssertUnwindSafe(answer).catch_unwind()).await {
                    Ok(answer) => answer.map_or_else(panicked, answered),
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

//! Calls whatever a hook runs. Every kind of handler ends in a [`Reply`].

mod command;
#[cfg(feature = "http")]
mod http;
mod in_process;
mod model;
mod processes;
mod spill;

use std::sync::Arc;
use std::time::Duration;

use becket_core::event::Event;
use becket_core::hook::{Handler, Hook};
use becket_core::limits::Limits;
use becket_core::network::Network;
use becket_core::reply::Reply;
use becket_core::verdict::{Failure, FailureKind};
use becket_core::wire::Envelope;

use crate::port::Lent;

pub(crate) use self::in_process::{Closure, Closures};
pub use self::processes::Orphans;
pub(crate) use self::processes::Processes;

/// What handlers need besides the event.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) lent: Lent,
    pub(crate) closures: Closures,
    pub(crate) limits: Limits,
    pub(crate) processes: Arc<Processes>,
    /// How many hooks stand above this process.
    pub(crate) depth: usize,
    #[cfg(feature = "http")]
    pub(crate) http: http::Clients,
}

impl Surroundings {
    pub(crate) fn new(lent: Lent, limits: Limits, network: Network, processes: Processes) -> Self {
        let depth = std::env::var(command::DEPTH).ok().and_then(|it| it.parse().ok());
        #[cfg(feature = "http")]
        let http = http::Clients::new(lent.resolver.clone(), network);
        #[cfg(not(feature = "http"))]
        drop(network);
        Self {
            lent,
            closures: Closures::default(),
            limits,
            processes: Arc::new(processes),
            depth: depth.unwrap_or(0),
            #[cfg(feature = "http")]
            http,
        }
    }
}

/// One call of one hook.
#[derive(Clone, Copy, Debug)]
struct Call<'c> {
    hook: &'c Hook,
    event: &'c Event,
    envelope: &'c Envelope,
    surroundings: &'c Surroundings,
    limit: Duration,
    depth: usize,
}

/// Calls one hook under its deadline.
pub(crate) async fn call(
    hook: &Hook,
    event: &Event,
    envelope: &Envelope,
    surroundings: &Surroundings,
) -> Reply {
    let (limit, _) = hook.timeout(event.kind());
    let depth = surroundings.depth.max(above());
    let call = Call { hook, event, envelope, surroundings, limit, depth };
    if depth >= surroundings.limits.depth {
        let message = format!("{depth} hooks stand above this one already");
        return Reply::Failed(Failure::new(FailureKind::Refused, message));
    }
    if let Some(condition) = &hook.spec().condition {
        match command::condition(call, condition).await {
            Ok(0) => (),
            Ok(code) => return Reply::ConditionFalse { code },
            Err(reply) => return reply,
        }
    }
    match &hook.spec().handler {
        Handler::Command { command, args, cwd, environment } => {
            let (args, cwd) = (args.as_deref(), cwd.as_deref());
            command::call(call, &command::Script { command, args, cwd, environment }).await
        }
        #[cfg(feature = "http")]
        Handler::Http { url, method, headers } => {
            http::call(call, &http::Request { url, method, headers }).await
        }
        Handler::Prompt { prompt, model_ref } => {
            at(depth + 1, model::ask(call, prompt, model_ref.clone())).await
        }
        Handler::Agent { agent, task } => {
            at(depth + 1, model::run(call, agent.clone(), task)).await
        }
        Handler::McpTool { server, tool, .. } => {
            not_started(format!("nobody lends the tool `{tool}` of the MCP server `{server}`"))
        }
        Handler::InProcess(id) => {
            at(depth + 1, surroundings.closures.call(*id, event, limit)).await
        }
        other => not_started(format!("this build has no handler for `{}` hooks", other.kind())),
    }
}

tokio::task_local! {
    /// How many hooks stand above what this task does.
    static ABOVE: usize;
}

/// How many hooks stand above this task.
pub(crate) fn above() -> usize {
    ABOVE.try_with(|depth| *depth).unwrap_or(0)
}

/// Does something below so many hooks: what fires events there is nested.
pub(crate) async fn at<T>(depth: usize, work: impl Future<Output = T>) -> T {
    ABOVE.scope(depth, work).await
}

fn not_started(message: impl Into<String>) -> Reply {
    Reply::Failed(Failure::new(FailureKind::NotStarted, message))
}

fn timed_out(limit: Duration) -> Reply {
    use becket_core::reply::Captured;
    Reply::TimedOut { limit, stdout: Captured::default(), stderr: Captured::default() }
}

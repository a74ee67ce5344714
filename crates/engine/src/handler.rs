//! Calls whatever a hook runs. Every kind of handler ends in a [`Reply`].

mod command;
#[cfg(feature = "http")]
mod http;
mod in_process;
mod model;
mod spill;

use std::time::Duration;

use becket_core::event::Event;
use becket_core::hook::{Handler, Hook};
use becket_core::reply::Reply;
use becket_core::verdict::{Failure, FailureKind};
use becket_core::wire::Envelope;

use crate::port::Lent;

pub(crate) use self::in_process::{Closure, Closures};

/// What handlers need besides the event.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) lent: Lent,
    pub(crate) closures: Closures,
    #[cfg(feature = "http")]
    pub(crate) http: http::Clients,
}

impl Surroundings {
    pub(crate) fn new(lent: Lent) -> Self {
        Self {
            lent,
            closures: Closures::default(),
            #[cfg(feature = "http")]
            http: http::Clients::default(),
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
}

/// Calls one hook under its deadline.
pub(crate) async fn call(
    hook: &Hook,
    event: &Event,
    envelope: &Envelope,
    surroundings: &Surroundings,
) -> Reply {
    let (limit, _) = hook.timeout(event.kind());
    let call = Call { hook, event, envelope, surroundings, limit };
    if let Some(condition) = &hook.spec().condition {
        match command::condition(call, condition).await {
            Ok(0) => (),
            Ok(code) => return Reply::ConditionFalse { code },
            Err(reply) => return reply,
        }
    }
    match &hook.spec().handler {
        Handler::Command { command, cwd, environment, .. } => {
            command::call(call, &command::Script { command, cwd: cwd.as_deref(), environment })
                .await
        }
        #[cfg(feature = "http")]
        Handler::Http { url, method, headers } => {
            http::call(call, &http::Request { url, method, headers }).await
        }
        Handler::Prompt { prompt, model_ref } => model::ask(call, prompt, model_ref.clone()).await,
        Handler::Agent { agent, task } => model::run(call, agent.clone(), task).await,
        Handler::McpTool { server, tool, .. } => {
            not_started(format!("nobody lends the tool `{tool}` of the MCP server `{server}`"))
        }
        Handler::InProcess(id) => surroundings.closures.call(*id, event, limit).await,
        other => not_started(format!("this build has no handler for `{}` hooks", other.kind())),
    }
}

fn not_started(message: impl Into<String>) -> Reply {
    Reply::Failed(Failure::new(FailureKind::NotStarted, message))
}

fn timed_out(limit: Duration) -> Reply {
    use becket_core::reply::Captured;
    Reply::TimedOut { limit, stdout: Captured::default(), stderr: Captured::default() }
}

//! Commands: envelope on standard input, answer on standard output.

mod environment;
mod exchange;
mod program;
mod stream;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use becket_core::event::Class;
use becket_core::hook::Template;
use becket_core::reply::{Exit, Reply};
use becket_core::verdict::{Failure, FailureKind};
use tokio::time::{Instant, timeout_at};

use self::exchange::Exchange;
use super::{Call, not_started};

pub(super) use self::environment::DEPTH;

/// How long a condition may take.
const CONDITION_LIMIT: Duration = Duration::from_secs(1);

/// A command as its hook wrote it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script<'s> {
    pub(super) command: &'s str,
    /// The arguments, where the command is a program and not a text for a shell.
    pub(super) args: Option<&'s [String]>,
    pub(super) cwd: Option<&'s str>,
    pub(super) environment: &'s [(String, Template)],
}

/// Runs one command to its end, or to its deadline.
pub(super) async fn call(call: Call<'_>, script: &Script<'_>) -> Reply {
    // The deadline covers the whole exchange, from waiting for a slot to the last byte:
    // a hook that never reads its input must not hang the agent.
    let deadline = Instant::now() + call.limit;
    let processes = &call.surroundings.processes;
    let Ok(Some(admitted)) = timeout_at(deadline, processes.admit()).await else {
        return not_started("too many hooks run already, and none of them ended in time");
    };
    let mut exchange = match Exchange::start(call, script, admitted) {
        Ok(exchange) => exchange,
        Err(why) => return not_started(why),
    };
    let run = exchange.run(&call.envelope.body, call.hook.profile().complete);
    let ended = timeout_at(deadline, run).await;
    let (mut stdout, stderr) = exchange.said();
    match ended {
        Ok(Ok(status)) => {
            stdout.held |= exchange.tidy();
            Reply::Exited { end: end(status), stdout, stderr }
        }
        Ok(Err(error)) => not_started(error.to_string()),
        Err(_) => {
            exchange.end(grace(call));
            Reply::TimedOut { limit: call.limit, stdout, stderr }
        }
    }
}

/// How long a command has between being asked to end and being ended.
fn grace(call: Call<'_>) -> Duration {
    let limits = &call.surroundings.limits;
    let milliseconds = match call.event.kind().class() {
        Class::Gate | Class::Mutate | Class::Loop => limits.gate_grace_ms,
        Class::Observe | Class::Farewell => limits.grace_ms,
    };
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX))
}

/// Tries the condition of a hook: the exit code of its command, or why there is none.
pub(super) async fn condition(call: Call<'_>, condition: &str) -> Result<i32, Reply> {
    let skips = call.hook.profile().broken_condition_skips;
    let limited = Call { limit: CONDITION_LIMIT, ..call };
    let script = Script { command: condition, args: None, cwd: None, environment: &[] };
    match self::call(limited, &script).await {
        Reply::Exited { end: Exit::Code(code), .. } => Ok(code),
        _ if skips => Ok(1),
        Reply::Failed(failure) => Err(Reply::Failed(Failure {
            message: format!("its condition could not be tried: {}", failure.message),
            ..failure
        })),
        Reply::TimedOut { .. } => {
            let message =
                format!("its condition had no answer within {} s", CONDITION_LIMIT.as_secs());
            Err(Reply::Failed(Failure::new(FailureKind::TimedOut, message)))
        }
        _ => Err(Reply::Failed(Failure::new(
            FailureKind::Signalled,
            "its condition was ended by a signal",
        ))),
    }
}

fn end(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}

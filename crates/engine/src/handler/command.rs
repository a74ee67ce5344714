//! Shell commands: envelope on standard input, answer on standard output.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use becket_core::hook::Template;
use becket_core::profile::{Channel, Complete, Shell};
use becket_core::reply::{Captured, Exit, Reply};
use becket_core::verdict::{Failure, FailureKind};
use becket_core::wire::wire;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until, timeout};

use super::spill::Spilled;
use super::{Call, not_started};
use crate::port::SECRET_PREFIX;

/// What we keep of standard output; the rest is read and dropped.
const MAX_STDOUT: usize = 1024 * 1024;
/// What we keep of standard error.
const MAX_STDERR: usize = 64 * 1024;
/// How long pipes may stay open after the process has ended: a child it left behind may hold them.
const AFTER_EXIT: Duration = Duration::from_millis(100);
/// How long a process has between being asked to end and being ended.
const GRACE: Duration = Duration::from_millis(50);

/// How long a condition may take.
const CONDITION_LIMIT: Duration = Duration::from_secs(1);

/// A command as its hook wrote it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script<'s> {
    pub(super) command: &'s str,
    pub(super) cwd: Option<&'s str>,
    pub(super) environment: &'s [(String, Template)],
}

/// Runs one command to its end, or to its deadline.
pub(super) async fn call(call: Call<'_>, script: &Script<'_>) -> Reply {
    let mut exchange = match Exchange::start(call, script) {
        Ok(exchange) => exchange,
        Err(why) => return not_started(why),
    };
    // The deadline covers the whole exchange, also the writing of the envelope:
    // a hook that never reads its input must not hang the agent.
    let ended =
        timeout(call.limit, exchange.run(&call.envelope.body, call.hook.profile().complete)).await;
    exchange.end_group(ended.is_err()).await;
    let open = (!exchange.stdout.ended, !exchange.stderr.ended);
    let (mut stdout, mut stderr) = (exchange.stdout.take(), exchange.stderr.take());
    match ended {
        Ok(Ok(status)) => {
            // A child that was left behind may have had more to say.
            stdout.truncated |= open.0;
            stderr.truncated |= open.1;
            Reply::Exited { end: end(status), stdout, stderr }
        }
        Ok(Err(error)) => not_started(error.to_string()),
        Err(_) => Reply::TimedOut { limit: call.limit, stdout, stderr },
    }
}

/// Tries the condition of a hook: the exit code of its command, or why there is none.
pub(super) async fn condition(call: Call<'_>, condition: &str) -> Result<i32, Reply> {
    let skips = call.hook.profile().broken_condition_skips;
    let limited = Call { limit: CONDITION_LIMIT, ..call };
    let script = Script { command: condition, cwd: None, environment: &[] };
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

/// A process, its pipes, and what it has said so far.
struct Exchange {
    child: Child,
    /// The process group, while it may hold live processes.
    group: Option<Pid>,
    stdin: Option<ChildStdin>,
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
    /// Files for what does not fit into variables; they go with the exchange.
    _spilled: Vec<Spilled>,
}

impl Exchange {
    fn start(call: Call<'_>, script: &Script<'_>) -> Result<Self, String> {
        let cwd = match script.cwd {
            Some(cwd) => call.hook.spec().workspace.join(cwd),
            None => call.hook.spec().workspace.to_path_buf(),
        };
        let wire = wire(call.hook.spec().dialect);
        let text = wire.command(call.hook, call.event, script.command).map_err(|it| it.message)?;
        let mut command = shell(call.hook.profile().shell, &text);
        let reads = call.hook.profile().input.contains(&Channel::Stdin);
        command
            .current_dir(&cwd)
            .stdin(if reads { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its own group, so that all of it can be ended. Nothing here makes std
            // leave the posix_spawn path: a fork copies the page tables of the host.
            .process_group(0)
            .envs(call.surroundings.lent.variables.iter().map(|(name, value)| (name, value)))
            .envs(call.envelope.variables.iter().map(|(name, value)| (name, value)));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with(SECRET_PREFIX) {
                command.env_remove(name);
            }
        }
        for (name, value) in script.environment {
            let secrets = &call.surroundings.lent.secrets;
            command
                .env(name, value.resolve(|name| secrets.get(name)).map_err(|it| it.to_string())?);
        }
        let mut spilled = Vec::new();
        for (name, bytes) in &call.envelope.spills {
            let file = Spilled::new(bytes).map_err(|it| format!("`{name}` has no file: {it}"))?;
            command.env(name, &file.0);
            spilled.push(file);
        }
        let mut child = command.spawn().map_err(|error| why_not_started(&error, &cwd))?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let stdin = child.stdin.take();
        let (stdout, stderr) = (
            Stream::new(child.stdout.take(), MAX_STDOUT),
            Stream::new(child.stderr.take(), MAX_STDERR),
        );
        Ok(Self { child, group, stdin, stdout, stderr, _spilled: spilled })
    }

    /// Writes, reads and waits, all at once.
    async fn run(&mut self, envelope: &[u8], complete: Complete) -> io::Result<ExitStatus> {
        let stdin = self.stdin.take();
        let write = async move {
            let Some(mut stdin) = stdin else { return };
            // A hook may ignore its input; that is not a failure.
            let _ = stdin.write_all(envelope).await;
        };
        let child = &mut self.child;
        let (stdout, stderr) = (&mut self.stdout, &mut self.stderr);
        let read = async move { tokio::join!(stdout.drain(), stderr.drain()) };
        tokio::pin!(write, read);
        let (mut written, mut closed, mut status) = (false, false, None);
        let mut pipes_end = None;
        loop {
            match (status, closed, pipes_end) {
                (Some(status), true, _) => return Ok(status),
                (Some(status), false, Some(end)) if Instant::now() >= end => return Ok(status),
                _ => (),
            }
            // Reading comes first: what is already in a pipe is never given up for a timer.
            tokio::select! {
                biased;
                _ = &mut read, if !closed => closed = true,
                () = &mut write, if !written => written = true,
                ended = child.wait(), if status.is_none() => {
                    status = Some(ended?);
                    if complete == Complete::AtExit {
                        pipes_end = Some(Instant::now() + AFTER_EXIT);
                    }
                }
                () = sleep_until(pipes_end.unwrap_or_else(Instant::now)), if pipes_end.is_some() => (),
            }
        }
    }

    /// Ends what is left of the process group; politely first where it still runs.
    async fn end_group(&mut self, running: bool) {
        let Some(group) = self.group.take() else { return };
        if running {
            let _ = kill_process_group(group, Signal::TERM);
            let _ = timeout(GRACE, self.child.wait()).await;
        }
        let _ = kill_process_group(group, Signal::KILL);
        if running {
            let _ = timeout(GRACE, self.child.wait()).await;
        }
    }
}

/// An event that is abandoned takes its processes with it.
impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

fn shell(shell: Shell, script: &str) -> Command {
    let (program, flag) = match shell {
        Shell::Sh => ("/bin/sh", "-c"),
        Shell::BashLogin => ("/bin/bash", "-lc"),
    };
    let mut command = Command::new(program);
    command.args([flag, script]);
    command
}

fn why_not_started(error: &io::Error, cwd: &Path) -> String {
    if error.kind() == io::ErrorKind::NotFound && !cwd.is_dir() {
        return format!("the working directory `{}` does not exist", cwd.display());
    }
    format!("the command could not be started: {error}")
}

/// One output of a process, kept up to a bound: its beginning, and its very end.
struct Stream<R> {
    pipe: Option<R>,
    kept: Captured,
    /// The last bytes of what did not fit: hooks decide at the end.
    tail: Vec<u8>,
    most: usize,
    ended: bool,
}

/// How much of the end is kept when there is more than fits.
const TAIL: usize = 16 * 1024;

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(pipe: Option<R>, most: usize) -> Self {
        Self { pipe, kept: Captured::default(), tail: Vec::new(), most, ended: false }
    }

    /// What was kept. Of a pipe that is still open there may have been more.
    fn take(&mut self) -> Captured {
        let mut kept = std::mem::take(&mut self.kept);
        let tail = self.tail.split_off(self.tail.len().saturating_sub(TAIL));
        kept.bytes.truncate(self.most - tail.len());
        kept.bytes.extend(tail);
        kept
    }

    /// Reads to the end. What is beyond the bound is read too, so that the hook is not held up.
    async fn drain(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read) = pipe.read(&mut buffer).await {
            if read == 0 {
                break;
            }
            let bytes = buffer.get(..read).unwrap_or_default();
            let room = self.most.saturating_sub(self.kept.bytes.len()).min(read);
            let (fits, over) = bytes.split_at(room);
            self.kept.bytes.extend_from_slice(fits);
            if !over.is_empty() {
                self.kept.truncated = true;
                self.tail.extend_from_slice(over);
                // Now and then, so that a flood is not moved about byte by byte.
                if self.tail.len() > 8 * TAIL {
                    self.tail.drain(..self.tail.len() - TAIL);
                }
            }
        }
        self.ended = true;
    }
}

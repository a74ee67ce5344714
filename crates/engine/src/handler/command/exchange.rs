//! One process: started, spoken to, listened to, and ended with everything it started.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use becket_core::dialect::Compat;
use becket_core::profile::{Channel, Complete, Shell};
use becket_core::reply::Captured;
use becket_core::wire::wire;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until};

use super::super::Call;
use super::super::processes::{Admitted, LeftBehind, Processes};
use super::super::spill::Spilled;
use super::environment::Environment;
use super::stream::Stream;
use super::{Script, program};
use crate::proc::RUN;

/// How long pipes may stay open after the process has ended: a child it left behind may hold them.
const AFTER_EXIT: Duration = Duration::from_millis(100);
/// How long a process that was killed may take to be gone.
const GONE: Duration = Duration::from_secs(1);
/// How long to wait before looking whether a process is gone.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A process, its pipes, and what it has said so far.
pub(super) struct Exchange {
    child: Child,
    /// The process group, while it may hold live processes.
    group: Option<Pid>,
    stdin: Option<ChildStdin>,
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
    processes: Arc<Processes>,
    admitted: Admitted,
    /// Files for what does not fit into variables; they go with the exchange.
    _spilled: Vec<Spilled>,
}

impl Exchange {
    pub(super) fn start(
        call: Call<'_>,
        script: &Script<'_>,
        admitted: Admitted,
    ) -> Result<Self, String> {
        let cwd = match script.cwd {
            Some(cwd) => call.hook.spec().workspace.join(cwd),
            None => call.hook.spec().workspace.to_path_buf(),
        };
        let mut environment = Environment::new(call, script.environment)?;
        environment.set(RUN, &admitted.run);
        let mut spilled = Vec::new();
        for (name, bytes) in &call.envelope.spills {
            let file = Spilled::new(bytes).map_err(|it| format!("`{name}` has no file: {it}"))?;
            environment.set(name, &file.0);
            spilled.push(file);
        }
        let mut child = spawn(call, script, &cwd, &environment)?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let processes = Arc::clone(&call.surroundings.processes);
        if let Some(group) = group {
            processes.began(&admitted, group);
        }
        let limits = &call.surroundings.limits;
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: Stream::new(child.stdout.take(), limits.stdout_bytes),
            stderr: Stream::new(child.stderr.take(), limits.stderr_bytes),
            child,
            group,
            processes,
            admitted,
            _spilled: spilled,
        })
    }

    /// Writes, reads and waits, all at once.
    pub(super) async fn run(
        &mut self,
        envelope: &[u8],
        complete: Complete,
    ) -> io::Result<ExitStatus> {
        let stdin = self.stdin.take();
        let write = async move {
            let Some(mut stdin) = stdin else { return };
            // A hook may ignore its input; that is not a failure.
            let _ = stdin.write_all(envelope).await;
        };
        let (child, processes) = (&mut self.child, &self.processes);
        let (stdout, stderr) = (&mut self.stdout, &mut self.stderr);
        let read = async move { tokio::join!(stdout.drain(), stderr.drain()) };
        tokio::pin!(write, read);
        let (mut written, mut closed, mut status) = (false, false, None);
        let mut pipes_end = None;
        let mut guard_at = processes.guard_after().map(|after| Instant::now() + after);
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
                    guard_at = None;
                    if complete == Complete::AtExit {
                        pipes_end = Some(Instant::now() + AFTER_EXIT);
                    }
                }
                () = due(pipes_end), if pipes_end.is_some() => (),
                () = due(guard_at), if guard_at.is_some() => {
                    guard_at = None;
                    processes.guard();
                }
            }
        }
    }

    /// What it has said, and whether somebody it left behind may still have more to say.
    pub(super) fn said(&mut self) -> (Captured, Captured) {
        let open = (!self.stdout.has_ended(), !self.stderr.has_ended());
        let (mut stdout, mut stderr) = (self.stdout.take(), self.stderr.take());
        stdout.held |= open.0;
        stderr.held |= open.1;
        (stdout, stderr)
    }

    /// Ends what a process that has ended left behind; true when there was something.
    pub(super) fn tidy(mut self) -> bool {
        let Some(group) = self.group.take() else { return false };
        let left = self.processes.ended(&self.admitted, group);
        if left != LeftBehind::Nothing {
            meanwhile(move || self.processes.sweep());
        }
        left == LeftBehind::Something
    }

    /// Asks a process that still runs to end, and ends it after a grace. Nobody waits for this.
    ///
    /// A thread sees to it, since the host may not turn to its runtime again for a long time.
    pub(super) fn end(self, grace: Duration) {
        let Some(group) = self.group else { return };
        let _ = kill_process_group(group, Signal::TERM);
        // One that is stopped would not notice.
        let _ = kill_process_group(group, Signal::CONT);
        meanwhile(move || {
            if !has_ended(group, grace) {
                let _ = kill_process_group(group, Signal::KILL);
                has_ended(group, GONE);
            }
            drop(self);
        });
    }
}

/// An event that is abandoned takes its processes with it.
impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(group) = self.group.take()
            && self.processes.ended(&self.admitted, group) != LeftBehind::Nothing
        {
            self.processes.sweep();
        }
    }
}

/// Does something on the side; where there is no thread for it, what it holds is dropped at once.
fn meanwhile(work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().name("becket-end".to_owned()).spawn(work);
}

/// Waits for the leader of a group.
fn has_ended(leader: Pid, limit: Duration) -> bool {
    let until = std::time::Instant::now() + limit;
    loop {
        if !matches!(waitpid(Some(leader), WaitOptions::NOHANG), Ok(None)) {
            return true;
        }
        if std::time::Instant::now() >= until {
            return false;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

async fn due(moment: Option<Instant>) {
    if let Some(moment) = moment {
        sleep_until(moment).await;
    }
}

fn spawn(
    call: Call<'_>,
    script: &Script<'_>,
    cwd: &Path,
    environment: &Environment,
) -> Result<Child, String> {
    let (hook, profile) = (call.hook, call.hook.profile());
    let text = wire(hook.spec().dialect).command(hook, call.event, script.command);
    let text = text.map_err(|it| it.message)?;
    let start = |mut command: Command| {
        let reads = profile.input.contains(&Channel::Stdin);
        command
            .current_dir(cwd)
            .stdin(if reads { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_clear()
            .envs(environment.iter())
            // Its own group, so that all of it can be ended. Nothing here makes std
            // leave the posix_spawn path: a fork copies the page tables of the host.
            .process_group(0);
        command.spawn()
    };
    let path = environment.get("PATH");
    if let Some(args) = script.args {
        let program = program::find(&text, path, cwd);
        let program = program.ok_or_else(|| format!("there is no program `{text}`"))?;
        let mut command = Command::new(program);
        command.arg0(&text).args(args);
        return start(command).map_err(|error| why_not_started(&error, cwd));
    }
    let direct = (hook.spec().compat == Compat::Safe && profile.shell == Shell::Sh)
        .then(|| program::direct(&text, path, cwd))
        .flatten();
    let started = match direct.map(start) {
        // A script that does not say what runs it is the shell's.
        Some(Err(error))
            if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) =>
        {
            start(program::shell(profile.shell, &text))
        }
        Some(started) => started,
        None => start(program::shell(profile.shell, &text)),
    };
    started.map_err(|error| why_not_started(&error, cwd))
}

fn why_not_started(error: &io::Error, cwd: &Path) -> String {
    if error.kind() == io::ErrorKind::NotFound && !cwd.is_dir() {
        return format!("the working directory `{}` does not exist", cwd.display());
    }
    format!("the command could not be started: {error}")
}

//! A small process that ends hooks when the process that started them is killed.
//!
//! A process that is killed with `SIGKILL` cannot tidy up. So a second one holds the other end of a
//! pipe, is told which process groups run, and ends them when the pipe closes. It costs a process,
//! so it is started once per engine, and only when a hook has been running for a while: until then
//! a hook whose engine is killed lives as long as it likes. Who cannot have that sets the limit
//! `guard_after_ms` to 0, and pays for the guardian before the first hook.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, BufRead, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::proc::{self, RUN, mark};

/// What an engine says that ends by itself.
const GOODBYE: &str = "goodbye\n";
/// For how long what was just being started may appear.
const LATECOMERS: Duration = Duration::from_millis(250);
/// How long to wait before looking again.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How long a guardian tries to end what is left.
const PATIENCE: Duration = Duration::from_secs(5);

/// The guardians that this process has started.
static GUARDIANS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn guardians() -> MutexGuard<'static, BTreeSet<u32>> {
    GUARDIANS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there is a guardian.
pub(crate) fn is_there() -> bool {
    !guardians().is_empty()
}

/// Whether a process is a guardian.
pub(crate) fn is(pid: Pid) -> bool {
    u32::try_from(pid.as_raw_nonzero().get()).is_ok_and(|pid| guardians().contains(&pid))
}

/// The guardian of an engine's hooks.
#[derive(Debug, Default)]
pub(crate) struct Guardian {
    /// What to start: a program that calls [`watch`], and its arguments.
    program: Option<Vec<OsString>>,
    /// How long a hook runs before its guardian is called: most are done by then.
    after: Duration,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    line: Option<ChildStdin>,
}

impl Guardian {
    pub(crate) fn new(program: Option<Vec<OsString>>, after: Duration) -> Self {
        Self { program, after, running: Mutex::default() }
    }

    /// How long a hook may run before the guardian is called; `None` when it is there, or there is none.
    pub(crate) fn awaited(&self) -> Option<Duration> {
        (self.program.is_some() && self.running().is_none()).then_some(self.after)
    }

    /// Starts it and tells it what runs.
    pub(crate) fn start(&self, groups: &[Pid]) {
        let Some((program, arguments)) = self.program.as_deref().and_then(<[_]>::split_first)
        else {
            return;
        };
        let mut running = self.running();
        if running.is_some() {
            return;
        }
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg(std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // A group of its own: what ends this process must not end it.
        command.process_group(0).current_dir("/");
        let mut all = guardians();
        let Ok(mut child) = command.spawn() else { return };
        all.insert(child.id());
        let line = child.stdin.take();
        let mut started = Running { child, line };
        for group in groups {
            started.say('+', *group);
        }
        *running = Some(started);
    }

    /// Tells it of a process group.
    pub(crate) fn tell_of(&self, group: Pid) {
        self.say('+', group);
    }

    /// Tells it that a process group has ended.
    pub(crate) fn forget(&self, group: Pid) {
        self.say('-', group);
    }

    fn say(&self, sign: char, group: Pid) {
        if let Some(running) = self.running().as_mut() {
            running.say(sign, group);
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn say(&mut self, sign: char, group: Pid) {
        let line = format!("{sign}{}\n", group.as_raw_nonzero());
        // Without a guardian, hooks run as they do where there is none.
        let heard = self.line.as_mut().is_some_and(|it| it.write_all(line.as_bytes()).is_ok());
        if !heard {
            self.line = None;
        }
    }
}

/// It has nothing left to do, and goes.
impl Drop for Running {
    fn drop(&mut self) {
        if let Some(line) = &mut self.line {
            let _ = line.write_all(GOODBYE.as_bytes());
        }
        self.line = None;
        let _ = self.child.wait();
        guardians().remove(&self.child.id());
    }
}

/// Is the guardian: listens on standard input, and ends what is left when it closes.
///
/// A program that embeds the engine calls this when it was started with the arguments that it gave
/// to [`Builder::guardian`](crate::Builder::guardian). One more follows them: the process whose
/// hooks these are.
pub fn watch() -> io::Result<()> {
    let owner = std::env::args().next_back().and_then(|it| it.parse().ok()).and_then(Pid::from_raw);
    let Some(mark) = owner.map(mark) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "whose hooks are these?"));
    };
    let mut groups: Vec<Pid> = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == GOODBYE.trim_end() {
            return Ok(());
        }
        let group = |digits: &str| digits.parse().ok().and_then(Pid::from_raw);
        if let Some(group) = line.strip_prefix('+').and_then(group) {
            groups.push(group);
        } else if let Some(group) = line.strip_prefix('-').and_then(group) {
            groups.retain(|it| *it != group);
        }
    }
    end(&groups, &mark);
    Ok(())
}

/// Ends these groups and everything that carries the mark, until there is nothing left.
fn end(groups: &[Pid], mark: &str) {
    let started = Instant::now();
    for group in groups {
        let _ = kill_process_group(*group, Signal::KILL);
    }
    loop {
        let carries = |pid| proc::variable(pid, RUN).is_some_and(|run| run.starts_with(mark));
        let left: Vec<Pid> = proc::all().map(|it| it.0).filter(|pid| carries(*pid)).collect();
        let over = if left.is_empty() { LATECOMERS } else { PATIENCE };
        if started.elapsed() > over {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

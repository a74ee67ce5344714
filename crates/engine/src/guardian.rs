//! A small process that ends hooks when the process that started them is killed.
//!
//! A process that is killed with `SIGKILL` cannot tidy up. So a second one holds the other end of a
//! pipe, is told which process groups run, and ends them when the pipe closes. It costs a process,
//! so it is started once per engine, and only when a hook has been running for a while.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, BufRead, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, kill_process, kill_process_group};

use crate::proc::{self, RUN, mark};

/// How long a hook runs before its guardian is called: most are done by then.
const AFTER: Duration = Duration::from_millis(20);
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
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    line: Option<ChildStdin>,
}

impl Guardian {
    pub(crate) fn new(program: Option<Vec<OsString>>) -> Self {
        Self { program, running: Mutex::default() }
    }

    /// How long a hook may run before the guardian is called; `None` when it is there, or there is none.
    pub(crate) fn awaited(&self) -> Option<Duration> {
        (self.program.is_some() && self.running().is_none()).then_some(AFTER)
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
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A group of its own: what ends this process must not end it.
        command.process_group(0).current_dir("/");
        let mut all = guardians();
        let Ok(mut child) = command.spawn() else { return };
        all.insert(child.id());
        let line = child.stdin.take();
        let mut started = Running { child, line };
        groups.iter().for_each(|group| started.say('+', *group));
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
        self.line = None;
        let _ = self.child.wait();
        guardians().remove(&self.child.id());
    }
}

/// Is the guardian: listens on standard input, and ends what is left when it closes.
///
/// A program that embeds the engine calls this when it was started with the arguments that it gave
/// to [`Builder::guardian`](crate::Builder::guardian).
pub fn watch() -> io::Result<()> {
    let mark = getppid().map(mark);
    let mut groups: Vec<Pid> = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let group = |digits: &str| digits.parse().ok().and_then(Pid::from_raw);
        if let Some(group) = line.strip_prefix('+').and_then(group) {
            groups.push(group);
        } else if let Some(group) = line.strip_prefix('-').and_then(group) {
            groups.retain(|it| *it != group);
        }
    }
    if !groups.is_empty() {
        end(&groups, mark.as_deref());
    }
    Ok(())
}

/// Ends these groups and everything that carries the mark, until there is nothing left.
fn end(groups: &[Pid], mark: Option<&str>) {
    let until = Instant::now() + PATIENCE;
    loop {
        for group in groups {
            let _ = kill_process_group(*group, Signal::KILL);
        }
        let carries = |pid| {
            let run = proc::variable(pid, RUN);
            run.zip(mark).is_some_and(|(run, mark)| run.starts_with(mark))
        };
        let left: Vec<Pid> = proc::all().map(|it| it.0).filter(|pid| carries(*pid)).collect();
        if left.is_empty() || Instant::now() > until {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

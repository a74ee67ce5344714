//! The processes of all hooks: how many there are, which still run, and what they leave behind.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group,
    set_child_subreaper, waitid, waitpid,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::guardian::{self, Guardian};
use crate::proc::{self, RUN, mark};

/// How long it may take to end what hooks left behind.
const SWEEP: Duration = Duration::from_secs(2);
/// How long to wait before looking whether what was ended is gone.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// What becomes of processes that a hook leaves behind in a session of their own.
///
/// Whatever stays in the hook's process group is always ended with it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Orphans {
    /// They are left alone: the host has not agreed to become their parent.
    #[default]
    Left,
    /// This process becomes their parent, and ends those that carry the mark of a hook.
    Marked,
    /// The same, and every child that is not a hook is one: this process has no children of its own.
    All,
}

/// The calls of hooks that run in this process, by name; with their process group once it is known.
///
/// One for all engines: whoever becomes the parent of orphans does so for the whole process.
static LIVE: Mutex<BTreeMap<String, Option<Pid>>> = Mutex::new(BTreeMap::new());
/// How many calls there have been.
static CALLS: AtomicU64 = AtomicU64::new(0);

fn live() -> MutexGuard<'static, BTreeMap<String, Option<Pid>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processes of all hooks of an engine.
#[derive(Debug)]
pub(crate) struct Processes {
    /// One for each process that may run. It is given back when everything of a hook has ended.
    slots: Arc<Semaphore>,
    most: usize,
    orphans: Orphans,
    guardian: Guardian,
}

/// What a hook that has ended may have left behind outside of its group.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LeftBehind {
    Nothing,
    Perhaps,
    Something,
}

impl Processes {
    pub(crate) fn new(most: usize, orphans: Orphans, guardian: Guardian) -> Self {
        let adopts = orphans != Orphans::Left;
        // Where the kernel refuses, orphans stay where they are.
        let agreed = adopts && set_child_subreaper(Some(getpid())).is_ok();
        Self {
            slots: Arc::new(Semaphore::new(most)),
            most,
            orphans: if agreed { orphans } else { Orphans::Left },
            guardian,
        }
    }

    /// Waits until one more process may run, and gives the call a name that its processes carry.
    pub(crate) async fn admit(&self) -> Option<Admitted> {
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
        let run = format!("{}{}", mark(getpid()), CALLS.fetch_add(1, Ordering::Relaxed));
        live().insert(run.clone(), None);
        if self.guard_after() == Some(Duration::ZERO) {
            self.guard();
        }
        Some(Admitted { run, _slot: slot })
    }

    /// Says that a hook has been started.
    pub(crate) fn began(&self, admitted: &Admitted, group: Pid) {
        self.guardian.tell_of(group);
        live().insert(admitted.run.clone(), Some(group));
    }

    /// How long a hook may run before the guardian is called, where there is one to call.
    pub(crate) fn guard_after(&self) -> Option<Duration> {
        self.guardian.awaited()
    }

    /// Starts the guardian: a hook is slow.
    pub(crate) fn guard(&self) {
        let groups: Vec<Pid> = live().values().copied().flatten().collect();
        self.guardian.start(&groups);
    }

    /// Ends what is left of a hook's group, and says whether something outside of it may be left.
    pub(crate) fn ended(&self, admitted: &Admitted, group: Pid) -> LeftBehind {
        let _ = kill_process_group(group, Signal::KILL);
        self.guardian.forget(group);
        let mut live = live();
        live.remove(&admitted.run);
        if self.orphans == Orphans::Left {
            return LeftBehind::Nothing;
        }
        // A process without any child has no orphans; asking costs one system call.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let children = !matches!(waitid(WaitId::All, options), Err(Errno::CHILD));
        let only_hooks = self.orphans == Orphans::All && live.is_empty() && !guardian::is_there();
        match (children, only_hooks) {
            (false, _) => LeftBehind::Nothing,
            (true, false) => LeftBehind::Perhaps,
            (true, true) => LeftBehind::Something,
        }
    }

    /// Ends orphans, and waits until they are gone.
    pub(crate) fn sweep(&self) {
        let until = Instant::now() + SWEEP;
        while !self.sweep_once() && Instant::now() < until {
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Ends the orphans there are now; true when there was none.
    fn sweep_once(&self) -> bool {
        if self.orphans == Orphans::Left {
            return true;
        }
        let mark = mark(getpid());
        let mut clean = true;
        for pid in proc::children_of(getpid()) {
            let run = proc::variable(pid, RUN);
            // Looked at after the process was: a hook is in the list before it is started.
            let live = live();
            let hooks = live.values().flatten().any(|group| *group == pid) || guardian::is(pid);
            let stray = self.orphans == Orphans::All && live.is_empty();
            let orphaned = match &run {
                Some(run) => run.starts_with(&mark) && !live.contains_key(run),
                None => false,
            };
            if !hooks && (stray || orphaned) {
                clean = false;
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        clean
    }

    /// Waits until no process of any hook is left.
    pub(crate) async fn settle(&self) {
        let most = u32::try_from(self.most).unwrap_or(u32::MAX);
        let _ = self.slots.acquire_many(most).await;
    }
}

/// One call of a hook that may have a process.
#[derive(Debug)]
pub(crate) struct Admitted {
    /// The name that its processes carry.
    pub(crate) run: String,
    _slot: OwnedSemaphorePermit,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        live().remove(&self.run);
    }
}

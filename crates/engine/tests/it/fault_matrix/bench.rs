//! A workplace for one row: a workspace, an engine with one hook, and a look at what is left.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use becket::core::config::Place;
use becket::core::diagnostic::Origin;
use becket::core::hook::{Handler, HookSpec, Layer};
use becket::core::patch::{Capability, Scope};
use becket::{Builder, Compat, Dialect, Engine, Event, Orphans, Outcome};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::row::Row;

/// The variable by which the processes of one row are found.
const ROW: &str = "FAULT_MATRIX_ROW";

pub(super) fn command(text: &str) -> Handler {
    let (command, environment) = (text.to_owned(), Vec::new());
    Handler::Command { command, args: None, cwd: None, environment }
}

/// A hook of ours.
pub(super) fn hook(folder: &Path, handler: Handler) -> HookSpec {
    let place = Place {
        dialect: Dialect::Becket,
        compat: Compat::Safe,
        layer: Layer::CommandLine,
        source: Arc::new(folder.join("hooks")),
        workspace: Arc::new(folder.to_path_buf()),
        disabled: None,
        events: Vec::new(),
    };
    let spec = place.hook("h".to_owned(), Vec::new(), handler, Origin::default());
    let capabilities = vec![Capability::Rewrite(Scope::ModelRequest)];
    HookSpec { capabilities, ..spec }
}

/// What a fault changes about the workplace of a row.
pub(super) trait Fault: Fn(&Path) -> (HookSpec, Builder) {}
impl<F: Fn(&Path) -> (HookSpec, Builder)> Fault for F {}

/// Walks all rows of a fault, side by side; those that ask also with nobody to be asked.
pub(super) async fn walk(rows: Vec<Row>, event: Value, fault: impl Fault) {
    walk_beside(rows, event, fault, (&Stall::watch(), 16)).await;
}

/// The same for what keeps the machine busy: a few at a time.
pub(super) async fn walk_slowly(rows: Vec<Row>, event: Value, fault: impl Fault) {
    walk_beside(rows, event, fault, (&Stall::watch(), 2)).await;
}

/// The same where nothing can watch the machine.
pub(super) async fn walk_calmly(rows: Vec<Row>, event: Value, fault: impl Fault) {
    walk_beside(rows, event, fault, (&Stall::assumed(), 1)).await;
}

async fn walk_beside(
    rows: Vec<Row>,
    event: Value,
    fault: impl Fault,
    (stall, side_by_side): (&Stall, usize),
) {
    let both = rows.iter().flat_map(|row| {
        let asks = row.policy() == becket::core::verdict::OnFailure::Ask;
        [Some(false), asks.then_some(true)]
            .into_iter()
            .flatten()
            .map(move |headless| (row, headless))
    });
    let walks: Vec<_> = both.map(|(row, headless)| fire(row, headless, &event, &fault)).collect();
    let fired: Vec<Fired<'_>> = stream::iter(walks).buffer_unordered(side_by_side).collect().await;
    // How long this machine let everybody wait meanwhile is not the handler's doing.
    let excused = 4 * stall.worst();
    for fired in fired {
        fired.check(excused).await;
    }
}

/// A row whose event has been answered.
struct Fired<'r> {
    row: &'r Row,
    headless: bool,
    outcome: Outcome,
    took: Duration,
    mark: String,
    folder: TempDir,
    _engine: Engine,
}

async fn fire<'r>(row: &'r Row, headless: bool, event: &Value, fault: &impl Fault) -> Fired<'r> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mark = format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = TempDir::new().unwrap();
    let (mut spec, builder) = fault(folder.path());
    spec.events = vec![row.kind()];
    spec.on_failure = Some(row.policy());
    spec.timeout = Some(row.limit());
    let engine = finish(builder, folder.path(), headless).variable(ROW, &mark).hook(spec).build();
    let event = Event::new(row.kind(), event.as_object().cloned().unwrap());
    let started = Instant::now();
    let outcome = engine.fire(event).await;
    Fired { row, headless, outcome, took: started.elapsed(), mark, folder, _engine: engine }
}

impl Fired<'_> {
    async fn check(&self, excused: Duration) {
        let (row, bound) = (self.row, self.row.bound() + excused);
        assert!(self.took <= bound, "{}: {:?} of {bound:?}", row.id, self.took);
        row.check(&self.outcome, self.headless);
        let journal = fs::read_to_string(self.folder.path().join("state/journal.jsonl")).unwrap();
        row.check_journal(&journal, &self.outcome);
        assert_eq!(orphans(&self.mark).await, Vec::<String>::new(), "{}", row.id);
    }
}

/// An engine that adopts what hooks leave behind.
pub(super) fn finish(builder: Builder, folder: &Path, headless: bool) -> Builder {
    builder
        .workspace(folder)
        .journal(folder.join("state"))
        .orphans(Orphans::Marked)
        .headless(headless)
}

pub(super) fn engine() -> Builder {
    Engine::builder()
}

/// What every row fires, whatever its event.
pub(super) fn fields() -> Value {
    json!({
        "tool_name": "Bash",
        "tool_input": { "command": "ls" },
        "tool_output": "x",
        "model_request": { "model": "m", "messages": [] },
    })
}

/// The same with a megabyte in it.
pub(super) fn large() -> Value {
    let mut fields = fields();
    fields["tool_input"]["content"] = "x".repeat(1 << 20).into();
    fields
}

/// The commands of what is left of a row; ending a process takes the kernel a moment.
pub(super) async fn orphans(mark: &str) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let left = carriers(mark);
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn carriers(mark: &str) -> Vec<String> {
    let wanted = format!("{ROW}={mark}");
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|it| it.path());
    let carries = |folder: &std::path::PathBuf| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    };
    let name = |folder: std::path::PathBuf| {
        String::from_utf8_lossy(&fs::read(folder.join("cmdline")).unwrap_or_default()).into_owned()
    };
    processes.filter(carries).map(name).collect()
}

/// Watches how long a thread that only wants to sleep is kept from waking up.
pub(super) struct Stall {
    worst: Arc<AtomicU64>,
    done: Arc<AtomicBool>,
}

impl Stall {
    pub(super) fn watch() -> Self {
        let (worst, done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let watch = Self { worst: Arc::clone(&worst), done: Arc::clone(&done) };
        std::thread::spawn(move || {
            let tick = Duration::from_millis(5);
            while !done.load(Ordering::Relaxed) {
                let started = Instant::now();
                std::thread::sleep(tick);
                let late = started.elapsed().saturating_sub(tick);
                worst.fetch_max(u64::try_from(late.as_micros()).unwrap(), Ordering::Relaxed);
            }
        });
        watch
    }

    /// A machine that is as slow as it is under a tracer.
    fn assumed() -> Self {
        let worst = Duration::from_secs(2).as_micros();
        let worst = Arc::new(AtomicU64::new(u64::try_from(worst).unwrap()));
        Self { worst, done: Arc::default() }
    }

    pub(super) fn worst(&self) -> Duration {
        Duration::from_micros(self.worst.load(Ordering::Relaxed))
    }
}

impl Drop for Stall {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

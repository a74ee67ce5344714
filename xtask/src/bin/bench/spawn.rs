//! What one command hook costs, and that the size of the host does not matter.

use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::probe::Probe;
use crate::table::{Goal, Row};
use crate::workload::{engine, event, fields, runtime, true_hook};

/// The memory of a large host.
const LARGE: usize = 1 << 30;
const PAGE: usize = 4096;

/// The floor of a hook: its shell, with the same pipes and as many bytes.
pub(crate) const FLOOR: &str = "sh -c true";

pub(crate) fn prepare(folder: &Path) -> io::Result<(Vec<Probe>, Vec<Row>)> {
    let hooks = true_hook(folder)?;
    let (engine, runtime, event) = (engine(&hooks)?, runtime()?, event());
    let hook = "P2 one command hook, 1 KiB";
    let (large, small) = ("P9 hook of a 1 GiB host", "hook of a small host");
    let probes = vec![
        Probe::of(hook, move || {
            let _ = black_box(runtime.block_on(engine.fire(event.clone())));
        }),
        floor(),
        spawner(large, LARGE, &hooks)?,
        spawner(small, 0, &hooks)?,
    ];
    let rows = vec![
        Row::new(hook, &[hook], &[FLOOR], Goal::Ratio(1.1)),
        Row::new(large, &[large], &[small], Goal::Ratio(1.2)),
    ];
    Ok((probes, rows))
}

fn floor() -> Probe {
    let input = fields().to_string().into_bytes();
    Probe::of(FLOOR, move || {
        let _ = black_box(spawn_shell(&input));
    })
}

fn spawn_shell(input: &[u8]) -> io::Result<()> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "true"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // It may be gone before it reads.
        let _ = stdin.write_all(input);
    }
    child.wait_with_output().map(|_| ())
}

/// A host of its own, so that its memory is not everybody's.
struct Spawner {
    child: Child,
    orders: ChildStdin,
    times: BufReader<ChildStdout>,
}

fn spawner(name: &str, bytes: usize, hooks: &Path) -> io::Result<Probe> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--spawner", &bytes.to_string()]).arg(hooks);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(orders), Some(times)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the spawner has no pipes"));
    };
    let mut spawner = Spawner { child, orders, times: BufReader::new(times) };
    Ok(Probe::new(name, move |_| spawner.fire().unwrap_or(Duration::MAX)))
}

impl Spawner {
    fn fire(&mut self) -> io::Result<Duration> {
        self.orders.write_all(b"\n")?;
        let mut line = String::new();
        self.times.read_line(&mut line)?;
        line.trim().parse().map(Duration::from_nanos).map_err(io::Error::other)
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side: with so many bytes in use, fires one event per line and prints its nanoseconds.
pub(crate) fn serve(bytes: &str, hooks: &Path) -> io::Result<()> {
    let size: usize = bytes.parse().map_err(io::Error::other)?;
    let mut memory = vec![0_u8; size];
    for page in memory.chunks_mut(PAGE) {
        page.fill(1);
    }
    let (engine, runtime, event) = (engine(hooks)?, runtime()?, event());
    for line in io::stdin().lines() {
        line?;
        let started = Instant::now();
        let _ = black_box(runtime.block_on(engine.fire(event.clone())));
        println!("{}", started.elapsed().as_nanos());
    }
    black_box(memory);
    Ok(())
}

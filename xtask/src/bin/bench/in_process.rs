//! What `Engine::fire` costs inside a host: no hook, a closure, the journal.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use becket::journal::Journal;
use becket::point::{PreToolUse, ToolAction};
use becket::{Engine, Event};

use crate::probe::Probe;
use crate::table::{Goal, Row};
use crate::workload::{Matchers, engine, event, idle_hooks, runtime};

/// How many hooks are registered, and how long an event that matches none may take, in microseconds.
const IDLE: [(usize, f64); 4] = [(10, 1.0), (100, 1.0), (1000, 2.0), (10000, 10.0)];

pub(crate) fn prepare(folder: &Path) -> io::Result<(Vec<Probe>, Vec<Row>)> {
    let (mut probes, mut rows) = (vec![lookup(), call()], Vec::new());
    for matchers in [Matchers::Literal, Matchers::HalfRegex] {
        for (count, goal) in IDLE {
            let what = match matchers {
                Matchers::Literal => "",
                Matchers::HalfRegex => ", half regex",
            };
            let name = format!("P1 nothing matches, {count} hooks{what}");
            probes.push(fire(&name, engine(&idle_hooks(folder, count, matchers)?)?)?);
            rows.push(Row::new(&name, &[&name], &["hash lookup"], Goal::AtMost(goal * 1000.0)));
        }
    }
    for count in [1, 10, 100] {
        let hooks = idle_hooks(folder, count, Matchers::Literal)?;
        let (name, plain) =
            (format!("looking at {count} files"), format!("no look, {count} files"));
        probes.push(looking(&name, engine(&hooks)?)?);
        probes.push(fire(&plain, engine(&hooks)?)?);
        rows.push(Row::new(
            &format!("reload check, {count} files"),
            &[&name],
            &[&plain],
            Goal::None,
        ));
    }
    let host = Engine::builder().workspace(folder).build();
    host.on::<PreToolUse>(|_| ToolAction::pass());
    let name = "P12 one closure, whole fire";
    probes.push(fire(name, host)?);
    rows.push(Row::new(name, &[name], &["dyn call"], Goal::AtMost(2000.0)));
    let name = "P15 journal append";
    probes.extend(journal(name, folder)?);
    rows.push(Row::new(name, &[name], &["one write(2)"], Goal::Ratio(10.0)));
    Ok((probes, rows))
}

/// Whole events through an engine, as a host in async code fires them.
fn fire(name: &str, engine: Engine) -> io::Result<Probe> {
    let (runtime, event) = (runtime()?, event());
    Ok(Probe::new(name, move |repeats| {
        let events = vec![event.clone(); repeats];
        runtime.block_on(async {
            let started = Instant::now();
            for event in events {
                let _ = black_box(engine.fire(event).await);
            }
            started.elapsed()
        })
    }))
}

/// The same, with a look at every file before each.
fn looking(name: &str, engine: Engine) -> io::Result<Probe> {
    let (runtime, event) = (runtime()?, event());
    Ok(Probe::new(name, move |repeats| {
        let events = vec![event.clone(); repeats];
        runtime.block_on(async {
            let started = Instant::now();
            for event in events {
                engine.expect_changes();
                let _ = black_box(engine.fire(event).await);
            }
            started.elapsed()
        })
    }))
}

fn lookup() -> Probe {
    let names = (0..10_000).map(|number| (format!("Tool{number:05}Name"), number));
    let names: HashMap<String, usize> = names.collect();
    Probe::of("hash lookup", move || {
        black_box(names.get(black_box("Bash")));
    })
}

fn call() -> Probe {
    let closure: Box<dyn Fn(&Event) -> bool> = Box::new(|event| event.tool_call().is_some());
    let event = event();
    Probe::of("dyn call", move || {
        black_box(closure(black_box(&event)));
    })
}

/// A record, and one write of as many bytes.
fn journal(name: &str, folder: &Path) -> io::Result<[Probe; 2]> {
    let outcome = runtime()?.block_on(Engine::builder().workspace(folder).build().fire(event()));
    let journal = Journal::open(&folder.join("journal"))?;
    journal.append(&outcome)?;
    let line = fs::read(journal.path())?;
    let mut file = OpenOptions::new().append(true).create(true).open(folder.join("written"))?;
    Ok([
        Probe::of(name, move || {
            let _ = black_box(journal.append(&outcome));
        }),
        Probe::of("one write(2)", move || {
            let _ = black_box(file.write(&line));
        }),
    ])
}

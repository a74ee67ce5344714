//! What a verdict on a command line costs: against the number of rules and the length of the line.

use std::hint::black_box;
use std::io;
use std::path::Path;

use becket::core::guard;
use becket::core::shell::Analysis;
use becket::core::shell::judge::{allows, hits};
use becket::core::shell::pattern::CommandPattern;

use crate::probe::Probe;
use crate::table::{Goal, Row};

/// A command line as agents write them.
const TYPICAL: &str = "cd src && git -C . log --oneline -20 | grep -v 'fix: x' > /dev/null 2>&1";
/// How many rules, and how long a verdict may take, in nanoseconds.
const RULES: [(usize, f64); 3] = [(1, 100_000.0), (100, 200_000.0), (1000, 500_000.0)];
/// How long the command line, in KiB.
const LENGTHS: [usize; 3] = [4, 16, 63];
/// The longest may take this many nanoseconds.
const LONGEST: f64 = 20_000_000.0;

pub(crate) fn prepare(_: &Path) -> io::Result<(Vec<Probe>, Vec<Row>)> {
    let (mut probes, mut rows) = (vec![floor()], Vec::new());
    for (count, goal) in RULES {
        let name = format!("verdict on a command, {count} rules");
        let patterns = patterns(count)?;
        probes.push(Probe::of(&name, move || {
            let analysis = Analysis::of(black_box(TYPICAL));
            let worst = patterns.iter().filter(|it| black_box(hits(it, &analysis)) == NONE).count();
            let _ = black_box((worst, allows(&patterns, &analysis)));
        }));
        rows.push(Row::new(&name, &[&name], &["split at blanks"], Goal::AtMost(goal)));
    }
    for length in LENGTHS {
        let name = format!("verdict on a command of {length} KiB");
        let text = "git log \"$(ls -la x)\" && ".repeat(length * 1024 / 25) + "ls";
        let patterns = patterns(10)?;
        probes.push(Probe::of(&name, move || {
            let analysis = Analysis::of(black_box(&text));
            let _ =
                black_box((allows(&patterns, &analysis), guard::catastrophic(&analysis).is_some()));
        }));
        rows.push(Row::new(&name, &[&name], &["split at blanks"], Goal::AtMost(LONGEST)));
    }
    Ok((probes, rows))
}

const NONE: becket::core::shell::judge::Hit = becket::core::shell::judge::Hit::No;

fn patterns(count: usize) -> io::Result<Vec<CommandPattern>> {
    let texts = (0..count).map(|number| format!("tool{number} sub:*"));
    let parsed = texts.map(|text| CommandPattern::parse(&text).map_err(io::Error::other));
    parsed.collect()
}

fn floor() -> Probe {
    Probe::of("split at blanks", || {
        black_box(black_box(TYPICAL).split_whitespace().count());
    })
}

//! Every way in which a handler can fail, at every class of event, under every policy.
//!
//! The rows stand in `fixtures/safety/fault_matrix.csv`. One test walks all rows of one fault, side
//! by side; the last test counts that no row was forgotten.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

mod agents;
mod bench;
mod commands;
mod engine_rows;
mod http;
mod models;
mod row;
mod server;

use std::collections::BTreeSet;

use self::row::rows;

/// Rows about something else than handlers, each with the reason why it is not run here.
const ELSEWHERE: [(&str, &str); 13] = [
    (
        "E01",
        "a configuration that is broken at the start: tombstones, in the tests of configuration",
    ),
    ("E02", "reload"),
    ("E03", "required layers"),
    ("E04", "a journal that is required"),
    ("E05", "a journal that is not required: the tests of the journal"),
    ("E07", "the order of record and answer: the tests of the journal"),
    ("E08", "the daemon"),
    ("E09", "the daemon"),
    (
        "E13",
        "setting the clock of the machine that runs the tests; deadlines use the monotonic clock",
    ),
    ("E14", "memory limits of the host process: the allocator ends it, and no answer is a refusal"),
    ("E16", "sessions that share an id: the tests of the journal"),
    ("E17", "failpoints: panics of closures and ports are in the tests of each"),
    ("E18", "tokens of a permission: the tests of rules"),
];

#[test]
#[expect(clippy::print_stderr, reason = "what is not run is counted aloud")]
fn every_row_is_run_or_counted_with_a_reason() {
    let all: BTreeSet<String> = rows().into_iter().map(|row| row.fault).collect();
    let run = [&commands::RUN[..], &http::RUN, &models::RUN, &agents::RUN, &engine_rows::RUN];
    let run: BTreeSet<String> = run.concat().into_iter().map(str::to_owned).collect();
    let elsewhere: BTreeSet<String> = ELSEWHERE.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!(run.intersection(&elsewhere).next(), None);
    assert_eq!(run.union(&elsewhere).cloned().collect::<BTreeSet<_>>(), all);
    let counted = rows().iter().filter(|row| run.contains(&row.fault)).count();
    eprintln!("{counted} of {} rows are run; the others:", rows().len());
    for (fault, why) in ELSEWHERE {
        eprintln!("  {fault}: {why}");
    }
}

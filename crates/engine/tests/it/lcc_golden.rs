//! learn-claude-code as it really behaves: every recorded row, in full.
//!
//! The file hooks (s08) go through a real `.hooks.json`, the engine and real processes in
//! `exact`; the in-process hooks (s04) go through `chain` and a loop like the document's.
//! Beside the rows stand tests of what lies next to them, since the recording is only a sample.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

mod row;
mod workspace;
mod files;
mod neighbours;
mod config;
mod agent;
mod chain;
mod safe;

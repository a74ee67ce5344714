//! Claude Code: recorded payloads, recorded malformed files and answers, and what each field does.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

mod config;
mod hook_result;
mod matcher;
mod output;
mod payload;
mod workspace;

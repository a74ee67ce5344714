//! The `MicroAI` adapter specification: every recorded row of its matchers, and what stands next to them.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

mod workspace;
mod matcher;
mod command;
mod config;

//! Open Agent Harness as it really behaves: every recorded row, in full, in `exact`.
//!
//! Each row goes through real hook files, the engine and real processes. Beside the
//! rows stand tests of what lies next to them, since the recording is only a sample.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

pub(crate) mod row;
mod seen;
pub(crate) mod workspace;
pub(crate) mod server;
mod host;
mod matcher;
mod command;
mod http;
mod model;
mod tool;
mod tool_output;
mod model_call;
mod context;
mod lifecycle;
mod config;

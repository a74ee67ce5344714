//! HKUDS/OpenHarness as it really behaves: every recorded row, in full, in `exact`.
//!
//! `inject_arguments` is asserted beside the code that fills placeholders in
//! (`core/src/wire/openharness.rs`), `hot_reload` where files change under a running engine.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly"
)]

mod config;
mod http;
mod matcher;
mod model;
mod process;
mod row;
mod safe;
mod workspace;

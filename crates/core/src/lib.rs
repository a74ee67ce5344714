//! What a hook event means, and nothing about how anything runs.
//!
//! ```text
//! text ─config→ HookSpec ─compile→ Hook ─→ Registry
//!                                             │
//! JSON ──payload→ Event ──────────plan──→ Plan ─(engine)→ Reply
//!                                                             │
//! JSON ←report─ Outcome ←finish─ Tally ←absorb─ Verdict ←wire─┘
//! ```
//!
//! Modules are listed so that each uses only those above it; a test holds us to it.
//!
//! **Invariant:** this crate does no I/O, reads no clock and spawns no task.

pub mod decision;
pub mod secret;
pub mod limits;
pub mod network;
pub mod patch;
pub mod dialect;
pub mod world;
pub mod shell;
pub mod guard;
pub mod event;
mod glob;
pub mod rule;
pub mod matcher;
pub mod diagnostic;
pub mod verdict;
pub mod reply;
pub mod profile;
pub mod hook;
pub mod rules;
pub mod config;
pub mod tombstone;
pub mod registry;
pub mod skip;
pub mod outcome;
pub mod report;
pub mod plan;
pub mod wire;

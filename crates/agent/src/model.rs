//! Models that prompt and agent hooks may ask.

mod scripted;

pub use self::scripted::{ScriptError, Scripted};

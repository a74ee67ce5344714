//! Models that prompt and agent hooks may ask.

mod remote;
mod scripted;

pub use self::remote::Remote;
pub use self::scripted::{ScriptError, Scripted};

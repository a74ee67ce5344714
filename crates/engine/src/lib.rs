//! A hook runtime to embed in an agent.
//!
//! An agent loop calls [`Engine::fire`] where something happens and obeys the
//! [`Outcome`]. It never sees a process, a file or an error.
//!
//! ```
//! use becket::point::{PreToolUse, ToolAction};
//! use becket::{Decision, Engine, Event, EventKind};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let engine = Engine::builder().build();
//! engine.on::<PreToolUse>(|call| match call.command() {
//!     Some(command) if command.contains("rm -rf /") => ToolAction::deny("not on this machine"),
//!     _ => ToolAction::pass(),
//! });
//!
//! let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "rm -rf /" } });
//! let event = Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap_or_default());
//! let outcome = engine.fire(event).await;
//! assert_eq!(outcome.decision, Decision::Deny);
//! assert_eq!(outcome.reasons[0].text, "not on this machine");
//! # }
//! ```

pub mod port;
pub mod chain;
pub mod point;
mod clock;
pub mod terrain;
mod digest;
pub mod state;
mod permission;
mod archive;
pub mod source;
mod secrets;
pub mod journal;
mod proc;
pub mod trust;
pub mod guardian;
mod handler;
mod run;
mod engine;
pub mod case;

pub use becket_core as core;
pub use becket_core::decision::{Decision, Effect, EffectKind};
pub use becket_core::dialect::{Compat, Dialect};
pub use becket_core::event::{CustomEvent, Event, EventKind};
pub use becket_core::outcome::{Note, Outcome, Reason};

pub use self::digest::Digest;
pub use self::engine::{Builder, Engine, Problem};
pub use self::handler::Orphans;
pub use self::trust::Trust;
pub use becket_core::limits::Limits;
pub use becket_core::network::Network;

//! In-process hooks, typed by the event they hang on.
//!
//! Each event is a marker with its own action type, so that an action the event does
//! not have does not compile. A tool that has run can no longer get another input:
//!
//! ```compile_fail
//! use becket::point::{PostToolUse, ToolAction};
//! let engine = becket::Engine::builder().build();
//! engine.on::<PostToolUse>(|_| ToolAction::rewrite(serde_json::json!({ "command": "ls" })));
//! ```
//!
//! What it may still do is change what the model gets to see:
//!
//! ```
//! use becket::point::{PostToolUse, ResultAction};
//! let engine = becket::Engine::builder().build();
//! engine.on::<PostToolUse>(|_| ResultAction::rewrite("nothing to see here".into()));
//! ```

mod action;
mod view;

use std::borrow::Borrow;

use becket_core::event::{Event, EventKind};
use becket_core::verdict::Verdict;

pub use self::action::{
    ContextAction, GateAction, LoopAction, Observe, PromptAction, RequestAction, ResponseAction,
    ResultAction, ToolAction,
};
pub use self::view::{ContextBuild, ModelCall, Occasion, Prompt, Stopping, ToolUse};

/// A place in the loop where a closure can hang.
pub trait Point: sealed::Sealed {
    /// What the closure gets to see.
    type View<E: Borrow<Event>>;
    /// What it may do about it.
    type Action: Into<Verdict> + Send;

    /// The kind of event.
    fn kind() -> EventKind;

    /// The typed view of one.
    fn view<E: Borrow<Event>>(event: E) -> Self::View<E>;
}

mod sealed {
    pub trait Sealed {}
}

/// One marker per event: what its closures see, and what they may do.
macro_rules! points {
    ($($name:ident: $view:ident => $action:ident,)*) => {$(
        #[doc = concat!("Closures on `", stringify!($name), "` events.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Point for $name {
            type View<E: Borrow<Event>> = $view<E>;
            type Action = $action;

            fn kind() -> EventKind {
                EventKind::$name
            }

            fn view<E: Borrow<Event>>(event: E) -> $view<E> {
                $view::new(event)
            }
        }
    )*};
}

points! {
    Setup: Occasion => Observe,
    SessionStart: Occasion => Observe,
    InstructionsLoaded: Occasion => Observe,
    ConfigChange: Occasion => GateAction,
    CwdChanged: Occasion => Observe,
    FileChanged: Occasion => Observe,
    DirectoryAdded: Occasion => Observe,
    UserPromptSubmit: Prompt => PromptAction,
    UserPromptExpansion: Prompt => PromptAction,
    PreCompact: ContextBuild => ContextAction,
    PostCompact: ContextBuild => ContextAction,
    PreContextBuild: ContextBuild => ContextAction,
    PostContextBuild: ContextBuild => ContextAction,
    PreModelSwitch: Occasion => GateAction,
    PostModelSwitch: Occasion => Observe,
    PreModelCall: ModelCall => RequestAction,
    PostModelCall: ModelCall => ResponseAction,
    MessageDisplay: Occasion => Observe,
    PreToolSelection: Occasion => Observe,
    PreToolUse: ToolUse => ToolAction,
    PermissionRequest: ToolUse => ToolAction,
    PermissionDenied: ToolUse => Observe,
    PostToolUse: ToolUse => ResultAction,
    PostToolUseFailure: ToolUse => Observe,
    PostToolBatch: Occasion => Observe,
    Elicitation: Occasion => GateAction,
    ElicitationResult: Occasion => GateAction,
    SubagentStart: Occasion => Observe,
    SubagentStop: Stopping => LoopAction,
    TaskCreated: Occasion => GateAction,
    TaskCompleted: Occasion => GateAction,
    TeammateIdle: Stopping => LoopAction,
    WorktreeCreate: Occasion => GateAction,
    WorktreeRemove: Occasion => Observe,
    Notification: Occasion => Observe,
    Stop: Stopping => LoopAction,
    StopFailure: Occasion => Observe,
    RunCompleted: Occasion => Observe,
    RunFailed: Occasion => Observe,
    SessionEnd: Occasion => Observe,
    SessionDelete: Occasion => Observe,
}

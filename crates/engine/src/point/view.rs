//! What a closure gets to see of an event.

use std::borrow::Borrow;

use becket_core::event::Event;
use serde_json::Value;

/// Declares a view: a thin, typed window on an event.
macro_rules! views {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<E>(E);

        impl<E: Borrow<Event>> $name<E> {
            pub(super) fn new(event: E) -> Self {
                Self(event)
            }

            /// The whole event.
            pub fn event(&self) -> &Event {
                self.0.borrow()
            }

            /// The session it happens in.
            pub fn session_id(&self) -> Option<&str> {
                self.event().text("session_id")
            }
        }
    )*};
}

views! {
    /// An event without a view of its own.
    Occasion,
    /// A tool and its arguments, and its result once it has run.
    ToolUse,
    /// What a person typed.
    Prompt,
    /// A context in the making.
    ContextBuild,
    /// A request to a model, and its response once there is one.
    ModelCall,
    /// A loop that is about to end.
    Stopping
}

impl<E: Borrow<Event>> ToolUse<E> {
    /// The tool's name.
    pub fn name(&self) -> &str {
        self.event().text("tool_name").unwrap_or_default()
    }

    /// The tool's arguments.
    pub fn input(&self) -> &Value {
        self.event().field("tool_input").unwrap_or(&Value::Null)
    }

    /// The command line, where the tool takes one.
    pub fn command(&self) -> Option<&str> {
        self.input().get("command")?.as_str()
    }

    /// What the tool returned, once it has run.
    pub fn output(&self) -> Option<&Value> {
        self.event().field("tool_output")
    }
}

impl<E: Borrow<Event>> Prompt<E> {
    /// The text.
    pub fn text(&self) -> &str {
        self.event().text("prompt").unwrap_or_default()
    }
}

impl<E: Borrow<Event>> ContextBuild<E> {
    /// The context as it is now.
    pub fn context(&self) -> &Value {
        self.event().field("context").unwrap_or(&Value::Null)
    }
}

impl<E: Borrow<Event>> ModelCall<E> {
    /// The model it goes to.
    pub fn model_ref(&self) -> Option<&str> {
        self.event().text("model_ref")
    }

    /// The request.
    pub fn request(&self) -> &Value {
        self.event().field("model_request").unwrap_or(&Value::Null)
    }

    /// The response, once there is one.
    pub fn response(&self) -> Option<&Value> {
        self.event().field("model_response")
    }
}

impl<E: Borrow<Event>> Stopping<E> {
    /// Whether a hook already kept the loop going once.
    pub fn already_resumed(&self) -> bool {
        self.event().field("stop_hook_active").and_then(Value::as_bool).unwrap_or_default()
    }
}

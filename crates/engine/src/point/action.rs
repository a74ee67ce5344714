//! What a closure may do about an event: one type per kind of event, each with what that event has.

use becket_core::decision::Decision;
use becket_core::patch::{Change, Patch, Scope};
use becket_core::verdict::{Stop, Verdict};
use serde_json::Value;

/// Declares an action type: a verdict that only offers what its events have.
macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident: $($power:ident),*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        #[must_use = "an action that is not returned does nothing"]
        pub struct $name(Verdict);

        impl $name {
            /// No opinion.
            pub fn pass() -> Self {
                Self::default()
            }

            /// Text for the person.
            pub fn with_message(mut self, text: impl Into<String>) -> Self {
                self.0.messages.push(text.into());
                self
            }

            $(actions!(@$power $name);)*
        }

        impl From<$name> for Verdict {
            fn from(action: $name) -> Self {
                action.0
            }
        }
    )*};
    (@context $name:ident) => {
        /// Text for the model.
        pub fn with_context(mut self, text: impl Into<String>) -> Self {
            self.0.context.push(text.into());
            self
        }
    };
    (@stop $name:ident) => {
        /// End the run.
        pub fn stop(reason: impl Into<String>) -> Self {
            Self(Verdict { stop: Some(Stop { reason: Some(reason.into()) }), ..Verdict::default() })
        }
    };
    (@deny $name:ident) => {
        /// Do not let it happen.
        pub fn deny(reason: impl Into<String>) -> Self {
            Self(Verdict::deny(reason))
        }
    };
    (@ask $name:ident) => {
        /// Ask a person.
        pub fn ask(reason: impl Into<String>) -> Self {
            Self(Verdict { decision: Decision::Ask, reason: Some(reason.into()), ..Verdict::default() })
        }

        /// Go ahead without asking, as far as this hook is concerned.
        pub fn allow() -> Self {
            Self(Verdict { decision: Decision::Allow, ..Verdict::default() })
        }
    };
    (@go_on $name:ident) => {
        /// Do not end yet; the model is told why.
        pub fn go_on(message: impl Into<String>) -> Self {
            Self(Verdict::deny(message))
        }
    };
    (@rewrite_input $name:ident) => { actions!(@rewrite $name, Scope::ToolInput, "Let it run with these arguments changed."); };
    (@rewrite_output $name:ident) => { actions!(@rewrite $name, Scope::ToolOutput, "Show the model this instead."); };
    (@rewrite_prompt $name:ident) => { actions!(@rewrite $name, Scope::Prompt, "Use this prompt instead."); };
    (@rewrite_context $name:ident) => { actions!(@rewrite $name, Scope::Context, "Merge this into the context."); };
    (@rewrite_request $name:ident) => { actions!(@rewrite $name, Scope::ModelRequest, "Merge this into the request."); };
    (@rewrite_response $name:ident) => { actions!(@rewrite $name, Scope::ModelResponse, "Merge this into the response."); };
    (@rewrite $name:ident, $scope:expr, $doc:literal) => {
        #[doc = $doc]
        pub fn rewrite(value: Value) -> Self {
            Self::default().and_rewrite(value)
        }

        #[doc = concat!($doc, " Added to what the action already does.")]
        pub fn and_rewrite(mut self, value: Value) -> Self {
            self.0.patches.push(Patch { scope: $scope, change: Change::Merge(value) });
            self
        }
    };
}

actions! {
    /// For events that can only be watched.
    Observe: context;
    /// For things that may be refused.
    GateAction: deny, ask, stop;
    /// For a tool that is about to run.
    ToolAction: deny, ask, stop, context, rewrite_input;
    /// For a tool that has run.
    ResultAction: deny, stop, context, rewrite_output;
    /// For a prompt on its way to the model.
    PromptAction: deny, ask, stop, context, rewrite_prompt;
    /// For a context in the making.
    ContextAction: deny, stop, context, rewrite_context;
    /// For a request that is about to be sent.
    RequestAction: deny, stop, context, rewrite_request;
    /// For a response that has arrived.
    ResponseAction: deny, stop, context, rewrite_response;
    /// For a loop that is about to end.
    LoopAction: go_on, stop, context;
}

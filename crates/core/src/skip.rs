//! Why a hook that is registered for an event stays out of it.

use std::borrow::Cow;
use std::fmt;

use crate::event::Event;
use crate::hook::{Disabled, Hook};
use crate::matcher::{Fit, Subject};
use crate::profile::ResponseScope;

/// The most hooks that may run for one event.
pub const MAX_MATCHING: usize = 256;

/// Why a hook stays out.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Skip {
    /// Its matcher does not match.
    Matcher {
        /// The matcher as written.
        matcher: String,
        /// The field it was tried on, and what stands there.
        subject: (String, String),
    },
    /// Its matcher cannot match anything.
    MatcherInvalid {
        /// What is wrong with it.
        why: String,
    },
    /// None of the rules after its `if` hits the call.
    If {
        /// The rules as written.
        rules: String,
    },
    /// Its condition does not hold.
    Condition {
        /// The condition as written.
        condition: String,
        /// What its command exited with.
        code: i32,
    },
    /// A hook before it blocked.
    ShortCircuit {
        /// That hook.
        by: String,
    },
    /// Its workspace has no hooks.
    WrongKind {
        /// The kind of the workspace.
        kind: String,
    },
    /// Nobody has approved the project it belongs to.
    Untrusted,
    /// It is switched off.
    Off {
        /// By what.
        by: String,
    },
    /// The same handler runs already.
    Duplicate {
        /// The hook it runs for.
        of: String,
    },
    /// The original calls it for the last response of a run only.
    NotLastResponse,
    /// It would match the event as rewritten, but not as it was when the hooks were chosen.
    Before,
    /// More hooks match than may run.
    TooMany,
}

impl Skip {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Matcher { .. } | Self::Before => "matcher",
            Self::MatcherInvalid { .. } => "matcher_invalid",
            Self::If { .. } => "if",
            Self::Condition { .. } => "condition",
            Self::ShortCircuit { .. } => "short_circuit",
            Self::WrongKind { .. } => "wrong_kind",
            Self::Untrusted => "untrusted",
            Self::Off { .. } => "disabled",
            Self::Duplicate { .. } => "duplicate",
            Self::NotLastResponse => "not_last_response",
            Self::TooMany => "too_many",
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matcher { matcher, subject: (field, value) } => {
                write!(
                    f,
                    "matcher `{matcher}` does not match {} `{value}`",
                    field.replace('_', " ")
                )
            }
            Self::MatcherInvalid { why } => write!(f, "it can never fire: {why}"),
            Self::Condition { condition, code } => {
                write!(f, "its condition `{condition}` exited with {code}")
            }
            Self::If { rules } => write!(f, "its `if: {rules}` does not hit this call"),
            Self::ShortCircuit { by } => write!(f, "`{by}` blocked before it"),
            Self::WrongKind { kind } => write!(f, "a workspace of kind `{kind}` ignores hooks"),
            Self::Untrusted => f.write_str("nobody has approved the hooks of this project"),
            Self::Off { by } => write!(f, "it is switched off by {by}"),
            Self::Duplicate { of } => write!(f, "`{of}` already does the same"),
            Self::NotLastResponse => {
                f.write_str("the original calls it for the last response of a run only")
            }
            Self::Before => {
                f.write_str("its matcher did not match the event before it was rewritten")
            }
            Self::TooMany => write!(f, "more than {MAX_MATCHING} hooks match this event"),
        }
    }
}

/// Why a hook that matches must not run all the same.
pub(crate) fn held_back(hook: &Hook, event: &Event) -> Option<Skip> {
    match &hook.spec().disabled {
        Some(Disabled::WrongKind { kind }) => return Some(Skip::WrongKind { kind: kind.clone() }),
        Some(Disabled::Untrusted) => return Some(Skip::Untrusted),
        Some(Disabled::Off { by }) => return Some(Skip::Off { by: by.clone() }),
        Some(Disabled::Duplicate { of }) => return Some(Skip::Duplicate { of: of.clone() }),
        None => (),
    }
    let finish = event.field("model_response").and_then(|it| it.get("finishReason")?.as_str());
    let goes_on = finish == Some("tool-calls");
    (goes_on && hook.profile().responses == ResponseScope::Last).then_some(Skip::NotLastResponse)
}

/// Why a hook of this event's kind is not in its plan; `None` when it is.
pub fn why_not(hook: &Hook, event: &Event) -> Option<Skip> {
    if let Some(skip) = held_back(hook, event) {
        return Some(skip);
    }
    let event_name = event.kind().name_in(hook.spec().dialect).unwrap_or(event.kind().name());
    match hook.fit(event) {
        Fit::Yes if hook.is_wanted(event) => None,
        Fit::Yes => {
            let rules: Vec<String> = hook.spec().only_if.iter().map(ToString::to_string).collect();
            Some(Skip::If { rules: rules.join(", ") })
        }
        Fit::Never(error) => Some(Skip::MatcherInvalid { why: error.message.clone() }),
        Fit::No => {
            let name = hook.subject(event).unwrap_or(Cow::Borrowed(event_name));
            let input = event.field("tool_input");
            let subject = Subject { name: &name, input, event: Some(event) };
            let field = hook.subject_field(event).unwrap_or("event");
            let subject = match hook.matcher().tried_input(&subject) {
                Some(input) => ("tool_input".to_owned(), input),
                None => (field.to_owned(), name.clone().into_owned()),
            };
            let matcher = hook.matcher().text().unwrap_or_default().to_owned();
            Some(Skip::Matcher { matcher, subject })
        }
    }
}

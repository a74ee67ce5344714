//! What went otherwise than a hook wished.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::patch::Scope;
use crate::skip::MAX_MATCHING;
use crate::verdict::{FailureKind, OnFailure};

/// Something a person would want to know about an outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each says what its fields are")]
pub enum Note {
    Failed { hook: String, kind: FailureKind, message: String, policy: OnFailure },
    PatchUndeclared { hook: String, scope: Scope },
    PatchImpossible { hook: String, scope: Scope },
    PatchPartIgnored { hook: String, scope: Scope, part: String },
    PatchMoot { hook: String },
    PatchConflict { place: String, first: (String, Value), then: (String, Value) },
    CannotBlock { hook: String, event: String },
    CannotStop { hook: String, event: String },
    DefaultTimeout { hook: String, limit: Duration },
    Truncated { hook: String },
    LeftBehind { hook: String },
    Remark { hook: String, code: &'static str, text: String },
    NotInForce { text: String },
    TooManyHooks { beyond: usize },
    Untrusted { count: usize },
    AskedHeadless,
    EventNameDiffers { fired: String, said: String },
    General { code: &'static str, text: String },
}

impl Note {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "failed",
            Self::PatchUndeclared { .. } => "patch_undeclared",
            Self::PatchImpossible { .. } => "patch_impossible",
            Self::PatchPartIgnored { .. } => "patch_part_ignored",
            Self::PatchMoot { .. } => "patch_moot",
            Self::PatchConflict { .. } => "patch_conflict",
            Self::CannotBlock { .. } => "cannot_block",
            Self::CannotStop { .. } => "cannot_stop",
            Self::DefaultTimeout { .. } => "default_timeout",
            Self::Truncated { .. } => "truncated",
            Self::LeftBehind { .. } => "left_behind",
            Self::Remark { code, .. } | Self::General { code, .. } => code,
            Self::NotInForce { .. } => "not_in_force",
            Self::TooManyHooks { .. } => "too_many_hooks",
            Self::Untrusted { .. } => "untrusted",
            Self::AskedHeadless => "asked_headless",
            Self::EventNameDiffers { .. } => "event_name_differs",
        }
    }

    /// The hook it is about.
    pub fn hook(&self) -> Option<&str> {
        match self {
            Self::Failed { hook, .. }
            | Self::PatchUndeclared { hook, .. }
            | Self::PatchImpossible { hook, .. }
            | Self::PatchPartIgnored { hook, .. }
            | Self::PatchMoot { hook }
            | Self::CannotBlock { hook, .. }
            | Self::CannotStop { hook, .. }
            | Self::DefaultTimeout { hook, .. }
            | Self::Truncated { hook }
            | Self::LeftBehind { hook }
            | Self::Remark { hook, .. }
            | Self::PatchConflict { then: (hook, _), .. } => Some(hook),
            Self::NotInForce { .. }
            | Self::TooManyHooks { .. }
            | Self::Untrusted { .. }
            | Self::AskedHeadless
            | Self::EventNameDiffers { .. }
            | Self::General { .. } => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { kind, message, policy, .. } => {
                write!(f, "failed ({kind}): {message}; {}", and_so(*policy))
            }
            Self::PatchUndeclared { scope, .. } => {
                write!(
                    f,
                    "its rewrite of `{}` was ignored: it does not declare the capability",
                    scope.field()
                )
            }
            Self::PatchImpossible { scope, .. } => {
                write!(f, "its rewrite of `{}` was ignored: this event has none", scope.field())
            }
            Self::PatchPartIgnored { scope, part, .. } => {
                write!(f, "part of its rewrite of `{}` was ignored: {part}", scope.field())
            }
            Self::PatchConflict { place, first, then } => write!(
                f,
                "`{place}` was rewritten twice: `{}` wrote {}, then `{}` wrote {}, which stands because it is later in order",
                first.0, first.1, then.0, then.1
            ),
            Self::PatchMoot { .. } => {
                f.write_str("its rewrite was ignored: what was refused is not rewritten")
            }
            Self::CannotBlock { event, .. } => {
                write!(f, "its refusal has no effect: `{event}` cannot be blocked")
            }
            Self::CannotStop { event, .. } => {
                write!(f, "it wants the run to end, but at `{event}` the run is over")
            }
            Self::DefaultTimeout { limit, .. } => {
                write!(
                    f,
                    "it sets no timeout and got {} s, the default for this event",
                    limit.as_secs()
                )
            }
            Self::Truncated { .. } => f.write_str("its output was longer than what is kept"),
            Self::LeftBehind { .. } => f.write_str("it left processes behind; they were ended"),
            Self::Remark { text, .. } | Self::NotInForce { text } | Self::General { text, .. } => {
                f.write_str(text)
            }
            Self::TooManyHooks { beyond } => {
                write!(f, "{beyond} hooks beyond the limit of {MAX_MATCHING} did not run")
            }
            Self::AskedHeadless => {
                f.write_str("nobody can be asked here, so asking counts as a refusal")
            }
            Self::Untrusted { count } => {
                let hooks = if *count == 1 { "hook" } else { "hooks" };
                write!(
                    f,
                    "{count} matching {hooks} did not run: nobody has approved this project's"
                )
            }
            Self::EventNameDiffers { fired, said } => {
                write!(f, "the payload says `{said}`; `{fired}` was fired")
            }
        }
    }
}

/// What a failure led to.
const fn and_so(policy: OnFailure) -> &'static str {
    match policy {
        OnFailure::Allow => "the event goes on without it",
        OnFailure::Ask => "so a person is asked",
        OnFailure::Deny => "so it counts as a refusal",
    }
}

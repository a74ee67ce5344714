//! Every kind of event, and what may be asked about one.

use std::sync::Arc;

use super::facts::Facts;
use super::table::row;
use crate::decision::EffectKind;
use crate::dialect::Dialect;
use crate::patch::Scope;

/// A kind of event, without its data.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table in `table.rs` says what each one means")]
pub enum EventKind {
    Setup,
    SessionStart,
    InstructionsLoaded,
    ConfigChange,
    CwdChanged,
    FileChanged,
    DirectoryAdded,
    UserPromptSubmit,
    UserPromptExpansion,
    PreCompact,
    PostCompact,
    PreContextBuild,
    PostContextBuild,
    PreModelSwitch,
    PostModelSwitch,
    PreModelCall,
    PostModelCall,
    MessageDisplay,
    PreToolSelection,
    PreToolUse,
    PermissionRequest,
    PermissionDenied,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    Elicitation,
    ElicitationResult,
    SubagentStart,
    SubagentStop,
    TaskCreated,
    TaskCompleted,
    TeammateIdle,
    WorktreeCreate,
    WorktreeRemove,
    Notification,
    Stop,
    StopFailure,
    RunCompleted,
    RunFailed,
    SessionEnd,
    SessionDelete,
    /// An event that settings declare and a harness fires by name.
    Custom(Arc<CustomEvent>),
}

/// An event that is not ours: settings give it a name and say what a block does.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CustomEvent {
    /// The name it is fired and hooked by.
    pub name: String,
    /// The field that matchers are tried against.
    pub subject: Option<String>,
    /// What a block does; `None` when it cannot be blocked.
    pub block: Option<EffectKind>,
}

/// What happens around an event when a hook is slow or broken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Class {
    /// Somebody waits for permission.
    Gate,
    /// Something is about to be sent and may be rewritten.
    Mutate,
    /// The loop wants to end and may be kept going.
    Loop,
    /// It has happened; hooks only watch.
    Observe,
    /// The process is about to end.
    Farewell,
}

impl EventKind {
    /// Every known kind, in the order in which a session meets them.
    pub const KNOWN: [Self; 41] = [
        Self::Setup,
        Self::SessionStart,
        Self::InstructionsLoaded,
        Self::ConfigChange,
        Self::CwdChanged,
        Self::FileChanged,
        Self::DirectoryAdded,
        Self::UserPromptSubmit,
        Self::UserPromptExpansion,
        Self::PreCompact,
        Self::PostCompact,
        Self::PreContextBuild,
        Self::PostContextBuild,
        Self::PreModelSwitch,
        Self::PostModelSwitch,
        Self::PreModelCall,
        Self::PostModelCall,
        Self::MessageDisplay,
        Self::PreToolSelection,
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PermissionDenied,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PostToolBatch,
        Self::Elicitation,
        Self::ElicitationResult,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::TaskCreated,
        Self::TaskCompleted,
        Self::TeammateIdle,
        Self::WorktreeCreate,
        Self::WorktreeRemove,
        Self::Notification,
        Self::Stop,
        Self::StopFailure,
        Self::RunCompleted,
        Self::RunFailed,
        Self::SessionEnd,
        Self::SessionDelete,
    ];

    /// The canonical name.
    pub fn name(&self) -> &str {
        match self {
            Self::Custom(custom) => &custom.name,
            known => known.facts().name,
        }
    }

    /// One sentence about when it happens.
    pub fn summary(&self) -> &'static str {
        self.facts().summary
    }

    /// Its name in a dialect; `None` when that system does not have the event.
    pub fn name_in(&self, dialect: Dialect) -> Option<&str> {
        match (self, dialect) {
            (Self::Custom(custom), _) => Some(&custom.name),
            (known, Dialect::Becket) => Some(known.facts().name),
            (known, _) => known.facts().names.iter().find(|it| it.0 == dialect).map(|it| it.1),
        }
    }

    /// The field whose text a dialect's matchers are tried against.
    pub fn subject_in(&self, dialect: Dialect) -> Option<&str> {
        match self {
            Self::Custom(custom) => custom.subject.as_deref(),
            known => {
                let subject = &known.facts().subject;
                if subject.unknown_to.contains(&dialect) { None } else { subject.field }
            }
        }
    }

    /// Whether what matchers are tried on is the name of a file, in which nothing is special.
    pub fn subject_is_a_file_name(&self) -> bool {
        self.facts().subject.is_file_name
    }

    /// What a block does here, by the rules of a dialect. `fact` looks up a text of the event.
    pub fn block_in(
        &self,
        dialect: Dialect,
        fact: impl Fn(&str) -> Option<String>,
    ) -> Option<EffectKind> {
        match self {
            Self::Custom(custom) => custom.block,
            known => {
                let block = &known.facts().block;
                let holds =
                    |(pointer, value): (&str, &str)| fact(pointer).as_deref() == Some(value);
                let except = block.except.iter();
                let mut except =
                    except.filter(|it| it.dialect == dialect && it.when.is_none_or(holds));
                except.next().map_or(block.effect, |exception| exception.effect)
            }
        }
    }

    /// What becomes of a slow or broken hook here.
    pub fn class(&self) -> Class {
        self.facts().class
    }

    /// Whether `continue: false` means anything here: a run that is over cannot be stopped.
    pub fn can_stop(&self) -> bool {
        self.facts().can_stop
    }

    /// What a hook may rewrite here, if it declares the capability.
    pub fn rewrites(&self) -> &'static [Scope] {
        self.facts().rewrites
    }

    /// The fields without which the event makes no sense.
    pub fn needs(&self) -> &'static [&'static str] {
        self.facts().needs
    }

    /// All the names by which it is known, in any system.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        let facts = self.facts();
        facts.names.iter().map(|it| it.1).chain(facts.also.iter().copied())
    }

    /// The known kind that some system calls by this name.
    ///
    /// Case and separators do not matter: `PRE_TOOL_USE` and `preToolUse` are one name.
    pub fn named(name: &str) -> Option<Self> {
        let wanted = letters(name);
        Self::KNOWN.into_iter().find(|kind| {
            letters(kind.name()) == wanted || kind.aliases().any(|alias| letters(alias) == wanted)
        })
    }

    fn facts(&self) -> &'static Facts {
        row(self)
    }
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{Dialect, EventKind, letters};
    use std::collections::HashMap;

    #[test]
    fn every_alias_names_one_event_only() {
        let mut seen = HashMap::new();
        for kind in &EventKind::KNOWN {
            for alias in kind.aliases().chain([kind.name()]) {
                let other = seen.insert(letters(alias), kind);
                assert!(other.is_none_or(|it| it == kind), "`{alias}` is also another event");
            }
        }
    }

    #[test]
    fn an_event_is_found_by_every_spelling() {
        for name in
            ["PreToolUse", "before_tool_dispatch", "PRE_TOOL_USE", "pre_tool_use", "BeforeTool"]
        {
            assert_eq!(EventKind::named(name), Some(EventKind::PreToolUse), "{name}");
        }
        assert_eq!(EventKind::named("pre_tool_usage"), None);
    }

    #[test]
    fn open_agent_harness_has_its_ten_events() {
        let names = EventKind::KNOWN
            .iter()
            .filter_map(|kind| kind.name_in(Dialect::Oah).map(str::to_owned));
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "before_context_compact",
                "after_context_compact",
                "before_context_build",
                "after_context_build",
                "before_model_call",
                "after_model_call",
                "before_tool_dispatch",
                "after_tool_dispatch",
                "run_completed",
                "run_failed",
            ]
        );
    }
}

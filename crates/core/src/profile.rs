//! A dialect's rules as data, so that no code asks which dialect it is in.
//!
//! Each field is one of the nineteen points on which the seed systems contradict
//! each other, or one of the few where a program differs from its own documentation.
//! Point 17, whether hooks or permission rules come first, is a contract with the
//! host and not with a hook, so it is not here.

mod table;

use std::time::Duration;

use crate::dialect::{Compat, Dialect};
use crate::event::{Class, EventKind};
use crate::matcher::MatcherLanguage;
use crate::patch::{MergeRule, Scope};
use crate::verdict::OnFailure;

/// How one dialect behaves.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a row of the table of differences")]
pub struct Profile {
    /// Points 1 to 3: what the end of a process means.
    pub exit: ExitMap,
    /// Point 4: what is looked for in the output.
    pub output: OutputCodec,
    /// Points 5 and 6: what a failure means where the hook does not say.
    pub on_failure: FailureDefaults,
    /// What a failure can refuse where the hook says that it refuses.
    pub failure_refuses: FailureRefuses,
    /// Point 7: what happens to the hooks after one that blocks.
    pub after_block: AfterBlock,
    /// Point 8: whose reason is told first.
    pub reason: ReasonPick,
    /// Point 9: how matchers are written.
    pub matcher: MatcherLanguage,
    /// The fields of which the first that holds something is what a matcher is tried on; none: the event's own.
    pub subjects: &'static [&'static str],
    /// Point 10: what a matcher does where the event has no subject.
    pub without_subject: WithoutSubject,
    /// Point 12: how the event reaches a command.
    pub input: &'static [Channel],
    /// Point 13: what runs a command.
    pub shell: Shell,
    /// Point 14: how long a hook may take when it does not say.
    pub timeout: Timeouts,
    /// Point 15 (and 11): what is done about things the dialect does not know.
    pub strictness: Strictness,
    /// Point 16: how patches meet values.
    pub patch: PatchRules,
    /// Point 18: when changed files are noticed.
    pub reload: ReloadMoment,
    /// Whether a file that is broken, half written or gone for a moment counts as it last was.
    pub keeps_last_good: bool,
    /// Point 19: whose files may run.
    pub trust: TrustRule,
    /// Whether hooks run one by one or together.
    pub waves: Waves,
    /// In which order answers of hooks that run together count.
    pub answers: Answers,
    /// Whether of hooks that would do the same for one event only the first runs.
    pub twins_run_once: bool,
    /// In which order hooks of one folder run.
    pub order: Order,
    /// Whether a matcher sees the event as earlier hooks rewrote it.
    pub matches_patched_event: bool,
    /// When the answer of a command counts as complete.
    pub complete: Complete,
    /// What an HTTP hook's deadline covers.
    pub http_deadline: HttpDeadline,
    /// Whether prompt and agent hooks have a deadline at all.
    pub model_deadline: bool,
    /// Whether an agent hook is one question to the model, and not a task for an agent.
    pub agents_are_models: bool,
    /// How long a model's answer may be, in tokens.
    pub answer_tokens: Option<u32>,
    /// Whether what the original does not catch goes past the hook's own policy.
    pub exceptions_escape: bool,
    /// Whether values become part of a command's text, and payloads hold all a host says, as in the original.
    pub splices_values: bool,
    /// What is read of a folder that is named.
    pub folder: Folder,
    /// Whether redirects are followed.
    pub follow_redirects: bool,
    /// What `continue: false` does.
    pub stop: StopMeaning,
    /// Where a hook's texts for model and person go.
    pub texts: TextsGo,
    /// For which responses of a model hooks are called.
    pub responses: ResponseScope,
    /// Whether a refusal inside a failed answer still counts.
    pub keep_objections: bool,
    /// Whether the documented names of capabilities are accepted beside those of the program.
    pub documented_capabilities: bool,
    /// Whether `${secrets.X}` is resolved.
    pub resolve_secrets: bool,
    /// Whether a condition that cannot be tried skips the hook, instead of counting as its failure.
    pub broken_condition_skips: bool,
    /// Whether values are made to fit their variables, with the whole of a long one in a file beside it.
    pub fit_variables: bool,
    /// Events at which what a command prints becomes text for the model.
    pub context_from: &'static [EventKind],
    /// Those of them at which the original would have thrown it away.
    pub context_added: &'static [EventKind],
    /// Files that are read together with the one that is named, where they exist.
    pub companions: &'static [&'static str],
    /// What the envelope calls the id of a tool call.
    pub tool_id_field: &'static str,
    /// The variable that tells a command where its workspace is.
    pub root_variable: Option<&'static str>,
}

/// What each way to end means.
#[derive(Clone, Copy, Debug)]
pub struct ExitMap {
    /// Exit code 0.
    pub zero: ExitMeaning,
    /// Exit code 1.
    pub one: ExitMeaning,
    /// Exit code 2.
    pub two: ExitMeaning,
    /// Any other exit code.
    pub other: ExitMeaning,
    /// Ended by a signal.
    pub signal: ExitMeaning,
}

/// What one way to end means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExitMeaning {
    /// The output is the answer.
    Answer,
    /// A block; standard error says why.
    Block,
    /// Standard error is told to the model and the tool runs.
    Inject,
    /// The hook failed.
    Fail,
    /// Nothing at all.
    Ignore,
}

/// What is looked for in the output of a hook.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum OutputCodec {
    /// Nothing: only the exit code speaks.
    None,
    /// Our own object, which understands the words of every dialect; what it says must be valid.
    Becket,
    /// The unified object, found from the first `{` to the last `}`; only what the
    /// original acts upon is looked at.
    UnifiedLoose,
    /// The unified object, found the same way; what it says must be valid.
    UnifiedStrict,
    /// learn-claude-code's object, on exit 0 only, as its program looks at it.
    Lcc,
    /// The same object; what it says must be valid, and a permission it names decides.
    LccStrict,
    /// Claude Code's object where nothing else was printed, as its program reads it.
    ClaudeCodeAlone,
    /// The same object; a refusal counts in whatever company.
    ClaudeCode,
}

/// What a failure means where the hook itself does not say.
#[derive(Clone, Copy, Debug)]
pub struct FailureDefaults {
    /// Of a command or HTTP hook at a gate.
    pub gate: OnFailure,
    /// Of a prompt or agent hook at a gate.
    pub model_gate: OnFailure,
}

/// What a failure can refuse where the hook says that it refuses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FailureRefuses {
    /// Only what asks before the fact.
    Gates,
    /// Everything that a block of the same hook would refuse.
    WhateverBlocks,
}

/// What is read of a folder that is named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Folder {
    /// Every YAML file in it.
    OfHooks,
    /// The same; of a project's, those called `*.local.yaml` are of one person.
    Layered,
    /// These files, as far as they exist.
    Holding(&'static [&'static str]),
    /// It is a plugin: these files, and the one its manifest names.
    Plugin {
        /// The manifest.
        manifest: &'static str,
        /// The key under which the manifest names the file of hooks.
        key: &'static str,
        /// What is read where they exist.
        files: &'static [&'static str],
    },
}

/// What happens to the hooks after one that blocks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AfterBlock {
    /// They are not called.
    Stop,
    /// They run all the same.
    RunRest,
}

/// Whose reason is told first when several hooks block.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReasonPick {
    /// The first one's.
    First,
    /// The last one's.
    Last,
}

/// What a matcher does where the event has no subject.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WithoutSubject {
    /// It matches.
    Fires,
    /// It is tried on the name of the event.
    EventName,
    /// It matches where the event has nothing to do with tools, and else is tried on an empty name.
    EmptyName,
}

/// One way for an event to reach a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Channel {
    /// The envelope on standard input.
    Stdin,
    /// Variables in the environment.
    Environment,
    /// Placeholders in the command text.
    Placeholders,
}

/// What runs a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shell {
    /// `/bin/sh -c`.
    Sh,
    /// `bash -lc`.
    BashLogin,
}

/// How long hooks may take when they do not say.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Commands and HTTP; `None` leaves it to the class of the event.
    pub command: Option<Duration>,
    /// Prompt hooks.
    pub prompt: Option<Duration>,
    /// Agent hooks.
    pub agent: Option<Duration>,
    /// Events at which commands and HTTP have another time.
    pub events: &'static [EventTimeout],
    /// Whether there is no limit at all but our own ceiling.
    pub unlimited: bool,
    /// Whether the dialect documents its defaults; where it does not, a note tells ours.
    pub documented: bool,
}

/// How long hooks may take at one event.
#[derive(Clone, Debug)]
pub struct EventTimeout {
    /// The event.
    pub event: EventKind,
    /// How long, where a hook does not say.
    pub default: Duration,
    /// The most that a hook may ask for, where that is less than elsewhere.
    pub most: Option<Duration>,
}

impl Timeouts {
    /// What holds at an event in particular.
    pub fn of_event(&self, kind: &EventKind) -> Option<&'static EventTimeout> {
        self.events.iter().find(|it| it.event == *kind)
    }
}

/// What is done about fields, events and types the dialect does not know.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Strictness {
    /// Nothing.
    Ignore,
    /// The entry is refused, its neighbours are not.
    RefuseEntry,
    /// Nothing at all is loaded.
    RefuseAll,
}

/// How patches meet values, per scope.
#[derive(Clone, Copy, Debug)]
pub struct PatchRules {
    /// Of tool input and output.
    pub tool: MergeRule,
    /// Of the context.
    pub context: MergeRule,
    /// Of model requests.
    pub model_request: MergeRule,
    /// Of model responses.
    pub model_response: MergeRule,
    /// Whether a patch needs a declared capability.
    pub gated: bool,
    /// Whether a patch counts also after a block, and where the event has nothing left to rewrite.
    pub anywhere: bool,
}

/// When changed files are noticed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReloadMoment {
    /// Before every event.
    EveryEvent,
    /// Before an event, but not more often than is good for events that come fast.
    Event,
    /// When a person sends a line.
    Prompt,
    /// When a session begins.
    Session,
    /// Not at all.
    Never,
}

/// Whose files may run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TrustRule {
    /// Content that a person approved.
    Content,
    /// Files of the user only.
    UserOnly,
    /// Any file in the workspace.
    Anything,
    /// A marker file in the workspace.
    Marker,
}

/// Whether hooks run one by one or together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Waves {
    /// One by one; each sees what the ones before it rewrote.
    Sequential,
    /// All together.
    Parallel,
}

/// In which order answers of hooks that run together count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Answers {
    /// As the hooks are configured.
    Configured,
    /// As they come: the last rewrite to arrive stands.
    Arrival,
}

/// In which order hooks of one folder run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Order {
    /// By file name.
    FileName,
    /// As a JavaScript object lists its keys: integer-like names first, then as read.
    ScriptObject,
    /// As written.
    Written,
}

/// When the answer of a command counts as complete.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Complete {
    /// When the process has ended.
    AtExit,
    /// When every holder of its pipes has ended.
    AtPipeClose,
}

/// What the deadline of an HTTP hook covers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HttpDeadline {
    /// The whole exchange.
    Total,
    /// Only the time until the headers are there.
    Headers,
    /// Each wait for more of the answer.
    EachRead,
}

/// What `continue: false` does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StopMeaning {
    /// The run ends.
    EndsRun,
    /// The same as a block of the event.
    Blocks,
}

/// Where a hook's texts go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TextsGo {
    /// Context to the model, messages to the person.
    ToTheirReaders,
    /// Both into the value that the event is about.
    IntoTheValue,
}

/// For which responses of a model hooks are called.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResponseScope {
    /// For each.
    Every,
    /// For the last one of a run.
    Last,
}

impl Profile {
    /// The rules of a dialect.
    pub const fn of(dialect: Dialect, compat: Compat) -> &'static Self {
        table::profile(dialect, compat)
    }

    /// The merge rule for a scope.
    pub const fn merge_rule(&self, scope: Scope) -> MergeRule {
        match scope {
            Scope::Prompt => MergeRule::Replace,
            Scope::Context => self.patch.context,
            Scope::ModelRequest => self.patch.model_request,
            Scope::ModelResponse => self.patch.model_response,
            Scope::ToolInput | Scope::ToolOutput => self.patch.tool,
        }
    }
}

impl ExitMap {
    /// What an exit code means.
    pub const fn code(&self, code: i32) -> ExitMeaning {
        match code {
            0 => self.zero,
            1 => self.one,
            2 => self.two,
            _ => self.other,
        }
    }
}

/// The shortest time that a hook of ours may be given: less would not do to start anything.
pub const MIN_TIMEOUT: Duration = Duration::from_millis(50);

/// The longest any hook may take, whatever it says.
pub const MAX_TIMEOUT: Duration = Duration::from_hours(1);

/// How long a hook may take where neither it nor its dialect says.
pub const fn class_timeout(class: Class) -> Duration {
    match class {
        Class::Gate | Class::Mutate | Class::Loop => Duration::from_secs(10),
        Class::Observe => Duration::from_mins(1),
        Class::Farewell => Duration::from_secs(3),
    }
}

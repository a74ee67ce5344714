//! A hook as somebody wrote it, and the same hook made ready to run.

mod content;
mod mode;
mod template;
mod weave;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::decision::Decision;
use crate::diagnostic::Origin;
use crate::dialect::{Compat, Dialect};
use crate::event::{Class, Event, EventKind};
use crate::matcher::{Fit, Matcher, MatcherLanguage, Subject};
use crate::patch::{Capability, Scope};
use crate::profile::{
    AfterBlock, FailureRefuses, MAX_TIMEOUT, Profile, WithoutSubject, class_timeout,
};
use crate::rule::{Call, Hit, Rule};
use crate::verdict::{OnFailure, Verdict};

pub use self::mode::Mode;
pub use self::template::{Template, UnknownSecret};
pub use self::weave::{Woven, weave};

/// Who wrote a hook. Ordered from strong to weak: a weaker layer can only tighten.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Layer {
    /// The machine's administrator.
    Managed,
    /// Named on the command line.
    CommandLine,
    /// The host program, as a closure.
    Host,
    /// The person.
    User,
    /// The project.
    Project,
    /// The project, on this machine only.
    Local,
}

impl Layer {
    /// The word for it in output and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::CommandLine => "command line",
            Self::Host => "host",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// A hook as written, with the dialect's spelling gone and nothing compiled yet.
#[derive(Clone, Debug)]
pub struct HookSpec {
    /// The name shown to people.
    pub name: String,
    /// What it is for, if its author says.
    pub description: Option<String>,
    /// The events that trigger it.
    pub events: Vec<EventKind>,
    /// The matcher text, if any.
    pub matcher: Option<String>,
    /// What runs.
    pub handler: Handler,
    /// How long it may take, if it says.
    pub timeout: Option<Duration>,
    /// What it may change.
    pub capabilities: Vec<Capability>,
    /// What its failure means, if it says.
    pub on_failure: Option<OnFailure>,
    /// Rules of which one must hit the tool call for the hook to run; none: it runs for every call.
    pub only_if: Vec<Rule>,
    /// A shell command that must succeed for the hook to run.
    pub condition: Option<String>,
    /// How much its answer counts.
    pub mode: Mode,
    /// Where it stands among the hooks of its layer: small numbers first.
    pub order: i64,
    /// The variables its command inherits, if it names them.
    pub inherits: Option<Vec<String>>,
    /// What its model or agent may spend on one event.
    pub budget: Budget,
    /// Whether nobody waits for it: it is started, and its answer decides nothing.
    pub detached: bool,
    /// Whether its refusal of a tool call also ends the turn.
    pub ends_turn: bool,
    /// Why it is not to run at all.
    pub disabled: Option<Disabled>,
    /// The dialect in which to talk to it.
    pub dialect: Dialect,
    /// Whose behaviour to follow.
    pub compat: Compat,
    /// Who wrote it.
    pub layer: Layer,
    /// The file or folder it is grouped with.
    pub source: Arc<PathBuf>,
    /// The folder that its relative paths start from.
    pub workspace: Arc<PathBuf>,
    /// Where it was written.
    pub origin: Origin,
    /// What every run of it tells: in what its life differs from the one it had in the original.
    pub notes: Vec<String>,
}

/// What a model or an agent may spend on one event.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Budget {
    /// The tokens it may write.
    pub tokens: Option<u32>,
    /// How often an agent may ask its model.
    pub turns: Option<u32>,
}

/// Why a hook that is registered must not run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Disabled {
    /// Its workspace is of a kind that has no hooks.
    WrongKind {
        /// The kind of the workspace.
        kind: String,
    },
    /// It belongs to a project nobody has approved.
    Untrusted,
    /// Somebody switched it off.
    Off {
        /// Who or what did, as a fragment such as `disableAllHooks`.
        by: String,
    },
    /// The same handler is registered already.
    Duplicate {
        /// The hook that runs instead.
        of: String,
    },
}

/// What runs when a hook fires.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Handler {
    /// A shell command.
    Command {
        /// The command line, given to the shell as is; with `args`, the program.
        command: String,
        /// The arguments, where the program is started without a shell.
        args: Option<Vec<String>>,
        /// Where it runs, relative to the workspace.
        cwd: Option<String>,
        /// Variables added to its environment.
        environment: Vec<(String, Template)>,
    },
    /// An HTTP endpoint.
    Http {
        /// Where it is.
        url: String,
        /// The method, in capitals.
        method: String,
        /// Headers added to the request.
        headers: Vec<(String, Template)>,
    },
    /// A question to a model.
    Prompt {
        /// The question.
        prompt: Text,
        /// Which model, if it says.
        model_ref: Option<String>,
    },
    /// A task for an agent.
    Agent {
        /// The agent's name; where a dialect's agents are one question to a model, which model.
        agent: String,
        /// The task.
        task: Text,
    },
    /// A tool of an MCP server that the host is connected to.
    McpTool {
        /// The server's name.
        server: String,
        /// The tool's name.
        tool: String,
        /// What it is called with; `${tool_input.x}` in its texts stands for a field of the event.
        input: Value,
    },
    /// A closure of the host, by its number.
    InProcess(usize),
}

/// A text that stands in the hook file or in a file of its own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Text {
    /// In the hook file.
    Inline(String),
    /// In this file, relative to the workspace.
    File(String),
}

impl Handler {
    /// A command line for the shell, and nothing else said about it.
    pub fn shell(command: impl Into<String>) -> Self {
        let command = command.into();
        Self::Command { command, args: None, cwd: None, environment: Vec::new() }
    }

    /// The word for it in configuration and output.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::Http { .. } => "http",
            Self::Prompt { .. } => "prompt",
            Self::Agent { .. } => "agent",
            Self::McpTool { .. } => "mcp_tool",
            Self::InProcess(_) => "in-process",
        }
    }
}

/// What hooks are grouped by: a block ends its own group.
pub type Group = (Layer, Dialect, Arc<PathBuf>);

/// A hook that can run.
#[derive(Debug)]
pub struct Hook {
    spec: HookSpec,
    matcher: Matcher,
}

/// What a hook is to the loop.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// It only observes.
    Lifecycle,
    /// It can block or rewrite.
    Interceptor,
}

impl Part {
    /// The word for it in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lifecycle => "lifecycle",
            Self::Interceptor => "interceptor",
        }
    }
}

impl HookSpec {
    /// Whether another hook runs the same under the same circumstances: another timeout does not
    /// make them two, another `if` or another meaning of a failure does.
    pub(crate) fn does_the_same(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.dialect, it.on_failure, it.detached);
        self.handler == other.handler && self.only_if == other.only_if && key(self) == key(other)
    }

    /// Its name and who wrote it, for those who have hooks of one name in several files.
    pub(crate) fn place(&self) -> String {
        format!("{} ({})", self.name, self.layer.name())
    }

    /// The rules it follows.
    pub fn profile(&self) -> &'static Profile {
        Profile::of(self.dialect, self.compat)
    }

    /// Makes the hook ready to run.
    ///
    /// A matcher that is not valid does not stop it: such a hook stays visible, never
    /// fires, and says why. [`Matcher::validate`] tells before an event does.
    pub fn compile(self) -> Hook {
        let by_name = self.events.iter().all(EventKind::subject_is_a_file_name);
        let language = match self.profile().matcher {
            MatcherLanguage::NamesOrRegex if by_name => MatcherLanguage::Names,
            language => language,
        };
        let matcher =
            self.matcher.as_deref().map_or(Matcher::any(), |text| Matcher::new(language, text));
        Hook { spec: self, matcher }
    }
}

impl Hook {
    /// The hook as written.
    pub fn spec(&self) -> &HookSpec {
        &self.spec
    }

    /// The name shown to people.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The compiled matcher.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// The rules it follows.
    pub fn profile(&self) -> &'static Profile {
        self.spec.profile()
    }

    /// Whether its matcher matches an event.
    pub fn fit<'h>(&'h self, event: &Event) -> Fit<'h> {
        fit(&self.matcher, self.spec.dialect, self.profile(), event)
    }

    /// Whether one of the rules it depends on hits what the event is about; what nobody can tell
    /// counts as a hit.
    pub fn is_wanted(&self, event: &Event) -> bool {
        self.spec.only_if.is_empty()
            || Call::of(event).is_some_and(|call| {
                self.spec.only_if.iter().any(|rule| rule.hits(&call) != Hit::No)
            })
    }

    /// How much its answer counts for an event: enforced, told or only recorded.
    pub fn mode(&self, event: &Event) -> Mode {
        self.spec.mode.in_session(event.text("session_id"), &self.spec.name)
    }

    /// Whether what a tool is called with decides whether it runs.
    pub(crate) fn reads_input(&self) -> bool {
        self.matcher.reads_input() || self.spec.only_if.iter().any(Rule::reads_input)
    }

    /// What its matcher is tried on, if the event has it.
    pub fn subject<'e>(&self, event: &'e Event) -> Option<Cow<'e, str>> {
        subject(self.spec.dialect, self.profile(), event)
    }

    /// The field in which its subject stands.
    pub fn subject_field<'e>(&self, event: &'e Event) -> Option<&'e str> {
        let fields = self.profile().subjects;
        if fields.is_empty() {
            return event.kind().subject_in(self.spec.dialect);
        }
        let filled = |name: &&&str| event.field(name).is_some_and(|it| !it.is_null());
        fields.iter().find(filled).copied()
    }

    /// The hooks it is grouped with: those of the same layer and dialect in one file or folder.
    pub fn group(&self) -> Group {
        (self.spec.layer, self.spec.dialect, Arc::clone(&self.spec.source))
    }

    /// Whether it declares that it rewrites something of this kind of event.
    pub(crate) fn would_rewrite(&self, kind: &EventKind) -> bool {
        // What a closure may do says nothing about what it does.
        let declares = !matches!(self.spec.handler, Handler::InProcess(_));
        let rewrites =
            |scope: &Scope| self.spec.capabilities.contains(&Capability::Rewrite(*scope));
        declares && kind.rewrites().iter().any(rewrites)
    }

    /// How long it may take for this kind of event, and whether that is a default nobody documents.
    pub fn timeout(&self, kind: &EventKind) -> (Duration, bool) {
        let asks_model =
            matches!(self.spec.handler, Handler::Prompt { .. } | Handler::Agent { .. });
        if asks_model && !self.profile().model_deadline {
            return (MAX_TIMEOUT, false);
        }
        let defaults = &self.profile().timeout;
        let of_event = defaults.of_event(kind);
        if let Some(own) = self.spec.timeout {
            let most = of_event.and_then(|it| it.most).unwrap_or(MAX_TIMEOUT);
            return (own.min(most), false);
        }
        let of_dialect = match self.spec.handler {
            Handler::Command { .. }
            | Handler::Http { .. }
            | Handler::McpTool { .. }
            | Handler::InProcess(_) => of_event.map(|it| it.default).or(defaults.command),
            Handler::Prompt { .. } => defaults.prompt,
            Handler::Agent { .. } => defaults.agent,
        };
        match (of_dialect, defaults.unlimited) {
            (Some(default), _) => (default, !defaults.documented),
            (None, true) => (MAX_TIMEOUT, false),
            (None, false) => (class_timeout(kind.class()), !defaults.documented),
        }
    }

    /// Whether a verdict of it ends the wave it stands in: a refusal answers for all that run beside
    /// it, unless its dialect lets them run to their end.
    pub fn ends_its_wave(&self, event: &Event, verdict: &Verdict) -> bool {
        self.profile().after_block == AfterBlock::Stop
            && verdict.decision == Decision::Deny
            && event.block_in(self.spec.dialect).is_some()
            && self.mode(event) == Mode::Enforce
    }

    /// What its failure means for this kind of event.
    pub fn on_failure(&self, kind: &EventKind) -> OnFailure {
        let defaults = self.profile().on_failure;
        let refuses = self.profile().failure_refuses == FailureRefuses::WhateverBlocks;
        match (self.spec.on_failure, kind.class()) {
            // What an administrator put there is never passed over.
            (_, Class::Gate) if self.is_managed() => OnFailure::Deny,
            (_, Class::Mutate) if self.is_managed() && self.rewrites_requests() => OnFailure::Deny,
            (Some(own), _) if refuses => own,
            // After the fact there is nothing left to refuse, and a loop that wants to end may.
            (_, Class::Observe | Class::Farewell | Class::Loop) => OnFailure::Allow,
            (Some(own), Class::Gate | Class::Mutate) => own,
            (None, Class::Mutate) if !self.rewrites_requests() => OnFailure::Allow,
            (None, Class::Gate | Class::Mutate) => match self.spec.handler {
                Handler::Prompt { .. } | Handler::Agent { .. } => defaults.model_gate,
                Handler::Command { .. }
                | Handler::Http { .. }
                | Handler::McpTool { .. }
                | Handler::InProcess(_) => defaults.gate,
            },
        }
    }

    /// Whether it may change this; where a dialect has no capabilities, everything may.
    pub fn may(&self, capability: Capability) -> bool {
        !self.profile().patch.gated || self.spec.capabilities.contains(&capability)
    }

    /// Whether it only observes, or can block or rewrite.
    pub fn part(&self) -> Part {
        let blocks = |kind: &EventKind| kind.block_in(self.spec.dialect, |_| None).is_some();
        let rewrites = |kind: &EventKind| {
            kind.rewrites().iter().any(|scope| self.may(Capability::Rewrite(*scope)))
        };
        if self.spec.events.iter().any(|kind| blocks(kind) || rewrites(kind)) {
            Part::Interceptor
        } else {
            Part::Lifecycle
        }
    }

    /// Whether the administrator's word stands behind it; what the original does is no such word.
    fn is_managed(&self) -> bool {
        self.spec.layer == Layer::Managed && self.spec.compat == Compat::Safe
    }

    fn rewrites_requests(&self) -> bool {
        self.spec.capabilities.contains(&Capability::Rewrite(Scope::ModelRequest))
    }
}

/// Whether a matcher, written in a dialect, matches an event.
pub(crate) fn fit<'m>(
    matcher: &'m Matcher,
    dialect: Dialect,
    profile: &Profile,
    event: &Event,
) -> Fit<'m> {
    let subject = subject(dialect, profile, event);
    match (subject.as_deref(), profile.without_subject) {
        (Some(name), _) => {
            let input = event.field("tool_input");
            matcher.fit(Subject { name, input, event: Some(event) })
        }
        (None, WithoutSubject::EventName) => {
            matcher.fit(event.kind().name_in(dialect).unwrap_or_default())
        }
        (None, WithoutSubject::EmptyName) if event.is_about_a_tool() => matcher.fit(""),
        (None, WithoutSubject::Fires | WithoutSubject::EmptyName) => Fit::Yes,
    }
}

fn subject<'e>(dialect: Dialect, profile: &Profile, event: &'e Event) -> Option<Cow<'e, str>> {
    if profile.subjects.is_empty() {
        return event.subject_in(dialect).map(Cow::Borrowed);
    }
    profile.subjects.iter().find_map(|field| match event.field(field)? {
        Value::String(text) => (!text.is_empty()).then_some(Cow::Borrowed(text.as_str())),
        Value::Number(number) => {
            (number.as_f64() != Some(0.0)).then(|| Cow::Owned(number.to_string()))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

//! What the harness lends us: a model to ask, agents to run, secrets to use.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use becket_core::outcome::Reason;
use becket_core::rule::Rule;
use serde_json::Value;

pub use becket_core::reply::Usage;

/// A future that a port returns.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Spoken, PortError>> + Send + 'a>>;

/// What a model or an agent said.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Spoken {
    /// Its text.
    pub text: String,
    /// Why it said no more, where it did not come to an end by itself.
    pub cut: Option<Cut>,
    /// What it took, where that is known.
    pub usage: Option<Usage>,
}

/// Why an answer did not come to an end by itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cut {
    /// It was longer than it may be.
    Length,
    /// The model would not answer.
    Refusal,
    /// The agent used up its turns.
    Turns,
}

impl<T: Into<String>> From<T> for Spoken {
    fn from(text: T) -> Self {
        Self { text: text.into(), cut: None, usage: None }
    }
}

/// Why a port has no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PortError {
    /// There is no such model or agent; nothing was sent.
    #[error("{0}")]
    Unknown(String),
    /// It was asked and something went wrong.
    #[error("{0}")]
    Failed(String),
    /// What ran it has died.
    #[error("{0}")]
    Died(String),
}

/// One question to a model.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ModelRequest {
    /// Which model the hook wants; `None` leaves it to the harness.
    pub model_ref: Option<String>,
    /// Who the model is to be, where the hook's dialect says so.
    pub system: Option<String>,
    /// How long the answer may be, in tokens, where the hook or its dialect says so.
    pub max_tokens: Option<u32>,
    /// The whole prompt: the hook's text, how to answer, and the event as data.
    pub prompt: String,
}

/// One task for an agent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SubagentRequest {
    /// The agent's name.
    pub agent: String,
    /// Who the agent is to be, where the hook's dialect says so.
    pub system: Option<String>,
    /// The hook's task.
    pub task: String,
    /// How to answer, and the event as data: a message of its own.
    pub input: String,
    /// How often it may ask its model.
    pub turns: u32,
    /// How many hooks stand above it; what it fires on another task or in another process says so.
    pub depth: usize,
    /// How many tokens it may write in all, where the hook says so.
    pub max_tokens: Option<u32>,
}

/// A model that prompt hooks may ask.
pub trait Model: Send + Sync {
    /// Asks; the answer is the model's text.
    fn ask(&self, request: ModelRequest) -> Answer<'_>;
}

/// Agents that agent hooks may run.
pub trait Subagent: Send + Sync {
    /// Runs the named agent to its end; the answer is its final text.
    fn run(&self, request: SubagentRequest) -> Answer<'_>;
}

/// Finds the addresses of a host, in place of the system's own way.
pub trait Resolver: Send + Sync {
    /// Every address that a name has now.
    fn resolve(&self, host: String) -> Addresses<'_>;
}

/// A future that a resolver returns.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// A person who can be asked whether something may happen.
pub trait Ask: Send + Sync {
    /// Asks; whoever does not answer has not agreed.
    fn ask(&self, question: AskRequest) -> Pin<Box<dyn Future<Output = Consent> + Send + '_>>;
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct AskRequest {
    /// The event, such as `PreToolUse`.
    pub event: String,
    /// The tool, where it is about one.
    pub tool: Option<String>,
    /// What it would be called with.
    pub input: Value,
    /// Who wants a person asked, and why.
    pub reasons: Vec<Reason>,
    /// The rule that [`Consent::Always`] would remember; `None` where no rule says exactly this.
    pub always: Option<Rule>,
}

/// What a person answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Consent {
    /// This once.
    Once,
    /// This once, and from now on without asking.
    Always,
    /// No, and perhaps why.
    Refused(Option<String>),
}

/// Where `${secrets.NAME}` comes from.
#[derive(Clone)]
pub struct Secrets(Arc<Lookup>);

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Secrets {
    /// Secrets that a function knows.
    pub fn from_fn(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }

    /// No secrets at all.
    pub fn none() -> Self {
        Self::from_fn(|_| None)
    }

    /// The secrets in environment variables called `BECKET_SECRET_NAME`.
    pub fn from_environment() -> Self {
        Self::from_fn(|name| std::env::var(format!("{SECRET_PREFIX}{name}")).ok())
    }

    /// One secret.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name)
    }
}

/// Variables with this prefix hold secrets; no hook inherits them.
pub(crate) const SECRET_PREFIX: &str = "BECKET_SECRET_";

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(..)")
    }
}

/// Everything that was lent.
#[derive(Clone)]
pub(crate) struct Lent {
    pub(crate) model: Option<Arc<dyn Model>>,
    pub(crate) subagent: Option<Arc<dyn Subagent>>,
    pub(crate) person: Option<Arc<dyn Ask>>,
    pub(crate) secrets: Secrets,
    pub(crate) resolver: Option<Arc<dyn Resolver>>,
    /// Variables that every command hook finds in its environment.
    pub(crate) variables: Vec<(String, String)>,
}

impl Lent {
    /// What a host lends that lends nothing.
    pub(crate) fn nothing() -> Self {
        Self {
            model: None,
            subagent: None,
            person: None,
            secrets: Secrets::none(),
            resolver: None,
            variables: Vec::new(),
        }
    }

    /// A variable of the environment that hooks live in.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let lent = self.variables.iter().rev().find(|it| it.0 == name);
        lent.map(|it| it.1.clone()).or_else(|| std::env::var(name).ok())
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (model, subagent) = (self.model.is_some(), self.subagent.is_some());
        f.debug_struct("Lent")
            .field("model", &model)
            .field("subagent", &subagent)
            .finish_non_exhaustive()
    }
}

/// Waits, for ports that want to be slow on purpose.
pub async fn pause(duration: std::time::Duration) {
    tokio::time::sleep(duration).await;
}

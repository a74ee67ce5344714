//! What the harness lends us: a model to ask, agents to run, secrets to use.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A future that a port returns.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<String, PortError>> + Send + 'a>>;

/// Why a port has no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PortError {
    /// There is no such model or agent; nothing was sent.
    #[error("{0}")]
    Unknown(String),
    /// It was asked and something went wrong.
    #[error("{0}")]
    Failed(String),
}

/// One question to a model.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ModelRequest {
    /// Which model the hook wants; `None` leaves it to the harness.
    pub model_ref: Option<String>,
    /// Who the model is to be, where the hook's dialect says so.
    pub system: Option<String>,
    /// How long the answer may be, in tokens, where the hook's dialect says so.
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
    pub(crate) secrets: Secrets,
    /// Variables that every command hook finds in its environment.
    pub(crate) variables: Vec<(String, String)>,
}

impl Lent {
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

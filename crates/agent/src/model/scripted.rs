//! A model without a model: its answers stand in a file. Offline, and the same every time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use becket::core::config::File;
use becket::core::config::tree::{Format, parse};
use becket::port::{Answer, Model, ModelRequest, PortError, Spoken, Subagent, SubagentRequest};
use serde_json::Value;

/// Answers from a script.
///
/// ```yaml
/// agents: [policy-reviewer]      # agents that exist
/// replies:                       # the first whose `when` occurs in the prompt answers
///   - when: rm -rf
///     reply: { decision: block, reason: "that deletes everything" }
///   - reply: { continue: true }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    agents: Vec<String>,
    replies: Vec<Reply>,
}

#[derive(Clone, Debug)]
struct Reply {
    when: Option<String>,
    text: String,
    after: Duration,
}

/// Why a script cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct ScriptError {
    /// The script.
    pub file: PathBuf,
    /// What is wrong.
    pub message: String,
    /// Where, if it is known: line and column.
    pub place: Option<(usize, usize)>,
}

impl Scripted {
    /// Reads a script.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let refuse =
            |message: String, place| ScriptError { file: path.to_path_buf(), message, place };
        let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string(), None))?;
        let file = File { path: Arc::new(path.to_path_buf()), bytes };
        let (_, root) =
            parse(&file, Format::Yaml).map_err(|found| match found.into_iter().next() {
                Some(first) => {
                    refuse(first.message, Some((first.origin.line, first.origin.column)))
                }
                None => refuse("it cannot be read".to_owned(), None),
            })?;
        Self::from_json(&root.to_json()).map_err(|message| refuse(message, None))
    }

    /// Takes a script that is already in memory.
    pub fn from_json(script: &Value) -> Result<Self, String> {
        let Some(map) = script.as_object() else { return Err("a script is a mapping".to_owned()) };
        if let Some(key) = map.keys().find(|key| !["agents", "replies"].contains(&key.as_str())) {
            return Err(format!("a script has no field `{key}`; it has `agents` and `replies`"));
        }
        let list = |key| {
            map.get(key).map_or(Ok(Vec::new()), |it| {
                it.as_array().cloned().ok_or(format!("`{key}` must be a list"))
            })
        };
        let agents =
            list("agents")?.iter().map(|it| it.as_str().unwrap_or_default().to_owned()).collect();
        let replies = list("replies")?.iter().map(Reply::from_json).collect::<Result<_, _>>()?;
        Ok(Self { agents, replies })
    }

    async fn answer(&self, prompt: &str) -> Result<Spoken, PortError> {
        let fits =
            |reply: &&Reply| reply.when.as_ref().is_none_or(|when| prompt.contains(when.as_str()));
        let Some(reply) = self.replies.iter().find(fits) else {
            return Err(PortError::Failed("the script has no reply for this prompt".to_owned()));
        };
        if !reply.after.is_zero() {
            becket::port::pause(reply.after).await;
        }
        Ok(reply.text.as_str().into())
    }
}

impl Reply {
    fn from_json(reply: &Value) -> Result<Self, String> {
        const FIELDS: [&str; 3] = ["when", "reply", "after_ms"];
        let Some(fields) = reply.as_object() else { return Err("a reply is a mapping".to_owned()) };
        if let Some(key) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
            return Err(format!(
                "a reply has no field `{key}`; it has `when`, `reply` and `after_ms`"
            ));
        }
        let text = match reply.get("reply") {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => return Err("a reply needs the field `reply`".to_owned()),
        };
        let when = match reply.get("when") {
            None => None,
            Some(Value::String(when)) => Some(when.clone()),
            Some(_) => return Err("`when` of a reply must be text".to_owned()),
        };
        let after = match reply.get("after_ms") {
            None => 0,
            Some(after) => after.as_u64().ok_or("`after_ms` of a reply must be a whole number")?,
        };
        Ok(Self { when, text, after: Duration::from_millis(after) })
    }
}

impl Model for Scripted {
    fn ask(&self, request: ModelRequest) -> Answer<'_> {
        Box::pin(async move { self.answer(&request.prompt).await })
    }
}

impl Subagent for Scripted {
    fn run(&self, request: SubagentRequest) -> Answer<'_> {
        Box::pin(async move {
            if !self.agents.contains(&request.agent) {
                return Err(PortError::Unknown(format!("there is no agent `{}`", request.agent)));
            }
            self.answer(&format!("{}\n\n{}", request.task, request.input)).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ModelRequest, PortError, Scripted, Spoken};
    use becket::port::{Model, Subagent, SubagentRequest};
    use serde_json::json;

    fn script() -> Scripted {
        Scripted::from_json(&json!({
            "agents": ["reviewer"],
            "replies": [{ "when": "rm", "reply": { "decision": "block" } }, { "reply": "fine" }],
        }))
        .unwrap()
    }

    async fn ask(prompt: &str) -> Result<Spoken, PortError> {
        script()
            .ask(ModelRequest {
                model_ref: None,
                system: None,
                max_tokens: None,
                prompt: prompt.into(),
            })
            .await
    }

    #[tokio::test]
    async fn the_first_reply_that_fits_answers() {
        assert_eq!(ask("rm -rf /").await, Ok(r#"{"decision":"block"}"#.into()));
        assert_eq!(ask("ls").await, Ok("fine".into()));
    }

    #[tokio::test]
    async fn an_agent_that_does_not_exist_is_unknown() {
        let request = SubagentRequest {
            agent: "ghost".into(),
            system: None,
            task: "t".into(),
            input: "i".into(),
            turns: 1,
            depth: 1,
            max_tokens: None,
        };
        assert!(matches!(script().run(request).await, Err(PortError::Unknown(_))));
    }

    #[test]
    fn a_misspelt_field_is_an_error() {
        assert!(Scripted::from_json(&json!({ "reply": [] })).unwrap_err().contains("`reply`"));
        let whenn = json!({ "replies": [{ "whenn": "x", "reply": "y" }] });
        assert!(Scripted::from_json(&whenn).unwrap_err().contains("`whenn`"));
    }
}

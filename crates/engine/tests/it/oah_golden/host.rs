//! The host of the recording: a model that says what it is told to, and one agent.

use std::sync::{Arc, Mutex};

use becket::port::{Answer, Model, ModelRequest, PortError, Subagent, SubagentRequest};
use serde_json::{Value, json};

/// Lends a model and the agent `rev`, and remembers what reached the model.
#[derive(Debug)]
pub(super) struct Host {
    text: Result<String, PortError>,
    asked: Mutex<Vec<Value>>,
    prompts: Mutex<Vec<String>>,
}

impl Host {
    pub(super) fn saying(text: &str) -> Arc<Self> {
        Self::answering(Ok(text.to_owned()))
    }

    pub(super) fn answering(text: Result<String, PortError>) -> Arc<Self> {
        Arc::new(Self { text, asked: Mutex::default(), prompts: Mutex::default() })
    }

    /// What reached the model, as far as the recording kept it.
    pub(super) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    /// What reached the model, word for word.
    pub(super) fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }

    fn answer(&self, asked: Value, prompt: String) -> Answer<'_> {
        self.asked.lock().unwrap().push(asked);
        self.prompts.lock().unwrap().push(prompt);
        Box::pin(std::future::ready(self.text.clone().map(Into::into)))
    }
}

impl Model for Host {
    fn ask(&self, request: ModelRequest) -> Answer<'_> {
        let model = request.model_ref.unwrap_or_else(|| "default-model".to_owned());
        let asked = json!({ "model": model, "promptHead": head(&request.prompt, 10) });
        self.answer(asked, request.prompt)
    }
}

impl Subagent for Host {
    fn run(&self, request: SubagentRequest) -> Answer<'_> {
        if request.agent != "rev" {
            let why = PortError::Unknown(format!("there is no agent `{}`", request.agent));
            return Box::pin(std::future::ready(Err(why)));
        }
        let messages = [("system", "SYS"), ("user", &request.task), ("user", &request.input)];
        let asked = json!({
            "model": "m/rev",
            "maxTokens": 9,
            "temperature": 0.1,
            "msgs": messages.map(|(role, text)| (role, head(text, 12))),
        });
        self.answer(asked, request.input.clone())
    }
}

fn head(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// A model that never answers.
#[derive(Debug)]
pub(super) struct Silent;

impl Model for Silent {
    fn ask(&self, _: ModelRequest) -> Answer<'_> {
        Box::pin(std::future::pending())
    }
}

impl Subagent for Silent {
    fn run(&self, _: SubagentRequest) -> Answer<'_> {
        Box::pin(std::future::pending())
    }
}

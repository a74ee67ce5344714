//! Models that are asked over the network: whoever speaks `OpenAI`'s or Anthropic's protocol.

use std::collections::BTreeMap;
use std::time::Duration;

use becket::core::config::{ModelSetting, Provider};
use becket::port::{Answer, Cut, Model, ModelRequest, PortError, Secrets, Spoken, Usage};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

/// How long an answer may be, in tokens, where the hook does not say.
const MAX_TOKENS: u32 = 1024;
/// What is read of an answer.
const MAX_BODY: usize = 1024 * 1024;
/// A model has this long even where a hook has longer.
const PATIENCE: Duration = Duration::from_mins(10);

/// The models that settings name.
#[derive(Debug)]
pub struct Remote {
    models: BTreeMap<String, ModelSetting>,
    secrets: Secrets,
    client: Client,
}

impl Remote {
    /// Takes what settings say, and where their keys are found.
    pub fn new(
        models: BTreeMap<String, ModelSetting>,
        secrets: Secrets,
    ) -> Result<Self, PortError> {
        // Another part of the process may have chosen a provider; any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client =
            Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE);
        let client = client.build().map_err(|error| PortError::Failed(error.to_string()))?;
        Ok(Self { models, secrets, client })
    }

    async fn answer(&self, request: ModelRequest) -> Result<Spoken, PortError> {
        let model = self.find(request.model_ref.as_deref())?;
        let key = model.key.as_deref().map(|name| {
            let unknown = || PortError::Unknown(format!("there is no secret `{name}`"));
            self.secrets.get(name).ok_or_else(unknown)
        });
        let asked = match model.provider {
            Provider::OpenAi => self.open_ai(model, key.transpose()?, &request),
            Provider::Anthropic => self.anthropic(model, key.transpose()?, &request),
        };
        let (status, body) = exchange(asked).await?;
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        if !(200..300).contains(&status) {
            let why =
                value.pointer("/error/message").and_then(Value::as_str).unwrap_or("no reason");
            let why: String = why.chars().take(200).collect();
            return Err(PortError::Failed(format!(
                "the model answered with status {status}: {why}"
            )));
        }
        let spoken = match model.provider {
            Provider::OpenAi => read_open_ai(&value),
            Provider::Anthropic => read_anthropic(&value),
        };
        spoken.ok_or_else(|| PortError::Failed("the model's answer cannot be read".to_owned()))
    }

    /// The model a hook wants; one that wants none gets the only one there is.
    fn find(&self, wanted: Option<&str>) -> Result<&ModelSetting, PortError> {
        let unknown = |text: String| PortError::Unknown(text);
        match wanted {
            Some(name) => self.models.get(name).ok_or_else(|| {
                unknown(format!("settings name no model `{name}`; add it to `models:`"))
            }),
            None if self.models.len() == 1 => {
                self.models.values().next().ok_or_else(|| unknown("no model".to_owned()))
            }
            None => Err(unknown(
                "the hook names no model, and settings do not name just one".to_owned(),
            )),
        }
    }

    fn open_ai(
        &self,
        model: &ModelSetting,
        key: Option<String>,
        asked: &ModelRequest,
    ) -> RequestBuilder {
        let base = model.base_url.as_deref().unwrap_or("https://api.openai.com/v1");
        let system = asked.system.iter().map(|it| json!({ "role": "system", "content": it }));
        let user = json!({ "role": "user", "content": asked.prompt });
        let messages: Vec<Value> = system.chain([user]).collect();
        let tokens = asked.max_tokens.unwrap_or(MAX_TOKENS);
        let body =
            json!({ "model": model.model, "messages": messages, "max_completion_tokens": tokens });
        let request = self.post(base, "/chat/completions", &body);
        match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    fn anthropic(
        &self,
        model: &ModelSetting,
        key: Option<String>,
        asked: &ModelRequest,
    ) -> RequestBuilder {
        let base = model.base_url.as_deref().unwrap_or("https://api.anthropic.com");
        let mut body = json!({
            "model": model.model,
            "max_tokens": asked.max_tokens.unwrap_or(MAX_TOKENS),
            "messages": [{ "role": "user", "content": asked.prompt }],
        });
        if let (Some(system), Some(body)) = (&asked.system, body.as_object_mut()) {
            body.insert("system".to_owned(), system.as_str().into());
        }
        let request =
            self.post(base, "/v1/messages", &body).header("anthropic-version", "2023-06-01");
        match key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        }
    }

    fn post(&self, base: &str, path: &str, body: &Value) -> RequestBuilder {
        let url = format!("{}{path}", base.trim_end_matches('/'));
        self.client.post(url).header("content-type", "application/json").body(body.to_string())
    }
}

impl Model for Remote {
    fn ask(&self, request: ModelRequest) -> Answer<'_> {
        Box::pin(self.answer(request))
    }
}

async fn exchange(request: RequestBuilder) -> Result<(u16, Vec<u8>), PortError> {
    // Without the URL: it is in the settings, and may hold what is nobody's business.
    let failed = |error: reqwest::Error| PortError::Failed(error.without_url().to_string());
    let mut response = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BODY {
            return Err(PortError::Failed("the model's answer is longer than 1 MiB".to_owned()));
        }
    }
    Ok((response.status().as_u16(), body))
}

fn read_open_ai(answer: &Value) -> Option<Spoken> {
    let choice = answer.pointer("/choices/0")?;
    let message = choice.get("message")?;
    let refusal = message.get("refusal").and_then(Value::as_str);
    let text =
        refusal.or_else(|| message.get("content").and_then(Value::as_str)).unwrap_or_default();
    let cut = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if refusal.is_some() => Some(Cut::Refusal),
        Some("length") => Some(Cut::Length),
        Some("content_filter") => Some(Cut::Refusal),
        Some(_) | None => None,
    };
    let usage = usage(answer, "prompt_tokens", "completion_tokens");
    Some(Spoken { text: text.to_owned(), cut, usage })
}

fn read_anthropic(answer: &Value) -> Option<Spoken> {
    let parts = answer.get("content")?.as_array()?;
    let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
    let cut = match answer.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens") => Some(Cut::Length),
        Some("refusal") => Some(Cut::Refusal),
        Some(_) | None => None,
    };
    Some(Spoken {
        text: texts.collect(),
        cut,
        usage: usage(answer, "input_tokens", "output_tokens"),
    })
}

fn usage(answer: &Value, input: &str, output: &str) -> Option<Usage> {
    let usage = answer.get("usage")?;
    let number = |key| usage.get(key).and_then(Value::as_u64);
    Some(Usage { input_tokens: number(input)?, output_tokens: number(output)? })
}

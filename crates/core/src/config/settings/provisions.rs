//! What settings say about the means of hooks: limits, models, secrets and addresses.

use std::collections::BTreeMap;

use super::super::decode::{Fields, integer, text, word, words};
use super::super::tree::{Data, Node, Problems};
use crate::diagnostic::{Code, nearest};
use crate::hook::Layer;
use crate::limits::Limits;
use crate::network::{Block, Network};

/// The means of hooks, as one settings file gives them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Provisions {
    /// Limits by name.
    pub limits: BTreeMap<String, usize>,
    /// What each `model_ref` stands for.
    pub models: BTreeMap<String, ModelSetting>,
    /// Where secrets are found.
    pub secrets: SecretSources,
    /// Addresses beyond the usual rules.
    pub network: Network,
}

/// What one `model_ref` stands for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ModelSetting {
    /// Whose protocol is spoken.
    pub provider: Provider,
    /// The provider's name of the model.
    pub model: String,
    /// Where it is, if not at the provider's own place.
    pub base_url: Option<String>,
    /// The secret that holds its key.
    pub key: Option<String>,
}

/// Whose protocol a model speaks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Provider {
    /// Chat completions, as `OpenAI` and many others serve them.
    OpenAi,
    /// Messages, as Anthropic serves them.
    Anthropic,
}

/// Where secrets are found: the first that knows a name has it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SecretSources {
    /// A file of lines `NAME=value` that only its owner can read.
    pub file: Option<String>,
    /// What variables that hold secrets begin with.
    pub env_prefix: Option<String>,
    /// A program that prints the secret whose name is its last argument.
    pub command: Vec<String>,
}

const PROVIDERS: [(&str, Provider); 2] =
    [("openai", Provider::OpenAi), ("anthropic", Provider::Anthropic)];

/// Reads what a settings file of a layer says about the means of hooks.
pub(super) fn provisions(
    fields: &mut Fields<'_>,
    layer: Layer,
    problems: &mut Problems<'_>,
) -> Provisions {
    let mut found = Provisions::default();
    if let Some(node) = fields.optional("limits") {
        found.limits = limits(node, problems);
    }
    let mut trusted = |key: &'static str, problems: &mut Problems<'_>| {
        let node = fields.optional(key)?;
        if layer <= Layer::User {
            return Some(node);
        }
        let message = format!("`{key}` means nothing in the settings of a project");
        let hint =
            "a project could send a key to a place of its own: put it into your own settings";
        problems.report_with_hint(Code::Settings, &node.span, message, hint);
        None
    };
    if let Some(node) = trusted("models", problems) {
        found.models = models(node, problems);
    }
    if let Some(node) = trusted("secrets", problems) {
        found.secrets = secrets(node, problems);
    }
    if let Some(node) = fields.optional("http") {
        found.network = network(node, layer, problems);
    }
    found
}

fn limits(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, usize> {
    let mut limits = BTreeMap::new();
    for (key, span, value) in entries(node, "`limits`", problems) {
        let Some(limit) = Limits::TABLE.iter().find(|it| it.name == key) else {
            let message = format!("there is no limit `{key}`");
            let names = Limits::TABLE.iter().map(|it| it.name);
            let hint = nearest(key, names)
                .map_or("`becket schema settings` lists them".to_owned(), |it| {
                    format!("did you mean `{it}`?")
                });
            problems.report_with_hint(Code::UnknownField, &span, message, hint);
            continue;
        };
        let bound = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        let bounds = bound(limit.floor)..=bound(limit.ceiling);
        let value = integer(value, &format!("`limits.{key}`"), bounds, problems);
        limits.extend(value.and_then(|it| Some((key.to_owned(), usize::try_from(it).ok()?))));
    }
    limits
}

fn models(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, ModelSetting> {
    let mut models = BTreeMap::new();
    for (name, _, value) in entries(node, "`models`", problems) {
        let Some(mut fields) = Fields::open(value, "a model", problems) else { continue };
        let provider = fields.required("provider", problems);
        let provider = provider.and_then(|it| word(it, "`provider`", &PROVIDERS, problems));
        let model = fields.required("model", problems).and_then(|it| text(it, "`model`", problems));
        let mut optional = |key: &'static str, problems: &mut Problems<'_>| {
            let node = fields.optional(key)?;
            text(node, &format!("`{key}`"), problems).map(str::to_owned)
        };
        let (base_url, key) = (optional("base_url", problems), optional("key", problems));
        fields.close(problems);
        if let (Some(provider), Some(model)) = (provider, model) {
            let model = model.to_owned();
            models.insert(name.to_owned(), ModelSetting { provider, model, base_url, key });
        }
    }
    models
}

fn secrets(node: &Node, problems: &mut Problems<'_>) -> SecretSources {
    let mut sources = SecretSources::default();
    let Some(mut fields) = Fields::open(node, "`secrets`", problems) else { return sources };
    if let Some(node) = fields.optional("file") {
        sources.file = text(node, "`secrets.file`", problems).map(str::to_owned);
    }
    if let Some(node) = fields.optional("env_prefix") {
        sources.env_prefix = text(node, "`secrets.env_prefix`", problems).map(str::to_owned);
    }
    if let Some(node) = fields.optional("command") {
        sources.command = words(node, "`secrets.command`", problems).unwrap_or_default();
    }
    fields.close(problems);
    sources
}

fn network(node: &Node, layer: Layer, problems: &mut Problems<'_>) -> Network {
    let mut network = Network::default();
    let Some(mut fields) = Fields::open(node, "`http`", problems) else { return network };
    if let Some(node) = fields.optional("allow") {
        let allow = blocks(node, "`http.allow`", problems);
        if layer <= Layer::User {
            network.allow = allow;
        } else {
            let message = "`http.allow` means nothing in the settings of a project";
            let hint = "a project can only refuse addresses: put it into your own settings";
            problems.report_with_hint(Code::Settings, &node.span, message, hint);
        }
    }
    if let Some(node) = fields.optional("refuse") {
        network.refuse = blocks(node, "`http.refuse`", problems);
    }
    fields.close(problems);
    network
}

fn blocks(node: &Node, what: &str, problems: &mut Problems<'_>) -> Vec<Block> {
    let texts = words(node, what, problems).unwrap_or_default();
    let mut blocks = Vec::new();
    for text in texts {
        match text.parse() {
            Ok(block) => blocks.push(block),
            Err(why) => {
                let hint = "such as `10.0.0.0/8` or `fd00::1`";
                problems.report_with_hint(Code::Schema, &node.span, why, hint);
            }
        }
    }
    blocks
}

type Entry<'n> = (&'n str, std::ops::Range<usize>, &'n Node);

fn entries<'n>(node: &'n Node, what: &str, problems: &mut Problems<'_>) -> Vec<Entry<'n>> {
    match &node.data {
        Data::Map(entries) => {
            entries.iter().map(|it| (it.key.as_str(), it.key_span.clone(), &it.value)).collect()
        }
        Data::Null => Vec::new(),
        other => {
            let message = format!("{what} must be a mapping, not {}", other.what());
            problems.report(Code::Schema, &node.span, message);
            Vec::new()
        }
    }
}

impl Provisions {
    /// What holds when several layers speak, strong ones first: a weaker one can only tighten.
    pub fn together<'p>(layers: impl IntoIterator<Item = (Layer, &'p Self)>) -> Self {
        let mut all = Self::default();
        for (layer, next) in layers {
            for (name, value) in &next.limits {
                let own = (layer <= Layer::User).then_some(usize::MAX);
                let before = all.limits.get(name).copied().or(own);
                let before = before.or_else(|| Limits::default().get(name));
                all.limits.insert(name.clone(), before.map_or(*value, |it| it.min(*value)));
            }
            for (name, model) in &next.models {
                all.models.entry(name.clone()).or_insert_with(|| model.clone());
            }
            all.network.allow.extend(&next.network.allow);
            all.network.refuse.extend(&next.network.refuse);
            let SecretSources { file, env_prefix, command } = &next.secrets;
            all.secrets.file = all.secrets.file.or_else(|| file.clone());
            all.secrets.env_prefix = all.secrets.env_prefix.or_else(|| env_prefix.clone());
            if all.secrets.command.is_empty() {
                all.secrets.command.clone_from(command);
            }
        }
        all
    }

    /// These limits in place of the given ones.
    pub fn limit(&self, mut limits: Limits) -> Limits {
        for (name, value) in &self.limits {
            limits.set(name, *value);
        }
        limits
    }
}

/// The parts of the schema of settings that are about the means of hooks.
pub(super) fn schema() -> serde_json::Map<String, serde_json::Value> {
    let limit = |it: &crate::limits::Limit| {
        let (minimum, maximum) = (it.floor, it.ceiling);
        let schema = serde_json::json!({
            "description": it.what, "type": "integer", "minimum": minimum, "maximum": maximum, "default": it.default,
        });
        (it.name.to_owned(), schema)
    };
    let limits: serde_json::Map<_, _> = Limits::TABLE.iter().map(limit).collect();
    let text = serde_json::json!({ "type": "string", "minLength": 1, "pattern": "\\S" });
    let texts = serde_json::json!({ "type": "array", "items": { "type": "string" } });
    let described = |text: &str, what: &str, properties: serde_json::Value| {
        serde_json::json!({
            "description": what, "type": [text, "null"], "additionalProperties": false, "properties": properties,
        })
    };
    let model = serde_json::json!({
        "type": "object", "additionalProperties": false, "required": ["provider", "model"],
        "properties": {
            "provider": { "enum": PROVIDERS.map(|it| it.0), "description": "Whose protocol is spoken" },
            "model": text, "base_url": text,
            "key": { "type": "string", "minLength": 1, "pattern": "\\S", "description": "The name of the secret that holds its key" },
        },
    });
    let parts = [
        ("limits", described("object", "How much of everything there may be", limits.into())),
        (
            "models",
            serde_json::json!({
                "description": "What each model_ref stands for; in user and managed settings only",
                "type": ["object", "null"], "additionalProperties": model,
            }),
        ),
        (
            "secrets",
            described(
                "object",
                "Where secrets are found; in user and managed settings only",
                serde_json::json!({ "file": text, "env_prefix": text, "command": texts }),
            ),
        ),
        (
            "http",
            described(
                "object",
                "Addresses beyond the usual rules; a project can only refuse",
                serde_json::json!({ "allow": texts, "refuse": texts }),
            ),
        ),
    ];
    parts.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{Layer, Limits, Provider, Provisions};
    use crate::config::{File, read_settings};
    use std::sync::Arc;

    fn read(layer: Layer, yaml: &str) -> (Provisions, Vec<String>) {
        let file = File { path: Arc::default(), bytes: yaml.as_bytes().to_vec() };
        let (settings, found) = read_settings(&file, layer);
        (settings.provisions, found.into_iter().map(|it| it.message).collect())
    }

    #[test]
    fn a_person_may_set_all_of_it() {
        let (found, problems) = read(
            Layer::User,
            "limits: { parallel: 2 }\nmodels:\n  platform/fast: { provider: openai, model: m, base_url: 'http://127.0.0.1:1', key: K }\n\
             secrets: { file: s.env, env_prefix: X_, command: [pass, show] }\nhttp: { allow: [169.254.0.0/16], refuse: ['::1'] }\n",
        );
        assert_eq!(problems, Vec::<String>::new());
        let model = &found.models["platform/fast"];
        assert_eq!((model.provider, model.key.as_deref()), (Provider::OpenAi, Some("K")));
        assert_eq!(found.limit(Limits::default()).parallel, 2);
        assert_eq!(found.secrets.command, ["pass", "show"]);
        assert_eq!((found.network.allow.len(), found.network.refuse.len()), (1, 1));
    }

    #[test]
    fn a_project_cannot_name_models_secrets_or_open_addresses() {
        let yaml = "models: { m: { provider: openai, model: m } }\nsecrets: { file: s }\nhttp: { allow: ['::1'], refuse: ['::2'] }\n";
        let (found, problems) = read(Layer::Project, yaml);
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(found.models.is_empty() && found.secrets.file.is_none());
        assert_eq!((found.network.allow.len(), found.network.refuse.len()), (0, 1));
    }

    #[test]
    fn limits_have_bounds_and_names() {
        let (_, problems) = read(Layer::User, "limits: { parallel: 0, depth: 9, paralel: 1 }\n");
        assert_eq!(problems.len(), 3, "{problems:?}");
    }

    #[test]
    fn a_weaker_layer_can_only_tighten() {
        let layer = |layer, yaml| (layer, read(layer, yaml).0);
        let layers = [
            layer(Layer::Managed, "limits: { depth: 2 }"),
            layer(Layer::User, "limits: { depth: 5, parallel: 20 }"),
            layer(Layer::Project, "limits: { parallel: 30, queue: 9999, processes: 4 }"),
        ];
        let all = Provisions::together(layers.iter().map(|(layer, it)| (*layer, it)));
        let limits = all.limit(Limits::default());
        assert_eq!((limits.depth, limits.parallel, limits.processes), (2, 20, 4));
        assert_eq!(limits.queue, 256);
    }
}

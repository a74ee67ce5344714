//! The recorded file, read so strictly that a field which nobody asserts is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::seen::Seen;
use crate::golden;

const GOLDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/oah/golden.json"));

/// Every recorded row.
pub(super) fn golden() -> Golden {
    golden::read(GOLDEN)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Golden {
    pub(super) matcher: Vec<MatcherRow>,
    pub(super) command: Vec<Case<CommandRow>>,
    pub(super) http: Vec<Case<HttpRow>>,
    pub(super) http_seen: Vec<Request>,
    pub(super) model: Vec<Case<ModelRow>>,
    pub(super) tool_before: Vec<Case<ToolBeforeRow>>,
    pub(super) tool_before_b_ran: bool,
    pub(super) tool_after: Vec<Case<RewriteRow>>,
    pub(super) model_before: Vec<Case<RewriteRow>>,
    pub(super) model_after: Vec<Case<RewriteRow>>,
    pub(super) context: Vec<Case<RewriteRow>>,
    pub(super) lifecycle: Vec<Case<LifecycleRow>>,
    pub(super) config: Vec<ConfigRow>,
}

pub(super) type Case<T> = golden::Case<T, Seen>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatcherRow {
    pub(super) matcher: String,
    pub(super) value: Option<String>,
    pub(super) selected: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandRow {
    pub(super) label: String,
    pub(super) handler: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpRow {
    pub(super) path: String,
    pub(super) handler: Map<String, Value>,
}

/// A request as the server saw it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) ct: Option<String>,
    pub(crate) auth: Option<String>,
    pub(crate) body_keys: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelRow {
    pub(super) label: String,
    pub(super) handler: Map<String, Value>,
    pub(super) model_text: String,
    pub(super) request: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolBeforeRow {
    pub(super) label: String,
    pub(super) hooks: Vec<NamedHook>,
    pub(super) input: Value,
    /// What each hook that ran printed.
    pub(super) emits: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedHook {
    pub(super) name: String,
    pub(super) capabilities: Vec<String>,
}

/// One hook that may rewrite something, and what it found.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RewriteRow {
    pub(super) label: String,
    /// Where the kind of row does not say it.
    pub(super) event: Option<String>,
    pub(super) emit: Value,
    pub(super) capabilities: Vec<String>,
    #[serde(alias = "current", alias = "initial", alias = "initial_response", alias = "context")]
    pub(super) found: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LifecycleRow {
    pub(super) label: String,
    pub(super) hook: LifecycleHook,
    pub(super) trigger_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LifecycleHook {
    pub(super) events: Vec<String>,
    pub(super) matcher: Option<String>,
    pub(super) command: Option<String>,
    pub(super) emits: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigRow {
    pub(super) label: String,
    pub(super) files: BTreeMap<String, String>,
    pub(super) ok: Option<BTreeMap<String, Registered>>,
    pub(super) error: Option<String>,
}

/// A hook as the original lists it after loading.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Registered {
    pub(super) name: String,
    pub(super) events: Vec<String>,
    pub(super) matcher: Option<String>,
    pub(super) handler_type: String,
    pub(super) capabilities: Vec<String>,
    pub(super) definition: Value,
}

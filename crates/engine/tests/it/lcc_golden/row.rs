//! The recorded file, read so strictly that a field which nobody asserts is an error.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

const GOLDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/lcc/golden.json"));

/// Every recorded row.
pub(super) fn golden() -> Golden {
    crate::golden::read(GOLDEN)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Golden {
    pub(super) s08: Vec<FileRow>,
    pub(super) s08_config: Vec<ConfigRow>,
    pub(super) s04: Vec<LoopRow>,
}

/// Hooks of one event, what they were given, and what came of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRow {
    pub(super) label: String,
    pub(super) event: String,
    pub(super) hooks: Vec<Value>,
    pub(super) context: Option<Map<String, Value>>,
    pub(super) opts: Options,
    pub(super) result: FileResult,
    pub(super) context_after: Option<Map<String, Value>>,
    /// Indicative only.
    #[serde(rename = "secs")]
    pub(super) _secs: f64,
    pub(super) note: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Options {
    #[serde(default = "yes")]
    pub(super) trusted: bool,
    #[serde(default)]
    pub(super) sdk: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileResult {
    pub(super) blocked: bool,
    pub(super) messages: Vec<Value>,
    pub(super) block_reason: Option<String>,
    pub(super) permission_override: Option<Value>,
}

/// What was loaded from a file that the label describes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigRow {
    pub(super) label: String,
    pub(super) loaded: BTreeMap<String, Vec<Value>>,
}

/// One run of the document's loop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoopRow {
    pub(super) label: String,
    pub(super) setup: String,
    pub(super) tool_calls: Vec<String>,
    pub(super) messages: Vec<Value>,
    pub(super) error: Option<String>,
    pub(super) side_effects: Option<Vec<String>>,
}

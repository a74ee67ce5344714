//! The schemas, as files that editors can be pointed at.

use becket_core::config::{becket_schema, oah_schema, settings_schema};
use becket_core::report::Report;
use becket_core::wire::envelope_schema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

pub(super) fn becket_hook() -> String {
    pretty(&becket_schema())
}

pub(super) fn oah_hook() -> String {
    pretty(&oah_schema())
}

pub(super) fn settings() -> String {
    pretty(&settings_schema())
}

pub(super) fn envelope() -> String {
    pretty(&envelope_schema())
}

/// Editors read draft 07, not what came after it.
pub(super) fn outcome() -> String {
    pretty(SchemaSettings::draft07().into_generator().into_root_schema_for::<Report>().as_value())
}

fn pretty(schema: &Value) -> String {
    format!("{schema:#}\n")
}

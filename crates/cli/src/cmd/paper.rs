//! `schema`, `completions` and `man`: what is printed about becket itself.

use becket::core::config::{becket_schema, oah_schema, settings_schema};
use becket::core::report::Report;
use becket::core::wire::envelope_schema;
use clap::CommandFactory;
use clap_complete::Shell;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::Cli;
use crate::exit::Exit;
use crate::out;
use crate::problem::Problem;

/// A schema's name, what it describes, and how it is made.
type Row = (&'static str, &'static str, fn() -> Value);

const SCHEMAS: [Row; 5] = [
    ("becket-hook", "a hook file of ours, .becket/hooks/*.yaml", becket_schema),
    ("oah-hook", "a hook file of Open Agent Harness, .openharness/hooks/*.yaml", oah_schema),
    ("settings", ".becket/settings.yaml", settings_schema),
    ("envelope", "what a hook receives", envelope_schema),
    ("outcome", "what `fire --json` prints", outcome_schema),
];

/// Prints one schema, or the names of all.
pub(super) fn schema(name: Option<&str>, as_json: bool) -> Result<Exit, Problem> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    match name {
        None if as_json => {
            let all: Map<String, Value> =
                SCHEMAS.iter().map(|row| (row.0.to_owned(), (row.2)())).collect();
            out::data(Value::Object(all))?;
        }
        None => {
            for (name, about, _) in SCHEMAS {
                out::data(format!("{name:12} {about}"))?;
            }
        }
        Some(name) => {
            let Some(row) = SCHEMAS.iter().find(|row| row.0 == name) else {
                let names = SCHEMAS.map(|row| row.0).join(", ");
                return Err(Problem::usage(format!("there is no schema `{name}`"))
                    .with_hint(format!("one of: {names}")));
            };
            out::data(pretty(&(row.2)()))?;
        }
    }
    Ok(Exit::Fine)
}

fn outcome_schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Report>().to_value()
}

/// Prints a completion script.
pub(super) fn completions(shell: Shell) -> Result<Exit, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "becket", &mut script);
    out::data(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Fine)
}

/// Prints the manual page.
pub(super) fn manual() -> Result<Exit, Problem> {
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(Cli::command()).render(&mut page);
    written.map_err(|error| Problem::new(Exit::Bug, "man", error.to_string()))?;
    out::data(String::from_utf8_lossy(&page).trim_end())?;
    Ok(Exit::Fine)
}

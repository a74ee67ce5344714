//! `becket init`: a commented starter folder of hooks, rules and settings.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use becket::core::config::{becket_schema, settings_schema};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::out::{self, GOOD, paint};
use crate::problem::Problem;

/// The folder that is made.
const FOLDER: &str = ".becket";

/// What is written as it stands.
const FILES: [(&str, &str); 5] = [
    ("hooks/protected-branch.yaml", include_str!("../../starter/hooks/protected-branch.yaml")),
    (
        "hooks/scripts/protected-branch.sh",
        include_str!("../../starter/hooks/scripts/protected-branch.sh"),
    ),
    ("hooks/tool-log.yaml", include_str!("../../starter/hooks/tool-log.yaml")),
    ("settings.yaml", include_str!("../../starter/settings.yaml")),
    (".gitignore", include_str!("../../starter/gitignore")),
];

/// A file, and how the schema in it is made.
type Row = (&'static str, fn() -> Value);

/// What editors read.
const SCHEMAS: [Row; 2] =
    [("schema/hook.json", becket_schema), ("schema/settings.json", settings_schema)];

/// Writes the starter folder.
pub(super) fn run(directory: Option<&Path>, as_json: bool) -> Result<Exit, Problem> {
    let folder = directory.map_or_else(|| PathBuf::from(FOLDER), |it| it.join(FOLDER));
    let files = files(&folder);
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let message = format!("`{}` is already there, and nothing was written", path.display());
        return Err(Problem::new(Exit::Config, "exists", message)
            .with_hint("remove it first, or write your hooks beside it"));
    }
    for (path, text) in &files {
        write(path, text).map_err(|error| {
            Problem::new(Exit::Unavailable, "output", format!("`{}`: {error}", path.display()))
        })?;
    }
    let names: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    if as_json {
        out::data(json!({ "written": names }))?;
        return Ok(Exit::Fine);
    }
    for name in &names {
        out::data(format!("{} {name}", paint(GOOD, "+")))?;
    }
    out::tell(NEXT);
    Ok(Exit::Fine)
}

const NEXT: &str = "
Next:
  becket check
  becket trust    # a project's hooks run once somebody has looked at them; until then, name them:
  echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git push\"}}' | \\
    becket fire PreToolUse --dialect becket --hooks .becket/hooks --rules .becket/settings.yaml";

fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let schemas = SCHEMAS.iter().map(|(name, schema)| {
        (folder.join(name), serde_json::to_string_pretty(&schema()).unwrap_or_default() + "\n")
    });
    FILES
        .iter()
        .map(|(name, text)| (folder.join(name), (*text).to_owned()))
        .chain(schemas)
        .collect()
}

/// Writes a file that is not there yet; one that has come in between is left alone.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

//! One direction: `core <- engine <- agent <- cli`, as the manifests say it.

use crate::tree::{Tree, Violation};

/// Each crate of the house, its name, and those of the house it may use.
///
/// The agent is the proof that the engine's public face is enough, so it sees the core
/// through that face only.
const HOUSE: [(&str, &str, &[&str]); 4] = [
    ("crates/core/Cargo.toml", "becket-core", &[]),
    ("crates/engine/Cargo.toml", "becket", &["becket-core"]),
    ("crates/agent/Cargo.toml", "becket-agent", &["becket"]),
    ("crates/cli/Cargo.toml", "becket-cli", &["becket-core", "becket", "becket-agent"]),
];

pub(super) fn crates_look_in_one_direction(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, own, allowed) in HOUSE {
        for (line, used) in dependencies(tree.get(path).unwrap_or_default()) {
            let ours = HOUSE.iter().any(|row| row.1 == used) || used == "xtask";
            if ours && used != own && !allowed.contains(&used.as_str()) {
                let message = format!("`{own}` may not depend on `{used}`");
                violations.push(Violation::new(path, line, message));
            }
        }
    }
    violations
}

/// The packages a manifest depends on, for building or testing, each with its line.
fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(manifest.lines()) {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            inside = header.ends_with("dependencies");
            // `[dependencies.name]` is a table of its own.
            let (before, name) = header.rsplit_once('.').unwrap_or_default();
            if before.ends_with("dependencies") {
                found.push((number, name.to_owned()));
            }
        } else if inside && !line.starts_with('#') {
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
            let name = renamed(line).unwrap_or(key);
            if !name.is_empty() {
                found.push((number, name.to_owned()));
            }
        }
    }
    found
}

/// The real name in `x = { package = "name" }`.
fn renamed(line: &str) -> Option<&str> {
    let (_, after) = line.split_once("package")?;
    after.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::crates_look_in_one_direction;
    use crate::tree::Tree;

    fn found(path: &str, manifest: &str) -> Vec<String> {
        let found = crates_look_in_one_direction(&Tree::from([(path, manifest)]));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_direction_holds_in_every_spelling() {
        let engine =
            "[dependencies]\nbecket-core.workspace = true\n[dev-dependencies]\nserde = \"1\"\n";
        assert_eq!(found("crates/engine/Cargo.toml", engine), [""; 0]);
        for manifest in [
            "[dependencies]\nbecket = { workspace = true }",
            "[dev-dependencies]\nbecket.workspace = true",
            "[target.'cfg(unix)'.dependencies]\nengine = { package = \"becket\", path = \"..\" }",
            "\n[dependencies.becket]\nworkspace = true",
        ] {
            assert_eq!(
                found("crates/core/Cargo.toml", manifest),
                ["crates/core/Cargo.toml:2: `becket-core` may not depend on `becket`"],
                "{manifest}"
            );
        }
    }

    #[test]
    fn the_agent_sees_the_core_through_the_engine_only() {
        let manifest = "[dependencies]\nbecket.workspace = true\nbecket-core.workspace = true";
        assert_eq!(
            found("crates/agent/Cargo.toml", manifest),
            ["crates/agent/Cargo.toml:3: `becket-agent` may not depend on `becket-core`"]
        );
    }
}

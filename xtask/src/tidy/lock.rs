//! What `Cargo.lock` may hold: few crates, none of the banned, all from the registry.

use crate::tree::{Tree, Violation};

const LOCK: &str = "Cargo.lock";

/// A new dependency that breaks this brings a reason, or replaces others.
const MAX_PACKAGES: usize = 270;

/// Crates that are unmaintained, or bring a C toolchain along, each with what to use.
const BANNED: [(&str, &str); 4] = [
    ("aws-lc-sys", "rustls with `ring`"),
    ("openssl-sys", "rustls with `ring`"),
    ("serde_yaml", "`granit-parser`"),
    ("serde_yml", "`granit-parser`"),
];

/// How the index of the one registry we take crates from is called.
const REGISTRY: &str = "/crates.io-index";

pub(super) fn dependencies_stay_few(tree: &Tree) -> Vec<Violation> {
    match values(tree, "name").count() {
        count if count > MAX_PACKAGES => {
            let message = format!("{count} packages; the ceiling is {MAX_PACKAGES}");
            vec![Violation::new(LOCK, 1, message)]
        }
        _ => Vec::new(),
    }
}

pub(super) fn banned_crates_are_absent(tree: &Tree) -> Vec<Violation> {
    let banned = |name| BANNED.iter().find(|row| row.0 == name);
    values(tree, "name")
        .filter_map(|(line, name)| Some((line, banned(name)?)))
        .map(|(line, (name, instead))| {
            Violation::new(LOCK, line, format!("`{name}` is banned; use {instead}"))
        })
        .collect()
}

pub(super) fn crates_come_from_the_registry(tree: &Tree) -> Vec<Violation> {
    values(tree, "source")
        .filter(|(_, source)| !source.ends_with(REGISTRY))
        .map(|(line, source)| Violation::new(LOCK, line, format!("`{source}` is not the registry")))
        .collect()
}

/// The lines `key = "value"`.
fn values<'t>(tree: &'t Tree, key: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    let lines = (1..).zip(tree.get(LOCK).unwrap_or_default().lines());
    lines.filter_map(move |(number, line)| {
        let value = line.strip_prefix(key)?.strip_prefix(" = ")?;
        Some((number, value.trim_matches('"')))
    })
}

#[cfg(test)]
mod tests {
    use super::{
        LOCK, MAX_PACKAGES, REGISTRY, banned_crates_are_absent, crates_come_from_the_registry,
        dependencies_stay_few,
    };
    use crate::tree::{Tree, Violation};

    fn found(check: fn(&Tree) -> Vec<Violation>, lock: &str) -> Vec<String> {
        check(&Tree::from([(LOCK, lock)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_ceiling_counts_packages() {
        let package = "[[package]]\nname = \"x\"\ndependencies = [\n \"y\",\n]\n";
        assert_eq!(found(dependencies_stay_few, &package.repeat(MAX_PACKAGES)), [""; 0]);
        assert_eq!(found(dependencies_stay_few, &package.repeat(MAX_PACKAGES + 1)).len(), 1);
    }

    #[test]
    fn a_banned_crate_is_named_with_what_to_use() {
        assert_eq!(
            found(banned_crates_are_absent, "name = \"serde\"\nname = \"serde_yaml\"\n"),
            ["Cargo.lock:2: `serde_yaml` is banned; use `granit-parser`"]
        );
    }

    #[test]
    fn a_crate_from_elsewhere_is_found() {
        let lock = format!("source = \"{REGISTRY}\"\nsource = \"git+https://example.org/x\"\n");
        assert_eq!(
            found(crates_come_from_the_registry, &lock),
            ["Cargo.lock:2: `git+https://example.org/x` is not the registry"]
        );
    }
}

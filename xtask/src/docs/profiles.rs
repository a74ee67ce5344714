//! The page of profiles: every rule of every dialect in one table.

use becket_core::config::READABLE;
use becket_core::dialect::{Compat, Dialect};
use becket_core::profile::Profile;

use super::markdown::{self, code, codes, documented, section};

const SOURCE: &str = include_str!("../../../crates/core/src/profile.rs");

pub(super) fn page() -> String {
    let intro = format!(
        "A dialect's rules are data. `safe` is what a system documents, with what crashes, hangs or is \
silently dead mended; `exact` is what the original program does. This version reads the files of {}; \
the other columns are what it will follow.",
        codes(READABLE.map(Dialect::name))
    );
    markdown::page("Profiles", "`crates/core/src/profile/table.rs`", &intro)
        + &rules()
        + &meanings()
}

fn rules() -> String {
    let profiles = profiles();
    let header: Vec<&str> =
        ["rule"].into_iter().chain(profiles.iter().map(|(name, _)| name.as_str())).collect();
    let names =
        profiles.first().map(|(_, rules)| rules.iter().map(|rule| rule.0.clone()).collect());
    let names: Vec<String> = names.unwrap_or_default();
    let row = |(at, name): (usize, &String)| {
        let value = |rules: &[(String, String)]| rules.get(at).map(|rule| rule.1.clone());
        let values = profiles.iter().map(|(_, rules)| value(rules).unwrap_or_default());
        [code(name)].into_iter().chain(values).collect()
    };
    let rows: Vec<Vec<String>> = names.iter().enumerate().map(row).collect();
    section("Rules", "Systems without an `exact` column behave the same in both.", &header, &rows)
}

fn meanings() -> String {
    let rows: Vec<Vec<String>> = documented(SOURCE, "pub struct Profile")
        .into_iter()
        .map(|(name, meaning)| vec![code(&name), without_point(&meaning).to_owned()])
        .collect();
    section("What they decide", "Each rule once, whatever its value.", &["rule", "meaning"], &rows)
}

/// The source numbers the points on which systems contradict each other; readers need no numbers.
fn without_point(meaning: &str) -> &str {
    match meaning.split_once(": ") {
        Some((point, rest)) if point.starts_with("Point") => rest,
        Some(_) | None => meaning,
    }
}

/// A heading and the rules below it.
type Column = (String, Vec<(String, String)>);

/// One column per behaviour: `exact` only where it differs.
fn profiles() -> Vec<Column> {
    let mut columns = Vec::new();
    for dialect in Dialect::ALL {
        let safe = rules_of(Profile::of(dialect, Compat::Safe));
        let exact = rules_of(Profile::of(dialect, Compat::Exact));
        let differs = safe != exact;
        columns.push((dialect.name().to_owned(), safe));
        if differs {
            columns.push((format!("{} {}", dialect.name(), Compat::Exact.name()), exact));
        }
    }
    columns
}

/// The fields of a profile as paths and values, read off its pretty debug form, so that a
/// new field appears here by itself.
fn rules_of(profile: &Profile) -> Vec<(String, String)> {
    let text = format!("{profile:#?}");
    let mut rules: Vec<(String, String)> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    // How many brackets of a value are open: what is inside belongs to that value.
    let mut value_depth = 0;
    for line in text.lines().skip(1).map(|line| line.trim().trim_end_matches(',')) {
        match (line.split_once(": "), line) {
            _ if value_depth > 0 => {
                value_depth += usize::from(line.ends_with(['(', '[']));
                value_depth -= usize::from(line.starts_with([')', ']']));
                if let Some(rule) = rules.last_mut().filter(|_| !line.starts_with([')', ']'])) {
                    rule.1 = format!("{}{}{}", rule.1, separator(&rule.1), readable(line));
                }
            }
            (Some((name, value)), _) if value.ends_with('{') => path.push(name.to_owned()),
            (Some((name, value)), _) => {
                let whole = [path.as_slice(), &[name.to_owned()]].concat().join(".");
                value_depth = usize::from(value.ends_with(['(', '[']));
                let value = if value_depth == 0 { readable(value) } else { String::new() };
                rules.push((whole, value));
            }
            (None, _) => {
                path.pop();
            }
        }
    }
    rules
}

fn separator(before: &str) -> &'static str {
    if before.is_empty() { "" } else { ", " }
}

/// `UnifiedStrict` is "unified strict", `None` is a dash, texts are code.
fn readable(value: &str) -> String {
    match value {
        "None" | "Nothing" => "-".to_owned(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        text if text.starts_with('"') => code(text.trim_matches('"')),
        number if number.starts_with(|c: char| c.is_ascii_digit()) => number.replace('s', " s"),
        word => {
            let mut out = String::new();
            for c in word.chars() {
                if c.is_uppercase() && !out.is_empty() {
                    out.push(' ');
                }
                out.extend(c.to_lowercase());
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compat, Dialect, Profile, SOURCE, documented, rules_of};

    fn rule(dialect: Dialect, compat: Compat, name: &str) -> String {
        let rules = rules_of(Profile::of(dialect, compat));
        rules.into_iter().find(|rule| rule.0 == name).map(|rule| rule.1).unwrap()
    }

    #[test]
    fn rules_read_like_words() {
        assert_eq!(rule(Dialect::Oah, Compat::Safe, "output"), "unified strict");
        assert_eq!(rule(Dialect::Oah, Compat::Safe, "exit.two"), "block");
        assert_eq!(rule(Dialect::Oah, Compat::Safe, "timeout.prompt"), "30 s");
        assert_eq!(rule(Dialect::Oah, Compat::Exact, "timeout.prompt"), "-");
        assert_eq!(rule(Dialect::OpenHarness, Compat::Safe, "input"), "environment, placeholders");
        assert_eq!(rule(Dialect::Oah, Compat::Safe, "tool_id_field"), "`tool_call_id`");
    }

    #[test]
    fn every_rule_has_a_meaning() {
        let mut first: Vec<String> = rules_of(Profile::of(Dialect::Oah, Compat::Safe))
            .into_iter()
            .map(|rule| rule.0.split('.').next().unwrap().to_owned())
            .collect();
        first.dedup();
        let documented = documented(SOURCE, "pub struct Profile");
        assert!(documented.iter().all(|row| !row.1.is_empty()));
        assert!(first.iter().eq(documented.iter().map(|row| &row.0)), "{first:?} {documented:?}");
    }
}

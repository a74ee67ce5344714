//! `cargo xtask score`: the corpus of attacks and look-alikes on commands, as a table by class.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use becket_core::decision::Decision;
use becket_core::diagnostic::Origin;
use becket_core::event::Analysed;
use becket_core::guard;
use becket_core::hook::Layer;
use becket_core::rule::{Call, Rule};
use becket_core::rules::{Precedence, RuleSpec, Rules};
use becket_core::shell::Analysis;
use becket_core::world::{Lost, Terrain, plain};
use serde_json::Value;

use crate::problem::Problem;
use crate::shell::root;

/// What was counted in one class.
#[derive(Debug, Default)]
struct Count {
    attacks: usize,
    allowed: Vec<String>,
    benign: usize,
    disturbed: Vec<String>,
    limits: usize,
    limits_allowed: usize,
}

/// Scores the corpus and prints what was found.
pub(crate) fn run(args: &[String]) -> Result<(), Problem> {
    let own = root().join("fixtures/safety/bypass_corpus.jsonl");
    let path = match args {
        [] => own.as_path(),
        [path] => Path::new(path),
        [_, unknown, ..] => {
            return Err(Problem::usage(format!("`score` does not know `{unknown}`")));
        }
    };
    let text = fs::read_to_string(path).map_err(|error| Problem::file(path, &error))?;
    let mut counts: BTreeMap<(String, u64), Count> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line)
            .map_err(|error| Problem::finding(format!("{}: {error}", path.display())))?;
        if field(&row, "tool") == "Bash" {
            let tier = row.get("tier").and_then(Value::as_u64).unwrap_or(1);
            let count = counts.entry((field(&row, "class").to_owned(), tier)).or_default();
            count.add(&row)?;
        }
    }
    print(&counts);
    Ok(())
}

impl Count {
    fn add(&mut self, row: &Value) -> Result<(), Problem> {
        let decision = decide(row)?;
        let accepted = row.get("accept").and_then(Value::as_array);
        let right = accepted.is_some_and(|it| it.iter().any(|it| it == decision.name()));
        let told = format!("{} ({})", field(row, "id"), decision.name());
        match field(row, "kind") {
            "limit" => {
                self.limits += 1;
                self.limits_allowed += usize::from(decision == Decision::Allow);
            }
            "benign" => {
                self.benign += 1;
                self.disturbed.extend((!right).then_some(told));
            }
            _ => {
                self.attacks += 1;
                self.allowed.extend((!right).then_some(told));
            }
        }
        Ok(())
    }
}

fn print(counts: &BTreeMap<(String, u64), Count>) {
    println!("class              tier  attacks  missed  look-alikes  disturbed  limits (allowed)");
    for ((class, tier), it) in counts {
        let (missed, disturbed) = (it.allowed.len(), it.disturbed.len());
        println!(
            "{class:18} {tier:4}  {:7}  {missed:6}  {:11}  {disturbed:9}  {:6} ({})",
            it.attacks, it.benign, it.limits, it.limits_allowed
        );
    }
    let wrong = counts.values().flat_map(|it| it.allowed.iter().chain(&it.disturbed));
    wrong.for_each(|it| println!("  {it}"));
}

fn field<'r>(row: &'r Value, name: &str) -> &'r str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What rules and guard of a row say about its command.
fn decide(row: &Value) -> Result<Decision, Problem> {
    let rules = row.get("rules").unwrap_or(&Value::Null);
    let mut specs = Vec::new();
    for decision in [Decision::Allow, Decision::Ask, Decision::Deny] {
        let texts = rules.get(decision.name()).and_then(Value::as_array);
        for text in texts.into_iter().flatten().filter_map(Value::as_str) {
            let rule = Rule::parse(text).map_err(|error| Problem::finding(error.to_string()))?;
            let (layer, origin) = (Layer::Project, Origin::default());
            specs.push(RuleSpec { rule, decision, reason: None, layer, origin });
        }
    }
    let input = row.get("input").unwrap_or(&Value::Null);
    let (analysed, folder) = (Analysed::default(), Path::new("/tmp/proj"));
    let call = Call {
        tool: "Bash",
        input,
        cwd: folder,
        root: folder,
        terrain: &Placeholder,
        analysed: &analysed,
    };
    let mut decision = Rules::new(specs, Precedence::default()).judge(&call).decision;
    if rules.get("builtin_guard") == Some(&Value::Bool(true)) {
        let analysis = Analysis::of(field(input, "command"));
        decision = guard::catastrophic(&analysis).map_or(decision, |it| decision.and(it.decision));
    }
    let default = Decision::ALL.into_iter().find(|it| it.name() == field(rules, "default"));
    Ok(if decision == Decision::Pass { default.unwrap_or(decision) } else { decision })
}

/// The home and the project that the corpus speaks of; neither has to exist.
#[derive(Debug)]
struct Placeholder;

impl Terrain for Placeholder {
    fn home(&self) -> Option<&Path> {
        Some(Path::new("/tmp/home"))
    }

    fn real(&self, path: &Path) -> Result<std::path::PathBuf, Lost> {
        Ok(plain(path))
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        one == other
    }
}

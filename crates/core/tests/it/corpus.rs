//! The corpus of bypasses: what our rules and our guard make of commands that were really tried.

use becket_core::shell::Analysis;
use becket_core::shell::judge::{Hit, Proof, allows, hits};
use becket_core::shell::pattern::CommandPattern;
use serde_json::Value;

fn rows() -> Vec<Value> {
    let text = include_str!("../../../../fixtures/safety/bypass_corpus.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn specs<'r>(row: &'r Value, kind: &str) -> Vec<&'r str> {
    row["rules"][kind].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

fn patterns(rules: &[&str]) -> Vec<CommandPattern> {
    let specs = rules.iter().filter_map(|rule| rule.strip_prefix("Bash(")?.strip_suffix(')'));
    specs.map(|spec| CommandPattern::parse(spec).unwrap()).collect()
}

fn decide(row: &Value) -> &'static str {
    let analysis = Analysis::of(row["input"]["command"].as_str().unwrap());
    let mut asked = false;
    for pattern in patterns(&specs(row, "deny")) {
        match hits(&pattern, &analysis) {
            Hit::Yes { .. } => return "deny",
            Hit::Perhaps { .. } => asked = true,
            Hit::No => {}
        }
    }
    if asked {
        return "ask";
    }
    let allow = specs(row, "allow");
    if allow.contains(&"Bash") || allows(&patterns(&allow), &analysis) == Proof::Proven {
        return "allow";
    }
    "ask"
}

#[test]
fn corpus() {
    let mut bad = 0;
    for row in rows() {
        if row["tool"] != "Bash" || row["rules"]["builtin_guard"] == true {
            continue;
        }
        let got = decide(&row);
        if !row["accept"].as_array().unwrap().contains(&Value::from(got)) {
            bad += 1;
            let analysis = Analysis::of(row["input"]["command"].as_str().unwrap());
            let shown: Vec<String> = analysis
                .commands
                .iter()
                .map(|it| format!("{:?}:{}", it.place, it.shown()))
                .collect();
            let text: String =
                row["input"]["command"].as_str().unwrap().chars().take(150).collect();
            println!(
                "{} got {got} wanted {} {:?}\n    {:?} doubts {:?}",
                row["id"],
                row["accept"],
                text,
                shown.iter().take(8).collect::<Vec<_>>(),
                analysis.doubts
            );
        }
    }
    println!("{bad} bad");
    assert_eq!(bad, 0);
}

#[test]
fn guard() {
    let mut bad = 0;
    for row in rows() {
        if row["tool"] != "Bash" || row["rules"]["builtin_guard"] != true {
            continue;
        }
        let analysis = Analysis::of(row["input"]["command"].as_str().unwrap());
        let found = becket_core::guard::catastrophic(&analysis);
        let got = match found.as_ref().map(|it| it.decision.name()) {
            None => "allow",
            Some(name) => name,
        };
        if !row["accept"].as_array().unwrap().contains(&Value::from(got)) {
            bad += 1;
            println!(
                "{} got {got} wanted {} {} {found:?} {:?}",
                row["id"], row["accept"], row["input"]["command"], analysis.doubts
            );
        }
    }
    println!("{bad} bad");
    assert_eq!(bad, 0);
}

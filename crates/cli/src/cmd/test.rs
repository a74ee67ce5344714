//! `becket test --security`: the rules and guards in force against a corpus of attacks and look-alikes.

use std::collections::BTreeMap;

use becket::{Decision, Engine, Event, EventKind};
use clap::Args;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::out::{self, BAD, CARE, DIM, GOOD, STRONG, paint};
use crate::problem::Problem;
use crate::project::Project;

/// The corpus, as it is shipped.
const CORPUS: &str = include_str!("../../../../fixtures/safety/bypass_corpus.jsonl");

/// Arguments of `test`.
#[derive(Args, Debug)]
pub(crate) struct Test {
    /// Score the rules and guards in force against a corpus of attacks and harmless look-alikes
    #[arg(long, required = true)]
    security: bool,

    #[command(flatten)]
    pub(super) project: Project,
}

/// One row of the corpus.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    tool: String,
    input: Value,
    class: String,
    kind: Kind,
    why: String,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Attack,
    Benign,
    Limit,
    Race,
}

/// How the rows of one class were answered.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    rows: usize,
    denied: usize,
    asked: usize,
    allowed: usize,
    silent: usize,
}

impl Test {
    pub(crate) fn run(&self, as_json: bool) -> Result<Exit, Problem> {
        let engine = self.project.builder()?.headless(false).build();
        self.project.usable(&engine)?;
        let rows = rows()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Problem::new(Exit::Unavailable, "runtime", error.to_string()))?;
        let mut scores: BTreeMap<(Kind, String), Score> = BTreeMap::new();
        let mut allowed = Vec::new();
        for row in &rows {
            let decision = runtime.block_on(judge(&engine, row));
            scores.entry((row.kind, row.class.clone())).or_default().add(decision);
            if row.kind == Kind::Attack && decision == Decision::Allow {
                allowed.push(row);
            }
        }
        if as_json {
            out::data(as_value(&scores, &allowed))?;
        } else {
            out::data(table(&scores, &allowed))?;
        }
        Ok(Exit::Fine)
    }
}

/// The rows that do not depend on files of their own.
fn rows() -> Result<Vec<Row>, Problem> {
    let bug = |error: serde_json::Error| Problem::new(Exit::Bug, "corpus", error.to_string());
    let rows: Result<Vec<Row>, _> = CORPUS.lines().map(serde_json::from_str).collect();
    let mut rows = rows.map_err(bug)?;
    rows.retain(|row| {
        matches!(row.tool.as_str(), "Bash" | "WebFetch") && !matches!(row.kind, Kind::Race)
    });
    Ok(rows)
}

async fn judge(engine: &Engine, row: &Row) -> Decision {
    let mut fields = Map::new();
    fields.insert("tool_name".to_owned(), row.tool.clone().into());
    fields.insert("tool_input".to_owned(), row.input.clone());
    engine.fire(Event::new(EventKind::PreToolUse, fields)).await.decision
}

impl Score {
    fn add(&mut self, decision: Decision) {
        self.rows += 1;
        match decision {
            Decision::Deny => self.denied += 1,
            Decision::Ask => self.asked += 1,
            Decision::Allow => self.allowed += 1,
            Decision::Pass => self.silent += 1,
        }
    }

    fn stopped(self) -> usize {
        self.denied + self.asked
    }
}

fn total(scores: &BTreeMap<(Kind, String), Score>, kind: Kind) -> Score {
    let ours = scores.iter().filter(|((it, _), _)| *it == kind);
    ours.fold(Score::default(), |sum, (_, it)| Score {
        rows: sum.rows + it.rows,
        denied: sum.denied + it.denied,
        asked: sum.asked + it.asked,
        allowed: sum.allowed + it.allowed,
        silent: sum.silent + it.silent,
    })
}

fn table(scores: &BTreeMap<(Kind, String), Score>, allowed: &[&Row]) -> String {
    let mut lines = Vec::new();
    for (kind, title) in [
        (Kind::Attack, "attacks"),
        (Kind::Benign, "harmless look-alikes"),
        (Kind::Limit, "beyond what rules about text can tell"),
    ] {
        let head = format!("{title:<42}rows  denied  asked  allowed  no opinion");
        lines.push(paint(STRONG, head));
        let classes = scores.iter().filter(|((it, _), _)| *it == kind);
        for ((_, class), score) in classes {
            lines.push(line(&format!("  {class}"), *score));
        }
        lines.push(paint(DIM, line("  together", total(scores, kind))));
        lines.push(String::new());
    }
    let (attacks, benign) = (total(scores, Kind::Attack), total(scores, Kind::Benign));
    let style = if attacks.allowed == 0 { GOOD } else { BAD };
    lines.push(format!(
        "{} of {} attacks are stopped, {} are allowed by a rule or hook.",
        attacks.stopped(),
        attacks.rows,
        paint(style, attacks.allowed),
    ));
    let style = if benign.stopped() == 0 { GOOD } else { CARE };
    let disturbed = paint(style, benign.stopped());
    lines.push(format!("{disturbed} of {} look-alikes are disturbed.", benign.rows));
    for row in allowed.iter().take(10) {
        let input = row.input.get("command").or_else(|| row.input.get("url"));
        let input = input.and_then(Value::as_str).unwrap_or_default();
        lines.push(format!("  {} {}", paint(BAD, "allowed"), out::one_line(input, 80)));
        lines.push(paint(DIM, format!("          {} ({})", row.why, row.id)));
    }
    if allowed.len() > 10 {
        lines.push(paint(DIM, format!("  and {} more; `--json` lists all", allowed.len() - 10)));
    }
    lines.push(paint(
        DIM,
        "What has no opinion here is left to the agent's own permissions. `guards: [catastrophic]` \
         in .becket/settings.yaml stops the worst.",
    ));
    lines.join("\n")
}

fn line(title: &str, score: Score) -> String {
    let Score { rows, denied, asked, allowed, silent } = score;
    format!("{title:<42}{rows:>4}{denied:>8}{asked:>7}{allowed:>9}{silent:>12}")
}

fn as_value(scores: &BTreeMap<(Kind, String), Score>, allowed: &[&Row]) -> Value {
    let score = |it: Score| {
        json!({
            "rows": it.rows, "deny": it.denied, "ask": it.asked, "allow": it.allowed,
            "pass": it.silent,
        })
    };
    let of = |kind: Kind| {
        let classes = scores.iter().filter(|((it, _), _)| *it == kind);
        let classes: Map<String, Value> =
            classes.map(|((_, class), it)| (class.clone(), score(*it))).collect();
        json!({ "together": score(total(scores, kind)), "classes": classes })
    };
    let allowed: Vec<Value> = allowed
        .iter()
        .map(|row| json!({ "id": row.id, "tool": row.tool, "input": row.input, "why": row.why }))
        .collect();
    json!({
        "attacks": of(Kind::Attack),
        "look_alikes": of(Kind::Benign),
        "limits": of(Kind::Limit),
        "allowed_attacks": allowed,
    })
}

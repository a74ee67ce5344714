//! What is to be approved, as people and machines read it.

use std::path::Path;

use becket::core::diagnostic::Origin;
use becket::trust::{Item, Kept, Review, Standing};
use serde_json::{Map, Value, json};
use similar::TextDiff;

use crate::out::{BAD, CARE, DIM, GOOD, STRONG, paint, spelled_out};

/// The most lines of one difference that are shown.
const MAX_LINES: usize = 80;
/// What of a hook is shown, in this order; the rest of it follows where it says something.
const FIRST: [&str; 5] = ["command", "args", "url", "prompt", "task"];
/// What stands in the headline already, or says nothing to a person.
const KNOWN: [&str; 7] = ["name", "dialect", "layer", "events", "matcher", "type", "grant"];

/// Everything at once.
pub(super) fn story(review: &Review) -> String {
    let root = &review.project.root;
    let pending = review.pending().count();
    let mut lines = vec![paint(STRONG, spelled_out(&root.display().to_string()))];
    if review.project.home != *root {
        let home = spelled_out(&review.project.home.display().to_string());
        lines.push(paint(
            DIM,
            format!("approvals are shared with {home}, of which it is a worktree"),
        ));
    }
    if let Some(problem) = &review.problem {
        lines.push(format!("{} {}", paint(BAD, "!"), spelled_out(&problem.to_string())));
    }
    if review.items.is_empty() {
        lines.push("it brings no hooks and no rules along".to_owned());
    }
    for item in &review.items {
        lines.push(String::new());
        lines.extend(item_lines(item, root));
    }
    for kept in &review.gone {
        lines.push(format!(
            "\n{} {}  {}",
            paint(BAD, "-"),
            spelled_out(&kept.key),
            paint(DIM, "gone")
        ));
    }
    lines.push(String::new());
    lines.push(match pending {
        0 => paint(GOOD, "nothing waits for approval"),
        1 => paint(CARE, "1 waits for approval"),
        more => paint(CARE, format!("{more} wait for approval")),
    });
    lines.push(format!("digest {}", review.digest));
    lines.join("\n")
}

fn item_lines(item: &Item, root: &Path) -> Vec<String> {
    let mark = match item.standing {
        Standing::Approved | Standing::Tightens => paint(DIM, "="),
        Standing::New => paint(GOOD, "+"),
        Standing::Changed(_) => paint(CARE, "~"),
        Standing::Unfit(_) => paint(BAD, "x"),
    };
    let state = match &item.standing {
        Standing::Tightens => "counts already: it can only forbid".to_owned(),
        Standing::Unfit(why) => format!("cannot be approved: {}", spelled_out(why)),
        other => other.name().to_owned(),
    };
    let mut lines = vec![format!("{mark} {}  {}", headline(&item.entry), paint(DIM, state))];
    let mut add = |label: &str, text: &str| {
        let text = spelled_out(text).replace('\n', &format!("\n{:12}", ""));
        lines.push(format!("    {}{text}", paint(DIM, format!("{label:8}"))));
    };
    for (name, value) in facts(&item.kept_entry()) {
        add(&name, &value);
    }
    for file in &item.files {
        add("file", &format!("{}  {}", file.path.display(), file.digest.short()));
    }
    add("from", &place(&item.origin, root));
    for text in &item.beyond {
        add("beyond", &format!("{text}: not covered"));
    }
    if let Standing::Changed(kept) = &item.standing {
        lines.extend(changes(item, kept).into_iter().map(|it| format!("      {}", coloured(&it))));
    }
    lines
}

fn headline(entry: &Value) -> String {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(spelled_out);
    if let Some(rule) = text("grant").or_else(|| text("rule")) {
        return paint(STRONG, rule);
    }
    let events = entry.get("events").and_then(Value::as_array).into_iter().flatten();
    let events = events.filter_map(|it| it.as_str().or_else(|| it.get("name")?.as_str()));
    let events = spelled_out(&events.collect::<Vec<_>>().join(", "));
    let matcher = text("matcher").map_or("any".to_owned(), |it| format!("/{it}/"));
    let kind = entry.pointer("/handler/type").and_then(Value::as_str).unwrap_or_default();
    let name = paint(STRONG, text("name").unwrap_or_default());
    let (dialect, layer) = (text("dialect").unwrap_or_default(), text("layer").unwrap_or_default());
    format!("{name}  {events}  {matcher}  {dialect} {kind}, {layer}")
}

/// What an entry says, field by field, with those of its handler among them.
fn facts(entry: &Value) -> Vec<(String, String)> {
    let mut fields: Map<String, Value> = entry.as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(handler)) = fields.remove("handler") {
        fields.extend(handler);
    }
    let said = |value: &Value| match value {
        Value::Null => false,
        Value::Bool(it) => *it,
        Value::Array(items) => items.iter().any(|it| !it.is_null()),
        Value::Number(it) => it.as_i64() != Some(0),
        Value::String(_) | Value::Object(_) => true,
    };
    let known = |name: &str| KNOWN.contains(&name) || name == "mode" || name == "rule";
    let mut facts: Vec<(String, String)> = fields
        .into_iter()
        .filter(|(name, value)| said(value) && !known(name))
        .map(|(name, value)| (name, in_words(&value)))
        .collect();
    let rank = |name: &str| FIRST.iter().position(|it| *it == name).unwrap_or(FIRST.len());
    facts.sort_by_key(|it| rank(&it.0));
    facts
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) => map.values().next().map_or(String::new(), in_words),
        other => other.to_string(),
    }
}

/// A place in the project, without the way to it.
fn place(origin: &Origin, root: &Path) -> String {
    let real = std::fs::canonicalize(origin.file.as_path());
    let file = real.as_deref().unwrap_or(&origin.file);
    let file = file.strip_prefix(root).unwrap_or(file).display();
    if origin.line == 0 { file.to_string() } else { format!("{file}:{}", origin.line) }
}

/// What is different from what was approved, as lines of a difference.
fn changes(item: &Item, kept: &Kept) -> Vec<String> {
    let mut lines = Vec::new();
    let (old, new) = (flat(&kept.entry), flat(&item.kept_entry()));
    for (name, value) in &old {
        if new.get(name) != Some(value) {
            lines.push(format!("- {name}: {}", in_words(value)));
            lines.extend(new.get(name).map(|now| format!("+ {name}: {}", in_words(now))));
        }
    }
    let added = new.iter().filter(|(name, _)| !old.contains_key(*name));
    lines.extend(added.map(|(name, value)| format!("+ {name}: {}", in_words(value))));
    for file in &kept.files {
        if !item.files.iter().any(|it| it.path == file.path) {
            lines.push(format!("- file {}", file.path.display()));
        }
    }
    for file in &item.files {
        let path = file.path.display();
        let Some(before) = kept.files.iter().find(|it| it.path == file.path) else {
            lines.push(format!("+ file {path}"));
            continue;
        };
        if before.digest == file.digest {
            continue;
        }
        lines.push(format!("~ file {path}"));
        if let (Some(old), Some(new)) = (&before.text, &file.text) {
            let diff = TextDiff::from_lines(old.as_str(), new.as_str());
            let diff = diff.unified_diff().context_radius(2).to_string();
            lines.extend(diff.lines().map(str::to_owned));
        }
    }
    let beyond = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if beyond > 0 {
        lines.push(format!("… {beyond} more lines; `becket trust --json` has all"));
    }
    lines
}

fn flat(entry: &Value) -> Map<String, Value> {
    let mut fields = entry.as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(handler)) = fields.remove("handler") {
        fields.extend(handler);
    }
    fields
}

fn coloured(line: &str) -> String {
    let text = spelled_out(line).replace('\n', "\\n");
    match line.chars().next() {
        Some('+') => paint(GOOD, text),
        Some('-') => paint(BAD, text),
        Some('@' | '~') => paint(CARE, text),
        Some(_) | None => text,
    }
}

/// The same for machines.
pub(super) fn as_value(review: &Review) -> Value {
    let root = &review.project.root;
    let items = review.items.iter().map(|item| {
        let files = item.files.iter().map(|it| json!({ "path": it.path, "digest": it.digest }));
        let why = if let Standing::Unfit(why) = &item.standing { Some(why) } else { None };
        let kept = if let Standing::Changed(kept) = &item.standing { Some(kept) } else { None };
        json!({
            "key": item.key,
            "standing": item.standing.name(),
            "why": why,
            "entry": item.kept_entry(),
            "source": place(&item.origin, root),
            "files": files.collect::<Vec<_>>(),
            "beyond": item.beyond,
            "changes": kept.map(|kept| changes(item, kept)),
        })
    });
    json!({
        "project": root,
        "home": review.project.home,
        "digest": review.digest,
        "approved_at_ms": review.approved_at_ms,
        "problem": review.problem.as_ref().map(crate::problem::as_json),
        "pending": review.pending().count(),
        "items": items.collect::<Vec<_>>(),
        "gone": review.gone.iter().map(|it| it.key.clone()).collect::<Vec<_>>(),
    })
}

//! Permission rules: `allow`, `ask` and `deny`, what holds beyond them, and examples that keep them honest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::decode::{Fields, items, list, text, word};
use super::super::tree::{Data, Format, Node, Problems, Source, parse};
use super::super::{Diagnostic, File};
use crate::decision::Decision;
use crate::diagnostic::{Code, nearest};
use crate::event::{Event, EventKind, Scene};
use crate::hook::Layer;
use crate::rule::{Call, Hit, Rule, RuleError};
use crate::rules::{Guard, Precedence, RuleSpec};
use crate::world::{Lost, Terrain, plain};

/// What settings say about tool calls.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// The rules.
    pub rules: Vec<RuleSpec>,
    /// What holds where neither a rule nor a hook speaks.
    pub default: Option<Decision>,
    /// When rules judge a call that hooks may rewrite.
    pub order: Option<Precedence>,
    /// Built-in guards that are switched on.
    pub guards: Vec<Guard>,
    /// Whether nobody could read what they say, so that everything is asked about.
    pub unreadable: bool,
}

const LISTS: [(&str, Decision); 3] =
    [("allow", Decision::Allow), ("ask", Decision::Ask), ("deny", Decision::Deny)];
const ORDERS: [(&str, Precedence); 2] =
    [("rules_first", Precedence::RulesFirst), ("hooks_first", Precedence::HooksFirst)];

/// Reads a file of permission rules: the rules themselves, or settings in which they stand.
pub fn read_rules(file: &File, layer: Layer) -> (Permissions, Vec<Diagnostic>) {
    // JSON is YAML too.
    let (source, root) = match parse(file, Format::Yaml) {
        Ok(parsed) => parsed,
        Err(found) => return (unreadable(layer, &found), found),
    };
    let of_settings = |root: &Node| match &root.data {
        Data::Map(entries) => entries.iter().any(|it| it.key == "permissions"),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => false,
    };
    if of_settings(&root) {
        let (settings, found) = super::read_settings(file, layer);
        return (settings.permissions, found);
    }
    let mut problems = Problems::new(&source);
    let Some(mut fields) = Fields::open(&root, "a file of rules", &mut problems) else {
        return (Permissions::default(), problems.found);
    };
    let listed = fields.optional("guards").map(|it| guards(it, &mut problems));
    let mut guards = listed.unwrap_or_default();
    // So the corpus of attacks writes it.
    let short = fields.optional("builtin_guard").map(|it| &it.data);
    if matches!(short, Some(Data::Bool(true))) && guards.is_empty() {
        guards.push(Guard::Catastrophic);
    }
    (Permissions { guards, ..written(fields, layer, &mut problems) }, problems.found)
}

/// Rules that nobody can read may forbid anything, so everything is asked about.
pub(super) fn unreadable(layer: Layer, found: &[Diagnostic]) -> Permissions {
    let why = found.first().map(ToString::to_string).unwrap_or_default();
    let reason = format!("the rules in force cannot be read, so a person is asked: {why}");
    let origin = found.first().map(|it| it.origin.clone()).unwrap_or_default();
    let rules = Rule::parse("*").map(|rule| RuleSpec {
        rule,
        decision: Decision::Ask,
        reason: Some(reason),
        layer,
        origin,
    });
    let rules = rules.into_iter().collect();
    Permissions { rules, unreadable: true, ..Permissions::default() }
}

/// The mapping below `permissions`.
pub(super) fn permissions(
    node: &Node,
    layer: Layer,
    problems: &mut Problems<'_>,
) -> Option<Permissions> {
    let fields = Fields::open(node, "`permissions`", problems)?;
    Some(written(fields, layer, problems))
}

/// The rules that these fields hold.
fn written(mut fields: Fields<'_>, layer: Layer, problems: &mut Problems<'_>) -> Permissions {
    let mut rules = Vec::new();
    for (name, decision) in LISTS {
        let Some(node) = fields.optional(name) else { continue };
        let nodes = items(node, &format!("`{name}`"), problems).unwrap_or_default();
        rules.extend(nodes.iter().filter_map(|it| rule(it, (decision, layer), problems)));
    }
    let default = fields.optional("default").and_then(|it| word(it, "`default`", &LISTS, problems));
    let order = fields.optional("order").and_then(|it| word(it, "`order`", &ORDERS, problems));
    fields.close(problems);
    Permissions { rules, default, order, ..Permissions::default() }
}

/// The list below `guards`.
pub(super) fn guards(node: &Node, problems: &mut Problems<'_>) -> Vec<Guard> {
    let names = Guard::ALL.map(Guard::name);
    let nodes = items(node, "`guards`", problems).unwrap_or_default();
    let guard = |node: &Node| {
        let name = text(node, "a guard", problems)?;
        let found = Guard::ALL.into_iter().find(|it| it.name() == name);
        if found.is_none() {
            let hint = match nearest(name, names.into_iter()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("there is {}", list(&names)),
            };
            let message = format!("there is no guard `{name}`");
            problems.report_with_hint(Code::Settings, &node.span, message, hint);
        }
        found
    };
    nodes.iter().filter_map(guard).collect()
}

/// One rule: a text, or a mapping with the text, what to say and examples.
fn rule(
    node: &Node,
    (decision, layer): (Decision, Layer),
    problems: &mut Problems<'_>,
) -> Option<RuleSpec> {
    let Data::Map(_) = &node.data else {
        let rule = parsed(node, decision, problems)?;
        return Some(spec(rule, None, (node, layer), problems.source));
    };
    let mut fields = Fields::open(node, "a rule", problems)?;
    let written = fields.required("rule", problems);
    let reason = fields.optional("reason").and_then(|it| text(it, "`reason`", problems));
    let (matches, others) = (fields.optional("matches"), fields.optional("not_matches"));
    fields.close(problems);
    let rule = parsed(written?, decision, problems)?;
    let mut holds = true;
    for (examples, expected) in [(matches, true), (others, false)] {
        let Some(examples) = examples else { continue };
        for example in items(examples, "examples", problems).unwrap_or_default() {
            holds &= check(&rule, example, expected, problems);
        }
    }
    // A rule that is not what its author thinks may refuse all the same, and must not allow.
    if !holds && decision == Decision::Allow {
        return None;
    }
    Some(spec(rule, reason, (node, layer), problems.source))
}

/// A rule as it is in force, with what it says.
type Said = (Rule, Decision, Option<String>);

fn spec(
    (rule, decision, said): Said,
    reason: Option<&str>,
    (node, layer): (&Node, Layer),
    source: &Source,
) -> RuleSpec {
    let reason = said.or_else(|| reason.map(str::to_owned));
    RuleSpec { rule, decision, reason, layer, origin: source.origin(&node.span) }
}

/// Reads a rule. One that should refuse and cannot be read asks about all it may be about.
fn parsed(node: &Node, decision: Decision, problems: &mut Problems<'_>) -> Option<Said> {
    let written = text(node, "a rule", problems)?;
    let RuleError { message, hint } = match Rule::parse(written) {
        Ok(rule) => return Some((rule, decision, None)),
        Err(error) => error,
    };
    let reason = format!("`{written}` should refuse something and cannot be read: {message}");
    problems.report_with_hint(Code::Rule, &node.span, message, hint);
    let tool = written.split('(').next().unwrap_or_default();
    let wide = Rule::parse(tool).or_else(|_| Rule::parse("*")).ok()?;
    (decision >= Decision::Ask).then_some((wide, Decision::Ask, Some(reason)))
}

/// Whether a rule does with an example what the example says.
fn check(
    (rule, decision, _): &Said,
    node: &Node,
    expected: bool,
    problems: &mut Problems<'_>,
) -> bool {
    let (tool, input) = match &node.data {
        Data::Map(_) => (rule.some_tool(), node.to_json()),
        _ => match text(node, "an example", problems) {
            Some(example) => rule.call_like(example),
            None => return false,
        },
    };
    let answer = try_on(rule, *decision, (&tool, input));
    let wrong = match (&answer, expected) {
        (Hit::Yes, true) | (Hit::No, false) => return true,
        (Hit::Yes, false) => "matches this".to_owned(),
        (Hit::No, true) => "does not match this".to_owned(),
        (Hit::Perhaps(why), _) => format!("cannot tell whether it matches this: {why}"),
    };
    let message = format!("the rule `{rule}` {wrong}");
    let hint = if expected { "it stands below `matches`" } else { "it stands below `not_matches`" };
    problems.report_with_hint(Code::RuleExample, &node.span, message, hint);
    false
}

/// What a rule says about a call on a disk that nobody has: allowing needs proof.
fn try_on(rule: &Rule, decision: Decision, (tool, input): (&str, Value)) -> Hit {
    let fields: Map<String, Value> =
        [("tool_name".to_owned(), json!(tool)), ("tool_input".to_owned(), input)]
            .into_iter()
            .collect();
    let scene = Scene { root: Arc::new(PathBuf::from("/project")), terrain: Arc::new(Paper) };
    let event = Event::new(EventKind::PreToolUse, fields).set_in(scene);
    match Call::of(&event) {
        Some(call) if decision >= Decision::Ask => rule.forbids(&call),
        Some(call) if rule.proves(&call) => Hit::Yes,
        Some(_) | None => Hit::No,
    }
}

/// A disk on paper: no links, and a home.
#[derive(Debug)]
struct Paper;

impl Terrain for Paper {
    fn home(&self) -> Option<&Path> {
        Some(Path::new("/somebody"))
    }

    fn real(&self, path: &Path) -> Result<PathBuf, Lost> {
        Ok(plain(path))
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        one == other
    }
}

/// The schema of `permissions`.
pub(super) fn schema() -> Value {
    let example = json!({ "type": "array", "items": { "anyOf": [
        { "type": "string", "minLength": 1, "pattern": "\\S" }, { "type": "object" }
    ] } });
    let text = json!({ "type": "string", "minLength": 1, "pattern": "\\S" });
    let rules = |what: &str| {
        json!({ "description": what, "type": "array", "items": { "anyOf": [
            text,
            { "type": "object", "additionalProperties": false, "required": ["rule"], "properties": {
                "rule": text,
                "reason": { "type": "string", "minLength": 1, "pattern": "\\S", "description": "What to tell whoever is refused" },
                "matches": example,
                "not_matches": example
            } }
        ] } })
    };
    json!({
        "description": "Rules about tool calls: Tool, or Tool(what) such as Bash(git push *)",
        "type": ["object", "null"],
        "additionalProperties": false,
        "properties": {
            "allow": rules("Calls that need no asking"),
            "ask": rules("Calls that a person is asked about"),
            "deny": rules("Calls that are refused"),
            "default": { "enum": LISTS.map(|it| it.0), "description": "What holds where neither a rule nor a hook speaks" },
            "order": { "enum": ORDERS.map(|it| it.0), "description": "Whether rules also judge a call before hooks rewrite it", "default": "rules_first" }
        }
    })
}

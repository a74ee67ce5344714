//! Our own hook files: `.becket/hooks/*.yaml`, one hook a file, in the shape of Open Agent Harness
//! with more allowed.

mod lint;
mod schema;

use super::decode::{Fields, boolean, integer, list, one_or_more, text, word, words};
use super::oah::handler::{duration, handler, only_one};
use super::oah::{Grammar, Named, capabilities, name, on_failure, read_with};
use super::tree::{Data, Node, Problems};
use super::{Arc, Care, Code, Disabled, File, Handler, HookSpec, Loaded, Mode, Place, World};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::hook::Budget;
use crate::matcher::Matcher;
use crate::patch::Capability;
use crate::profile::Profile;
use crate::rule::{Rule, RuleError};
use crate::verdict::OnFailure;

pub use self::schema::schema;

/// What a role says about failures.
const ROLES: [(&str, OnFailure); 2] = [("guard", OnFailure::Deny), ("observer", OnFailure::Allow)];

const MODES: [&str; 4] = ["enforce", "warn", "shadow", "canary"];

/// The most that a budget may grant.
const MAX_TOKENS: i64 = 1_000_000;
const MAX_TURNS: i64 = 1_000;
/// How far a hook may move from its neighbours.
const MAX_ORDER: i64 = 1_000_000;

/// Reads the hooks of one folder, or of one file.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    read_with(Grammar { hook, lint: lint::lint }, place, files, (world, care))
}

fn hook(place: &Place, root: &Node, problems: &mut Problems<'_>) -> Named {
    let Some(mut fields) = Fields::open(root, "a hook", problems) else {
        return (None, None);
    };
    let fields = &mut fields;
    let name_node = fields.required("name", problems);
    let name = name_node.and_then(|node| name(node, problems));
    let description = fields.optional("description");
    let description = description.and_then(|node| text(node, "`description`", problems));
    let events = fields.required("events", problems).and_then(|node| events(place, node, problems));
    let matcher = fields.optional("matcher").and_then(|node| matcher(place, node, problems));
    let handler = fields
        .required("handler", problems)
        .and_then(|it| Some((handler(place, it, problems)?, it)));
    let only_if = fields.optional("if").map(|node| rules(node, problems));
    let condition = fields.optional("condition");
    let condition = condition.and_then(|node| text(node, "`condition`", problems));
    let policy = policy(fields, problems);
    let mode = mode(fields, problems);
    let order = fields.optional("order");
    let order = order.and_then(|node| integer(node, "`order`", -MAX_ORDER..=MAX_ORDER, problems));
    let enabled = fields.optional("enabled").and_then(|it| boolean(it, "`enabled`", problems));
    let capabilities = declared(place, fields, problems);
    let terms = terms(fields, handler.as_ref().map(|it| (&it.0.0, it.1)), problems);
    let own = fields.optional("timeout").map(|node| (duration(node, problems), node));
    fields.close(problems);
    let origin = problems.source.origin(&name_node.map_or(0..0, |node| node.span.clone()));
    let spec = || {
        let ((handler, timeout), node) = handler?;
        let timeout = only_one(timeout.map(|it| (Some(it), node)), own, problems);
        let hook = place.hook(name.clone()?, events?, handler, origin);
        let off = || Disabled::Off { by: "`enabled: false` in its file".to_owned() };
        Some(HookSpec {
            description: description.map(str::to_owned),
            matcher,
            timeout,
            capabilities: capabilities?,
            on_failure: policy,
            only_if: only_if.unwrap_or_default(),
            condition: condition.map(str::to_owned),
            mode: mode.unwrap_or_default(),
            order: order.unwrap_or_default(),
            inherits: terms.inherits,
            budget: terms.budget,
            // Whatever becomes of the others, this one stays off.
            disabled: (enabled == Some(false)).then(off).or(hook.disabled.clone()),
            ..hook
        })
    };
    let spec = spec();
    (name, spec)
}

/// The events of a hook, by any name that any system has for them.
fn events(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<Vec<EventKind>> {
    let nodes = one_or_more(node, "`events`", place.compat, problems)?;
    let mut kinds: Vec<EventKind> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(kind) = event(place, node, problems) else { continue };
        if kinds.contains(&kind) {
            let message = format!("this event is already listed: it is `{}`", kind.name());
            problems.report(Code::Schema, &node.span, message);
        }
        kinds.push(kind);
    }
    (kinds.len() == nodes.len()).then_some(kinds)
}

fn event(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<EventKind> {
    let name = text(node, "an event", problems)?;
    let custom = place.events.iter().find(|it| it.name == name);
    let custom = custom.map(|it| EventKind::Custom(Arc::clone(it)));
    if let Some(kind) = custom.or_else(|| EventKind::named(name)) {
        return Some(kind);
    }
    let known = event_names();
    let custom = place.events.iter().map(|it| it.name.as_str());
    let hint = match nearest(name, known.iter().copied().chain(custom)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`becket list --events` shows all of them; settings can declare more".to_owned(),
    };
    let message = format!("there is no event `{name}`");
    problems.report_with_hint(Code::UnknownEvent, &node.span, message, hint);
    None
}

/// Every name of every event.
fn event_names() -> Vec<&'static str> {
    static KNOWN: &[EventKind] = &EventKind::KNOWN;
    let mut names: Vec<&'static str> =
        KNOWN.iter().flat_map(|kind| std::iter::once(kind.name()).chain(kind.aliases())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A matcher that cannot be read makes the hook unusable: it would never fire.
fn matcher(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let text = match &node.data {
        Data::Text(text) => text,
        other => {
            let message = format!("`matcher` must be text, not {}", other.what());
            problems.report_with_hint(Code::Schema, &node.span, message, "put it in quotes");
            return None;
        }
    };
    let language = Profile::of(place.dialect, place.compat).matcher;
    if let Err(error) = Matcher::new(language, text).validate() {
        let hint = error.hint.clone().unwrap_or_else(|| "as it is, it never matches".to_owned());
        problems.report_with_hint(Code::Matcher, &node.span, error.message.clone(), hint);
    }
    Some(text.clone())
}

/// One rule, or a list of them.
fn rules(node: &Node, problems: &mut Problems<'_>) -> Vec<Rule> {
    let nodes = match &node.data {
        Data::Text(_) => std::slice::from_ref(node),
        Data::List(nodes) if !nodes.is_empty() => nodes,
        other => {
            let message = format!("`if` must be a rule or a list of rules, not {}", other.what());
            let hint = "such as `if: Bash(git push *)`";
            problems.report_with_hint(Code::Schema, &node.span, message, hint);
            return Vec::new();
        }
    };
    nodes.iter().filter_map(|it| rule(it, problems)).collect()
}

/// One rule, as permissions are written.
pub(super) fn rule(node: &Node, problems: &mut Problems<'_>) -> Option<Rule> {
    let written = text(node, "a rule", problems)?;
    match Rule::parse(written) {
        Ok(rule) => Some(rule),
        Err(RuleError { message, hint }) => {
            problems.report_with_hint(Code::Rule, &node.span, message, hint);
            None
        }
    }
}

/// What a failure means: said outright, or by the role.
fn policy(fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<OnFailure> {
    let role = fields.optional("role").and_then(|it| word(it, "`role`", &ROLES, problems));
    let node = fields.optional("on_failure");
    let own = node.and_then(|it| on_failure(it, problems));
    if let (Some(role), Some(own), Some(node)) = (role, own, node)
        && role != own
    {
        let message = format!("the role already says `{}`; this says otherwise", role.name());
        let hint = "a guard fails closed, an observer fails open; keep one of the two fields";
        problems.report_with_hint(Code::Schema, &node.span, message, hint);
    }
    own.or(role)
}

fn mode(fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<Mode> {
    let node = fields.optional("mode");
    let share = fields.optional("canary_percent");
    let percent = share.and_then(|it| integer(it, "`canary_percent`", 1..=100, problems));
    let name = match node {
        Some(node) => {
            let known = MODES.map(|it| (it, it));
            Some((word(node, "`mode`", &known, problems)?, node))
        }
        None => None,
    };
    let mode = match name {
        None | Some(("enforce", _)) => Mode::Enforce,
        Some(("warn", _)) => Mode::Warn,
        Some(("shadow", _)) => Mode::Shadow,
        Some((_, node)) => {
            if share.is_none() {
                let hint = "such as `canary_percent: 10`";
                let message =
                    "a canary needs `canary_percent`: in how many of a hundred sessions it counts";
                problems.report_with_hint(Code::Field, &node.span, message, hint);
            }
            return Some(Mode::Canary(u8::try_from(percent?).unwrap_or(100)));
        }
    };
    if let Some(share) = share {
        let hint = "write `mode: canary`, or leave it out";
        let message = "only a canary has a share of sessions";
        problems.report_with_hint(Code::Schema, &share.span, message, hint);
    }
    Some(mode)
}

fn declared(
    place: &Place,
    fields: &mut Fields<'_>,
    problems: &mut Problems<'_>,
) -> Option<Vec<Capability>> {
    match fields.optional("capabilities") {
        Some(node) => capabilities(place, node, problems),
        None => Some(Vec::new()),
    }
}

/// On which terms the handler runs.
#[derive(Default)]
struct Terms {
    inherits: Option<Vec<String>>,
    budget: Budget,
}

fn terms(
    fields: &mut Fields<'_>,
    handler: Option<(&Handler, &Node)>,
    problems: &mut Problems<'_>,
) -> Terms {
    let mut terms = Terms::default();
    let handler = handler.map(|it| it.0);
    if let Some(node) = fields.optional("env") {
        terms.inherits = words(node, "`env`", problems);
        let mut names = terms.inherits.iter().flatten();
        if let Some(odd) = names.find(|it| !is_variable(it)) {
            let message = format!("`{odd}` is not the name of a variable");
            let hint =
                "`env` lists names that are inherited; values go into the handler's `environment`";
            problems.report_with_hint(Code::Env, &node.span, message, hint);
        }
        if handler.is_some_and(|it| !matches!(it, Handler::Command { .. })) {
            problems.report(Code::Schema, &node.span, "only a command inherits variables");
        }
    }
    if let Some(node) = fields.optional("budget") {
        terms.budget = budget(node, problems).unwrap_or_default();
        let allowed: &[&str] = match handler {
            None | Some(Handler::Agent { .. }) => &["tokens", "turns"],
            Some(Handler::Prompt { .. }) => &["tokens"],
            Some(_) => &[],
        };
        let given = [("tokens", terms.budget.tokens), ("turns", terms.budget.turns)];
        let odd = given.iter().find(|it| it.1.is_some() && !allowed.contains(&it.0));
        if let Some((odd, _)) = odd {
            let message = format!("this handler does not spend `{odd}`");
            let hint = match allowed {
                [] => "only prompt and agent hooks have a budget".to_owned(),
                allowed => format!("its budget has {}", list(allowed)),
            };
            problems.report_with_hint(Code::Schema, &node.span, message, hint);
        }
    }
    terms
}

fn budget(node: &Node, problems: &mut Problems<'_>) -> Option<Budget> {
    let mut fields = Fields::open(node, "`budget`", problems)?;
    let mut amount = |key: &'static str, most: i64, problems: &mut Problems<'_>| {
        let node = fields.optional(key)?;
        integer(node, &format!("`{key}`"), 1..=most, problems).and_then(|it| u32::try_from(it).ok())
    };
    let tokens = amount("tokens", MAX_TOKENS, problems);
    let turns = amount("turns", MAX_TURNS, problems);
    fields.close(problems);
    if (tokens, turns) == (None, None) {
        problems.report(Code::Field, &node.span, "`budget` needs `tokens` or `turns`");
    }
    Some(Budget { tokens, turns })
}

fn is_variable(name: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(in_name) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty()
}

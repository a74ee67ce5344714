//! Open Agent Harness: `.openharness/hooks/*.yaml`, one hook a file.
//!
//! Our own files have the same shape, so [`super::becket`] reads them with what stands here.

pub(super) mod handler;
pub(super) mod lint;
pub(super) mod schema;

use std::ops::Range;
use std::path::Path;

use super::decode::{Fields, items, kinds_named, list, matcher_text, one_or_more, text};
use super::tree::{Format, Node, Problems, Source, parse_whole};
use super::{
    Arc, Care, Code, Compat, Diagnostic, Dialect, File, HookSpec, Loaded, Place, Profile, Refused,
    World, env,
};
use crate::diagnostic::nearest;
use crate::event::EventKind;
use crate::patch::{Capability, Scope};
use crate::profile::Order;
use crate::verdict::OnFailure;

pub(super) use self::handler::check_header;
pub use self::schema::schema;

/// The name of each capability in the program's schema, and in its documentation.
const CAPABILITIES: [(Capability, &str, &str); 6] = [
    (Capability::Rewrite(Scope::Context), "rewrite_context", "patch_context"),
    (Capability::Rewrite(Scope::ModelRequest), "rewrite_model_request", "patch_model_request"),
    (Capability::Rewrite(Scope::ModelResponse), "rewrite_model_response", "patch_model_response"),
    (Capability::Rewrite(Scope::ToolInput), "rewrite_tool_request", "patch_tool_input"),
    (Capability::Rewrite(Scope::ToolOutput), "rewrite_tool_response", "patch_tool_output"),
    (Capability::SuppressOutput, "suppress_output", "suppress_output"),
];

/// The name a capability has in the program's schema.
pub(crate) fn capability_name(capability: Capability) -> &'static str {
    CAPABILITIES.iter().find(|row| row.0 == capability).map_or("rewrite_prompt", |row| row.1)
}

/// A hook's name, where it could be read, and the hook itself unless something is wrong with it.
pub(super) type Named = (Option<String>, Option<HookSpec>);

/// How a dialect of one hook a file reads and looks at one.
#[derive(Clone, Copy)]
pub(super) struct Grammar {
    /// Reads it.
    pub(super) hook: fn(&Place, &Node, &mut Problems<'_>) -> Named,
    /// Reports what does not stop it from being loaded.
    pub(super) lint: fn(&HookSpec, &Node, &dyn World, &mut Problems<'_>),
}

/// Reads the hooks of one folder, or of one file.
pub(super) fn read(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut loaded = read_with(Grammar { hook, lint: lint::lint }, place, files, (world, care));
    sort(place, care, &mut loaded);
    loaded
}

/// The same in a grammar of the same shape.
pub(super) fn read_with(
    grammar: Grammar,
    place: &Place,
    files: &[File],
    outside: (&dyn World, Care),
) -> Loaded {
    let mut loaded = Loaded::default();
    for file in files {
        if place.compat == Compat::Exact && !has_extension(&file.path, "yaml") {
            continue;
        }
        match parse_whole(file, Format::Yaml) {
            Ok((source, root, found)) if found.is_empty() => {
                add(grammar, place, (&source, root), (outside, &mut loaded));
            }
            Ok((_, root, found)) => {
                let refused = place.refused(&file.path, None, &found);
                refuse(&mut loaded, left_of(refused, place, &root), found);
            }
            Err(found) => refuse(&mut loaded, place.refused(&file.path, None, &found), found),
        }
    }
    loaded
}

/// Adds the hook of one file, or says why it cannot be loaded.
fn add(
    grammar: Grammar,
    place: &Place,
    (source, mut root): (&Source, Node),
    ((world, care), loaded): ((&dyn World, Care), &mut Loaded),
) {
    let mut problems = Problems::new(source);
    env::expand(&mut root, world, &mut problems);
    let (name, spec) = (grammar.hook)(place, &root, &mut problems);
    if let Some(node) = lint::find(&root, &["name"]) {
        report_taken(name.as_deref(), node, &mut problems, loaded);
    }
    // Whatever was reported so far makes the hook unusable; the lints do not.
    match spec {
        Some(spec) if problems.found.is_empty() => {
            if care == Care::Every {
                (grammar.lint)(&spec, &root, world, &mut problems);
            }
            loaded.diagnostics.append(&mut problems.found);
            loaded.specs.push(spec);
        }
        Some(_) | None => {
            let refused = place.refused(&source.path, name, &problems.found);
            refuse(loaded, left_of(refused, place, &root), problems.found);
        }
    }
}

/// Of two hooks with one name neither runs: nobody can tell which of them was meant.
fn report_taken(name: Option<&str>, node: &Node, problems: &mut Problems<'_>, loaded: &mut Loaded) {
    let Some(name) = name else { return };
    let refused = loaded.refused.iter().find(|it| it.name.as_deref() == Some(name));
    let at = loaded.specs.iter().position(|it| it.name == name);
    let first = at.and_then(|at| loaded.specs.get(at)).map(|it| &it.origin);
    let Some(first) = first.or(refused.map(|it| &it.why.origin)) else { return };
    let message = format!("the name `{name}` is already taken by {first}");
    let hint = "give one of them another name; until then neither runs";
    problems.report_with_hint(Code::DupName, &node.span, message, hint);
    if let (Some(at), Some(why)) = (at, problems.found.last()) {
        let first = loaded.specs.remove(at);
        loaded.refused.push(Refused::instead_of(first, why.clone()));
    }
}

fn refuse(loaded: &mut Loaded, refused: Refused, found: Vec<Diagnostic>) {
    loaded.refused.push(refused);
    loaded.diagnostics.extend(found);
}

/// What a hook that cannot be loaded was written for, as far as that can be read.
fn left_of(refused: Refused, place: &Place, root: &Node) -> Refused {
    let events = lint::find(root, &["events"]);
    let events = events.map_or_else(Vec::new, |it| kinds_named(it, &place.events));
    refused.about(events, matcher_text(root))
}

fn hook(place: &Place, root: &Node, problems: &mut Problems<'_>) -> Named {
    let Some(mut fields) = Fields::open(root, "a hook", problems) else {
        return (None, None);
    };
    let name_node = fields.required("name", problems);
    let name = name_node.and_then(|node| name(node, problems));
    let events = fields.required("events", problems).and_then(|node| events(place, node, problems));
    let matcher = fields.optional("matcher").map(|node| text(node, "`matcher`", problems));
    let handler = fields
        .required("handler", problems)
        .and_then(|node| handler::handler(place, node, problems));
    let capabilities = match fields.optional("capabilities") {
        Some(node) => capabilities(place, node, problems),
        None => Some(Vec::new()),
    };
    let on_failure = match place.compat {
        Compat::Safe => fields.optional("on_failure").map(|node| on_failure(node, problems)),
        Compat::Exact => None,
    };
    fields.close(problems);
    let origin = problems.source.origin(&name_node.map_or(0..0, |node| node.span.clone()));
    let spec = || {
        let (handler, timeout) = handler?;
        Some(HookSpec {
            matcher: matcher.flatten().map(str::to_owned),
            timeout,
            capabilities: capabilities?,
            on_failure: on_failure.flatten(),
            ..place.hook(name.clone()?, events?, handler, origin)
        })
    };
    (name.clone(), spec())
}

pub(super) fn name(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let name = text(node, "`name`", problems)?;
    if name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
        return Some(name.to_owned());
    }
    let hint = "use letters, digits, `.`, `_` and `-`";
    problems.report_with_hint(
        Code::Name,
        &node.span,
        format!("`{name}` is not a name for a hook"),
        hint,
    );
    None
}

fn events(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<Vec<EventKind>> {
    let nodes = one_or_more(node, "`events`", place.compat, problems)?;
    let kinds: Vec<_> = nodes.iter().filter_map(|it| event(place, it, problems)).collect();
    report_twice(nodes, "event", problems);
    (kinds.len() == nodes.len()).then_some(kinds)
}

fn event(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<EventKind> {
    let name = text(node, "an event", problems)?;
    let custom = place.events.iter().find(|it| it.name == name);
    let known = EventKind::KNOWN.into_iter().find(|kind| kind.name_in(Dialect::Oah) == Some(name));
    if let Some(kind) = known.or_else(|| custom.map(|it| EventKind::Custom(Arc::clone(it)))) {
        return Some(kind);
    }
    let names = event_names();
    let alias = EventKind::named(name);
    let alias = alias.as_ref().and_then(|kind| kind.name_in(Dialect::Oah));
    let hint = match alias.or_else(|| nearest(name, names.iter().copied())) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("this dialect has: {}", list(&names)),
    };
    problems.report_with_hint(
        Code::UnknownEvent,
        &node.span,
        format!("there is no event `{name}`"),
        hint,
    );
    None
}

/// The names of the dialect's events, in the order in which a run meets them.
fn event_names() -> Vec<&'static str> {
    static KNOWN: &[EventKind] = &EventKind::KNOWN;
    KNOWN.iter().filter_map(|kind| kind.name_in(Dialect::Oah)).collect()
}

pub(super) fn capabilities(
    place: &Place,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Option<Vec<Capability>> {
    let nodes = items(node, "`capabilities`", problems)?;
    let documented = Profile::of(place.dialect, place.compat).documented_capabilities;
    let mut found = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(name) = text(node, "a capability", problems) else { continue };
        let row = CAPABILITIES.iter().find(|row| row.1 == name || documented && row.2 == name);
        match row {
            Some(row) => found.push(row.0),
            None => report_capability(name, documented, &node.span, problems),
        }
    }
    report_twice(nodes, "capability", problems);
    (found.len() == nodes.len()).then_some(found)
}

fn report_capability(
    name: &str,
    documented: bool,
    span: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let mut names: Vec<_> = CAPABILITIES.iter().map(|row| row.1).collect();
    if documented {
        names.extend(CAPABILITIES.iter().map(|row| row.2).filter(|it| it.starts_with("patch")));
    }
    let only_documented = CAPABILITIES.iter().find(|row| row.2 == name);
    let hint = match (only_documented, nearest(name, names.iter().copied())) {
        (Some(row), _) => format!("the program itself calls it `{}`", row.1),
        (None, Some(known)) => format!("did you mean `{known}`?"),
        (None, None) => format!("one of {}", list(&names)),
    };
    problems.report_with_hint(
        Code::Capability,
        span,
        format!("there is no capability `{name}`"),
        hint,
    );
}

pub(super) fn on_failure(node: &Node, problems: &mut Problems<'_>) -> Option<OnFailure> {
    let word = text(node, "`on_failure`", problems)?;
    let policies = [OnFailure::Allow, OnFailure::Ask, OnFailure::Deny];
    let found = policies.into_iter().find(|policy| policy.name() == word);
    if found.is_none() {
        let message = format!("`{word}` says nothing about failures");
        problems.report_with_hint(
            Code::Schema,
            &node.span,
            message,
            "write `allow`, `ask` or `deny`",
        );
    }
    found
}

pub(super) fn report_twice(nodes: &[Node], what: &str, problems: &mut Problems<'_>) {
    for (index, node) in nodes.iter().enumerate() {
        if nodes.iter().take(index).any(|it| it.data == node.data) {
            problems.report(Code::Schema, &node.span, format!("this {what} is already listed"));
        }
    }
}

/// The original keeps hooks in an object, which lists keys that look like array indices first.
fn sort(place: &Place, care: Care, loaded: &mut Loaded) {
    let index =
        |spec: &HookSpec| spec.name.parse::<u32>().ok().filter(|it| it.to_string() == spec.name);
    match Profile::of(place.dialect, place.compat).order {
        Order::ScriptObject => {
            loaded.specs.sort_by_key(|spec| index(spec).map_or((1, 0), |it| (0, it)));
        }
        Order::FileName | Order::Written if care == Care::Enough => (),
        Order::FileName | Order::Written => {
            let mut theirs: Vec<_> = loaded.specs.iter().collect();
            theirs.sort_by_key(|spec| index(spec).map_or((1, 0), |it| (0, it)));
            let ours = loaded.specs.iter();
            let moved = ours.zip(theirs).find(|(ours, theirs)| ours.name != theirs.name);
            if let Some((_, first)) = moved {
                let message = format!(
                    "the original runs `{}` before hooks whose names are not numbers",
                    first.name
                );
                loaded.diagnostics.push(Diagnostic {
                    code: Code::OrderChanged,
                    message,
                    origin: first.origin.clone(),
                    excerpt: None,
                    hint: Some(
                        "becket goes by file name; rename the hook to be independent of that"
                            .to_owned(),
                    ),
                });
            }
        }
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|it| it == extension)
}

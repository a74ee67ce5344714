//! One hook, field by field, as lax as the program reads it.

use std::ops::Range;
use std::time::Duration;

use super::super::decode::{Fields, list, texts};
use super::super::tree::{Data, Entry, Node, Problems};
use super::{Code, Compat, Diagnostic};
use crate::diagnostic::nearest;
use crate::hook::{Handler, Template, Text, weave};

/// In which file a hook stands: a settings file may leave out the type, a plugin may not.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shape {
    Settings,
    Plugin,
}

/// What became of one entry.
#[derive(Debug)]
pub(super) enum Read {
    /// A hook.
    Hook(Box<Written>),
    /// The program passes over it in silence; it is reported.
    Dropped,
    /// The program refuses the whole file on account of it; it is reported.
    Bad,
}

/// A hook as written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) handler: Handler,
    pub(super) timeout: Duration,
    pub(super) matcher: Option<String>,
    pub(super) blocks: bool,
    /// Where it says whether it blocks.
    pub(super) says_blocks: Option<Range<usize>>,
    /// Where its command, prompt or URL stands.
    pub(super) body: Range<usize>,
    pub(super) matcher_span: Range<usize>,
    pub(super) type_missing: bool,
    /// Whether `$ARGUMENTS` stands in quotes.
    pub(super) quoted: bool,
    /// Values that are read as something else than they are.
    coerced: Coerced,
    /// What the program takes without a word, and its author would want to know.
    pub(super) harmless: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Command,
    Prompt,
    Http,
    Agent,
}

impl Kind {
    /// In the order in which the program tries them.
    const ALL: [Self; 4] = [Self::Command, Self::Prompt, Self::Http, Self::Agent];

    const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Prompt => "prompt",
            Self::Http => "http",
            Self::Agent => "agent",
        }
    }

    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Command => &["command"],
            Self::Prompt | Self::Agent => &["prompt", "model"],
            Self::Http => &["url", "headers"],
        }
    }

    /// The default and the longest timeout, in seconds, and whether it blocks unless told otherwise.
    const fn defaults(self) -> (u32, u32, bool) {
        match self {
            Self::Command | Self::Http => (30, 600, false),
            Self::Prompt => (30, 600, true),
            Self::Agent => (60, 1200, true),
        }
    }
}

const COMMON: [&str; 4] = ["type", "timeout_seconds", "matcher", "block_on_failure"];

/// Reads one entry.
pub(super) fn read(compat: Compat, shape: Shape, node: &Node, problems: &mut Problems<'_>) -> Read {
    let Data::Map(entries) = &node.data else {
        let message = format!("a hook is a mapping, not {}", node.data.what());
        problems.report(Code::Schema, &node.span, message);
        return Read::Bad;
    };
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    if let Some(inner) = find("hooks").filter(|_| find("command").is_none()) {
        let hint = "write each of them as a hook of its own, with its own `matcher`";
        let message = "this dialect has no groups of hooks; Claude Code has";
        problems.report_with_hint(Code::Nested, &inner.key_span, message, hint);
        return Read::Bad;
    }
    if let Some(dropped) = dropped(compat, shape, (node, find("type")), problems) {
        return dropped;
    }
    let mut tries: Vec<Try> =
        Kind::ALL.into_iter().map(|kind| attempt(kind, node, problems)).collect();
    let best = tries.iter().filter(|it| it.written.is_some()).map(|it| it.known).max();
    let chosen = match best {
        Some(best) => tries.iter().position(|it| it.written.is_some() && it.known == best),
        None => blamed(entries),
    };
    let Try { kind, written, found, .. } = tries.swap_remove(chosen.unwrap_or_default());
    let Some(mut written) = written else {
        problems.found.extend(found);
        return Read::Bad;
    };
    written.harmless = harmless(kind, entries, &written, problems);
    Read::Hook(Box::new(written))
}

/// In a plugin the type says who reads the entry, and without a reader it is gone.
fn dropped(
    compat: Compat,
    shape: Shape,
    (node, kind): (&Node, Option<&Entry>),
    problems: &mut Problems<'_>,
) -> Option<Read> {
    let known =
        |entry: &Entry| Kind::ALL.iter().any(|it| entry.value.data == Data::Text(it.name().into()));
    match (shape, kind) {
        (Shape::Settings, _) => None,
        (Shape::Plugin, None) => {
            let message = "a plugin's hook without `type` is never registered by the original";
            problems.report_with_hint(
                Code::TypeDefault,
                &node.span,
                message,
                "add `\"type\": \"command\"`",
            );
            (compat == Compat::Exact).then_some(Read::Dropped)
        }
        (Shape::Plugin, Some(kind)) if known(kind) => None,
        (Shape::Plugin, Some(kind)) => {
            report_kind(&kind.value, problems);
            Some(if compat == Compat::Exact { Read::Dropped } else { Read::Bad })
        }
    }
}

fn report_kind(node: &Node, problems: &mut Problems<'_>) {
    let names = Kind::ALL.map(Kind::name);
    let Data::Text(word) = &node.data else {
        let message = format!("`type` must be text, not {}", node.data.what());
        problems.report(Code::Schema, &node.span, message);
        return;
    };
    let hint = match nearest(word, names.into_iter()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("one of {}", list(&names)),
    };
    let message = format!("there is no handler `{word}`");
    problems.report_with_hint(Code::Handler, &node.span, message, hint);
}

/// Whose complaints are told when no kind fits: the one that the entry names, or looks like.
fn blamed(entries: &[Entry]) -> Option<usize> {
    let named = |kind: &Kind| {
        entries.iter().any(|it| it.key == "type" && it.value.data == Data::Text(kind.name().into()))
    };
    let alike =
        |kind: &Kind| entries.iter().any(|it| kind.fields().first() == Some(&it.key.as_str()));
    Kind::ALL.iter().position(named).or_else(|| Kind::ALL.iter().position(alike))
}

/// An entry read as one kind of hook.
struct Try {
    kind: Kind,
    /// How many fields that kind knows of it.
    known: usize,
    written: Option<Written>,
    found: Vec<Diagnostic>,
}

fn attempt(kind: Kind, node: &Node, problems: &Problems<'_>) -> Try {
    let mut own = Problems::new(problems.source);
    let written = written(kind, node, &mut own).filter(|_| own.found.is_empty());
    let known = match &node.data {
        Data::Map(entries) => entries.iter().filter(|it| knows(kind, &it.key)).count(),
        _ => 0,
    };
    Try { kind, known, written, found: own.found }
}

fn knows(kind: Kind, key: &str) -> bool {
    COMMON.contains(&key) || kind.fields().contains(&key)
}

fn written(kind: Kind, node: &Node, problems: &mut Problems<'_>) -> Option<Written> {
    let mut fields = Fields::open(node, "a hook", problems)?;
    let type_node = fields.optional("type");
    if let Some(node) = type_node.filter(|it| it.data != Data::Text(kind.name().into())) {
        report_kind(node, problems);
    }
    let (default, longest, blocks) = kind.defaults();
    let mut coerced = Vec::new();
    let body = fields.required(kind.fields().first().copied()?, problems);
    let body_text = body.and_then(|it| string(it, kind.fields().first()?, problems));
    let handler = handler(kind, body_text, &mut fields, problems);
    let timeout =
        fields.optional("timeout_seconds").map(|it| seconds(it, longest, &mut coerced, problems));
    let matcher = fields.optional("matcher").filter(|it| it.data != Data::Null);
    let matcher_text = matcher.map(|it| string(it, "matcher", problems));
    let flag_node = fields.optional("block_on_failure");
    let flag = flag_node.map(|it| flag(it, &mut coerced, problems));
    let quoted = matches!(kind, Kind::Command)
        && body_text.is_some_and(|text| {
            weave(text, |rest| rest.starts_with("$ARGUMENTS").then_some((10, ""))).quoted
        });
    Some(Written {
        handler: handler?,
        timeout: Duration::from_secs(timeout.unwrap_or(Some(default))?.into()),
        matcher: match matcher_text {
            Some(text) => Some(text?.to_owned()),
            None => None,
        },
        blocks: flag.unwrap_or(Some(blocks))?,
        says_blocks: flag_node.map(|it| it.span.clone()),
        body: body?.span.clone(),
        matcher_span: matcher.map_or(0..0, |it| it.span.clone()),
        type_missing: type_node.is_none(),
        quoted,
        coerced,
        harmless: Vec::new(),
    })
}

fn handler(
    kind: Kind,
    body: Option<&str>,
    fields: &mut Fields<'_>,
    problems: &mut Problems<'_>,
) -> Option<Handler> {
    let mut model = |fields: &mut Fields<'_>| {
        let node = fields.optional("model").filter(|it| it.data != Data::Null);
        node.and_then(|it| string(it, "model", problems)).map(str::to_owned)
    };
    match kind {
        Kind::Command => {
            let environment = Vec::new();
            Some(Handler::Command { command: body?.to_owned(), args: None, cwd: None, environment })
        }
        Kind::Prompt => {
            let model_ref = model(fields);
            Some(Handler::Prompt { prompt: Text::Inline(body?.to_owned()), model_ref })
        }
        Kind::Agent => {
            let agent = model(fields).unwrap_or_default();
            Some(Handler::Agent { agent, task: Text::Inline(body?.to_owned()) })
        }
        Kind::Http => {
            let headers = match fields.optional("headers") {
                Some(node) => texts(node, "`headers`", problems)?,
                None => Vec::new(),
            };
            let literal = |(name, value, _)| (name, Template::literal(value));
            let headers = headers.into_iter().map(literal).collect();
            Some(Handler::Http { url: body?.to_owned(), method: "POST".to_owned(), headers })
        }
    }
}

fn string<'n>(node: &'n Node, what: &str, problems: &mut Problems<'_>) -> Option<&'n str> {
    match &node.data {
        Data::Text(text) => Some(text),
        other => {
            let message = format!("`{what}` must be text, not {}", other.what());
            problems.report(Code::Schema, &node.span, message);
            None
        }
    }
}

type Coerced = Vec<(Range<usize>, String)>;

fn seconds(
    node: &Node,
    longest: u32,
    coerced: &mut Coerced,
    problems: &mut Problems<'_>,
) -> Option<u32> {
    let number = match &node.data {
        Data::Number(text) => text.parse::<f64>().ok(),
        Data::Text(text) => text.trim().parse::<f64>().ok(),
        Data::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Data::Null | Data::List(_) | Data::Map(_) => None,
    };
    let whole = number.filter(|it| it.fract() == 0.0 && (1.0..=f64::from(longest)).contains(it));
    let Some(seconds) = whole.and_then(|it| format!("{it:.0}").parse::<u32>().ok()) else {
        let milliseconds = number.is_some_and(|it| it > f64::from(longest));
        let hint = if milliseconds {
            format!("from 1 to {longest}; this dialect counts seconds, not milliseconds")
        } else {
            format!("write a whole number from 1 to {longest}")
        };
        let message = "`timeout_seconds` is not a number of seconds that may be waited";
        problems.report_with_hint(Code::Timeout, &node.span, message, hint);
        return None;
    };
    if !matches!(node.data, Data::Number(_)) {
        coerced.push((node.span.clone(), format!("{} is read as {seconds}", node.data.what())));
    }
    Some(seconds)
}

fn flag(node: &Node, coerced: &mut Coerced, problems: &mut Problems<'_>) -> Option<bool> {
    const TRUE: [&str; 6] = ["true", "t", "yes", "y", "on", "1"];
    const FALSE: [&str; 6] = ["false", "f", "no", "n", "off", "0"];
    let word = match &node.data {
        Data::Bool(flag) => return Some(*flag),
        Data::Text(text) => text.to_lowercase(),
        Data::Number(text) => text.strip_suffix(".0").unwrap_or(text).to_owned(),
        Data::Null | Data::List(_) | Data::Map(_) => String::new(),
    };
    let flag = TRUE.contains(&&*word).then_some(true);
    let flag = flag.or_else(|| FALSE.contains(&&*word).then_some(false));
    if let Some(flag) = flag {
        coerced.push((node.span.clone(), format!("{} is read as {flag}", node.data.what())));
    } else {
        let message = "`block_on_failure` must be true or false";
        problems.report(Code::Schema, &node.span, message);
    }
    flag
}

fn harmless(
    kind: Kind,
    entries: &[Entry],
    written: &Written,
    problems: &Problems<'_>,
) -> Vec<Diagnostic> {
    let mut problems = Problems::new(problems.source);
    for entry in entries.iter().filter(|it| !knows(kind, &it.key)) {
        let known: Vec<_> = COMMON.iter().chain(kind.fields()).copied().collect();
        let hint = match nearest(&entry.key, known.iter().copied()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("a {} hook has: {}", kind.name(), list(&known)),
        };
        let message = format!("`{}` means nothing here", entry.key);
        problems.report_with_hint(Code::FieldIgnored, &entry.key_span, message, hint);
    }
    for (span, text) in &written.coerced {
        problems.report(Code::Coerced, span, text.clone());
    }
    problems.found
}

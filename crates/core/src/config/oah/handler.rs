//! What a hook of this dialect may run, field by field.

use std::ops::Range;
use std::path::{Component, Path};
use std::time::Duration;

use super::super::decode::{Fields, list, text, texts, words};
use super::super::tree::{Data, Node, Problems};
use super::{Code, Compat, Dialect, Place, Profile};
use crate::diagnostic::nearest;
use crate::hook::{Handler, Template, Text};
use crate::profile::{MAX_TIMEOUT, MIN_TIMEOUT};

const TYPES: [&str; 4] = ["command", "http", "prompt", "agent"];
pub(in crate::config) const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

type Decoded = Option<(Handler, Option<Duration>)>;

pub(in crate::config) fn handler(
    place: &Place,
    node: &Node,
    problems: &mut Problems<'_>,
) -> Decoded {
    let mut fields = Fields::open(node, "`handler`", problems)?;
    let kind =
        fields.required("type", problems).and_then(|it| Some((text(it, "`type`", problems)?, it)));
    // Without a type nothing can be said about the other fields.
    let (kind, kind_node) = kind?;
    let handler = match kind {
        "command" => command(place, &mut fields, problems),
        "http" => http(place, &mut fields, problems),
        "prompt" => prompt(place, &mut fields, problems),
        "agent" => agent(place, &mut fields, problems),
        other => {
            let hint = match nearest(other, TYPES.into_iter()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("one of {}", list(&TYPES)),
            };
            problems.report_with_hint(
                Code::Handler,
                &kind_node.span,
                format!("there is no handler `{other}`"),
                hint,
            );
            return None;
        }
    };
    let seconds = fields.optional("timeout_seconds").map(|it| (seconds(place, it, problems), it));
    let with_unit = is_ours(place).then(|| fields.optional("timeout")).flatten();
    let with_unit = with_unit.map(|it| (duration(it, problems), it));
    fields.close(problems);
    // A timeout that is none was reported, which makes the hook unusable.
    let timeout = only_one(seconds, with_unit, problems);
    Some((handler?, timeout))
}

/// Our own files may say more.
fn is_ours(place: &Place) -> bool {
    place.dialect == Dialect::Becket
}

/// One of two timeouts. Two of them would be a riddle.
pub(in crate::config) fn only_one(
    one: Option<(Option<Duration>, &Node)>,
    other: Option<(Option<Duration>, &Node)>,
    problems: &mut Problems<'_>,
) -> Option<Duration> {
    if let (Some(_), Some((_, node))) = (one, other) {
        problems.report(Code::Timeout, &node.span, "the hook has two timeouts; keep one");
    }
    one.or(other).and_then(|it| it.0)
}

fn command(place: &Place, fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<Handler> {
    let command_node = fields.required("command", problems);
    let command = command_node.and_then(|it| text(it, "`command`", problems));
    let args = is_ours(place).then(|| fields.optional("args")).flatten();
    let args = args.and_then(|it| words(it, "`args`", problems));
    let cwd = fields.optional("cwd").and_then(|it| text(it, "`cwd`", problems));
    let environment = match fields.optional("environment") {
        Some(node) => texts(node, "`environment`", problems)?,
        None => Vec::new(),
    };
    for (name, value, span) in &environment {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            problems.report(Code::Env, span, format!("`{name}` cannot be a variable"));
        }
    }
    let hint = "put the secret into `environment` and use the variable";
    refuse_secret(place, command_node, command, hint, problems);
    Some(Handler::Command {
        args,
        command: command?.to_owned(),
        cwd: cwd.map(str::to_owned),
        environment: templates(place, environment),
    })
}

fn http(place: &Place, fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<Handler> {
    let url_node = fields.required("url", problems);
    let url = url_node.and_then(|it| url(place, it, problems));
    refuse_secret(
        place,
        url_node,
        url,
        "secrets may stand in headers only, since URLs are logged",
        problems,
    );
    let method = match fields.optional("method") {
        None => Some("POST"),
        Some(node) => method(node, problems),
    };
    let headers = match fields.optional("headers") {
        Some(node) => texts(node, "`headers`", problems)?,
        None => Vec::new(),
    };
    if place.compat == Compat::Safe {
        for (name, value, span) in &headers {
            check_header(name, value, span, problems);
        }
    }
    Some(Handler::Http {
        url: url?.to_owned(),
        method: method?.to_owned(),
        headers: templates(place, headers),
    })
}

fn prompt(place: &Place, fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<Handler> {
    let prompt =
        fields.required("prompt", problems).and_then(|it| source(place, it, "`prompt`", problems));
    let model_ref = fields.optional("model_ref").and_then(|it| text(it, "`model_ref`", problems));
    Some(Handler::Prompt { prompt: prompt?, model_ref: model_ref.map(str::to_owned) })
}

fn agent(place: &Place, fields: &mut Fields<'_>, problems: &mut Problems<'_>) -> Option<Handler> {
    let agent = fields.required("agent", problems).and_then(|it| text(it, "`agent`", problems));
    let task =
        fields.required("task", problems).and_then(|it| source(place, it, "`task`", problems));
    Some(Handler::Agent { agent: agent?.to_owned(), task: task? })
}

/// A text written inline or in a file, exactly one of the two.
fn source(
    place: &Place,
    node: &Node,
    what: &'static str,
    problems: &mut Problems<'_>,
) -> Option<Text> {
    if let Data::Text(text) = &node.data {
        let first = text.lines().next().unwrap_or_default();
        let hint = format!("write `inline: {first}` below it, or `file:` with a path");
        problems.report_with_hint(
            Code::Schema,
            &node.span,
            format!("{what} must be a mapping, not text"),
            hint,
        );
        return None;
    }
    let mut fields = Fields::open(node, what, problems)?;
    let inline = fields.optional("inline").map(|it| text(it, "`inline`", problems));
    let file = fields.optional("file").map(|it| (text(it, "`file`", problems), it));
    fields.close(problems);
    match (inline, file) {
        (Some(inline), None) => Some(Text::Inline(inline?.to_owned())),
        (None, Some((file, node))) => {
            let file = file?;
            if place.compat == Compat::Safe && escapes(Path::new(file)) {
                let hint = "keep the file below the workspace, such as `prompts/` beside the hooks";
                problems.report_with_hint(
                    Code::PathEscape,
                    &node.span,
                    format!("`{file}` lies outside the workspace"),
                    hint,
                );
                return None;
            }
            Some(Text::File(file.to_owned()))
        }
        (Some(_), Some(_)) => {
            problems.report(
                Code::Schema,
                &node.span,
                format!("{what} has both `inline` and `file`; keep one"),
            );
            None
        }
        (None, None) => {
            problems.report(Code::Field, &node.span, format!("{what} needs `inline` or `file`"));
            None
        }
    }
}

/// Whether a path leads out of the folder it starts from.
fn escapes(path: &Path) -> bool {
    let mut depth = 0_i32;
    path.components().any(|component| {
        depth += match component {
            Component::Normal(_) => 1,
            Component::ParentDir => -1,
            Component::CurDir => 0,
            Component::Prefix(_) | Component::RootDir => i32::MIN / 2,
        };
        depth < 0
    })
}

fn seconds(place: &Place, node: &Node, problems: &mut Problems<'_>) -> Option<Duration> {
    let ceiling = MAX_TIMEOUT.as_secs();
    let hint = format!("write a whole number of seconds from 1 to {ceiling}");
    let number = match &node.data {
        Data::Number(text) => text.parse::<f64>().ok().filter(|it| it.fract() == 0.0 && *it >= 1.0),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    let Some(seconds) = number else {
        problems.report_with_hint(
            Code::Timeout,
            &node.span,
            "`timeout_seconds` is not a number of seconds",
            hint,
        );
        return None;
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(timeout) if timeout <= MAX_TIMEOUT => Some(timeout),
        _ if place.compat == Compat::Exact => Some(MAX_TIMEOUT),
        _ => {
            problems.report_with_hint(
                Code::Timeout,
                &node.span,
                format!("more than {ceiling} seconds"),
                hint,
            );
            None
        }
    }
}

/// A time with its unit, such as `250ms`, `5s` or `2m`; a number is in seconds.
pub(in crate::config) fn duration(node: &Node, problems: &mut Problems<'_>) -> Option<Duration> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let seconds = match &node.data {
        Data::Number(number) => number.parse::<f64>().ok(),
        Data::Text(text) => {
            let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let unit = text.strip_prefix(number).unwrap_or_default();
            let unit = UNITS.iter().find(|it| it.0 == unit);
            let plain = |it: &&str| it.chars().all(|c| c.is_ascii_digit() || c == '.');
            Some(number).filter(plain).and_then(|it| Some(it.parse::<f64>().ok()? * unit?.1))
        }
        Data::Null | Data::Bool(_) | Data::List(_) | Data::Map(_) => None,
    };
    let hint = "such as `250ms`, `5s` or `2m`, from 50ms to 1h";
    let Some(timeout) = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok()) else {
        problems.report_with_hint(Code::Timeout, &node.span, "this is not a time", hint);
        return None;
    };
    if (MIN_TIMEOUT..=MAX_TIMEOUT).contains(&timeout) {
        return Some(timeout);
    }
    let word = if timeout < MIN_TIMEOUT { "short" } else { "long" };
    problems.report_with_hint(Code::Timeout, &node.span, format!("this is too {word}"), hint);
    None
}

fn url<'n>(place: &Place, node: &'n Node, problems: &mut Problems<'_>) -> Option<&'n str> {
    let url = text(node, "`url`", problems)?;
    let problem = match place.compat {
        Compat::Exact => (!is_uri(url)).then_some("this is not a URI"),
        Compat::Safe => what_forbids_calling(url),
    };
    match problem {
        Some(problem) => {
            problems.report_with_hint(
                Code::Url,
                &node.span,
                problem,
                "such as `https://example.internal/hooks/check`",
            );
            None
        }
        None => Some(url),
    }
}

/// A scheme, and after it nothing that a URI would have to escape.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let in_rest = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/?#[]%".contains(c);
    let is_code = |after: &str| {
        after.get(..2).is_some_and(|code| code.chars().all(|c| c.is_ascii_hexdigit()))
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(in_scheme)
        && !rest.is_empty()
        && rest.chars().all(in_rest)
        && rest.split('%').skip(1).all(is_code)
}

fn what_forbids_calling(url: &str) -> Option<&'static str> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.map(|it| it.split(['/', '?', '#']).next().unwrap_or_default());
    match host {
        None => Some("the URL must start with `http://` or `https://`"),
        Some(host) if host.contains('@') => Some("a URL must not hold a user name or password"),
        Some(host) if host.is_empty() || host.starts_with(':') => Some("the URL names no host"),
        Some(_) if url.chars().any(|c| c.is_whitespace() || c.is_control()) => {
            Some("the URL holds a space")
        }
        Some(_) => None,
    }
}

fn method<'n>(node: &'n Node, problems: &mut Problems<'_>) -> Option<&'n str> {
    let method = text(node, "`method`", problems)?;
    if METHODS.contains(&method) {
        return Some(method);
    }
    problems.report_with_hint(
        Code::Method,
        &node.span,
        format!("there is no method `{method}`"),
        format!("one of {}, in capitals", list(&METHODS)),
    );
    None
}

pub(in crate::config) fn check_header(
    name: &str,
    value: &str,
    span: &Range<usize>,
    problems: &mut Problems<'_>,
) {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        problems.report(
            Code::Header,
            span,
            format!("`{}` cannot be the name of a header", name.escape_debug()),
        );
    } else if name.eq_ignore_ascii_case("host") || name.eq_ignore_ascii_case("content-length") {
        problems.report(Code::Header, span, format!("`{name}` is set by the request itself"));
    } else if value.chars().any(|c| c.is_control() && c != '\t') {
        problems.report(
            Code::Header,
            span,
            format!("the value of `{name}` holds a line break or control character"),
        );
    }
}

fn refuse_secret(
    place: &Place,
    node: Option<&Node>,
    text: Option<&str>,
    hint: &str,
    problems: &mut Problems<'_>,
) {
    let resolves = Profile::of(place.dialect, place.compat).resolve_secrets;
    if let (Some(node), Some(text)) = (node, text)
        && resolves
        && Template::parse(text).secrets().next().is_some()
    {
        problems.report_with_hint(Code::Secret, &node.span, "a secret must not stand here", hint);
    }
}

fn templates(place: &Place, pairs: Vec<(String, String, Range<usize>)>) -> Vec<(String, Template)> {
    let resolves = Profile::of(place.dialect, place.compat).resolve_secrets;
    let template =
        |text: String| if resolves { Template::parse(&text) } else { Template::literal(text) };
    pairs.into_iter().map(|(name, value, _)| (name, template(value))).collect()
}

//! HTTP hooks: where they call, and which variables their headers may tell.

use std::net::IpAddr;
use std::ops::Range;

use url::{Host, Url};

use super::super::decode::{items, texts};
use super::super::oah::check_header;
use super::super::tree::{Data, Entry, Node, Problems};
use super::group::find;
use super::handler::required;
use super::{Code, Compat};
use crate::hook::{Handler, Template};

pub(super) fn read(
    compat: Compat,
    node: &Node,
    entries: &[Entry],
    problems: &mut Problems<'_>,
) -> Option<Handler> {
    let url = required("url", (node, entries), problems)?;
    let at = find(entries, "url").map_or(0..0, |it| it.span.clone());
    let before = problems.found.len();
    let parsed = Url::parse(url).ok().filter(|it| matches!(it.scheme(), "http" | "https"));
    let Some(parsed) = parsed else {
        let message = "the URL must start with `http://` or `https://` and name a host";
        problems.report(Code::Url, &at, message);
        return None;
    };
    let allowed = allowed(entries, problems)?;
    let headers = match find(entries, "headers") {
        Some(node) => texts(node, "`headers`", problems)?,
        None => Vec::new(),
    };
    let templates: Vec<(String, Template)> = headers
        .iter()
        .map(|(name, value, _)| (name.clone(), Template::of_variables(value, &allowed)))
        .collect();
    if compat == Compat::Safe {
        let tells = templates.iter().any(|it| it.1.variables().next().is_some());
        check_url(&parsed, tells, &at, problems);
        for (name, value, span) in &headers {
            check_header(name, value, span, problems);
            check_variables(name, value, (&allowed, span), problems);
        }
        if problems.found.len() > before {
            return None;
        }
    }
    Some(Handler::Http { url: url.to_owned(), method: "POST".to_owned(), headers: templates })
}

fn allowed(entries: &[Entry], problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let Some(node) = find(entries, "allowedEnvVars") else { return Some(Vec::new()) };
    let mut names = Vec::new();
    for item in items(node, "`allowedEnvVars`", problems)? {
        match &item.data {
            Data::Text(name) => names.push(name.clone()),
            other => {
                let message = format!("the name of a variable must be text, not {}", other.what());
                problems.report(Code::Schema, &item.span, message);
                return None;
            }
        }
    }
    Some(names)
}

fn check_url(url: &Url, tells: bool, at: &Range<usize>, problems: &mut Problems<'_>) {
    if !url.username().is_empty() || url.password().is_some() {
        let message = "a URL must not hold a user name or password: it ends up in logs";
        let hint = "put them into a header, from a variable in `allowedEnvVars`";
        problems.report_with_hint(Code::UrlUserinfo, at, message, hint);
    }
    let address = match url.host() {
        Some(Host::Ipv4(it)) => Some(IpAddr::V4(it)),
        Some(Host::Ipv6(it)) => Some(it.to_canonical()),
        Some(Host::Domain(_)) | None => None,
    };
    let out_of_bounds = |it: &IpAddr| match it {
        IpAddr::V4(it) => it.is_link_local() || it.is_unspecified() || it.is_multicast(),
        IpAddr::V6(it) => it.is_unicast_link_local() || it.is_unspecified() || it.is_multicast(),
    };
    if let Some(address) = address.filter(out_of_bounds) {
        let message = format!("hooks may not connect to {address}");
        problems.report(Code::UrlPrivate, at, message);
    }
    let here = address.is_some_and(|it| it.is_loopback()) || url.host_str() == Some("localhost");
    if tells && url.scheme() == "http" && !here {
        let message = "a header from a variable would cross the network for everyone to read";
        problems.report_with_hint(Code::UrlCleartext, at, message, "write `https://`");
    }
}

/// A variable that is not on the list is empty in the original, and a header without its secret
/// is a hook that fails.
fn check_variables(
    name: &str,
    value: &str,
    (allowed, span): (&[String], &Range<usize>),
    problems: &mut Problems<'_>,
) {
    let all = Template::of_every_variable(value);
    let missing = all.variables().find(|it| !allowed.iter().any(|name| name == it));
    if let Some(variable) = missing {
        let message = format!("`{name}` uses `${variable}`, which is not in `allowedEnvVars`");
        let hint = format!("add `\"allowedEnvVars\": [\"{variable}\"]`");
        problems.report_with_hint(Code::EnvNotAllowed, span, message, hint);
    }
}

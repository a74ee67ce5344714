//! What rules say about addresses on the web.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::{Hit, RuleError};

/// `domain:example.com`, or `domain:*.example.com` for every name below it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct HostPattern {
    /// The host as URLs write it.
    host: String,
    /// Whether names below it are meant, and not the name itself.
    below: bool,
    /// As written.
    text: String,
}

/// Services whose names stand for the address written in them.
const ADDRESS_NAMES: [&str; 4] = ["nip.io", "sslip.io", "xip.io", "localtest.me"];
/// Names that stand for this machine or for a cloud's own services.
const INNER_NAMES: [&str; 5] =
    ["localhost", "metadata.google.internal", "metadata", "instance-data", "host.docker.internal"];

impl HostPattern {
    pub(super) fn read(text: &str) -> Result<Self, RuleError> {
        let wrong = |message: String| RuleError {
            message,
            hint: "write `WebFetch(domain:example.com)` or `WebFetch(domain:*.example.com)`"
                .to_owned(),
        };
        let Some(domain) = text.trim().strip_prefix("domain:") else {
            return Err(wrong(format!("`{text}` does not say which domain is meant")));
        };
        let (below, name) = match domain.trim().strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, domain.trim()),
        };
        let odd = name.contains(['/', '*', '@', ':', '?', '#', ' ', '%', '\\']);
        let host = Host::parse(name).ok().filter(|_| !odd);
        let Some(host) = host else {
            return Err(wrong(format!("`{domain}` is not the name of a host")));
        };
        let host = host.to_string().trim_end_matches('.').to_owned();
        Ok(Self { host, below, text: text.trim().to_owned() })
    }

    /// Whether a URL may lead to this host.
    pub(super) fn hits(&self, url: &str) -> Hit {
        match host(url) {
            Some(host) if self.names(&host) => Hit::Yes,
            Some(_) if is_calm(url) => Hit::No,
            Some(_) | None => {
                Hit::Perhaps(format!("programs disagree on where `{}` leads", short(url)))
            }
        }
    }

    /// Whether a URL surely leads to this host.
    pub(super) fn proves(&self, url: &str) -> bool {
        is_calm(url) && is_web(url) && host(url).is_some_and(|host| self.names(&host))
    }

    fn names(&self, host: &str) -> bool {
        if self.below {
            let rest = host.strip_suffix(self.host.as_str());
            rest.is_some_and(|it| it.len() > 1 && it.ends_with('.'))
        } else {
            host == self.host
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a URL is refused unless a rule names its host: it leads into the machine or its network,
/// or not into the web at all.
pub(super) fn forbidden(url: &str) -> Option<String> {
    let shown = short(url);
    if url.chars().any(char::is_control) || url.to_ascii_lowercase().contains("%00") {
        return Some(format!("`{shown}` has a character in it that no address has"));
    }
    if !is_web(url) {
        return Some(format!("`{shown}` is not an address on the web"));
    }
    let host = host(url)?;
    inner(&host).then(|| format!("`{shown}` leads into this machine or its network"))
}

fn is_web(url: &str) -> bool {
    let scheme = url.trim_start().split_once(':').map(|it| it.0.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

/// The host as every browser would see it: numbers in any base as an address, names in ASCII.
pub(super) fn host(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok()?;
    Some(url.host()?.to_string().trim_end_matches('.').to_ascii_lowercase())
}

/// Whether all programs read the host of a URL alike.
fn is_calm(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |it| it.1);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    !url.contains('\\')
        && !url.chars().any(|c| c.is_control() || c.is_whitespace())
        && authority.is_ascii()
        && !authority.contains(['%', '@'])
}

fn inner(host: &str) -> bool {
    let bare = host.trim_matches(|c| c == '[' || c == ']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return is_inner(address);
    }
    let below = |name: &&str| *host == **name || host.ends_with(&format!(".{name}"));
    if INNER_NAMES.iter().any(below) {
        return true;
    }
    let service = ADDRESS_NAMES.iter().find(|name| below(name));
    service.is_some_and(|service| {
        let written = host.trim_end_matches(service).trim_end_matches('.');
        embedded(written).is_none_or(|it| is_inner(IpAddr::V4(it)))
    })
}

/// The address at the end of such a name: `app.10.0.0.1` or `app-10-0-0-1`.
fn embedded(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = text.split(['.', '-']).collect();
    let last = parts.len().checked_sub(4).and_then(|at| parts.get(at..))?;
    last.join(".").parse().ok()
}

fn is_inner(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => is_inner_v4(it),
        IpAddr::V6(it) => is_inner_v6(it),
    }
}

fn is_inner_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || a == 0
        // Shared by carriers, benchmarks, multicast and what is reserved.
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || a >= 224
}

fn is_inner_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let mapped = address.to_ipv4_mapped().or_else(|| wrapped(address));
    mapped.is_some_and(is_inner_v4)
        || address.is_loopback()
        || address.is_unspecified()
        || (first & 0xfe00) == 0xfc00
        || (first & 0xffc0) == 0xfe80
        || (first & 0xff00) == 0xff00
        || (first == 0x2001 && second == 0)
}

/// The IPv4 address inside an IPv6 one, in the ways in which networks translate them.
fn wrapped(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let pair = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match segments {
        [0x64, 0xff9b, .., high, low] | [0, 0, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some(pair(high, low))
        }
        _ => None,
    }
}

fn short(url: &str) -> String {
    url.chars().take(80).filter(|c| !c.is_control()).collect()
}

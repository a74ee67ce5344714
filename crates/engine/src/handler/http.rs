//! HTTP endpoints: the envelope is the body of the request, the answer that of the response.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use becket_core::hook::Template;
use becket_core::profile::HttpDeadline;
use becket_core::reply::{Captured, Reply};
use becket_core::verdict::{Failure, FailureKind};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, Url};
use tokio::time::timeout;

use super::Call;

/// What we keep of a body.
const MAX_BODY: usize = 1024 * 1024;
/// How long a body may take where a dialect's deadline covers the headers only.
const BODY_BOUND: Duration = Duration::from_secs(30);
/// How many redirects are followed where a dialect follows them.
const MAX_REDIRECTS: usize = 5;

/// A request as its hook wrote it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'r> {
    pub(super) url: &'r str,
    pub(super) method: &'r str,
    pub(super) headers: &'r [(String, Template)],
}

/// The clients of a process; connections are kept for the next call.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    strict: OnceLock<Result<Client, String>>,
    redirecting: OnceLock<Result<Client, String>>,
}

impl Clients {
    fn get(&self, redirects: bool) -> Result<&Client, Failure> {
        let (cell, policy) = if redirects {
            (&self.redirecting, Policy::limited(MAX_REDIRECTS))
        } else {
            (&self.strict, Policy::none())
        };
        let client = cell.get_or_init(|| {
            // Another part of the process may have chosen a provider; any will do.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let client =
                Client::builder().redirect(policy).no_proxy().dns_resolver(Arc::new(Checked));
            client.build().map_err(|error| error.to_string())
        });
        client.as_ref().map_err(|why| Failure::new(FailureKind::NotStarted, why.clone()))
    }
}

/// Sends one request and reads its answer.
pub(super) async fn call(call: Call<'_>, request: &Request<'_>) -> Reply {
    // What has arrived stays when the rest does not: a refusal may be in it.
    let mut received = Received::default();
    let deadline = call.hook.profile().http_deadline;
    let whole = match deadline {
        HttpDeadline::Total => call.limit,
        HttpDeadline::Headers | HttpDeadline::EachRead => call.limit + BODY_BOUND,
    };
    let ended = timeout(whole, exchange(call, request, deadline, &mut received)).await;
    let Received { status, body } = received;
    match (ended, status) {
        (Ok(Ok(())), Some(status)) => Reply::Http { status, body },
        (Ok(Err(Ended::Failed(failure))), _) => Reply::CutOff { failure, body },
        (Ok(Err(Ended::TimedOut(limit))), _) => timed_out(limit, body),
        (Ok(Ok(())) | Err(_), _) => timed_out(call.limit, body),
    }
}

/// What has arrived of an answer.
#[derive(Debug, Default)]
struct Received {
    status: Option<u16>,
    body: Captured,
}

/// Why an exchange did not come to its end.
enum Ended {
    Failed(Failure),
    TimedOut(Duration),
}

async fn exchange(
    call: Call<'_>,
    request: &Request<'_>,
    deadline: HttpDeadline,
    received: &mut Received,
) -> Result<(), Ended> {
    let response = async {
        let client = call.surroundings.http.get(call.hook.profile().follow_redirects)?;
        let request = build(call, request, client)?;
        client.execute(request).await.map_err(|error| unreachable(&error))
    };
    let response = timeout(call.limit, response).await.map_err(|_| Ended::TimedOut(call.limit))?;
    // The whole exchange has a bound of its own; a dialect may bound each wait as well.
    let pause = match deadline {
        HttpDeadline::Total | HttpDeadline::Headers => BODY_BOUND.max(call.limit),
        HttpDeadline::EachRead => call.limit,
    };
    read(response.map_err(Ended::Failed)?, received, pause).await
}

fn timed_out(limit: Duration, body: Captured) -> Reply {
    Reply::TimedOut { limit, stdout: body, stderr: Captured::default() }
}

fn build(
    call: Call<'_>,
    request: &Request<'_>,
    client: &Client,
) -> Result<reqwest::Request, Failure> {
    let refuse = |message: String| Failure::new(FailureKind::NotStarted, message);
    if request.method == "GET" {
        return Err(refuse("a GET request cannot carry the envelope".to_owned()));
    }
    let url =
        Url::parse(request.url).map_err(|error| refuse(format!("`{}`: {error}", request.url)))?;
    if let Some(address) = literal_address(&url)
        && !may_connect(address)
    {
        return Err(Failure::new(
            FailureKind::Refused,
            format!("hooks may not connect to {address}"),
        ));
    }
    let method =
        Method::from_bytes(request.method.as_bytes()).map_err(|error| refuse(error.to_string()))?;
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in request.headers {
        let secrets = &call.surroundings.lent.secrets;
        let value = value
            .with_variables(|name| call.surroundings.lent.variable(name))
            .resolve(|name| secrets.get(name))
            .map_err(|error| refuse(error.to_string()))?;
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|error| refuse(error.to_string()))?;
        // The value may be a secret: the error must not repeat it.
        let value = HeaderValue::from_str(&value);
        let mut value =
            value.map_err(|_| refuse(format!("the value of `{name}` is not a header value")))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let request = client.request(method, url).headers(headers).body(call.envelope.body.clone());
    request.build().map_err(|error| refuse(error.to_string()))
}

/// Reads a body; `pause` bounds each wait for more of it.
async fn read(
    mut response: Response,
    received: &mut Received,
    pause: Duration,
) -> Result<(), Ended> {
    received.status = Some(response.status().as_u16());
    let body = &mut received.body;
    loop {
        let chunk = timeout(pause, response.chunk()).await.map_err(|_| Ended::TimedOut(pause))?;
        let Some(chunk) = chunk.map_err(|error| Ended::Failed(unreachable(&error)))? else { break };
        let room = MAX_BODY.saturating_sub(body.bytes.len());
        body.bytes.extend(chunk.iter().take(room));
        if chunk.len() > room {
            body.truncated = true;
            break;
        }
    }
    Ok(())
}

fn unreachable(error: &reqwest::Error) -> Failure {
    // The deepest cause says what happened; the outer ones repeat the URL.
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let message = cause.to_string();
    if message.starts_with(REFUSED) {
        return Failure::new(FailureKind::Refused, message);
    }
    Failure::new(FailureKind::Unreachable, message)
}

/// How the resolver says that policy, and not the network, is the reason.
const REFUSED: &str = "hooks may not connect to";

fn literal_address(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

/// Link-local addresses, where clouds keep their metadata, and those that are no host at all, are out of bounds.
fn may_connect(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            !(v4.is_link_local() || v4.is_unspecified() || v4.is_multicast() || v4.is_broadcast())
        }
        IpAddr::V6(v6) => !(v6.is_unicast_link_local() || v6.is_unspecified() || v6.is_multicast()),
    }
}

/// Resolves names, and lets only addresses through that may be connected to.
///
/// The connection is made to what this returns, so a name cannot answer one way when
/// it is checked and another way when it is used.
#[derive(Debug)]
struct Checked;

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let allowed: Vec<SocketAddr> =
                found.iter().copied().filter(|it| may_connect(it.ip())).collect();
            if let (true, Some(first)) = (allowed.is_empty(), found.first()) {
                return Err(format!("{REFUSED} {}", first.ip()).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::may_connect;

    #[test]
    fn metadata_and_link_local_addresses_are_refused_and_loopback_is_not() {
        for address in
            ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "0.0.0.0", "::", "224.0.0.1"]
        {
            assert!(!may_connect(address.parse().unwrap()), "{address}");
        }
        for address in ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "93.184.216.34"] {
            assert!(may_connect(address.parse().unwrap()), "{address}");
        }
    }
}

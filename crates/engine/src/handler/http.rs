//! HTTP endpoints: the envelope is the body of the request, the answer that of the response.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use becket_core::hook::Template;
use becket_core::network::Network;
use becket_core::profile::HttpDeadline;
use becket_core::reply::{Captured, Reply};
use becket_core::verdict::{Failure, FailureKind};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Method, Response, Url};
use tokio::time::timeout;

use super::Call;
use crate::port::Resolver;

/// How long all headers of an answer may be together.
const MAX_HEADERS: usize = 64 * 1024;
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
#[derive(Debug)]
pub(crate) struct Clients {
    checked: Checked,
    strict: OnceLock<Result<Client, String>>,
    redirecting: OnceLock<Result<Client, String>>,
    /// One for each socket that a hook names.
    sockets: Mutex<BTreeMap<PathBuf, Client>>,
}

impl Clients {
    pub(crate) fn new(resolver: Option<Arc<dyn Resolver>>, network: Network) -> Self {
        Self {
            checked: Checked { resolver, network: Arc::new(network) },
            strict: OnceLock::new(),
            redirecting: OnceLock::new(),
            sockets: Mutex::default(),
        }
    }

    fn get(&self, redirects: bool) -> Result<Client, Failure> {
        let (cell, policy) = if redirects {
            (&self.redirecting, Policy::limited(MAX_REDIRECTS))
        } else {
            (&self.strict, Policy::none())
        };
        let build = || {
            let client = plain().redirect(policy).dns_resolver(Arc::new(self.checked.clone()));
            client.build().map_err(|error| error.to_string())
        };
        let client = cell.get_or_init(build);
        client.clone().map_err(|why| Failure::new(FailureKind::NotStarted, why))
    }

    fn of_socket(&self, path: &Path) -> Result<Client, Failure> {
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = sockets.get(path) {
            return Ok(client.clone());
        }
        let client = plain().redirect(Policy::none()).unix_socket(path).build();
        let client =
            client.map_err(|error| Failure::new(FailureKind::NotStarted, error.to_string()))?;
        sockets.insert(path.to_path_buf(), client.clone());
        Ok(client)
    }
}

fn plain() -> ClientBuilder {
    // Another part of the process may have chosen a provider; any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy()
}

/// Where a request goes: a host, or a socket of this machine with the path to ask it for.
fn destination(url: &str) -> (Option<PathBuf>, Cow<'_, str>) {
    let Some(rest) = url.strip_prefix("unix:") else { return (None, Cow::Borrowed(url)) };
    let (socket, path) = match rest.rsplit_once(":/") {
        Some((socket, path)) => (socket, path),
        None => (rest, ""),
    };
    let socket = socket.strip_prefix("//").unwrap_or(socket);
    (Some(PathBuf::from(socket)), Cow::Owned(format!("http://localhost/{path}")))
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
    let Received { status, json, body } = received;
    match (ended, status) {
        (Ok(Ok(())), Some(status)) => Reply::Http { status, json, body },
        (Ok(Err(Ended::Failed(failure))), _) => Reply::CutOff { failure, body },
        (Ok(Err(Ended::TimedOut(limit))), _) => timed_out(limit, body),
        (Ok(Ok(())) | Err(_), _) => timed_out(call.limit, body),
    }
}

/// What has arrived of an answer.
#[derive(Debug, Default)]
struct Received {
    status: Option<u16>,
    json: bool,
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
        let clients = &call.surroundings.http;
        let (socket, url) = destination(request.url);
        let client = match socket {
            Some(socket) => clients.of_socket(&call.hook.spec().workspace.join(socket))?,
            None => clients.get(call.hook.profile().follow_redirects)?,
        };
        let request = build(call, &Request { url: &url, ..*request }, &client)?;
        client.execute(request).await.map_err(|error| unreachable(&error))
    };
    let response = timeout(call.limit, response).await.map_err(|_| Ended::TimedOut(call.limit))?;
    // The whole exchange has a bound of its own; a dialect may bound each wait as well.
    let pause = match deadline {
        HttpDeadline::Total | HttpDeadline::Headers => BODY_BOUND.max(call.limit),
        HttpDeadline::EachRead => call.limit,
    };
    let most = call.surroundings.limits.body_bytes;
    read(response.map_err(Ended::Failed)?, received, (pause, most)).await
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
        && !call.surroundings.http.checked.network.may_connect(address)
    {
        return Err(Failure::new(FailureKind::Refused, format!("{REFUSED} {address}")));
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

/// Reads a body; `pause` bounds each wait for more of it, `most` how much of it is kept.
async fn read(
    mut response: Response,
    received: &mut Received,
    (pause, most): (Duration, usize),
) -> Result<(), Ended> {
    received.status = Some(response.status().as_u16());
    let headers = response.headers();
    let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > MAX_HEADERS {
        let failure = Failure::new(FailureKind::TooLarge, "the headers are longer than 64 KiB");
        return Err(Ended::Failed(failure));
    }
    let packed = |value: &HeaderValue| value.as_bytes() != b"identity";
    if headers.get(CONTENT_ENCODING).is_some_and(packed) {
        let failure = Failure::new(FailureKind::BadOutput, "the answer is compressed");
        return Err(Ended::Failed(failure));
    }
    let media = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    received.json = media == "application/json" || media.ends_with("+json");
    let body = &mut received.body;
    loop {
        let chunk = timeout(pause, response.chunk()).await.map_err(|_| Ended::TimedOut(pause))?;
        let Some(chunk) = chunk.map_err(|error| Ended::Failed(unreachable(&error)))? else { break };
        let room = most.saturating_sub(body.bytes.len());
        body.bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
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

/// Resolves names, and lets only addresses through that may be connected to.
///
/// The connection is made to what this returns, so a name cannot answer one way when
/// it is checked and another way when it is used.
#[derive(Clone)]
struct Checked {
    resolver: Option<Arc<dyn Resolver>>,
    network: Arc<Network>,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let checked = self.clone();
        Box::pin(async move {
            let found: Vec<IpAddr> = if let Some(resolver) = &checked.resolver {
                resolver.resolve(name.as_str().to_owned()).await?
            } else {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                found.map(|it| it.ip()).collect()
            };
            let allowed = found.iter().filter(|it| checked.network.may_connect(**it));
            let allowed: Vec<SocketAddr> = allowed.map(|it| SocketAddr::new(*it, 0)).collect();
            match (allowed.is_empty(), found.first()) {
                (true, Some(first)) => Err(format!("{REFUSED} {first}").into()),
                (true, None) => Err("the name has no address".into()),
                (false, _) => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked").field("network", &self.network).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn a_socket_may_be_asked_for_a_path() {
        let to = |url| {
            let (socket, url) = destination(url);
            (socket.map(|it| it.display().to_string()), url.into_owned())
        };
        let socket = |path: &str| Some(path.to_owned());
        assert_eq!(to("unix:/run/g.sock"), (socket("/run/g.sock"), "http://localhost/".into()));
        assert_eq!(
            to("unix:///run/g.sock:/a/b"),
            (socket("/run/g.sock"), "http://localhost/a/b".into())
        );
        assert_eq!(to("http://h/p"), (None, "http://h/p".into()));
    }
}

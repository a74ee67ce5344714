//! Servers that refuse, hang, drip, reset, cut short, redirect and lie.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket::Network;
use becket::core::hook::Handler;
use becket::port::{Addresses, Resolver};

use super::bench::{engine, fields, hook, walk, walk_slowly};
use super::row::rows_of;
use super::server;

pub(super) const RUN: [&str; 19] = [
    "H01", "H02", "H03", "H04", "H05", "H06", "H07", "H08", "H09", "H10", "H11", "H12", "H13",
    "H14", "H15", "H16", "H17", "H18", "H19",
];

pub(super) fn post(url: impl Into<String>) -> Handler {
    Handler::Http { url: url.into(), method: "POST".to_owned(), headers: Vec::new() }
}

/// One test for each fault that the server has a path for.
macro_rules! faults {
    ($($name:ident: $fault:literal, $path:literal;)*) => {$(
        #[tokio::test]
        async fn $name() {
            let url = format!("http://{}/{}", server::start().await, $path);
            walk(rows_of($fault), fields(), |folder| (hook(folder, post(&url)), engine())).await;
        }
    )*};
}

faults! {
    h04_nobody_answers: "H04", "silent";
    h05_headers_and_then_silence: "H05", "headers";
    h06_one_byte_at_a_time: "H06", "drip";
    h07_a_reset_in_the_body: "H07", "reset";
    h08_a_body_that_is_too_short: "H08", "short";
    h09_a_refusal_with_status_500: "H09", "500deny";
    h10_an_approval_with_status_500: "H10", "500allow";
    h11_a_redirect: "H11", "redirect";
    h12_an_approval_that_calls_itself_html: "H12", "html";
    h13_text: "H13", "text";
    h15_a_bomb: "H15", "bomb";
    h19_no_content: "H19", "none";
}

#[tokio::test]
async fn h14_ten_megabytes() {
    let url = format!("http://{}/large", server::start().await);
    walk_slowly(rows_of("H14"), fields(), |folder| (hook(folder, post(&url)), engine())).await;
}

#[tokio::test]
async fn h01_nobody_listens() {
    let url = format!("http://{}/", server::closed().await);
    walk(rows_of("H01"), fields(), |folder| (hook(folder, post(&url)), engine())).await;
}

/// Names are found in a table, never by asking the network.
struct Table(Vec<IpAddr>, AtomicUsize);

impl Resolver for Table {
    fn resolve(&self, _: String) -> Addresses<'_> {
        self.1.fetch_add(1, Ordering::Relaxed);
        let found = self.0.clone();
        Box::pin(async move {
            if found.is_empty() {
                return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "no such name"));
            }
            Ok(found)
        })
    }
}

fn table(addresses: &[&str]) -> Arc<Table> {
    let addresses = addresses.iter().map(|it| it.parse().unwrap()).collect();
    Arc::new(Table(addresses, AtomicUsize::new(0)))
}

#[tokio::test]
async fn h02_a_name_that_nobody_has() {
    walk(rows_of("H02"), fields(), |folder| {
        (hook(folder, post("http://nosuch.invalid/")), engine().resolver(table(&[])))
    })
    .await;
}

#[tokio::test]
async fn h03_a_connection_that_is_never_made() {
    let (address, _waiting, _listener) = server::full().await;
    let url = format!("http://{address}/");
    walk(rows_of("H03"), fields(), |folder| (hook(folder, post(&url)), engine())).await;
}

#[tokio::test]
async fn h16_an_address_that_settings_refuse() {
    let refuse = vec!["127.0.0.2".parse().unwrap()];
    let network = Network { refuse, ..Network::default() };
    walk(rows_of("H16"), fields(), |folder: &Path| {
        (hook(folder, post("http://127.0.0.2:9/")), engine().network(network.clone()))
    })
    .await;
}

#[tokio::test]
async fn h17_a_name_that_answers_with_a_forbidden_address() {
    walk(rows_of("H17"), fields(), |folder: &Path| {
        let names = table(&["169.254.169.254"]);
        (hook(folder, post("http://rebind.test:9/")), engine().resolver(names))
    })
    .await;
}

/// A name is looked up once for a connection, so there is no second answer that could differ.
#[tokio::test]
async fn the_address_that_was_checked_is_the_one_that_is_connected() {
    let address = server::start().await;
    let names = table(&["169.254.169.254", "127.0.0.1"]);
    let folder = tempfile::TempDir::new().unwrap();
    let url = format!("http://rebind.test:{}/deny", address.port());
    let mut spec = hook(folder.path(), post(url));
    spec.events = vec![becket::EventKind::PreToolUse];
    let engine = engine().resolver(Arc::<Table>::clone(&names)).hook(spec).build();
    let fields = fields().as_object().cloned().unwrap();
    let outcome = engine.fire(becket::Event::new(becket::EventKind::PreToolUse, fields)).await;
    assert_eq!(outcome.decision, becket::Decision::Deny, "{:?}", outcome.notes);
    assert_eq!(outcome.failed_open(), 0);
    assert_eq!(names.1.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn h18_a_certificate_that_nobody_signed() {
    let url = format!("https://{}/", server::self_signed().await);
    walk(rows_of("H18"), fields(), |folder| (hook(folder, post(&url)), engine())).await;
}

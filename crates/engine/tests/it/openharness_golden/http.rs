//! HTTP hooks, against a server on the loopback interface.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket::{Decision, Outcome};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::row::{Case, golden};
use super::workspace::{Workspace, hook};

/// The server of the recording: it answers by path and remembers the last request.
struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Value>>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::default();
        let server = Self { address, seen: Arc::clone(&seen) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&seen)));
            }
        });
        server
    }

    async fn call(&self, path: &str, opts: &Map<String, Value>) -> Outcome {
        let url = format!("http://{}/{path}", self.address);
        let mut hook = hook("http", ("url", &url), opts);
        hook["headers"] = json!({ "x": "1" });
        let workspace = Workspace::new("pre_tool_use", &[hook]);
        workspace.fire("pre_tool_use", json!({ "tool_name": "bash" })).await
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Mutex<Value>>) {
    let mut reader = BufReader::new(&mut stream);
    let mut line = String::new();
    reader.read_line(&mut line).await.unwrap();
    let path = line.split(' ').nth(1).unwrap().to_owned();
    let (mut length, mut ctype, mut x) = (0, Value::Null, Value::Null);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.unwrap();
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "content-type" => ctype = value.into(),
            "x" => x = value.into(),
            _ => (),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.unwrap();
    let body = String::from_utf8(body).unwrap();
    *seen.lock().unwrap() = json!({ "path": path, "body": body, "ctype": ctype, "x": x });
    answer(&mut stream, path.trim_start_matches('/')).await;
}

/// Whoever asked may have gone in the meantime.
async fn answer(stream: &mut TcpStream, path: &str) {
    let (status, body) = match path {
        "slow" => (200, "body"),
        "drip" => (200, "drip"),
        other => match other.split_once('-') {
            Some((status, "empty")) => (status.parse().unwrap(), ""),
            _ if other == "204" => (204, ""),
            _ => (other.parse().unwrap(), "body"),
        },
    };
    if path == "slow" {
        tokio::time::sleep(Duration::from_millis(2_500)).await;
    }
    let length =
        if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let place = if status == 302 { "location: /200\r\n" } else { "" };
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{place}{length}\r\n");
    let _ = stream.write_all(head.as_bytes()).await;
    for byte in body.bytes() {
        if path == "drip" {
            tokio::time::sleep(Duration::from_millis(600)).await;
        }
        let _ = stream.write_all(&[byte]).await;
    }
}

#[tokio::test]
async fn every_recorded_exchange_goes_as_it_went_and_looks_the_same_to_the_server() {
    let golden = golden();
    let server = Server::start().await;
    for Case { given: row, seen } in golden.http {
        let outcome = server.call(&row.path, &row.opts).await;
        seen.check(&row.path, &outcome);
        if row.path == "200" {
            assert_eq!(*server.seen.lock().unwrap(), golden.http_request_seen);
        }
    }
}

#[tokio::test]
async fn what_a_server_says_is_told_and_never_obeyed() {
    let server = Server::start().await;
    let yes = Map::from_iter([("block_on_failure".to_owned(), true.into())]);
    for (path, opts, decision) in [
        ("201", &yes, Decision::Pass),
        ("404", &yes, Decision::Deny),
        ("503", &Map::new(), Decision::Pass),
        ("301", &yes, Decision::Deny),
    ] {
        assert_eq!(server.call(path, opts).await.decision, decision, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_fails_by_the_flag() {
    for (flag, decision) in [(true, Decision::Deny), (false, Decision::Pass)] {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        for url in [format!("http://{free}/"), "not a url".to_owned()] {
            let opts = Map::from_iter([("block_on_failure".to_owned(), flag.into())]);
            let workspace = Workspace::new("pre_tool_use", &[hook("http", ("url", &url), &opts)]);
            let outcome = workspace.fire("pre_tool_use", json!({ "tool_name": "bash" })).await;
            assert_eq!(outcome.decision, decision, "{url}");
        }
    }
}

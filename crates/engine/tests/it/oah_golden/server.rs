//! The loopback server of the recording: it answers by path and remembers what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::row::Request;

const SLOW: Duration = Duration::from_millis(2_500);
const BLOCK: &str = r#"{"decision":"block","reason":"http no"}"#;

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<(String, Request)>>>,
}

impl Server {
    /// Starts it; it ends with the runtime of the test.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::default();
        let server = Self { address, requests: Arc::clone(&requests) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&requests)));
            }
        });
        server
    }

    /// Where a path is; behind `refused` nobody listens.
    pub(crate) async fn url(&self, path: &str) -> String {
        let address = match path {
            "refused" => TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap(),
            _ => self.address,
        };
        format!("http://{address}/{path}")
    }

    /// The requests for a path, in the order in which they came.
    pub(crate) fn requests_for(&self, path: &str) -> Vec<Request> {
        let requests = self.requests.lock().unwrap();
        let wanted = requests.iter().filter(|(asked, _)| asked == path);
        wanted.map(|(_, request)| request.clone()).collect()
    }
}

async fn serve(mut stream: TcpStream, requests: Arc<Mutex<Vec<(String, Request)>>>) {
    let (path, request) = read(&mut stream).await;
    requests.lock().unwrap().push((path.clone(), request));
    let (status, body) = respond(&path);
    let location = match path.strip_prefix("redir") {
        Some(_) => "location: /ok\r\n",
        None => "",
    };
    let promised = if path == "hangs" || path == "cut" { 500 } else { body.len() };
    let length =
        if status == 204 { String::new() } else { format!("content-length: {promised}\r\n") };
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{location}{length}\r\n");
    if path == "slow" {
        tokio::time::sleep(SLOW).await;
    }
    // Whoever asked may have gone in the meantime.
    let _ = stream.write_all(head.as_bytes()).await;
    if path == "hangs" || path == "cut" {
        let _ = stream.write_all(body.as_bytes()).await;
        if path == "hangs" {
            tokio::time::sleep(SLOW).await;
        }
        return;
    }
    let (first, rest) = body.split_at(body.len().min(1));
    let _ = stream.write_all(first.as_bytes()).await;
    if path == "slowbody" {
        tokio::time::sleep(SLOW).await;
    }
    let _ = stream.write_all(rest.as_bytes()).await;
}

/// Status and body by path, as the recording's README says; a number is a status of its own.
fn respond(path: &str) -> (u16, &'static str) {
    match path {
        "ok" | "hangs" | "cut" => (200, BLOCK),
        "empty" => (200, ""),
        "blank" => (200, " \n"),
        "text" => (200, "hi"),
        "noise" => (200, "```json\n{\"decision\":\"block\",\"reason\":\"http no\"}\n```"),
        "two" => (200, "{}{}"),
        "slow" | "slowbody" => (200, "{}"),
        "500" => (500, "x"),
        "204" => (204, ""),
        "redir" => (302, ""),
        other => (other.trim_start_matches("redir").parse().expect("a known path"), BLOCK),
    }
}

async fn read(stream: &mut TcpStream) -> (String, Request) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).await.unwrap();
    let mut words = line.split(' ');
    let method = words.next().unwrap().to_owned();
    let path = words.next().unwrap().trim_start_matches('/').to_owned();
    let mut request = Request { method, ct: None, auth: None, body_keys: None };
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.unwrap();
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-type" => request.ct = Some(value.to_owned()),
            "authorization" => request.auth = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => (),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.unwrap();
    if length > 0 {
        let body: Map<String, Value> = serde_json::from_slice(&body).unwrap();
        request.body_keys = Some(body.keys().cloned().collect());
    }
    (path, request)
}

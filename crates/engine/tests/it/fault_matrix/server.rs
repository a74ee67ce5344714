//! A server on loopback that does everything wrong, by path.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

const BLOCK: &str = r#"{"decision":"block"}"#;
const ALLOW: &str = r#"{"decision":"approve"}"#;

/// Starts the server; it ends with the runtime of the test.
pub(crate) async fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

/// An address behind which nobody listens.
pub(super) async fn closed() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

/// An address where nobody answers the telephone: the queue is full, and stays so.
pub(super) async fn full() -> (SocketAddr, Vec<TcpStream>, TcpListener) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address)).await
    {
        waiting.push(stream);
    }
    (address, waiting, listener)
}

/// A server whose certificate nobody has signed but itself.
pub(super) async fn self_signed() -> SocketAddr {
    use rustls::pki_types::pem::PemObject as _;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/safety/tls/");
    let certificate = rustls::pki_types::CertificateDer::from_pem_file(format!("{folder}cert.pem"));
    let key = rustls::pki_types::PrivateKeyDer::from_pem_file(format!("{folder}key.pem"));
    let config = rustls::ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate.unwrap()], key.unwrap()).unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    answer(stream, "deny").await;
                }
            });
        }
    });
    address
}

async fn serve(mut stream: TcpStream) {
    let Some(path) = read(&mut stream).await else { return };
    if path == "reset" {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{\"deci").await;
        // Closing at once and without a word is a reset.
        let socket = socket2_linger(stream);
        drop(socket);
        return;
    }
    answer(stream, &path).await;
}

/// Makes closing a connection a reset of it.
fn socket2_linger(stream: TcpStream) -> TcpStream {
    stream.set_zero_linger().unwrap();
    stream
}

async fn answer(mut stream: impl AsyncWrite + Unpin, path: &str) {
    let json = "content-type: application/json\r\n";
    let full = |status: &str, headers: &str, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}")
    };
    let text = match path {
        "silent" => return std::future::pending().await,
        "headers" => format!("HTTP/1.1 200 OK\r\n{json}content-length: 20\r\n\r\n"),
        "drip" => return drip(stream).await,
        "short" => format!("HTTP/1.1 200 OK\r\n{json}content-length: 90\r\n\r\n{{\"deci"),
        "500deny" => full("500 No", json, BLOCK),
        "500allow" => full("500 No", json, ALLOW),
        "redirect" => full("302 Found", "location: /deny\r\n", ""),
        "html" => full("200 OK", "content-type: text/html\r\n", ALLOW),
        "text" => full("200 OK", "content-type: text/plain\r\n", "fine"),
        "large" => {
            full("200 OK", json, &format!(r#"{{"systemMessage":"{}"}}"#, "x".repeat(10 << 20)))
        }
        "bomb" => full("200 OK", &format!("{json}content-encoding: gzip\r\n"), "\u{1f}not really"),
        "none" => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        "deny" => full("200 OK", json, BLOCK),
        other => panic!("{other}"),
    };
    // Whoever asked may have gone in the meantime.
    let _ = stream.write_all(text.as_bytes()).await;
    if path == "headers" {
        std::future::pending::<()>().await;
    }
}

async fn drip(mut stream: impl AsyncWrite + Unpin) {
    let text = format!("HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{BLOCK}");
    for byte in text.as_bytes() {
        if stream.write_all(&[*byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(900)).await;
    }
}

/// Reads a request; the answer is its path.
async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let head = loop {
        let read = stream.read(&mut buffer).await.ok().filter(|it| *it > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |it| it.trim().parse().unwrap());
    while bytes.len() < head + length {
        let read = stream.read(&mut buffer).await.ok().filter(|it| *it > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
    }
    Some(text.split(' ').nth(1)?.trim_start_matches('/').to_owned())
}

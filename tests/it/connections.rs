//! Connections: clients that say nothing, or read nothing, must not keep others out.
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use linepress::http::listener::{self, ConnectionLimits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;

use crate::test_app::TestApp;

/// Bytes of a response that no buffer between server and client takes whole.
const LARGE: usize = 16 * 1024 * 1024;

/// A server with these limits: its address, what stops it, and what tells that it has ended.
async fn serve(limits: ConnectionLimits) -> (std::net::SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/large", get(async || vec![b'.'; LARGE]));
    let ended = tokio::spawn(listener::serve(socket, router, limits, async {
        drop(stopped.await);
    }));
    (address, stop, ended)
}

/// All that the server sends until it closes the connection.
async fn everything(mut stream: TcpStream) -> String {
    let mut text = String::new();
    drop(stream.read_to_string(&mut text).await);
    text
}

/// Asks for the large response, and gets room for little of it at a time.
async fn ask_for_large(address: std::net::SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(256 * 1024).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream
        .write_all(b"GET /large HTTP/1.1\r\nHost: linepress.test\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    stream
}

async fn hello(address: std::net::SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: linepress.test\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    everything(stream).await
}

#[tokio::test]
async fn a_client_that_does_not_say_what_it_wants_is_let_go() {
    let limits = ConnectionLimits {
        headers: Duration::from_millis(200),
        ..ConnectionLimits::default()
    };
    let (address, _stop, _ended) = serve(limits).await;
    let silent = TcpStream::connect(address).await.unwrap();
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: linepre").await.unwrap();
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: linepress.test\r\n\r\n")
        .await
        .unwrap();
    // Each of them ends without the client's doing.
    everything(silent).await;
    everything(slow).await;
    assert!(everything(idle).await.ends_with("hello"));
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_until_others_have_ended() {
    let limits = ConnectionLimits {
        connections: 2,
        headers: Duration::from_millis(500),
        ..ConnectionLimits::default()
    };
    let (address, _stop, _ended) = serve(limits).await;
    let silent = [
        TcpStream::connect(address).await.unwrap(),
        TcpStream::connect(address).await.unwrap(),
    ];
    assert!(hello(address).await.ends_with("hello"));
    drop(silent);
}

#[tokio::test]
async fn a_client_that_does_not_read_its_response_is_let_go() {
    let limits = ConnectionLimits {
        connections: 1,
        unread: Duration::from_millis(200),
        ..ConnectionLimits::default()
    };
    let (address, _stop, _ended) = serve(limits).await;
    let mut deaf = ask_for_large(address).await;
    // The only place is free again, although the client is still there.
    assert!(hello(address).await.ends_with("hello"));
    let mut received = Vec::new();
    drop(deaf.read_to_end(&mut received).await);
    assert!(received.len() < LARGE, "{}", received.len());
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_all() {
    let limits = ConnectionLimits {
        unread: Duration::from_secs(2),
        ..ConnectionLimits::default()
    };
    let (address, _stop, _ended) = serve(limits).await;
    let mut slow = ask_for_large(address).await;
    let mut received = Vec::new();
    // Often enough, and twice as long as the limit; then whatever is left.
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(40)).await;
        let mut chunk = [0; 20 * 1024];
        slow.read_exact(&mut chunk).await.unwrap();
        received.extend(chunk);
    }
    slow.read_to_end(&mut received).await.unwrap();
    assert!(received.len() > LARGE, "{}", received.len());
}

#[tokio::test]
async fn a_server_that_stops_finishes_what_it_has_begun() {
    let (address, stop, ended) = serve(ConnectionLimits::default()).await;
    assert!(hello(address).await.ends_with("hello"));
    let idle = TcpStream::connect(address).await.unwrap();
    stop.send(()).unwrap();
    ended.await.unwrap();
    everything(idle).await;
    assert!(TcpStream::connect(address).await.is_err());
}

/// What a server with everything in it sends to these bytes until it closes the connection.
async fn answered(request: &str) -> String {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let router = linepress::server::router(app.server.clone());
    let served = listener::serve(socket, router, ConnectionLimits::default(), std::future::pending());
    let asked = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = request.replace("{key}", ada.key().unwrap());
        stream.write_all(request.as_bytes()).await.unwrap();
        everything(stream).await
    };
    tokio::select! {
        text = asked => text,
        () = served => unreachable!("it serves for ever"),
    }
}

#[tokio::test]
async fn a_body_that_says_it_is_too_large_is_refused_before_it_is_sent() {
    let text = answered(
        "POST /api/v1/pages HTTP/1.1\r\nHost: linepress.test\r\nAuthorization: Bearer {key}\r\nIdempotency-Key: k\r\n\
         Content-Type: application/json\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n\r\n",
    )
    .await;
    assert!(text.starts_with("HTTP/1.1 413 "), "{text}");
    assert!(
        text.contains("\"payload_too_large\"") && text.contains("x-service-credits-available: 1"),
        "{text}"
    );
    let text = answered(
        "POST /api/v1/pages/import HTTP/1.1\r\nHost: linepress.test\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 900000000\r\nExpect: 100-continue\r\n\r\n",
    )
    .await;
    assert!(text.starts_with("HTTP/1.1 413 "), "{text}");
}

#[tokio::test]
async fn a_request_with_three_hundred_headers_is_answered_like_any_other() {
    let headers: String = (0..300).map(|number| format!("x-header-{number}: 1\r\n")).collect();
    let text = answered(&format!(
        "GET /api/v1/nowhere HTTP/1.1\r\nHost: linepress.test\r\nConnection: close\r\n{headers}\r\n"
    ))
    .await;
    assert!(text.starts_with("HTTP/1.1 401 "), "{text}");
    assert!(
        text.contains("x-service-api-version: v1") && text.contains("\"request_id\""),
        "{text}"
    );
}

#[tokio::test]
async fn a_client_that_still_sends_when_it_is_answered_keeps_its_connection() {
    let (address, _stop, _ended) = serve(ConnectionLimits::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    // Nobody reads the body of such a request.
    let refused = b"POST /nowhere HTTP/1.1\r\nHost: linepress.test\r\nContent-Length: 5\r\n\r\n";
    for _ in 0..3 {
        stream.write_all(refused).await.unwrap();
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).await.unwrap();
        assert_eq!(&begin, b"HTTP/1.1 404");
        // Headers without a body follow.
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        stream.write_all(b"hello").await.unwrap();
    }
}

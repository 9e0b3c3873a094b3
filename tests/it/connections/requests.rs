//! Requests that a server answers before it has read them, and unusual ones.
use linepress_http::listener::{self, ConnectionLimits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{everything, serve};
use crate::test_app::TestApp;

/// Returns everything that a complete server sends in reply to these bytes until it closes the connection.
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
        () = served => unreachable!("the server does not end by itself"),
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
    // The server does not read the body of such a request.
    let refused = b"POST /nowhere HTTP/1.1\r\nHost: linepress.test\r\nContent-Length: 5\r\n\r\n";
    for _ in 0..3 {
        stream.write_all(refused).await.unwrap();
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).await.unwrap();
        assert_eq!(&begin, b"HTTP/1.1 404");
        // A head without a body follows.
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(b"hello").await.unwrap();
    }
}

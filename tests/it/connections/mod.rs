//! Connections: clients that send nothing or read nothing must not keep others out.
mod requests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::{get, post};
use futures::StreamExt as _;
use linepress_http::listener::{self, ConnectionLimits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, oneshot, watch};

use crate::test_app::Log;

/// More bytes of a response than the buffers between server and client can hold.
const LARGE_RESPONSE_BYTES: usize = 16 * 1024 * 1024;

/// A counter that a test waits for.
#[derive(Clone, Default)]
struct Counter(watch::Sender<usize>);

impl Counter {
    fn add(&self, number: usize) {
        self.0.send_modify(|count| *count += number);
    }

    fn get(&self) -> usize {
        *self.0.borrow()
    }

    async fn reaches(&self, number: usize) {
        soon(self.0.subscribe().wait_for(|count| *count >= number))
            .await
            .unwrap();
    }
}

/// The requests that a server works on.
#[derive(Clone)]
struct Work {
    /// The requests to `/work` that have begun. Each ends when the test adds a permit.
    begun: Counter,
    may_end: Arc<Semaphore>,
    /// The bytes of forms that were received.
    received: Counter,
    /// The large responses that have ended, completely or not.
    large_ended: Counter,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            begun: Counter::default(),
            may_end: Arc::new(Semaphore::new(0)),
            received: Counter::default(),
            large_ended: Counter::default(),
        }
    }
}

impl Work {
    async fn perform(self) -> &'static str {
        self.begun.add(1);
        self.may_end.acquire().await.unwrap().forget();
        "done"
    }

    async fn receive(self, body: Body) -> String {
        let mut body = body.into_data_stream();
        let mut length = 0;
        while let Some(Ok(part)) = body.next().await {
            length += part.len();
            self.received.add(part.len());
        }
        length.to_string()
    }

    fn send_large(self) -> Body {
        let guard = EndOfResponse(self.large_ended);
        let response = futures::stream::once(async { Ok::<_, std::io::Error>(vec![b'.'; LARGE_RESPONSE_BYTES]) });
        Body::from_stream(response.inspect(move |_| {
            // The closure owns the guard, and is dropped with the response.
            let _ = &guard;
        }))
    }
}

struct EndOfResponse(Counter);

impl Drop for EndOfResponse {
    fn drop(&mut self) {
        self.0.add(1);
    }
}

/// Starts a server with these limits; returns its address, a channel that stops it, and a handle that completes when
/// it has ended.
async fn serve(limits: ConnectionLimits) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    serve_work(limits, &Work::default()).await
}

/// Starts a server whose requests the test observes.
async fn serve_work(
    limits: ConnectionLimits,
    work: &Work,
) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let (performed, received, sent) = (work.clone(), work.clone(), work.clone());
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/large", get(async move || sent.clone().send_large()))
        .route(
            "/length",
            post(async move |body: Body| received.clone().receive(body).await),
        )
        .route("/work", get(async move || performed.clone().perform().await));
    let ended = tokio::spawn(listener::serve(socket, router, limits, async {
        drop(stopped.await);
    }));
    (address, stop, ended)
}

/// Returns everything that the server sends until it closes the connection.
async fn everything(mut stream: TcpStream) -> String {
    let mut text = String::new();
    drop(stream.read_to_string(&mut text).await);
    text
}

/// Requests the large response with a small receive buffer.
async fn ask_for_large(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(256 * 1024).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream
        .write_all(b"GET /large HTTP/1.1\r\nHost: linepress.test\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    stream
}

async fn hello(address: SocketAddr) -> String {
    ask(TcpStream::connect(address).await.unwrap(), "/").await
}

async fn ask(mut stream: TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: linepress.test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    everything(stream).await
}

/// Connects from another address of this machine.
async fn connect_from(client: &str, address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{client}:0").parse().unwrap()).unwrap();
    socket.connect(address).await.unwrap()
}

/// Sends the beginning of a form and continues with one byte at a time.
async fn begin_slow_form(client: &str, address: SocketAddr, work: &Work) -> TcpStream {
    let mut stream = connect_from(client, address).await;
    stream
        .write_all(b"POST /length HTTP/1.1\r\nHost: linepress.test\r\nContent-Length: 1000\r\n\r\nx")
        .await
        .unwrap();
    work.received.reaches(1).await;
    stream.write_all(b"x").await.unwrap();
    work.received.reaches(2).await;
    stream
}

/// Limits that let a client be silent for longer than any test takes.
fn patient(max_connections: usize, max_connections_per_peer: usize) -> ConnectionLimits {
    ConnectionLimits {
        max_connections,
        max_connections_per_peer,
        headers_timeout: Duration::from_secs(3_600),
        unread_timeout: Duration::from_secs(3_600),
        ..ConnectionLimits::default()
    }
}

/// Waits for at most a minute; every other limit is longer.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what)
        .await
        .expect("it comes")
}

#[tokio::test]
async fn a_client_that_sends_no_complete_request_is_disconnected() {
    let limits = ConnectionLimits {
        headers_timeout: Duration::from_secs(1),
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
    // The server closes both connections without any action of the client.
    everything(silent).await;
    everything(slow).await;
    assert!(everything(idle).await.ends_with("hello"));
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_until_requests_have_ended() {
    const REQUESTS: usize = 6;
    let work = Work::default();
    let (address, _stop, _ended) = serve_work(patient(2, 100), &work).await;
    let ask_for_work = async || ask(TcpStream::connect(address).await.unwrap(), "/work").await;
    let asked = futures::future::join_all((0..REQUESTS).map(|_| ask_for_work()));
    let let_end = async {
        for ended in 0..REQUESTS {
            // Two are under way, and the others have not begun.
            let begun = REQUESTS.min(ended + 2);
            work.begun.reaches(begun).await;
            assert_eq!(work.begun.get(), begun);
            work.may_end.add_permits(1);
        }
    };
    let (answers, ()) = soon(async { tokio::join!(asked, let_end) }).await;
    for answer in answers {
        assert!(answer.ends_with("done"), "{answer}");
    }
}

#[tokio::test]
async fn an_address_with_silent_connections_leaves_places_for_others() {
    let log = Log::default();
    let captured = log.capture();
    // The limits of a server with default settings, except for its timeouts.
    let shipped = ConnectionLimits::default();
    let (address, _stop, _ended) = serve(patient(shipped.max_connections, shipped.max_connections_per_peer)).await;
    let mut silent = Vec::new();
    for _ in 0..shipped.max_connections_per_peer + 20 {
        silent.push(connect_from("127.0.0.1", address).await);
    }
    let answer = soon(ask(connect_from("127.0.0.2", address).await, "/")).await;
    assert!(answer.ends_with("hello"), "{answer}");
    // The server closed those connections of the address that were silent for longest, and keeps the others.
    for closed in silent.drain(..20) {
        assert_eq!(soon(everything(closed)).await, "");
    }
    for open in silent.drain(..3) {
        assert!(soon(ask(open, "/")).await.ends_with("hello"));
    }
    drop(captured);
    let lines: Vec<String> = log.lines().into_iter().filter(|line| line.contains("WARN")).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("peer=\"127.0.0.1\""), "{lines:?}");
}

#[tokio::test]
async fn a_connection_that_waits_for_its_client_gives_way_when_all_places_are_taken() {
    let work = Work::default();
    let (address, _stop, _ended) = serve_work(patient(3, 100), &work).await;
    // A silent client, one that sends a form byte by byte, and one that reads nothing of its response.
    let silent = tokio::spawn(everything(connect_from("127.0.0.1", address).await));
    let slow = tokio::spawn(everything(begin_slow_form("127.0.0.3", address, &work).await));
    let mut deaf = ask_for_large(address).await;
    soon(deaf.readable()).await.unwrap();
    let mut stays = Vec::new();
    let gave_way = || silent.is_finished() && slow.is_finished() && work.large_ended.get() == 1;
    // The response that is not read counts as idle from when the buffers are full, which may be after the first of
    // these connections: then one of them gives way before it.
    while !gave_way() {
        let working = tokio::spawn(ask(connect_from("127.0.0.2", address).await, "/work"));
        work.begun.reaches(stays.len() + 1).await;
        // This connection occupies a place just like the others, and the one with a request keeps its place.
        stays.push(connect_from("127.0.0.4", address).await);
        work.may_end.add_permits(1);
        let answer = soon(working).await.unwrap();
        assert!(answer.ends_with("done"), "{answer}");
        assert!(stays.len() < 20, "the three connections do not give way");
    }
    assert_eq!(silent.await.unwrap(), "");
    assert_eq!(slow.await.unwrap(), "");
    let mut received = Vec::new();
    drop(soon(deaf.read_to_end(&mut received)).await);
    assert!(received.len() < LARGE_RESPONSE_BYTES, "{}", received.len());
}

#[tokio::test]
async fn an_address_whose_connections_are_all_busy_gets_no_more() {
    let log = Log::default();
    let captured = log.capture();
    let work = Work::default();
    let (address, _stop, _ended) = serve_work(patient(100, 2), &work).await;
    let working = [
        connect_from("127.0.0.1", address).await,
        connect_from("127.0.0.1", address).await,
    ];
    let working = working.map(|stream| tokio::spawn(ask(stream, "/work")));
    work.begun.reaches(2).await;
    let refused = connect_from("127.0.0.1", address).await;
    assert_eq!(soon(everything(refused)).await, "");
    let other = connect_from("127.0.0.2", address).await;
    assert!(soon(ask(other, "/")).await.ends_with("hello"));
    work.may_end.add_permits(2);
    for answer in working {
        assert!(soon(answer).await.unwrap().ends_with("done"));
    }
    drop(captured);
    assert!(log.holds("connection refused"), "{:?}", log.lines());
}

#[tokio::test]
async fn an_address_that_renews_half_sent_requests_is_refused_before_it_is_read() {
    const ATTEMPTS: usize = 400;
    // The open connections of an address, and the replacements that it has at once and in each second.
    const OPEN: usize = 20;
    const AT_ONCE: usize = 50;
    const PER_SECOND: usize = 10;
    let begun = Counter::default();
    let counter = begun.clone();
    let router = Router::new().route("/", get(async || "hello")).route(
        "/sign-in",
        post(async move |request: axum::extract::Request| {
            counter.add(1);
            let read = axum::body::to_bytes(request.into_body(), LARGE_RESPONSE_BYTES).await;
            read.unwrap_or_else(|_| Bytes::new())
        }),
    );
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(listener::serve(
        socket,
        router,
        patient(1_000, OPEN),
        std::future::pending(),
    ));
    let begin = Instant::now();
    let mut sent = Vec::new();
    for _ in 0..ATTEMPTS {
        let before = begun.get();
        let mut stream = connect_from("127.0.0.1", address).await;
        let half =
            b"POST /sign-in HTTP/1.1\r\nHost: linepress.test\r\nContent-Length: 9\r\nConnection: close\r\n\r\nhalf";
        // The server may have refused it already.
        drop(stream.write_all(half).await);
        tokio::select! {
            () = begun.reaches(before + 1) => {}
            // The end of a connection that was refused.
            ended = stream.readable() => drop(ended),
        }
        sent.push(stream);
    }
    let seconds = usize::try_from(begin.elapsed().as_secs()).unwrap() + 1;
    let begun = begun.get();
    assert!(begun >= OPEN + AT_ONCE, "{begun}");
    assert!(begun <= OPEN + AT_ONCE + PER_SECOND * seconds, "{begun} in {seconds} s");
    // Other addresses notice nothing.
    let other = connect_from("127.0.0.2", address).await;
    assert!(soon(ask(other, "/")).await.ends_with("hello"));
    // The address has all of its connections, and the server ended the others.
    let mut answered = 0;
    for mut stream in sent {
        drop(stream.write_all(b" form").await);
        answered += usize::from(soon(everything(stream)).await.ends_with("half form"));
    }
    assert_eq!(answered, OPEN);
}

#[tokio::test]
async fn a_trusted_proxy_may_use_all_connections() {
    let limits = ConnectionLimits {
        trusted_proxies: vec!["127.0.0.1".parse::<std::net::IpAddr>().unwrap().into()],
        ..patient(100, 1)
    };
    let (address, _stop, _ended) = serve(limits).await;
    let mut idle = Vec::new();
    for _ in 0..5 {
        idle.push(connect_from("127.0.0.1", address).await);
    }
    for stream in idle {
        assert!(soon(ask(stream, "/")).await.ends_with("hello"));
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_its_response_is_disconnected() {
    let limits = ConnectionLimits {
        unread_timeout: Duration::from_millis(200),
        ..patient(100, 100)
    };
    let (address, stop, ended) = serve(limits).await;
    let mut deaf = ask_for_large(address).await;
    // The server has begun to respond.
    soon(deaf.readable()).await.unwrap();
    // A stopping server waits for its connections, and this one ends although its client is still connected.
    stop.send(()).unwrap();
    soon(ended).await.unwrap();
    let mut received = Vec::new();
    drop(deaf.read_to_end(&mut received).await);
    assert!(received.len() < LARGE_RESPONSE_BYTES, "{}", received.len());
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_the_whole_response() {
    // Much longer than a pause between two reads, even on a busy machine.
    let unread_timeout = Duration::from_secs(5);
    let limits = ConnectionLimits {
        unread_timeout,
        ..ConnectionLimits::default()
    };
    let (address, _stop, _ended) = serve(limits).await;
    let mut slow = ask_for_large(address).await;
    let mut received = Vec::new();
    // Reads for longer than the limit, and then the rest.
    let began = Instant::now();
    while began.elapsed() < unread_timeout + Duration::from_secs(1) {
        tokio::time::sleep(Duration::from_millis(40)).await;
        let mut chunk = [0; 20 * 1024];
        slow.read_exact(&mut chunk).await.unwrap();
        received.extend(chunk);
    }
    slow.read_to_end(&mut received).await.unwrap();
    assert!(received.len() > LARGE_RESPONSE_BYTES, "{}", received.len());
}

#[tokio::test]
async fn a_stopping_server_finishes_its_requests() {
    let (address, stop, ended) = serve(ConnectionLimits::default()).await;
    assert!(hello(address).await.ends_with("hello"));
    let idle = TcpStream::connect(address).await.unwrap();
    stop.send(()).unwrap();
    ended.await.unwrap();
    everything(idle).await;
    assert!(TcpStream::connect(address).await.is_err());
}

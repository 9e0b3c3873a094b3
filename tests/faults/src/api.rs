//! A client of the REST interface of several nodes, which repeats a request until a node gives a definite reply.
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Method, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time;

use crate::figures::Figures;

/// The time after which a client sends a request to another node. Many requests of a run take longer.
const REPLY_TIMEOUT: Duration = Duration::from_secs(8);

/// Much longer than the installation needs to recover from a fault.
const DEFINITE_REPLY_TIMEOUT: Duration = Duration::from_secs(300);

/// The time between two attempts. A client that obeyed `Retry-After` would hit fewer faults.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// A request, which can be sent several times.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: Method,
    /// The path after `/api/v1`, or the whole path if it begins with `/api` or `/uploads`.
    pub path: String,
    body: Body,
    pub idempotency_key: Option<String>,
}

#[derive(Clone, Debug)]
enum Body {
    Nothing,
    Json(Value),
    File(Bytes),
}

pub(crate) struct Reply {
    pub status: StatusCode,
    headers: HeaderMap,
    pub body: Bytes,
}

/// A client with the API key of one account.
pub(crate) struct Api {
    nodes: Arc<[SocketAddr]>,
    key: String,
    /// The number of requests so far. Each attempt goes to the next node.
    attempts: AtomicUsize,
    pub figures: Arc<Figures>,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    pub(crate) fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// A request that sends a file to an upload address.
    pub(crate) fn file(path: impl Into<String>, file: Bytes) -> Self {
        Self {
            body: Body::File(file),
            ..Self::new(Method::PUT, path)
        }
    }

    /// A request that may cost credits.
    pub(crate) fn order(path: impl Into<String>, body: Value, idempotency_key: String) -> Self {
        Self {
            body: Body::Json(body),
            idempotency_key: Some(idempotency_key),
            ..Self::new(Method::POST, path)
        }
    }

    fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            body: Body::Nothing,
            idempotency_key: None,
        }
    }

    fn to_http(&self, key: &str) -> anyhow::Result<hyper::Request<Full<Bytes>>> {
        let is_whole = self.path.starts_with("/api") || self.path.starts_with("/uploads");
        let prefix = if is_whole { "" } else { "/api/v1" };
        let mut request = hyper::Request::builder()
            .method(&self.method)
            .uri(format!("{prefix}{}", self.path))
            .header(header::AUTHORIZATION, format!("Bearer {key}"));
        if let Some(key) = &self.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let body = match &self.body {
            Body::Json(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Full::from(body.to_string())
            }
            Body::File(file) => Full::from(file.clone()),
            Body::Nothing => Full::default(),
        };
        Ok(request.body(body)?)
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn is_replayed(&self) -> bool {
        self.headers
            .get("idempotency-replayed")
            .is_some_and(|value| value == "true")
    }

    /// Returns the credits that the request cost, as the header states.
    pub(crate) fn consumed(&self) -> Option<i64> {
        let header = self.headers.get("x-service-credits-consumed")?;
        header.to_str().ok()?.parse().ok()
    }

    /// Returns the code of an error, or an empty text.
    pub(crate) fn error_code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the status and the beginning of the body, for messages.
    pub(crate) fn summary(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        format!("{} {}", self.status, body.chars().take(300).collect::<String>())
    }

    /// Returns true if the client has to send the request again.
    fn is_temporary(&self) -> bool {
        self.status == StatusCode::TOO_MANY_REQUESTS || self.status.is_server_error()
    }
}

impl Api {
    pub(crate) fn new(nodes: Arc<[SocketAddr]>, key: String, figures: Arc<Figures>) -> Self {
        Self {
            nodes,
            key,
            attempts: AtomicUsize::new(0),
            figures,
        }
    }

    /// Sends a request until a node gives a definite reply. Fails if there is none long after the last fault.
    pub(crate) async fn ask(&self, request: &Request) -> anyhow::Result<Reply> {
        let began = Instant::now();
        loop {
            let problem = match self.ask_once(request).await {
                Ok(reply) if !reply.is_temporary() => return Ok(reply),
                Ok(reply) => reply.summary(),
                Err(error) => format!("{error:#}"),
            };
            if began.elapsed() > DEFINITE_REPLY_TIMEOUT {
                let Request { method, path, .. } = request;
                bail!(
                    "{method} {path} had no definite reply within {DEFINITE_REPLY_TIMEOUT:?}; the last was: {problem}"
                );
            }
            self.figures.retries.add_one();
            time::sleep(RETRY_PAUSE).await;
        }
    }

    /// Sends a request to the next node, once.
    pub(crate) async fn ask_once(&self, request: &Request) -> anyhow::Result<Reply> {
        self.figures.requests.add_one();
        let attempt = self.attempts.fetch_add(1, Ordering::Relaxed);
        let node = self.nodes[attempt % self.nodes.len()];
        let reply = send(node, request.to_http(&self.key)?, REPLY_TIMEOUT).await?;
        if reply.status == StatusCode::INTERNAL_SERVER_ERROR {
            let Request { method, path, .. } = request;
            let description = format!("{method} {path}: {}", reply.summary());
            self.figures.internal_errors.add(description);
        }
        if reply.is_replayed() {
            self.figures.replays.add_one();
        }
        Ok(reply)
    }
}

/// Sends a request on a new connection.
pub(crate) async fn send(
    server: SocketAddr,
    mut request: hyper::Request<Full<Bytes>>,
    timeout: Duration,
) -> anyhow::Result<Reply> {
    request.headers_mut().insert(header::HOST, server.to_string().parse()?);
    let exchange = async {
        let stream = TcpStream::connect(server).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // The task ends when the sender is dropped; the sender reports its errors.
        tokio::spawn(connection);
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        anyhow::Ok(Reply {
            status: head.status,
            headers: head.headers,
            body,
        })
    };
    let reply = time::timeout(timeout, exchange).await;
    reply.with_context(|| format!("{server} did not reply within {timeout:?}"))?
}

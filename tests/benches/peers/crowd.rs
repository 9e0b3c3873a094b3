//! 200 concurrent clients of a server process: they read, order, change and delete pages of twenty accounts while the
//! server draws. For five minutes they send requests without a pause, which shows what the server can do, compared with
//! eight clients for half a minute. Then, on a new server, they send half as many for five minutes, at regular times,
//! which shows how long a request takes on a server that keeps up with its requests. It draws all the time in both.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use axum::http::request::Builder;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::process::Process;
use crate::report::{Comparison, Unit};
use crate::server;

const CLIENTS: usize = 200;
const DURATION: Duration = Duration::from_secs(300);
/// A few clients use both processors of a small machine.
const FEW_CLIENTS: usize = 8;
const FEW_CLIENTS_DURATION: Duration = Duration::from_secs(30);
/// The part of the greatest rate at which the clients send requests at regular times.
const REGULAR_SHARE: f64 = 0.5;
/// The time for which they do so before anything is measured.
const WARM_UP: Duration = Duration::from_secs(30);
const ACCOUNTS: usize = 20;
/// The pages that a client keeps; it deletes the oldest of more.
const MAX_PAGES_PER_CLIENT: usize = 20;
/// The time after which a client gives up a connection.
const REPLY_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let server = Server::start().await?;
    let idle = server.process.resident_mebibytes()?;
    let few = server.run(FEW_CLIENTS, FEW_CLIENTS_DURATION, None).await?;
    let many = server.run(CLIENTS, DURATION, None).await?;
    let peak = server.process.peak_mebibytes()?;
    drop(server);
    let rate = many.per_second() * REGULAR_SHARE;
    let server = Server::start().await?;
    server.run(CLIENTS, WARM_UP, Some(rate)).await?;
    let before = server.process.resident_mebibytes()?;
    let regular = server.run(CLIENTS, DURATION, Some(rate)).await?;
    let after = server.process.resident_mebibytes()?;
    drop(server);
    for (kind, outcome) in [
        ("8 clients without pauses", &few),
        ("200 clients without pauses", &many),
        ("200 clients at regular times", &regular),
    ] {
        eprintln!("{kind}: {}", outcome.describe());
    }
    let mut rate = Comparison::new("requests of 200 clients and of 8", Unit::PerSecond, "ratio 0.8 or more");
    rate.push(many.per_second(), few.per_second());
    let mut comparisons = vec![rate];
    for (kind, outcome) in [("without pauses", &many), ("at half of that rate", &regular)] {
        let name = format!("99th percentile and median, {kind}");
        let mut latency = Comparison::new(name, Unit::Milliseconds, "ratio 20 or less");
        latency.push(outcome.percentile(99), outcome.percentile(50));
        comparisons.push(latency);
    }
    let mut peaks = Comparison::new(
        "peak memory without pauses, and idle",
        Unit::Mebibytes,
        "ours below 500 MB",
    );
    peaks.push(peak, idle);
    comparisons.push(peaks);
    let mut memory = Comparison::new(
        "memory after and before those five minutes",
        Unit::Mebibytes,
        "ratio 1.1 or less",
    );
    memory.push(after, before);
    comparisons.push(memory);
    Ok(comparisons)
}

/// The server of the benchmark `server`, with limits that the clients do not reach.
fn command(data: &Path) -> anyhow::Result<Command> {
    let mut command = server::ours(data)?;
    for limit in ["CHANGES_PER_MINUTE", "GENERATIONS", "PAGES"] {
        command.env(format!("LINEPRESS_LIMITS__{limit}"), "1000000");
    }
    Ok(command)
}

/// Creates the accounts; returns an API key of each.
fn keys(data: &Path) -> anyhow::Result<Vec<String>> {
    let read = |arguments: &[&str]| {
        let mut command = Command::new(crate::app::from_environment("LINEPRESS_TEST_BINARY")?);
        let output = command
            .args(arguments)
            .env("LINEPRESS_DATA_DIR", data)
            .current_dir(data)
            .output()?;
        ensure!(
            output.status.success(),
            "{arguments:?} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        anyhow::Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let create = |number| {
        let email = format!("crowd-{number}@example.com");
        read(&["account", "create", "--email", &email, "--credits", "1000000"])?;
        read(&["key", "create", "--email", &email, "--name", "load"])
    };
    (0..ACCOUNTS).map(create).collect()
}

/// A server process on an empty data folder, and an API key of each account.
struct Server {
    process: Process,
    keys: Vec<String>,
    /// Deleted after the process has ended.
    _folder: TempDir,
}

impl Server {
    async fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let data = folder.path();
        // The first start compiles the plugins and creates the database.
        drop(Process::start(command(data)?).await?);
        let keys = keys(data)?;
        Ok(Self {
            process: Process::start(command(data)?).await?,
            keys,
            _folder: folder,
        })
    }

    /// Has this many clients send requests for this time: each as soon as it has the reply to the previous one, or all
    /// together at this rate per second.
    async fn run(&self, clients: usize, length: Duration, rate: Option<f64>) -> anyhow::Result<Outcome> {
        let began = Instant::now();
        let interval = rate.map(|rate| Duration::from_secs_f64(clients as f64 / rate));
        let kind = if rate.is_some() { "regular" } else { "greedy" };
        let tasks: Vec<_> = (0..clients)
            .map(|number| {
                let key: Arc<str> = self.keys[number % self.keys.len()].as_str().into();
                // Idempotency keys differ between runs.
                let name = format!("{kind}-{}-{clients}-{number}", length.as_secs());
                let client = Client::new(self.process.address, key, name, number);
                let pace = interval.map(|interval| Pace {
                    interval,
                    due: began + interval.mul_f64(number as f64 / clients as f64),
                });
                tokio::spawn(client.work(began + length, pace))
            })
            .collect();
        let mut outcome = Outcome::default();
        for task in tasks {
            outcome.add(task.await?);
        }
        outcome.took = began.elapsed();
        outcome.milliseconds.sort_by(f64::total_cmp);
        Ok(outcome)
    }
}

/// The times at which a client sends requests.
struct Pace {
    interval: Duration,
    /// The time of the next request.
    due: Instant,
}

impl Pace {
    /// Waits until the next request is due; returns the time at which it begins. A client that still waited for a reply
    /// when it was due is late, and the delay counts as part of the time that the request takes.
    async fn wait(&mut self) -> Instant {
        let due = self.due;
        self.due += self.interval;
        if due <= Instant::now() {
            return due;
        }
        tokio::time::sleep_until(due.into()).await;
        // Not `due`: a timer ends up to a millisecond late.
        Instant::now()
    }
}

/// The replies of a run.
#[derive(Default)]
struct Outcome {
    /// The time of each reply, and until a client gave up waiting for one, sorted at the end.
    milliseconds: Vec<f64>,
    /// The number of replies by status.
    statuses: BTreeMap<u16, usize>,
    /// Requests whose connection broke, or which had no reply in time.
    without_reply: usize,
    took: Duration,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.milliseconds.extend(other.milliseconds);
        self.without_reply += other.without_reply;
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
    }

    fn per_second(&self) -> f64 {
        self.milliseconds.len() as f64 / self.took.as_secs_f64()
    }

    fn percentile(&self, percent: usize) -> f64 {
        let last = self.milliseconds.len().saturating_sub(1);
        self.milliseconds.get(last * percent / 100).copied().unwrap_or(f64::NAN)
    }

    fn describe(&self) -> String {
        let statuses = self
            .statuses
            .iter()
            .map(|(status, count)| format!("{count} times {status}, "));
        format!(
            "{} replies in {:.0} s: {}{} without a reply; p50 {:.1} ms, p99 {:.1} ms",
            self.milliseconds.len(),
            self.took.as_secs_f64(),
            statuses.collect::<String>(),
            self.without_reply,
            self.percentile(50),
            self.percentile(99)
        )
    }
}

/// A client with one connection, which it opens again when it breaks.
struct Client {
    address: SocketAddr,
    key: Arc<str>,
    name: String,
    /// The number of requests, which determines the next one. Clients begin at different numbers.
    step: usize,
    connection: Option<SendRequest<Full<Bytes>>>,
    pages: Vec<String>,
}

impl Client {
    fn new(address: SocketAddr, key: Arc<str>, name: String, first: usize) -> Self {
        Self {
            address,
            key,
            name,
            step: first,
            connection: None,
            pages: Vec::new(),
        }
    }

    async fn work(mut self, until: Instant, mut pace: Option<Pace>) -> Outcome {
        let mut outcome = Outcome::default();
        // Requests that were due before the end are sent, however late.
        while pace.as_ref().map_or_else(Instant::now, |pace| pace.due) < until {
            self.step += 1;
            let began = match &mut pace {
                Some(pace) => pace.wait().await,
                None => Instant::now(),
            };
            let replied = tokio::time::timeout(REPLY_TIMEOUT, self.act()).await;
            outcome.milliseconds.push(began.elapsed().as_secs_f64() * 1e3);
            match replied {
                Ok(Ok(status)) => {
                    *outcome.statuses.entry(status.as_u16()).or_default() += 1;
                }
                Ok(Err(_)) | Err(_) => {
                    outcome.without_reply += 1;
                    self.connection = None;
                }
            }
        }
        outcome
    }

    /// Sends the next request. Three quarters of the numbers stand for reads, but only about two thirds of the requests
    /// read: a client without pages orders one instead, and a deletion takes the turn of a read.
    async fn act(&mut self) -> anyhow::Result<StatusCode> {
        if self.pages.len() > MAX_PAGES_PER_CLIENT {
            let page = self.pages.remove(0);
            let request = request(Method::DELETE, &format!("/pages/{page}"));
            return Ok(self.send(request, None).await?.0);
        }
        let page = self.pages.get(self.step % self.pages.len().max(1)).cloned();
        // 37 and 100 have no common divisor, so that the kinds of requests alternate.
        match (self.step * 37 % 100, page) {
            (0..30, Some(page)) => self.get(&format!("/pages/{page}")).await,
            (30..50, _) => self.get("/pages").await,
            (50..65, _) => self.get("/me").await,
            (65..75, _) => self.get("/operations?limit=10").await,
            (75..90, Some(page)) => {
                let title = json!({"page": {"title": format!("Title {}", self.step)}});
                let request = request(Method::PATCH, &format!("/pages/{page}"));
                Ok(self.send(request, Some(title)).await?.0)
            }
            _ => self.order().await,
        }
    }

    async fn get(&mut self, path: &str) -> anyhow::Result<StatusCode> {
        Ok(self.send(request(Method::GET, path), None).await?.0)
    }

    /// Orders a page.
    async fn order(&mut self) -> anyhow::Result<StatusCode> {
        let key = format!("{}-{}", self.name, self.step);
        let request = request(Method::POST, "/pages").header("idempotency-key", key);
        let body = json!({"page": {"title": "A fox in the woods"}});
        let (status, reply) = self.send(request, Some(body)).await?;
        let reply: Value = serde_json::from_slice(&reply).unwrap_or_default();
        self.pages.extend(reply["page"]["id"].as_str().map(str::to_owned));
        Ok(status)
    }

    async fn send(&mut self, request: Builder, body: Option<Value>) -> anyhow::Result<(StatusCode, Bytes)> {
        let request = request
            .header(header::HOST, "127.0.0.1")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .body(body.map_or_else(Full::default, |body| Full::from(body.to_string())))?;
        if self.connection.as_ref().is_none_or(SendRequest::is_closed) {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
            // The task ends when the sender is dropped; the sender reports earlier errors.
            tokio::spawn(connection);
            self.connection = Some(sender);
        }
        let connection = self.connection.as_mut().context("no connection")?;
        connection.ready().await?;
        let response = connection.send_request(request).await?;
        let status = response.status();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }
}

fn request(method: Method, path: &str) -> Builder {
    Request::builder().method(method).uri(format!("/api/v1{path}"))
}

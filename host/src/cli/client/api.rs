//! Requests to the REST interface of a server. Each of them may be repeated: it reads, plans, or has an idempotency
//! key.
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::http::request::Builder;
use hyper::{Request, Response, StatusCode, header};
use linepress_egress::{ServiceBody, ServiceClient, ServiceSettings};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time without a byte after which a request has failed. The server responds within 180 seconds by default.
const STALL_TIMEOUT: Duration = Duration::from_secs(200);
const MAX_RESPONSE_BYTES: usize = 16 << 20;
const MAX_RETRIES: u32 = 5;
/// The longest wait for the next attempt. An error that asks for more is reported.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);

/// A server, with the API key of an account.
pub(super) struct Api {
    client: ServiceClient,
    base: String,
    authorization: String,
}

/// A response with a body of JSON.
pub(super) struct Reply<T> {
    pub(super) body: T,
    /// The balance of the account.
    pub(super) available: Option<u64>,
    /// True if the server has waited as the request asked.
    pub(super) has_waited: bool,
}

/// The error in a response.
#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorFields,
}

#[derive(Deserialize)]
struct ErrorFields {
    code: String,
    message: String,
    request_id: String,
}

impl Api {
    pub(super) fn new(url: &str, key: &str) -> anyhow::Result<Self> {
        let base = Url::parse(url).with_context(|| format!("{url} is not the address of a server"))?;
        ensure!(
            matches!(base.scheme(), "http" | "https") && base.has_host(),
            "{url} is not the address of a server, such as https://books.example.com"
        );
        let settings = ServiceSettings {
            denied: Vec::new(),
            connect: CONNECT_TIMEOUT,
            stall: STALL_TIMEOUT,
        };
        Ok(Self {
            client: ServiceClient::system(settings).map_err(|problem| anyhow!(problem))?,
            base: format!("{}/api/v1", base.as_str().trim_end_matches('/')),
            authorization: format!("Bearer {key}"),
        })
    }

    /// Reads a resource; with `wait`, as soon as it has reached its end, or after this time.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        wait: Option<Duration>,
    ) -> anyhow::Result<Reply<T>> {
        let request = || {
            let request = Request::get(self.address(path));
            match wait {
                Some(time) => request.header("prefer", format!("wait={}", time.as_secs())),
                None => request,
            }
        };
        read(self.send(request, Bytes::new()).await?).await
    }

    /// Sends a body of JSON. A request that has an effect needs a key.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> anyhow::Result<Reply<T>> {
        let request = || {
            let request = Request::post(self.address(path)).header(header::CONTENT_TYPE, "application/json");
            match key {
                Some(key) => request.header("idempotency-key", key),
                None => request,
            }
        };
        read(self.send(request, body.to_string().into()).await?).await
    }

    /// Requests a file.
    pub(super) async fn file(&self, path: &str) -> anyhow::Result<ServiceBody> {
        let response = self.send(|| Request::get(self.address(path)), Bytes::new()).await?;
        Ok(response.into_body())
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Sends a request, and again when the server is busy or cannot be reached. Returns only a response without an
    /// error.
    async fn send(&self, request: impl Fn() -> Builder, body: Bytes) -> anyhow::Result<Response<ServiceBody>> {
        let mut retries = 0;
        loop {
            let prepared = request()
                .header(header::AUTHORIZATION, &self.authorization)
                .body(Full::new(body.clone()))
                .context("the address or the API key contains a character that cannot be sent")?;
            let sent = self.client.send(prepared).await;
            let delay = match &sent {
                Ok(response) if response.status().is_success() => None,
                Ok(response) => retry_after(response),
                Err(_) => Some(Duration::from_millis(500 << retries)),
            };
            match delay {
                Some(delay) if retries < MAX_RETRIES && delay <= MAX_RETRY_DELAY => tokio::time::sleep(delay).await,
                _ => return without_error(sent.with_context(|| format!("{} does not respond", self.base))?).await,
            }
            retries += 1;
        }
    }
}

/// The pause before a repetition of a request, if the server asks for one.
fn retry_after(response: &Response<ServiceBody>) -> Option<Duration> {
    let is_busy = matches!(
        response.status(),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    is_busy
        .then(|| number(response, header::RETRY_AFTER.as_str()))
        .flatten()
        .map(Duration::from_secs)
}

fn number(response: &Response<ServiceBody>, name: &str) -> Option<u64> {
    response.headers().get(name)?.to_str().ok()?.parse().ok()
}

async fn without_error(response: Response<ServiceBody>) -> anyhow::Result<Response<ServiceBody>> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = bytes(response.into_body()).await.unwrap_or_default();
    match serde_json::from_slice(&body) {
        Ok(ErrorBody { error }) => bail!("{} ({}, request {})", error.message, error.code, error.request_id),
        // A proxy, or another program.
        Err(_) => bail!("the address responds with {status} and without an error of a Linepress server"),
    }
}

async fn read<T: DeserializeOwned>(response: Response<ServiceBody>) -> anyhow::Result<Reply<T>> {
    // The word in the middle of the name is a setting of the server.
    let names = response.headers().keys();
    let balance = names
        .map(|name| name.as_str())
        .find(|name| name.ends_with("-credits-available"));
    let available = balance.and_then(|name| number(&response, name));
    let has_waited = response.headers().contains_key("preference-applied");
    let body = bytes(response.into_body()).await?;
    let body = serde_json::from_slice(&body).context("the response is not that of a Linepress server")?;
    Ok(Reply {
        body,
        available,
        has_waited,
    })
}

async fn bytes(body: ServiceBody) -> anyhow::Result<Bytes> {
    let collected = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
    Ok(collected.map_err(anyhow::Error::from_boxed)?.to_bytes())
}

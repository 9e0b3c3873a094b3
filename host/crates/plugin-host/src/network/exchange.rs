//! Recording of HTTP exchanges to a file with one line of JSON each, and replaying of them without a network.
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use serde::{Deserialize, Serialize};

use super::{HttpBody, Outgoing, Secrets, Sent, Transport, TransportError};

/// Maximum size of a recorded body. A call may receive less.
const MAX_BODY_BYTES: usize = 256 << 20;

/// Headers that are not recorded, because they can contain secrets.
const OMITTED_HEADERS: [HeaderName; 4] = [
    header::AUTHORIZATION,
    header::COOKIE,
    header::SET_COOKIE,
    header::PROXY_AUTHORIZATION,
];

/// A request with its response or error.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Exchange {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    /// The body of the request, in base64.
    body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<Reply>,
    /// The error of a request without a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    /// The body of the response, in base64.
    body: String,
}

/// A transport that sends requests over another transport, and records each exchange without its secrets.
pub struct Recorder<W> {
    transport: Arc<dyn Transport>,
    file: Arc<Mutex<W>>,
}

impl<W: Write + Send + 'static> Recorder<W> {
    pub fn new(transport: Arc<dyn Transport>, file: W) -> Self {
        Self {
            transport,
            file: Arc::new(Mutex::new(file)),
        }
    }
}

impl<W: Write + Send + 'static> Transport for Recorder<W> {
    fn send(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>> {
        let (transport, file) = (self.transport.clone(), self.file.clone());
        Box::pin(async move {
            let secrets = outgoing.secrets.clone();
            let url = url(&outgoing);
            let (parts, body) = outgoing.request.into_parts();
            let body = collect(body).await?;
            let mut exchange = Exchange {
                method: parts.method.to_string(),
                url: secrets.removed_from(url),
                headers: headers(&parts.headers, &secrets),
                body: STANDARD.encode(secrets.removed_from_bytes(&body)),
                response: None,
                error: None,
            };
            let sent = transport.send(Outgoing {
                request: http::Request::from_parts(parts, full_body(body)),
                ..outgoing
            });
            let received = match sent.await {
                Ok(sent) => receive(sent).await,
                Err(error) => Err(error),
            };
            match &received {
                Ok((parts, body)) => {
                    exchange.response = Some(Reply {
                        status: parts.status.as_u16(),
                        headers: headers(&parts.headers, &secrets),
                        body: STANDARD.encode(secrets.removed_from_bytes(body)),
                    });
                }
                Err(error) => exchange.error = Some(secrets.removed_from(error.to_string())),
            }
            write_exchange(&file, &exchange)?;
            let (parts, body) = received?;
            Ok(with_idle_driver(Response::from_parts(parts, full_body(body))))
        })
    }
}

fn write_exchange<W: Write>(file: &Mutex<W>, exchange: &Exchange) -> Result<(), TransportError> {
    let failed = |problem: String| TransportError::Failed(format!("the exchange cannot be recorded: {problem}"));
    let mut line = serde_json::to_vec(exchange).map_err(|error| failed(error.to_string()))?;
    line.push(b'\n');
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    let written = file.write_all(&line).and_then(|()| file.flush());
    written.map_err(|error| failed(error.to_string()))
}

/// A transport that answers requests with recorded responses. Responses for the same method and URL are returned in
/// their recorded order, and the last one repeatedly.
pub struct Replayer(Mutex<Vec<(String, VecDeque<Exchange>)>>);

impl Replayer {
    /// Parses the output of a [`Recorder`]. An error names the line.
    pub fn new(text: &str) -> Result<Self, String> {
        let mut recorded: Vec<(String, VecDeque<Exchange>)> = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |error: String| format!("line {} is not a recorded exchange: {error}", number + 1);
            let exchange: Exchange = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            match &exchange.response {
                Some(reply) => drop(reply.read().map_err(wrong)?),
                None if exchange.error.is_none() => return Err(wrong("it has neither a response nor an error".into())),
                None => {}
            }
            let key = format!("{} {}", exchange.method, exchange.url);
            match recorded.iter_mut().find(|(known, _)| *known == key) {
                Some((_, exchanges)) => exchanges.push_back(exchange),
                None => recorded.push((key, VecDeque::from([exchange]))),
            }
        }
        Ok(Self(Mutex::new(recorded)))
    }

    fn reply(&self, method: &Method, url: &str) -> Result<Response<HttpBody>, TransportError> {
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{method} {url}");
        let Some((_, exchanges)) = recorded.iter_mut().find(|(known, _)| *known == key) else {
            return Err(TransportError::Failed(format!("no reply to {key} was recorded")));
        };
        let exchange = match exchanges.len() {
            1 => exchanges.front().cloned(),
            _ => exchanges.pop_front(),
        };
        let exchange = exchange.ok_or_else(|| TransportError::Failed(format!("no reply to {key} was recorded")))?;
        match exchange.response {
            Some(reply) => reply.read().map_err(TransportError::Failed),
            None => Err(TransportError::Failed(exchange.error.unwrap_or_default())),
        }
    }
}

impl Transport for Replayer {
    fn send(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>> {
        let reply = self.reply(outgoing.request.method(), &url(&outgoing));
        Box::pin(async move {
            // The body is read to its end, like a server does, so that the guest can finish sending it.
            collect(outgoing.request.into_body()).await?;
            reply.map(with_idle_driver)
        })
    }
}

/// A transport that refuses every request.
pub struct Offline;

impl Transport for Offline {
    fn send(&self, _: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>> {
        Box::pin(async { Err(TransportError::Failed("network access is disabled".into())) })
    }
}

impl Reply {
    fn read(&self) -> Result<Response<HttpBody>, String> {
        let body = STANDARD.decode(&self.body).map_err(|error| error.to_string())?;
        let mut response = Response::new(full_body(body.into()));
        *response.status_mut() = StatusCode::from_u16(self.status).map_err(|error| error.to_string())?;
        for (name, value) in &self.headers {
            let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
            let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
            response.headers_mut().append(name, value);
        }
        // The recorded body is complete, so it needs no transfer encoding.
        response.headers_mut().remove(header::TRANSFER_ENCODING);
        Ok(response)
    }
}

fn url(outgoing: &Outgoing) -> String {
    format!("{}{}", outgoing.origin, outgoing.request.uri())
}

fn headers(headers: &HeaderMap, secrets: &Secrets) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| !OMITTED_HEADERS.contains(name))
        .filter_map(|(name, value)| Some((name.to_string(), secrets.removed_from(value.to_str().ok()?.to_owned()))))
        .collect()
}

async fn collect(body: HttpBody) -> Result<Bytes, TransportError> {
    let collected = Limited::new(body, MAX_BODY_BYTES).collect().await;
    let collected =
        collected.map_err(|error| TransportError::Failed(format!("the body could not be read: {error}")))?;
    Ok(collected.to_bytes())
}

/// Reads the whole body, and drives the connection meanwhile.
async fn receive(sent: Sent) -> Result<(http::response::Parts, Bytes), TransportError> {
    let (parts, body) = sent.response.into_parts();
    let body = collect(body);
    tokio::pin!(body);
    let mut driver = sent.driver;
    let body = tokio::select! {
        body = &mut body => body?,
        () = &mut driver => body.await?,
    };
    Ok((parts, body))
}

fn full_body(body: Bytes) -> HttpBody {
    Full::new(body).map_err(|never| match never {}).boxed_unsync()
}

fn with_idle_driver(response: Response<HttpBody>) -> Sent {
    Sent {
        response,
        driver: Box::pin(std::future::ready(())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use linepress_egress::{Origin, Reach};

    use super::*;

    /// Returns the request's body and its secret in the response.
    struct Echo;

    impl Transport for Echo {
        fn send(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>> {
            Box::pin(async move {
                let key = outgoing.credentials[header::AUTHORIZATION].to_str().unwrap().to_owned();
                let body = collect(outgoing.request.into_body()).await?;
                let text = format!("{key}: {}", String::from_utf8_lossy(&body));
                let mut response = Response::new(full_body(text.into()));
                response.headers_mut().insert("x-key", key.parse().unwrap());
                response.headers_mut().insert("set-cookie", "a=b".parse().unwrap());
                Ok(with_idle_driver(response))
            })
        }
    }

    fn outgoing(path: &str) -> Outgoing {
        let mut credentials = HeaderMap::new();
        credentials.insert(header::AUTHORIZATION, "Bearer s3cret".parse().unwrap());
        let secrets = Secrets::default();
        secrets.add("s3cret", "Bearer s3cret");
        let request = http::Request::post(path).header("x-client", "one");
        Outgoing {
            origin: Origin::parse("https://api.acme.com").unwrap(),
            reach: Reach::Public,
            request: request.body(full_body("a fox".into())).unwrap(),
            credentials,
            secrets,
            connect_timeout: Duration::from_secs(1),
            held: Arc::new(()),
        }
    }

    async fn text(transport: &dyn Transport, path: &str) -> Result<String, String> {
        let sent = transport
            .send(outgoing(path))
            .await
            .map_err(|error| error.to_string())?;
        let body = collect(sent.response.into_body())
            .await
            .map_err(|error| error.to_string())?;
        Ok(String::from_utf8(body.to_vec()).unwrap())
    }

    #[derive(Clone, Default)]
    struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_recorded_exchange_is_replayed_and_contains_no_secret() {
        let file = SharedBuffer::default();
        let recorder = Recorder::new(Arc::new(Echo), file.clone());
        let reply = text(&recorder, "/draw?key=s3cret").await.unwrap();
        assert_eq!(reply, "Bearer s3cret: a fox");
        let lines = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
        assert_eq!(lines.lines().count(), 1);
        let exchange: serde_json::Value = serde_json::from_str(&lines).unwrap();
        let body = STANDARD.decode(exchange["response"]["body"].as_str().unwrap()).unwrap();
        assert!(!lines.contains("s3cret") && !lines.contains("a=b"), "{lines}");
        assert_eq!(body, b"(secret): a fox");

        let replayer = Replayer::new(&lines).unwrap();
        for _ in 0..2 {
            let reply = text(&replayer, "/draw?key=(secret)").await.unwrap();
            assert_eq!(reply, "(secret): a fox");
        }
        let error = text(&replayer, "/other").await.unwrap_err();
        assert_eq!(error, "no reply to POST https://api.acme.com:443/other was recorded");
    }

    #[test]
    fn a_file_without_recorded_exchanges_is_refused_with_the_line() {
        for text in ["{}", "\n[]"] {
            let error = Replayer::new(text).err().unwrap();
            assert!(error.contains("is not a recorded exchange"), "{error}");
        }
    }
}

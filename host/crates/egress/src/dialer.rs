//! One HTTP request over a connection of its own, to an address that was checked.
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use crate::client::{Roots, tls};
use crate::guard::{Exceptions, Guard, HELD, Held, Resolver, SystemResolver};
use crate::origin::{Origin, Scheme};

/// How large the head of a response may be.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Sends requests to services, one connection each. Cheap to clone.
///
/// Unlike a [`crate::Fetcher`] it goes to any port and, where that is allowed, to addresses of a private network: whoever
/// calls it has checked that the origin may be reached. It follows no redirect.
#[derive(Clone)]
pub struct Dialer(Arc<Parts>);

struct Parts {
    guard: Guard,
    roots: Roots,
    /// Made when it is first needed: reading the system's certificates takes a while, and a server without them does all
    /// the rest.
    tls: OnceLock<TlsConnector>,
}

/// What a dialer works with.
pub struct DialSettings {
    pub resolver: Arc<dyn Resolver>,
    pub roots: Roots,
    pub exceptions: Exceptions,
}

/// Which addresses a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those on the public internet.
    Public,
    /// Any but those that the operator denies: somebody named this very origin.
    Private,
}

/// Why there is no response. For a log alone: it tells about the network of this machine.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("no connection over TLS can be made: {0}")]
    Setup(String),
    #[error(transparent)]
    Refused(crate::guard::Refusal),
    #[error("{address} cannot be reached: {cause}")]
    Connect { address: SocketAddr, cause: io::Error },
    #[error("no connection within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    #[error("TLS failed: {0}")]
    Tls(io::Error),
    #[error("the exchange failed: {0}")]
    Exchange(#[from] hyper::Error),
}

/// A response whose body arrives as long as its connection is driven.
pub struct Dialed {
    pub response: Response<Incoming>,
    pub driver: BoxFuture<'static, Result<(), hyper::Error>>,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Dialer {
    /// On the system's resolver and certificates, and to none of the networks that the operator denies.
    pub fn system(denied: Vec<ipnet::IpNet>) -> Self {
        Self::new(DialSettings {
            resolver: Arc::new(SystemResolver::new()),
            roots: Roots::System,
            exceptions: Exceptions {
                denied,
                ..Exceptions::default()
            },
        })
    }

    pub fn new(settings: DialSettings) -> Self {
        Self(Arc::new(Parts {
            guard: Guard::new(settings.resolver, settings.exceptions),
            roots: settings.roots,
            tls: OnceLock::new(),
        }))
    }

    /// A failure is not kept: certificates may be installed while the server runs.
    fn tls(&self) -> Result<&TlsConnector, DialError> {
        if let Some(tls) = self.0.tls.get() {
            return Ok(tls);
        }
        let made = tls(self.0.roots.clone()).map_err(|error| DialError::Setup(error.to_string()))?;
        Ok(self.0.tls.get_or_init(|| TlsConnector::from(Arc::new(made))))
    }

    /// Sends a request, whose URI is a path and a query, and returns when the head of the response is there. The request's
    /// `Host` is the origin's, whatever it was.
    ///
    /// `connect` is the time until a connection stands, TLS included. How long the response may take is for the caller,
    /// who may drop the future at any time. Looking up a name cannot be broken off: `held` is kept as long as that lasts.
    pub async fn send<B>(
        &self,
        origin: &Origin,
        reach: Reach,
        mut request: Request<B>,
        connect: Duration,
        held: Held,
    ) -> Result<Dialed, DialError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let stream = HELD.scope(held, self.connect(origin, reach, Instant::now() + connect));
        let stream = timeout(connect, stream);
        let stream = stream.await.map_err(|_| DialError::TimedOut(connect))??;
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD_BYTES)
            .handshake::<_, B>(TokioIo::new(stream))
            .await?;
        let host = http::HeaderValue::try_from(origin.authority());
        let host = host.map_err(|error| DialError::Setup(error.to_string()))?;
        request.headers_mut().insert(http::header::HOST, host);
        let mut driver: BoxFuture<'static, _> = Box::pin(connection);
        let mut response = std::pin::pin!(sender.send_request(request));
        let response = tokio::select! {
            response = &mut response => response?,
            // A server may close the connection with its last byte: the response is there all the same, or else says why not.
            ended = &mut driver => {
                driver = Box::pin(std::future::ready(ended));
                response.await?
            }
        };
        Ok(Dialed { response, driver })
    }

    async fn connect(&self, origin: &Origin, reach: Reach, end: Instant) -> Result<Box<dyn Stream>, DialError> {
        let addresses = match origin.address() {
            Some(address) => self.0.guard.address(origin, reach, address),
            None => self.0.guard.addresses(origin.host(), origin.port(), reach).await,
        };
        let stream = dial(&addresses.map_err(DialError::Refused)?, end).await?;
        // Requests are written in a few pieces and then waited for.
        let _ = stream.set_nodelay(true);
        match origin.scheme() {
            Scheme::Http => Ok(Box::new(stream)),
            Scheme::Https => {
                let host = origin.host().trim_start_matches('[').trim_end_matches(']').to_owned();
                let name = ServerName::try_from(host).map_err(|error| DialError::Setup(error.to_string()))?;
                let stream = self.tls()?.connect(name, stream).await.map_err(DialError::Tls)?;
                Ok(Box::new(stream))
            }
        }
    }
}

/// The first of the addresses that takes a connection. Each has an equal part of the time that is left, so that one that is
/// silent leaves some for the next.
async fn dial(addresses: &[SocketAddr], end: Instant) -> Result<TcpStream, DialError> {
    let mut failure = None;
    for (tried, &address) in addresses.iter().enumerate() {
        let left = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let now = Instant::now();
        let until = now + end.saturating_duration_since(now) / left;
        let cause = match timeout_at(until, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(cause)) => cause,
            Err(_) => io::ErrorKind::TimedOut.into(),
        };
        failure = Some(DialError::Connect { address, cause });
    }
    Err(failure.unwrap_or_else(|| DialError::Setup("there is no address".into())))
}

//! One HTTP request over a new connection to an address that was checked.
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
use crate::guard::{Exceptions, Guard, HELD, Held, Reach, Refusal, Resolver, SystemResolver};
use crate::origin::{Origin, Scheme};

/// Maximum size of the head of a response.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Sends requests to services, each over a new connection. Cheap to clone.
///
/// Unlike a [`crate::Fetcher`] it connects to any port and, where that is allowed, to addresses of a private network:
/// its caller must check that the origin may be reached. It does not follow redirects.
#[derive(Clone)]
pub struct Dialer(Arc<Parts>);

struct Parts {
    guard: Guard,
    roots: Roots,
    /// Created on first use: reading the system's certificates takes a while, and a server without them can still do
    /// everything that needs no TLS.
    tls: OnceLock<TlsConnector>,
}

/// The settings of a dialer.
pub struct DialSettings {
    pub resolver: Arc<dyn Resolver>,
    pub roots: Roots,
    pub exceptions: Exceptions,
}

/// The reason why no response arrived. For the log only, because it reveals the network of this machine.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("no connection over TLS can be made: {0}")]
    Setup(String),
    #[error(transparent)]
    Refused(Refusal),
    #[error("{address} cannot be reached: {cause}")]
    Connect { address: SocketAddr, cause: io::Error },
    #[error("no connection was made within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    #[error("TLS failed: {0}")]
    Tls(io::Error),
    #[error("the exchange failed: {0}")]
    Exchange(#[from] hyper::Error),
    #[error("the response is larger than {0} bytes")]
    TooLarge(u64),
    #[error("the response was not received within {} s", .0.as_secs_f32())]
    Late(Duration),
}

impl DialError {
    /// Returns true if the server may speak no TLS at this port: it ended the handshake, or its response was not TLS.
    pub fn may_lack_tls(&self) -> bool {
        let Self::Tls(error) = self else { return false };
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
        matches!(cause, Some(rustls::Error::InvalidMessage(_)))
            || matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset
            )
    }

    /// Returns true if no connection was made because an address is not on the public internet.
    pub fn is_of_private_address(&self) -> bool {
        matches!(self, Self::Refused(Refusal::NotPublic { .. }))
    }
}

/// A response whose body arrives while `driver` is polled.
pub struct Dialed {
    pub response: Response<Incoming>,
    pub driver: BoxFuture<'static, Result<(), hyper::Error>>,
}

/// A connection to an address that was checked.
pub trait Connection: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Connection for T {}

impl Dialer {
    /// A dialer with the system's resolver and certificates, for all networks except `denied`.
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

    /// The TLS connector. A failure is not cached, because certificates may be installed while the server runs.
    fn tls(&self) -> Result<&TlsConnector, DialError> {
        if let Some(tls) = self.0.tls.get() {
            return Ok(tls);
        }
        let config = tls(self.0.roots.clone()).map_err(|error| DialError::Setup(error.to_string()))?;
        Ok(self.0.tls.get_or_init(|| TlsConnector::from(Arc::new(config))))
    }

    /// Opens a connection for another protocol than HTTP, over TLS if the scheme of the origin is https. `connect`
    /// limits the time until the connection is made, including TLS.
    pub async fn open(
        &self,
        origin: &Origin,
        reach: Reach,
        connect: Duration,
    ) -> Result<Box<dyn Connection>, DialError> {
        let stream = timeout(connect, self.connect(origin, reach, Instant::now() + connect));
        stream.await.map_err(|_| DialError::TimedOut(connect))?
    }

    /// Sends a request, whose URI must be a path and a query, and returns when the head of the response has arrived.
    /// Its `Host` header is replaced by the origin's.
    ///
    /// `connect` limits the time until the connection is made, including TLS. The caller limits the time of the
    /// response by dropping the future. A name look-up cannot be canceled: it retains `held` until it ends.
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
            // A server may close the connection with its last byte. The response has then arrived, or reports why it
            // has not.
            ended = &mut driver => {
                driver = Box::pin(std::future::ready(ended));
                response.await?
            }
        };
        Ok(Dialed { response, driver })
    }

    async fn connect(&self, origin: &Origin, reach: Reach, end: Instant) -> Result<Box<dyn Connection>, DialError> {
        let addresses = match origin.address() {
            Some(address) => self.0.guard.address(origin, reach, address),
            None => self.0.guard.addresses(origin.host(), origin.port(), reach).await,
        };
        let stream = dial(&addresses.map_err(DialError::Refused)?, end).await?;
        // Requests are written in a few pieces and followed by a wait for the response.
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

/// Connects to the first address that accepts. Each address gets an equal share of the time that is left, so that a
/// silent one leaves time for the next.
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
    Err(failure.unwrap_or_else(|| DialError::Setup("the name has no address".into())))
}

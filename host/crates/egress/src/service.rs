//! A client for a service that the operator named, such as an object store.
//!
//! Unlike a [`crate::Fetcher`] it connects to any port and to addresses of a private network, reuses connections, and
//! does not limit the time of a whole request: a request fails when no byte of it moves for a while.
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use ipnet::IpNet;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::watch;
use tokio::time::Sleep;
use url::{Host, Url};

use crate::client::{Roots, builder};
use crate::error::chain;
use crate::guard::{Exceptions, Guard, Reach, Refusal, SystemResolver};
use crate::origin::Origin;

/// The size of the pieces in which a request is sent: each that is sent shows that the request makes progress.
const PIECE_BYTES: usize = 64 << 10;

/// The maximum number of idle connections, and the time after which one is closed.
const MAX_IDLE_CONNECTIONS: usize = 16;
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The settings of a client.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The networks that are never connected to.
    pub denied: Vec<IpNet>,
    /// The time until a connection is made.
    pub connect: Duration,
    /// The time after which a request has failed unless a byte was sent or received.
    pub stall: Duration,
}

/// The client. Cheap to clone.
#[derive(Clone)]
pub struct ServiceClient {
    client: Client,
    guard: Guard,
    stall: Duration,
}

impl std::fmt::Debug for ServiceClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ServiceClient(..)")
    }
}

/// The reason why a request failed. For the log only, because it reveals the network of this machine.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error("{0} is not the URL of a service")]
    Url(String),
    #[error(transparent)]
    Refused(Refusal),
    #[error("nothing was sent or received for {} s", .0.as_secs_f32())]
    Stalled(Duration),
    #[error("{}", chain(.0))]
    Transport(reqwest::Error),
}

impl ServiceError {
    fn transport(error: reqwest::Error) -> Self {
        // The query of a URL may contain credentials.
        Self::Transport(error.without_url())
    }

    /// Returns true when no connection was made, so that the service has not seen the request.
    pub fn is_unsent(&self) -> bool {
        match self {
            Self::Url(_) | Self::Refused(_) => true,
            Self::Stalled(_) => false,
            Self::Transport(error) => error.is_connect(),
        }
    }
}

impl ServiceClient {
    /// A client with the system's resolver and certificates. The error says what is wrong with this machine.
    pub fn system(settings: ServiceSettings) -> Result<Self, String> {
        let exceptions = Exceptions {
            denied: settings.denied,
            ..Exceptions::default()
        };
        let guard = Guard::new(Arc::new(SystemResolver::new()), exceptions);
        let client = builder(Roots::System, settings.connect)?
            .dns_resolver(PrivateNames(guard.clone()))
            .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build();
        Ok(Self {
            client: client.map_err(|error| chain(&error))?,
            guard,
            stall: settings.stall,
        })
    }

    /// Sends the request and returns when the head of the response has arrived. Redirects are not followed, because the
    /// request is meant for this address only.
    pub async fn send<B>(&self, request: Request<B>) -> Result<Response<ServiceBody>, ServiceError>
    where
        B: Body<Data = Bytes> + Send + Sync + Unpin + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let text = parts.uri.to_string();
        let url = Url::parse(&text).map_err(|_| ServiceError::Url(text))?;
        self.check(&url)?;
        let (progress, watched) = watch::channel(());
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        *request.body_mut() = Some(reqwest::Body::wrap(WatchedBody {
            inner: body,
            rest: Bytes::new(),
            progress,
        }));
        let response = self.unless_stalled(watched, self.client.execute(request)).await?;
        let (parts, body) = Response::<reqwest::Body>::from(response).into_parts();
        let body = ServiceBody {
            inner: body,
            stall: self.stall,
            waiting: None,
        };
        Ok(Response::from_parts(parts, body))
    }

    /// The client connects to an address in a URL without calling the resolver, where names are checked.
    fn check(&self, url: &Url) -> Result<(), ServiceError> {
        let address = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            _ => return Ok(()),
        };
        let origin = Origin::of(url).map_err(|_| ServiceError::Url(url.to_string()))?;
        let checked = self.guard.address(&origin, Reach::Private, address);
        checked.map(drop).map_err(ServiceError::Refused)
    }

    /// Waits for the response as long as the request makes progress.
    async fn unless_stalled(
        &self,
        mut watched: watch::Receiver<()>,
        response: impl Future<Output = reqwest::Result<reqwest::Response>>,
    ) -> Result<reqwest::Response, ServiceError> {
        tokio::pin!(response);
        let mut is_sending = true;
        loop {
            tokio::select! {
                response = &mut response => return response.map_err(ServiceError::transport),
                piece = watched.changed(), if is_sending => is_sending = piece.is_ok(),
                () = tokio::time::sleep(self.stall) => return Err(ServiceError::Stalled(self.stall)),
            }
        }
    }
}

/// Resolves names that may have private addresses.
struct PrivateNames(Guard);

impl Resolve for PrivateNames {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            // The client replaces port 0 by that of the URL.
            let addresses = guard.addresses(name.as_str(), 0, Reach::Private).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The body of a request, sent in pieces and observed.
struct WatchedBody<B> {
    inner: B,
    rest: Bytes,
    progress: watch::Sender<()>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for WatchedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => return Poll::Ready(end),
            }
        }
        this.progress.send_replace(());
        let piece = this.rest.split_to(PIECE_BYTES.min(this.rest.len()));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.inner.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

/// The body of a response.
pub struct ServiceBody {
    inner: reqwest::Body,
    stall: Duration,
    /// The time limit of the read under way. A reader that does not ask for more is not limited.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Body for ServiceBody {
    type Data = Bytes;
    type Error = ServiceError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ServiceError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) {
            this.waiting = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(ServiceError::transport)));
        }
        let stall = this.stall;
        let waiting = this.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Some(Err(ServiceError::Stalled(stall))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use http_body_util::{BodyExt as _, Full};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// A limit that a service exceeds soon.
    const SHORT_STALL: Duration = Duration::from_millis(300);
    /// A limit that a service which sends something every few milliseconds does not exceed even on a busy machine.
    const LONG_STALL: Duration = Duration::from_secs(3);

    fn client(denied: &[&str], stall: Duration) -> ServiceClient {
        ServiceClient::system(ServiceSettings {
            denied: denied.iter().map(|network| network.parse().unwrap()).collect(),
            connect: LONG_STALL,
            stall,
        })
        .unwrap()
    }

    /// Serves one connection on the loopback interface; returns its URL.
    async fn serve<F: Future<Output = ()> + Send>(talk: impl FnOnce(TcpStream) -> F + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            talk(stream).await;
        });
        url
    }

    fn put(url: &str, bytes: usize) -> Request<Full<Bytes>> {
        Request::put(url).body(Full::from(vec![7; bytes])).unwrap()
    }

    #[tokio::test]
    async fn a_request_may_take_longer_than_the_limit_while_bytes_move() {
        const BYTES: usize = 8 << 20;
        let url = serve(async |mut stream| {
            let (mut read, mut buffer) = (0, vec![0; 1 << 20]);
            while read < BYTES {
                read += stream.read(&mut buffer).await.unwrap();
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n")
                .await
                .unwrap();
            for _ in 0..4 {
                tokio::time::sleep(LONG_STALL / 3).await;
                stream.write_all(b"x").await.unwrap();
            }
        });
        let began = Instant::now();
        let response = client(&[], LONG_STALL).send(put(&url.await, BYTES)).await.unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(&body[..], b"xxxx");
        assert!(began.elapsed() > LONG_STALL);
    }

    #[tokio::test]
    async fn a_service_that_falls_silent_is_given_up() {
        let url = serve(async |mut stream| {
            let _ = stream.read(&mut [0; 1000]).await;
            std::future::pending::<()>().await;
        });
        // More than the buffers of both sides take.
        let error = client(&[], SHORT_STALL)
            .send(put(&url.await, 64 << 20))
            .await
            .map(drop)
            .unwrap_err();
        assert!(matches!(error, ServiceError::Stalled(_)), "{error:?}");
        let url = serve(async |mut stream| {
            let _ = stream.read(&mut [0; 1000]).await;
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nx")
                .await
                .unwrap();
            std::future::pending::<()>().await;
        });
        let response = client(&[], SHORT_STALL).send(put(&url.await, 1)).await.unwrap();
        let error = response.into_body().collect().await.unwrap_err();
        assert!(matches!(error, ServiceError::Stalled(_)), "{error:?}");
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed() {
        let url = serve(async |mut stream| {
            let _ = stream.read(&mut [0; 1000]).await;
            let head = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(head).await.unwrap();
        });
        let response = client(&[], LONG_STALL).send(put(&url.await, 1)).await.unwrap();
        assert_eq!(response.status(), 302);
    }

    #[tokio::test]
    async fn a_denied_network_is_refused_by_name_and_by_address() {
        for url in ["http://127.0.0.1:1/", "http://localhost:1/"] {
            let error = client(&["127.0.0.0/8", "::1/128"], LONG_STALL)
                .send(put(url, 1))
                .await
                .map(drop)
                .unwrap_err();
            assert!(error.is_unsent(), "{url}: {error:?}");
            assert!(error.to_string().contains("the operator denies"), "{url}: {error}");
        }
        let error = client(&[], LONG_STALL)
            .send(put("http://127.0.0.1:1/", 1))
            .await
            .map(drop)
            .unwrap_err();
        assert!(error.to_string().contains("Connection refused"), "{error}");
    }
}

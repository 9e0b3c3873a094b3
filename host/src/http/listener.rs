//! Accepting connections: how many there may be, how long a client may take to say what it wants, and how long it may
//! leave a response unread.
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

use super::activity::{Arriving, Leaving, UnderWay, Watched};
use super::client_address::PeerAddress;
use super::connections::{Connections, Place};
use super::rest_of_body;

/// What clients that say nothing, or read nothing, can take of a server.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// How many at a time. Beyond this, the one that waits longest for its client is closed; while none does, further ones wait.
    pub connections: usize,
    /// How many one address may have of them; an IPv6 network of 64 bits counts as one address.
    pub connections_per_peer: usize,
    /// Reverse proxies, whose connections are not counted by address.
    pub trusted_proxies: Vec<IpNet>,
    /// From the moment a connection stands, or its last response was sent, until the headers of the next request are there.
    pub headers: Duration,
    /// How long a client may take none of a response that waits to be sent. One that reads slowly is never cut off: each
    /// byte that it makes room for starts the time anew.
    pub unread: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 1_000,
            connections_per_peer: 250,
            trusted_proxies: Vec::new(),
            headers: Duration::from_secs(30),
            unread: Duration::from_secs(30),
        }
    }
}

impl ConnectionLimits {
    pub(super) fn is_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted_proxies.iter().any(|network| network.contains(&address))
    }
}

/// After an error of the operating system, such as too many open files.
const BACK_OFF: Duration = Duration::from_secs(1);

/// Of one request.
const MAX_HEADERS: usize = 500;

fn prepare(stream: &TcpStream) -> io::Result<()> {
    // Small responses are not worth waiting for more to send with them.
    stream.set_nodelay(true)?;
    // Else it takes megabytes ahead, and asks for more only when a third of them has left: a client that reads 50 kB a
    // second would seem to read nothing for half a minute.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(128 * 1024)?;
    Ok(())
}

/// Serves connections until `stop`; then takes no new ones, and ends when those that are open have ended.
pub async fn serve(listener: TcpListener, router: Router, limits: ConnectionLimits, stop: impl Future<Output = ()>) {
    let router = router.layer(from_fn(rest_of_body::drain));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        // Proxies add some. Beyond this, as for an address of more than 64 kB and for what is not HTTP, hyper responds itself,
        // without a body.
        .max_headers(MAX_HEADERS);
    let unread = limits.unread;
    let connections = Connections::new(limits);
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, address) = match accepted {
            Ok((stream, peer)) => (stream, peer.ip()),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BACK_OFF).await;
                continue;
            }
        };
        let place = tokio::select! {
            place = connections.admit(address) => place,
            () = &mut stop => break,
        };
        let Some(place) = place else { continue };
        if let Err(error) = prepare(&stream) {
            tracing::debug!(%error, "a connection stays as the operating system makes it");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(unread));
        let stream = Watched {
            stream: Box::pin(stream),
            connection: place.connection.clone(),
        };
        let (http, service) = (http.clone(), TowerToHyperService::new(router.clone()));
        let watcher = open.watcher();
        tokio::spawn(serve_connection(http, stream, address, service, place, watcher));
    }
    drop(listener);
    open.shutdown().await;
}

/// Serves one connection until its client has gone, the server stops, or the connection must give way to another.
async fn serve_connection(
    http: http1::Builder,
    stream: Watched<Pin<Box<TimeoutStream<TcpStream>>>>,
    address: IpAddr,
    service: TowerToHyperService<Router>,
    place: Place,
    watcher: Watcher,
) {
    let connection = &place.connection;
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let under_way = UnderWay::begin(connection);
        let mut request = request.map(|body| Arriving {
            body,
            connection: connection.clone(),
        });
        request.extensions_mut().insert(PeerAddress(address));
        let responding = service.call(request);
        async move {
            let response: Response = responding.await?;
            Ok::<_, Infallible>(response.map(|body| Leaving {
                body,
                _request: under_way,
            }))
        }
    });
    let served = watcher.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        ended = served => {
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke off");
            }
        }
        () = connection.closed() => {}
    }
}

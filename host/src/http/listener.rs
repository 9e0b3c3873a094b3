//! Accepting connections: how many there may be, how long a client may take to say what it wants, and how long it may
//! leave a response unread.
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use super::rest_of_body;

use super::client_address::PeerAddress;

/// What clients that say nothing, or read nothing, can take of a server.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// How many at a time; further ones wait to be accepted.
    pub connections: usize,
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
            headers: Duration::from_secs(30),
            unread: Duration::from_secs(30),
        }
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
    let places = Arc::new(Semaphore::new(limits.connections));
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => (stream, PeerAddress(peer.ip())),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BACK_OFF).await;
                continue;
            }
        };
        if let Err(error) = prepare(&stream) {
            tracing::debug!(%error, "a connection stays as the operating system makes it");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.unread));
        let stream = TokioIo::new(Box::pin(stream));
        let service = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(peer);
            service.call(request)
        });
        let connection = http.serve_connection(stream, service);
        let connection = open.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
        });
    }
    drop(listener);
    open.shutdown().await;
}

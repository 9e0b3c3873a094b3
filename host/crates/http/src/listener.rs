//! The HTTP listener: accepts connections within limits on their number, on the time that a client may take to send a
//! request, and on the time that it may leave a response unread.
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

use super::activity::{ArrivingBody, LeavingBody, RequestUnderWay, WatchedStream};
use super::client_address::PeerAddress;
use super::connections::{Connections, Place};
use super::rest_of_body;

pub use super::connections::ConnectionLimits;

/// The pause after an error of the operating system, such as too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The most headers in one request.
const MAX_REQUEST_HEADERS: usize = 500;

fn prepare(stream: &TcpStream) -> io::Result<()> {
    // Send small responses at once: there is nothing to wait for that could be sent with them.
    stream.set_nodelay(true)?;
    // Otherwise the kernel buffers megabytes, and asks for more only when a third of them has been sent: a client that
    // reads 50 kB a second would appear to read nothing for half a minute.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(128 * 1024)?;
    Ok(())
}

/// Serves connections until `stop` completes. Then accepts no more, and returns when the open connections have ended.
pub async fn serve(listener: TcpListener, router: Router, limits: ConnectionLimits, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.headers_timeout)
        // Proxies add some headers. Hyper itself responds, without a body, to a request with more headers, to an
        // address above 64 kB, and to input that is not HTTP.
        .max_headers(MAX_REQUEST_HEADERS);
    let unread_timeout = limits.unread_timeout;
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
                tracing::warn!(%error, "connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let place = tokio::select! {
            place = connections.admit(address) => place,
            () = &mut stop => break,
        };
        // A refused connection is closed here, before anything of it is read.
        let Some(place) = place else { continue };
        if let Err(error) = prepare(&stream) {
            tracing::debug!(%error, "socket options could not be set; the connection is served with the defaults");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(unread_timeout));
        let stream = WatchedStream {
            stream: Box::pin(stream),
            activity: place.connection.activity.clone(),
        };
        let (http, service) = (http.clone(), TowerToHyperService::new(router.clone()));
        let watcher = open.watcher();
        tokio::spawn(serve_connection(http, stream, address, service, place, watcher));
    }
    drop(listener);
    open.shutdown().await;
}

/// Serves one connection until the client disconnects, the server stops, or the connection must be closed to make room.
async fn serve_connection(
    http: http1::Builder,
    stream: WatchedStream<Pin<Box<TimeoutStream<TcpStream>>>>,
    address: IpAddr,
    service: TowerToHyperService<Router>,
    place: Place,
    watcher: Watcher,
) {
    let connection = &place.connection;
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let under_way = RequestUnderWay::begin(&connection.activity);
        let mut request = request.map(|body| {
            Body::new(ArrivingBody {
                body,
                activity: connection.activity.clone(),
            })
        });
        request.extensions_mut().insert(PeerAddress(address));
        let responding = service.call(rest_of_body::drained(request));
        async move {
            let response: Response = responding.await?;
            Ok::<_, Infallible>(response.map(|body| LeavingBody {
                body,
                _request: under_way,
            }))
        }
    });
    let served = watcher.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        ended = served => {
            if let Err(error) = ended {
                tracing::debug!(%error, "connection broke off");
            }
        }
        () = connection.closed() => {}
    }
}

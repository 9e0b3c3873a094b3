//! A relay between a node and its PostgreSQL or S3 server that can drop packets silently, like a broken network.
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Relays every connection until its packets are dropped: from then on neither side learns anything from the other,
/// not even that it closed the connection.
pub(crate) struct Relay {
    address: SocketAddr,
    fate: Arc<Fate>,
}

#[derive(Default)]
struct Fate {
    accepted: AtomicUsize,
    /// Connections with a lower number are lost.
    lost_before: AtomicUsize,
    /// The lost connections on which the node has sent something since.
    lost_requests: AtomicUsize,
    swallows_new: AtomicBool,
}

impl Fate {
    fn is_lost(&self, number: usize) -> bool {
        number < self.lost_before.load(Ordering::SeqCst) || self.swallows_new.load(Ordering::SeqCst)
    }
}

/// Returns the host and port of a URL.
fn server_of(url: &str) -> &str {
    let (_, rest) = url.split_once("://").unwrap();
    let server = rest.split('/').next().unwrap();
    server.rsplit('@').next().unwrap()
}

impl Relay {
    /// Starts a relay to the server of this URL.
    pub(crate) async fn to(url: &str) -> Self {
        Self::listening(url, TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    /// Starts a relay on a listener that already exists.
    pub(crate) fn listening(url: &str, listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let fate = Arc::<Fate>::default();
        tokio::spawn(accept(listener, server_of(url).to_owned(), Arc::clone(&fate)));
        Self { address, fate }
    }

    /// Returns the same URL through this relay.
    pub(crate) fn url_of(&self, url: &str) -> String {
        url.replace(server_of(url), &self.address.to_string())
    }

    /// Drops all packets of the current connections. New connections work.
    pub(crate) fn lose_connections(&self) {
        let accepted = self.fate.accepted.load(Ordering::SeqCst);
        self.fate.lost_before.store(accepted, Ordering::SeqCst);
    }

    /// Returns the number of lost connections on which the node has sent something since.
    pub(crate) fn lost_requests(&self) -> usize {
        self.fate.lost_requests.load(Ordering::SeqCst)
    }

    /// Drops the packets of new connections as well, or relays new connections again.
    pub(crate) fn swallow_everything(&self, swallow: bool) {
        self.lose_connections();
        self.fate.swallows_new.store(swallow, Ordering::SeqCst);
    }
}

async fn accept(listener: TcpListener, server: String, fate: Arc<Fate>) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let number = fate.accepted.fetch_add(1, Ordering::SeqCst);
        let server = TcpStream::connect(&server).await.unwrap();
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let count = Arc::clone(&fate);
        tokio::spawn(pass_on(from_client, to_server, number, Arc::clone(&fate), move || {
            count.lost_requests.fetch_add(1, Ordering::SeqCst);
        }));
        tokio::spawn(pass_on(from_server, to_client, number, Arc::clone(&fate), || {}));
    }
}

/// Relays one direction of a connection; calls `lost` at the first packet that is dropped.
async fn pass_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, number: usize, fate: Arc<Fate>, lost: impl FnOnce()) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        if fate.is_lost(number) {
            lost();
            // Dropping either half would close its connection, which the peer would notice.
            return std::future::pending().await;
        }
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

//! A small web to fetch from: names that a test chooses, a TLS server that they lead to, and tripwires to which no
//! fetch may connect.
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use linepress_egress::{DialSettings, Dialer, Exceptions, FetchSettings, Fetcher, Limits, Resolver, Roots};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::certificate::SelfSigned;

/// A TLS server on loopback with a certificate for the names that a test chooses, and a resolver for these names.
pub(crate) struct Web {
    /// The address on which the server listens.
    pub address: SocketAddr,
    root: CertificateDer<'static>,
    pages: Arc<Mutex<Pages>>,
    requests: Arc<Mutex<Vec<String>>>,
    names: Arc<Names>,
}

/// The remaining responses for each path; the last one is repeated.
type Pages = HashMap<String, VecDeque<Page>>;

/// A response, specified byte by byte.
#[derive(Clone)]
pub(crate) enum Page {
    Whole(Vec<u8>),
    /// Status 401 with the head of the request in small pieces, its key first.
    Echo,
    /// The beginning, followed by the same bytes again and again, with a pause before each repetition.
    Endless {
        beginning: String,
        again: String,
        pause: Duration,
    },
}

impl Page {
    pub(crate) fn endless(beginning: &str, again: &str) -> Self {
        // Larger pieces are encrypted much faster than many small ones.
        let again = again.repeat(4096 / again.len().max(1));
        Self::Endless {
            beginning: beginning.into(),
            again,
            pause: Duration::ZERO,
        }
    }

    /// Returns an endless response with ten milliseconds between repetitions.
    pub(crate) fn drip(beginning: &str, again: &str) -> Self {
        Self::Endless {
            beginning: beginning.into(),
            again: again.into(),
            pause: Duration::from_millis(10),
        }
    }
}

impl Web {
    /// Starts a web in which `pictures.test` leads to the server, whose certificate also covers its subdomains.
    pub(crate) async fn open() -> Self {
        let web = Self::open_for(&["pictures.test", "*.pictures.test"]).await;
        web.names.0.lock().unwrap().remove("*.pictures.test");
        web
    }

    /// Starts a web in which these names lead to the server.
    pub(crate) async fn open_for(names: &[&str]) -> Self {
        let SelfSigned { root, acceptor, .. } = SelfSigned::new(names);
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let web = Self {
            address: listener.local_addr().unwrap(),
            root,
            pages: Arc::default(),
            requests: Arc::default(),
            names: Arc::default(),
        };
        for name in names {
            web.name(name, [web.address]);
        }
        let (pages, requests) = (web.pages.clone(), web.requests.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, pages, requests) = (acceptor.clone(), pages.clone(), requests.clone());
                tokio::spawn(async move {
                    // Some tests close the connection early, so errors are expected.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = respond(stream, &pages, &requests).await;
                    }
                });
            }
        });
        web
    }

    /// Serves these bytes with status 200 at `path` of every name.
    pub(crate) fn file(&self, path: &str, bytes: &[u8]) {
        let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len()).into_bytes();
        response.extend(bytes);
        self.page(path, Page::Whole(response));
    }

    pub(crate) fn redirect(&self, path: &str, location: &str) {
        let response = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        self.page(path, Page::Whole(response.into_bytes()));
    }

    pub(crate) fn page(&self, path: &str, page: Page) {
        self.pages(path, [page]);
    }

    /// Serves one response after the other at `path`; the last one is repeated.
    pub(crate) fn pages(&self, path: &str, pages: impl IntoIterator<Item = Page>) {
        self.pages
            .lock()
            .unwrap()
            .insert(path.into(), pages.into_iter().collect());
    }

    /// Removes all pages and recorded requests.
    pub(crate) fn clear(&self) {
        self.pages.lock().unwrap().clear();
        self.requests.lock().unwrap().clear();
    }

    /// Sets the addresses of a name; port 0 stands for 443.
    pub(crate) fn name(&self, name: &str, addresses: impl IntoIterator<Item = SocketAddr>) {
        self.changing_name(name, [addresses.into_iter().collect()]);
    }

    /// Sets the addresses that successive lookups of a name return; the last ones are repeated.
    pub(crate) fn changing_name(&self, name: &str, looks: impl IntoIterator<Item = Vec<SocketAddr>>) {
        let mut looks: Vec<_> = looks.into_iter().collect();
        looks.reverse();
        self.names.0.lock().unwrap().insert(name.into(), looks);
    }

    /// Returns a fetcher that knows only this web and may connect to its server, but to nothing else on this machine.
    pub(crate) fn fetcher(&self) -> Fetcher {
        Fetcher::new(self.settings())
    }

    /// Returns a dialer for plugin requests with the same restrictions.
    pub(crate) fn dialer(&self) -> Dialer {
        let FetchSettings {
            resolver,
            roots,
            exceptions,
            ..
        } = self.settings();
        Dialer::new(DialSettings {
            resolver,
            roots,
            exceptions,
        })
    }

    pub(crate) fn settings(&self) -> FetchSettings {
        FetchSettings {
            resolver: self.names.clone(),
            roots: Roots::Only(vec![self.root.clone()]),
            exceptions: Exceptions {
                addresses: vec![self.address],
                ..Exceptions::default()
            },
            limits: Limits::default(),
        }
    }

    /// Returns the heads of all requests so far, each followed by its body. Invalid UTF-8 is replaced.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn respond(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    pages: &Mutex<Pages>,
    requests: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head).map_err(io::Error::other)?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await?;
    requests
        .lock()
        .unwrap()
        .push(head.clone() + &String::from_utf8_lossy(&body));
    let page = pages
        .lock()
        .unwrap()
        .get_mut(&path)
        .and_then(|pages| match pages.len() {
            0 | 1 => pages.front().cloned(),
            _ => pages.pop_front(),
        });
    match page {
        Some(Page::Whole(response)) => stream.write_all(&response).await?,
        Some(Page::Echo) => {
            let key = head.lines().find(|line| line.starts_with("x-key")).unwrap_or_default();
            let body = format!("{key}\r\n{head}");
            let beginning = format!(
                "HTTP/1.1 401 Unauthorized\r\n{key}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(beginning.as_bytes()).await?;
            for piece in body.as_bytes().chunks(3) {
                stream.write_all(piece).await?;
                stream.flush().await?;
            }
        }
        Some(Page::Endless {
            beginning,
            again,
            pause,
        }) => {
            stream.write_all(beginning.as_bytes()).await?;
            loop {
                // Even a sleep of zero takes a millisecond on tokio's clock.
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                stream.write_all(again.as_bytes()).await?;
                stream.flush().await?;
            }
        }
        None => {
            stream
                .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                .await?;
        }
    }
    stream.shutdown().await
}

/// The remaining results of each name's lookups, in reverse order.
#[derive(Default)]
struct Names(Mutex<HashMap<String, Vec<Vec<SocketAddr>>>>);

impl Resolver for Names {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
        let mut names = self.0.lock().unwrap();
        let found = match names.get_mut(name) {
            Some(looks) if looks.len() > 1 => Ok(looks.pop().unwrap()),
            Some(looks) => Ok(looks[0].clone()),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        Box::pin(std::future::ready(found))
    }
}

/// Listeners on loopback that count connections, over IPv6 as well if the machine supports it.
pub(crate) struct Tripwire(Vec<TcpListener>);

impl Tripwire {
    /// Starts listening on the same free port for IPv4 and IPv6.
    pub(crate) fn set() -> Self {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let mut wires = Self(vec![first]);
        wires.also_at((Ipv6Addr::LOCALHOST, port).into());
        for wire in &wires.0 {
            wire.set_nonblocking(true).unwrap();
        }
        wires
    }

    /// Adds a listener, unless the user lacks the permission or the port is in use.
    pub(crate) fn also_at(&mut self, address: SocketAddr) {
        if let Ok(listener) = TcpListener::bind(address) {
            listener.set_nonblocking(true).unwrap();
            self.0.push(listener);
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.0[0].local_addr().unwrap().port()
    }

    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()]
            .map(|address| SocketAddr::new(address, self.port()))
            .to_vec()
    }

    /// Returns the number of connections since the last call. The system queues connections until they are accepted,
    /// even if they have ended, so that none is missed.
    pub(crate) fn touched(&self) -> usize {
        self.0
            .iter()
            .map(|wire| std::iter::from_fn(|| wire.accept().ok()).count())
            .sum()
    }
}

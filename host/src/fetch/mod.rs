//! Files that clients point to: fetched over https, from hosts on the public internet and from no others.
mod addresses;
mod error;
mod guard;
mod target;

use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt as _;
use reqwest::{Client, Response, StatusCode, header};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use url::Url;

pub use self::error::{Cause, FetchError};
pub use self::guard::{Exceptions, Resolver, exact_host};
use self::guard::{Guard, SystemResolver};
use crate::artwork::{Incoming, ReceiveError};
use crate::error::chain;

const MAX_REDIRECTS: usize = 3;

/// Fetches files. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher(Arc<Parts>);

struct Parts {
    /// What went wrong stands here until somebody wants to fetch: a server without CA certificates serves all the rest.
    client: Result<Client, String>,
    guard: Guard,
    total: Duration,
}

/// What a fetcher works with.
pub struct FetchSettings {
    pub resolver: Arc<dyn Resolver>,
    pub roots: Roots,
    pub exceptions: Exceptions,
    pub limits: Limits,
}

/// Whose certificates are trusted.
#[derive(Clone, Debug)]
pub enum Roots {
    /// Those that the operating system trusts.
    System,
    Only(Vec<CertificateDer<'static>>),
}

/// How long fetching may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until a connection stands.
    pub connect: Duration,
    /// From the first name that is looked up to the last byte, over all redirects.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            total: Duration::from_secs(20),
        }
    }
}

impl Fetcher {
    /// On the system's resolver and certificates; `private_hosts` may have addresses that are not public.
    pub fn system(private_hosts: &[String]) -> Self {
        Self::new(FetchSettings {
            resolver: Arc::new(SystemResolver::new()),
            roots: Roots::System,
            exceptions: Exceptions {
                hosts: private_hosts.to_vec(),
                addresses: Vec::new(),
            },
            limits: Limits::default(),
        })
    }

    pub fn new(settings: FetchSettings) -> Self {
        let guard = Guard::new(settings.resolver, settings.exceptions);
        let client = client(settings.roots, guard.clone(), settings.limits.connect);
        if let Err(problem) = &client {
            tracing::warn!(problem, "pictures cannot be imported from a URL");
        }
        Self(Arc::new(Parts {
            client,
            guard,
            total: settings.limits.total,
        }))
    }

    /// Receives the file of at most `limit` bytes that `url` leads to.
    pub async fn fetch(&self, url: &str, limit: u64) -> Result<Incoming, FetchError> {
        let url = target::parse(url, &self.0.guard).map_err(FetchError::Url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let fetched = match tokio::time::timeout(self.0.total, self.follow(url, limit)).await {
            Ok(fetched) => fetched,
            Err(_) => Err(FetchError::Failed(Cause::TimedOut)),
        };
        // Here and not at a door: to clients it is their mistake, and doors do not log those.
        if let Err(FetchError::Failed(cause)) = &fetched {
            tracing::info!(host, cause = chain(cause), "a file could not be fetched");
        }
        fetched
    }

    async fn follow(&self, mut url: Url, limit: u64) -> Result<Incoming, FetchError> {
        let failed = |cause| Err(FetchError::Failed(cause));
        let client = match &self.0.client {
            Ok(client) => client,
            Err(problem) => return failed(Cause::Setup(problem.clone())),
        };
        for _ in 0..=MAX_REDIRECTS {
            let response = client.get(url.clone()).send().await.map_err(FetchError::transport)?;
            match response.status() {
                StatusCode::OK => return receive(response, limit).await,
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => {}
                status => return failed(Cause::Status(status)),
            }
            let next = next(&url, &response).and_then(|next| target::check(&next, &self.0.guard).map(|()| next));
            url = match next {
                Ok(next) => next,
                Err(complaint) => return failed(Cause::Redirect(complaint)),
            };
        }
        failed(Cause::Redirects(MAX_REDIRECTS))
    }
}

fn next(url: &Url, response: &Response) -> Result<Url, &'static str> {
    let location = response.headers().get(header::LOCATION).ok_or("is missing")?;
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| "is not text")?;
    url.join(location).map_err(|_| "is none")
}

async fn receive(response: Response, limit: u64) -> Result<Incoming, FetchError> {
    if response.content_length().is_some_and(|length| length > limit) {
        return Err(FetchError::TooLarge { limit });
    }
    let received = Incoming::receive(response.bytes_stream().map_err(FetchError::transport), limit).await;
    received.map_err(|error| match error {
        ReceiveError::TooLarge { limit } => FetchError::TooLarge { limit },
        ReceiveError::Source(error) => error,
        ReceiveError::Keep(error) => FetchError::Keep(error),
    })
}

/// A client that knows nothing of its surroundings. The size of headers is bounded by hyper: 100 of them, in a buffer
/// of 408 KiB (`DEFAULT_MAX_HEADERS` and `DEFAULT_MAX_BUFFER_SIZE` in its `proto::h1`).
fn client(roots: Roots, guard: Guard, connect: Duration) -> Result<Client, String> {
    let tls = tls(roots).map_err(|error| error.to_string())?;
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(guard)
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        // Each fetch asks the guard again.
        .pool_max_idle_per_host(0)
        .https_only(true)
        .http1_only()
        .no_proxy()
        .referer(false)
        // A crate elsewhere in the program that turned on such a feature would turn it on here.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("linepress/", env!("CARGO_PKG_VERSION")))
        .build();
    client.map_err(|error| chain(&error))
}

fn tls(roots: Roots) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = match roots {
        Roots::System => builder.with_platform_verifier()?,
        Roots::Only(certificates) => {
            let mut store = RootCertStore::empty();
            for certificate in certificates {
                store.add(certificate)?;
            }
            builder.with_root_certificates(store)
        }
    };
    Ok(builder.with_no_client_auth())
}

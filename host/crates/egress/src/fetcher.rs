//! Fetching a file: from a URL to a stream of bytes, over a few redirects, within limits of size and time.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use reqwest::{Client, Response, StatusCode, header};
use tokio::time::Instant;
use url::Url;

use crate::body::Body;
use crate::client::{Roots, create_client};
use crate::error::{Cause, FetchError};
use crate::guard::{Exceptions, Guard, HELD, Held, RefusalCounts, Resolver, SystemResolver};
use crate::target;

const MAX_REDIRECTS: usize = 3;

/// Fetches files. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    parts: Arc<Parts>,
    total: Duration,
}

struct Parts {
    /// Created when the first fetch needs it: reading the certificates of the system takes longer than the rest of a
    /// fetcher, and a server without them can do everything except fetch.
    client: OnceLock<Client>,
    roots: Roots,
    connect: Duration,
    guard: Guard,
}

/// The settings of a fetcher.
pub struct FetchSettings {
    pub resolver: Arc<dyn Resolver>,
    pub roots: Roots,
    pub exceptions: Exceptions,
    pub limits: Limits,
}

/// The time limits of a fetch.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time until a connection is made.
    pub connect: Duration,
    /// Time from the first name look-up to the last byte, over all redirects.
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
    /// A fetcher with the system's resolver and certificates. Names in `private_hosts` may have addresses that are not
    /// public. Addresses in the `denied` networks are never connected to.
    pub fn system(private_hosts: &[String], denied: &[ipnet::IpNet]) -> Self {
        Self::new(FetchSettings {
            resolver: Arc::new(SystemResolver::new()),
            roots: Roots::System,
            exceptions: Exceptions {
                hosts: private_hosts.to_vec(),
                addresses: Vec::new(),
                denied: denied.to_vec(),
            },
            limits: Limits::default(),
        })
    }

    pub fn new(settings: FetchSettings) -> Self {
        let FetchSettings {
            resolver,
            roots,
            exceptions,
            limits,
        } = settings;
        Self {
            parts: Arc::new(Parts {
                client: OnceLock::new(),
                roots,
                connect: limits.connect,
                guard: Guard::new(resolver, exceptions),
            }),
            total: limits.total,
        }
    }

    /// A fetcher with another limit of the total time.
    pub fn within(&self, total: Duration) -> Self {
        Self {
            parts: self.parts.clone(),
            total,
        }
    }

    /// The addresses that this fetcher and its clones refused.
    pub fn refusals(&self) -> RefusalCounts {
        self.parts.guard.refusals()
    }

    /// The client. A failure to create it is not cached, because certificates may be installed while the server runs.
    pub(crate) fn client(&self) -> Result<&Client, FetchError> {
        let Parts {
            client,
            roots,
            connect,
            guard,
        } = &*self.parts;
        if let Some(client) = client.get() {
            return Ok(client);
        }
        let created = create_client(roots.clone(), guard.clone(), *connect);
        let created = created.map_err(|problem| FetchError::Failed(Cause::Setup(problem)))?;
        Ok(client.get_or_init(|| created))
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.parts.guard
    }

    pub(crate) fn total(&self) -> Duration {
        self.total
    }

    /// Requests the file at `url` and returns its bytes as they arrive.
    ///
    /// The stream ends with an error when there are more than `limit` bytes, or when the total time has passed, even if
    /// the reader is slow. Failures are logged with their causes, which clients must not learn.
    ///
    /// A name look-up cannot be canceled. `held` is retained until the look-ups of this fetch end, which may be after
    /// the fetch itself: a permit that is passed in bounds the number of look-ups.
    pub async fn fetch(
        &self,
        url: &str,
        limit: u64,
        held: Held,
    ) -> Result<impl Stream<Item = Result<Bytes, FetchError>> + Send + use<>, FetchError> {
        let deadline = Instant::now() + self.total;
        let url = target::parse(url, &self.parts.guard).map_err(FetchError::Url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let body = Body::open(&host, limit, deadline, HELD.scope(held, self.follow(url))).await?;
        Ok(stream::try_unfold(body, |mut body| async move {
            Ok(body.chunk().await?.map(|chunk| (chunk, body)))
        }))
    }

    async fn follow(&self, mut url: Url) -> Result<Response, FetchError> {
        let failed = |cause| Err(FetchError::Failed(cause));
        let client = self.client()?;
        for _ in 0..=MAX_REDIRECTS {
            let response = client.get(url.clone()).send().await.map_err(FetchError::transport)?;
            match response.status() {
                StatusCode::OK => return Ok(response),
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => {}
                status => return failed(Cause::Status(status)),
            }
            let next = redirect_target(&url, &response)
                .and_then(|next| target::check(&next, &self.parts.guard).map(|()| next));
            url = match next {
                Ok(next) => next,
                Err(complaint) => return failed(Cause::Redirect(complaint)),
            };
        }
        failed(Cause::Redirects(MAX_REDIRECTS))
    }
}

fn redirect_target(url: &Url, response: &Response) -> Result<Url, &'static str> {
    let location = response.headers().get(header::LOCATION).ok_or("is missing")?;
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| "is not text")?;
    url.join(location).map_err(|_| "is none")
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::SocketAddr;
    use std::sync::Mutex;

    use futures::future::BoxFuture;

    use super::*;

    /// A resolver that resolves no name and records the value that the fetch held.
    #[derive(Default)]
    struct RecordingResolver(Mutex<Vec<Held>>);

    impl Resolver for RecordingResolver {
        fn resolve(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
            self.0
                .lock()
                .expect("no test panics with it")
                .extend(HELD.try_with(Arc::clone));
            Box::pin(async { Ok(Vec::new()) })
        }
    }

    #[tokio::test]
    async fn the_held_value_of_a_fetch_reaches_its_look_ups() {
        let resolver = Arc::new(RecordingResolver::default());
        let fetcher = Fetcher::new(FetchSettings {
            resolver: resolver.clone(),
            roots: Roots::Only(Vec::new()),
            exceptions: Exceptions::default(),
            limits: Limits::default(),
        });
        let held = Arc::new(());
        assert!(
            fetcher
                .fetch("https://pictures.test/a.png", 1, held.clone())
                .await
                .is_err()
        );
        assert_eq!(resolver.0.lock().expect("no test panics with it").len(), 1);
        assert_eq!(Arc::strong_count(&held), 2);
    }
}

//! From a URL to a stream of bytes, over a few redirects, within limits of size and time.
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use reqwest::{Client, Response, StatusCode, header};
use tokio::time::Instant;
use url::Url;

use crate::body::Body;
use crate::client::{Roots, client};
use crate::error::{Cause, FetchError};
use crate::guard::{Exceptions, Guard, HELD, Held, Resolver, SystemResolver};
use crate::target;

const MAX_REDIRECTS: usize = 3;

/// Fetches files. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    parts: Arc<Parts>,
    total: Duration,
}

struct Parts {
    /// What went wrong stands here until somebody wants to fetch: a server without CA certificates serves all the rest.
    client: Result<Client, String>,
    guard: Guard,
}

/// What a fetcher works with.
pub struct FetchSettings {
    pub resolver: Arc<dyn Resolver>,
    pub roots: Roots,
    pub exceptions: Exceptions,
    pub limits: Limits,
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
    /// On the system's resolver and certificates; `private_hosts` may have addresses that are not public, and none of the
    /// `denied` networks is dialled.
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
        let guard = Guard::new(settings.resolver, settings.exceptions);
        let client = client(settings.roots, guard.clone(), settings.limits.connect);
        if let Err(problem) = &client {
            tracing::warn!(problem, "nothing can be fetched from a URL");
        }
        Self {
            parts: Arc::new(Parts { client, guard }),
            total: settings.limits.total,
        }
    }

    /// The same, with another limit of the time over all.
    pub fn within(&self, total: Duration) -> Self {
        Self {
            parts: self.parts.clone(),
            total,
        }
    }

    pub(crate) fn client(&self) -> Result<&Client, FetchError> {
        let client = self.parts.client.as_ref();
        client.map_err(|problem| FetchError::Failed(Cause::Setup(problem.clone())))
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.parts.guard
    }

    pub(crate) fn total(&self) -> Duration {
        self.total
    }

    /// Asks for the file that `url` leads to, and returns its bytes as they arrive.
    ///
    /// The stream ends with an error when there are more than `limit` bytes, or when the time is up, however slowly it
    /// is read. A failure is logged, with what must not be told to clients.
    ///
    /// Looking up a name cannot be broken off. `held` is kept as long as the look-ups of this fetch last, which may be
    /// longer than the fetch: a permit that is handed in bounds them.
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
            let next = next(&url, &response).and_then(|next| target::check(&next, &self.parts.guard).map(|()| next));
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::SocketAddr;
    use std::sync::Mutex;

    use futures::future::BoxFuture;

    use super::*;

    /// Knows no name, and keeps what the fetch held when it was asked.
    #[derive(Default)]
    struct Keeper(Mutex<Vec<Held>>);

    impl Resolver for Keeper {
        fn resolve(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
            self.0
                .lock()
                .expect("no test panics with it")
                .extend(HELD.try_with(Arc::clone));
            Box::pin(async { Ok(Vec::new()) })
        }
    }

    #[tokio::test]
    async fn what_a_fetch_holds_reaches_its_look_ups() {
        let keeper = Arc::new(Keeper::default());
        let fetcher = Fetcher::new(FetchSettings {
            resolver: keeper.clone(),
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
        assert_eq!(keeper.0.lock().expect("no test panics with it").len(), 1);
        assert_eq!(Arc::strong_count(&held), 2);
    }
}

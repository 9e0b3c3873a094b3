//! From a URL to a stream of bytes, over a few redirects, within limits of size and time.
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use reqwest::{Client, Response, StatusCode, header};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::client::{Roots, client};
use crate::error::{Cause, FetchError, chain};
use crate::guard::{Exceptions, Guard, HELD, Held, Resolver, SystemResolver};
use crate::target;

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
        Self(Arc::new(Parts {
            client,
            guard,
            total: settings.limits.total,
        }))
    }

    pub(crate) fn client(&self) -> Result<&Client, FetchError> {
        let client = self.0.client.as_ref();
        client.map_err(|problem| FetchError::Failed(Cause::Setup(problem.clone())))
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    pub(crate) fn total(&self) -> Duration {
        self.0.total
    }

    /// Asks for the file that `url` leads to, and returns its bytes as they arrive.
    ///
    /// The stream ends with an error when there are more than `limit` bytes, or when the time is up, however slowly it
    /// is read. A failure is logged here, with what must not be told to clients.
    ///
    /// Looking up a name cannot be broken off. `held` is kept as long as the look-ups of this fetch last, which may be
    /// longer than the fetch: a permit that is handed in bounds them.
    pub async fn fetch(
        &self,
        url: &str,
        limit: u64,
        held: Held,
    ) -> Result<impl Stream<Item = Result<Bytes, FetchError>> + Send + use<>, FetchError> {
        let deadline = Instant::now() + self.0.total;
        let body = self.open(url, limit, MAX_REDIRECTS, deadline, held).await?;
        Ok(stream::try_unfold(body, |mut body| async move {
            let chunk = body.chunk().await;
            let chunk = chunk.map_err(|error| logged(&body.host, error))?;
            Ok(chunk.map(|chunk| (chunk, body)))
        }))
    }

    /// The whole of a file that stands at `url` itself: no redirect is followed. Otherwise as `fetch`, within `time`.
    pub async fn fetch_document(
        &self,
        url: &str,
        limit: u64,
        time: Duration,
        held: Held,
    ) -> Result<Vec<u8>, FetchError> {
        let deadline = Instant::now() + time;
        whole(self.open(url, limit, 0, deadline, held).await?).await
    }

    /// What stands at `url` itself, whatever its status: for whoever looks how a server responds.
    pub async fn look_at(&self, url: &str, limit: u64, time: Duration) -> Result<Seen, FetchError> {
        let deadline = Instant::now() + time;
        let url = target::parse(url, &self.0.guard).map_err(FetchError::Url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let sent = async { self.client()?.get(url).send().await.map_err(FetchError::transport) };
        let response = within(deadline, HELD.scope(Arc::new(()), sent)).await;
        let response = response.map_err(|error| logged(&host, error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = Body {
            response,
            host,
            deadline,
            limit,
            received: 0,
        };
        Ok(Seen {
            status,
            headers,
            body: whole(body).await?,
        })
    }

    async fn open(
        &self,
        url: &str,
        limit: u64,
        redirects: usize,
        deadline: Instant,
        held: Held,
    ) -> Result<Body, FetchError> {
        let url = target::parse(url, &self.0.guard).map_err(FetchError::Url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let response = match within(deadline, HELD.scope(held, self.follow(url, redirects))).await {
            Ok(response) => response,
            Err(error) => return Err(logged(&host, error)),
        };
        if response.content_length().is_some_and(|length| length > limit) {
            return Err(FetchError::TooLarge { limit });
        }
        Ok(Body {
            response,
            host,
            deadline,
            limit,
            received: 0,
        })
    }

    async fn follow(&self, mut url: Url, redirects: usize) -> Result<Response, FetchError> {
        let failed = |cause| Err(FetchError::Failed(cause));
        let client = self.client()?;
        for _ in 0..=redirects {
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
            let next = next(&url, &response).and_then(|next| target::check(&next, &self.0.guard).map(|()| next));
            url = match next {
                Ok(next) => next,
                Err(complaint) => return failed(Cause::Redirect(complaint)),
            };
        }
        failed(Cause::Redirects(redirects))
    }
}

fn next(url: &Url, response: &Response) -> Result<Url, &'static str> {
    let location = response.headers().get(header::LOCATION).ok_or("is missing")?;
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| "is not text")?;
    url.join(location).map_err(|_| "is none")
}

/// A file on its way.
struct Body {
    response: Response,
    host: String,
    deadline: Instant,
    limit: u64,
    received: u64,
}

impl Body {
    async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let chunk = async { self.response.chunk().await.map_err(FetchError::transport) };
        let chunk = within(self.deadline, chunk).await?;
        self.received += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        if self.received > self.limit {
            return Err(FetchError::TooLarge { limit: self.limit });
        }
        Ok(chunk)
    }
}

/// A response that was read to its end.
#[derive(Debug)]
pub struct Seen {
    pub status: StatusCode,
    pub headers: header::HeaderMap,
    pub body: Vec<u8>,
}

async fn whole(mut body: Body) -> Result<Vec<u8>, FetchError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await.map_err(|error| logged(&body.host, error))? {
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

pub(crate) async fn within<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T, FetchError>>,
) -> Result<T, FetchError> {
    let late = || FetchError::Failed(Cause::TimedOut);
    // A timeout lets work that is ready pass, however late it is.
    if Instant::now() >= deadline {
        return Err(late());
    }
    timeout_at(deadline, work).await.unwrap_or_else(|_| Err(late()))
}

/// Here and not in an interface: to clients it is their mistake, and interfaces do not log those.
pub(crate) fn logged(host: &str, error: FetchError) -> FetchError {
    if let FetchError::Failed(cause) = &error {
        tracing::info!(host, cause = chain(cause), "a file could not be fetched");
    }
    error
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

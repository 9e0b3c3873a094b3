//! A response body that is being received, within limits of size and time.
use bytes::Bytes;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::error::{Cause, FetchError, chain};

/// The body of a response whose head has arrived.
pub(crate) struct Body {
    response: Response,
    host: String,
    deadline: Instant,
    limit: u64,
    received: u64,
}

impl Body {
    /// Waits for the response of `sent`. Failures here and in `chunk` are logged with their causes, which clients must
    /// not learn.
    pub(crate) async fn open(
        host: &str,
        limit: u64,
        deadline: Instant,
        sent: impl Future<Output = Result<Response, FetchError>>,
    ) -> Result<Self, FetchError> {
        let response = within(deadline, sent).await.map_err(|error| log_failure(host, error))?;
        if response.content_length().is_some_and(|length| length > limit) {
            return Err(FetchError::TooLarge { limit });
        }
        Ok(Self {
            response,
            host: host.to_owned(),
            deadline,
            limit,
            received: 0,
        })
    }

    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let chunk = async { self.response.chunk().await.map_err(FetchError::transport) };
        let chunk = within(self.deadline, chunk).await;
        let chunk = chunk.map_err(|error| log_failure(&self.host, error))?;
        self.received += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        if self.received > self.limit {
            return Err(FetchError::TooLarge { limit: self.limit });
        }
        Ok(chunk)
    }

    /// Reads the body to its end and returns the whole response.
    pub(crate) async fn read_to_end(mut self) -> Result<http::Response<Vec<u8>>, FetchError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            bytes.extend_from_slice(&chunk);
        }
        let mut whole = http::Response::new(bytes);
        *whole.status_mut() = self.response.status();
        *whole.headers_mut() = std::mem::take(self.response.headers_mut());
        Ok(whole)
    }
}

async fn within<T>(deadline: Instant, work: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
    let late = || FetchError::Failed(Cause::TimedOut);
    // `timeout_at` lets work that is ready succeed even after the deadline.
    if Instant::now() >= deadline {
        return Err(late());
    }
    timeout_at(deadline, work).await.unwrap_or_else(|_| Err(late()))
}

/// Logs the cause of a failed fetch. Interfaces treat the failure as the client's mistake and log nothing.
fn log_failure(host: &str, error: FetchError) -> FetchError {
    if let FetchError::Failed(cause) = &error {
        tracing::info!(host, cause = chain(cause), "request to an external server failed");
    }
    error
}

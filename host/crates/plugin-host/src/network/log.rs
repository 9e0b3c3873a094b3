//! The HTTP requests of one call, for the log of calls.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;

use super::secrets::Secrets;
use crate::log_text::excerpt;

/// Maximum number of requests that are described.
const MAX_EXCHANGES: usize = 50;

/// Maximum size of a URL.
const MAX_URL_BYTES: usize = 300;

/// An HTTP request of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct HttpExchange {
    pub method: String,
    /// The URL without its query.
    pub url: String,
    /// `answered`, `failed` or `refused`.
    pub outcome: &'static str,
    /// The status of the response. `None` without one.
    pub status: Option<u16>,
    pub sent_bytes: u64,
    pub received_bytes: u64,
}

/// The requests of one call. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct HttpLog(Arc<Mutex<Vec<HttpExchange>>>);

/// A request in the log. Cheap to clone.
#[derive(Clone)]
pub(super) struct Entry {
    log: HttpLog,
    /// `None` if the log is full.
    index: Option<usize>,
}

impl HttpLog {
    /// Adds a request, which has failed until it is answered or refused.
    pub(super) fn begin(&self, method: &http::Method, url: &Uri) -> Entry {
        let mut exchanges = self.lock();
        let index = exchanges.len();
        let log = self.clone();
        if index >= MAX_EXCHANGES {
            return Entry { log, index: None };
        }
        exchanges.push(HttpExchange {
            method: excerpt(method.to_string(), 2 * MAX_URL_BYTES),
            url: without_query(url),
            outcome: "failed",
            status: None,
            sent_bytes: 0,
            received_bytes: 0,
        });
        Entry {
            log,
            index: Some(index),
        }
    }

    /// The requests until now, without secrets.
    pub(crate) fn exchanges(&self, secrets: &Secrets) -> Vec<HttpExchange> {
        let exchanges = self.lock().clone();
        let without_secrets = exchanges.into_iter().map(|exchange| HttpExchange {
            method: excerpt(secrets.removed_from(exchange.method), MAX_URL_BYTES),
            url: excerpt(secrets.removed_from(exchange.url), MAX_URL_BYTES),
            ..exchange
        });
        without_secrets.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<HttpExchange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    pub(super) fn refused(&self) {
        self.change(|exchange| exchange.outcome = "refused");
    }

    pub(super) fn answered(&self, status: u16) {
        self.change(|exchange| {
            exchange.outcome = "answered";
            exchange.status = Some(status);
        });
    }

    pub(super) fn sent(&self, bytes: u64) {
        self.change(|exchange| exchange.sent_bytes += bytes);
    }

    pub(super) fn received(&self, bytes: u64) {
        self.change(|exchange| exchange.received_bytes += bytes);
    }

    fn change(&self, change: impl FnOnce(&mut HttpExchange)) {
        let Some(index) = self.index else { return };
        if let Some(exchange) = self.log.lock().get_mut(index) {
            change(exchange);
        }
    }
}

/// The URL without its query, which often contains a signature.
fn without_query(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let authority = url.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    // The start of a longer URL suffices, and the guest may have written one of any size.
    let text = format!("{scheme}://{authority}{}", url.path());
    excerpt(text, 2 * MAX_URL_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_described_without_query_and_secrets() {
        let (log, secrets) = (HttpLog::default(), Secrets::default());
        let url: Uri = "https://api.acme.com/s3cret/draw?signature=1".parse().unwrap();
        let entry = log.begin(&http::Method::POST, &url);
        entry.sent(5);
        entry.answered(200);
        entry.received(7);
        entry.received(3);
        secrets.add("s3cret", "Bearer s3cret");
        let exchanges = log.exchanges(&secrets);
        assert_eq!(exchanges[0].url, "https://api.acme.com/(secret)/draw");
        assert_eq!(
            (
                exchanges[0].status,
                exchanges[0].sent_bytes,
                exchanges[0].received_bytes
            ),
            (Some(200), 5, 10)
        );
        for _ in 0..2 * MAX_EXCHANGES {
            log.begin(&http::Method::GET, &url).refused();
        }
        let exchanges = log.exchanges(&secrets);
        assert_eq!((exchanges.len(), exchanges[1].outcome), (MAX_EXCHANGES, "refused"));
    }
}

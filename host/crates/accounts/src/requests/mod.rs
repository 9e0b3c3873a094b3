//! The request log of accounts: the requests of the last days over REST and MCP, without their bodies.
//!
//! Requests that have ended wait in memory ([`linepress_platform::ended_requests`]), and a task of each node writes
//! them in batches. So no request waits for the log, which may lack some requests: those beyond the limits of the
//! memory, those of a node that was killed, and all requests during maintenance.
mod store;

use std::collections::HashMap;
use std::time::Duration;

use linepress_model::text_enum;
use serde::Serialize;

use crate::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::ended_requests::EndedRequest;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, GrantId, KeyId, LoggedRequestId};
use linepress_platform::maintenance;

pub use linepress_platform::ended_requests::RequestInterface;

/// The age at which requests are deleted from the log.
pub const LOG_RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

/// The number of requests of an account that remain in the log: the newest ones. There may be a few thousand more for a
/// while.
pub const MAX_REQUESTS_PER_ACCOUNT: i64 = 100_000;

/// The number of new requests of an account after which the oldest ones are deleted.
const TRIM_INTERVAL: usize = 1_000;

text_enum! {
    /// A class of HTTP statuses.
    #[schema(as = StatusClass)]
    pub enum StatusClass {
        /// The request succeeded.
        Success = "2xx",
        /// The resource is elsewhere, or has not changed.
        Redirection = "3xx",
        /// The request was wrong or refused.
        ClientError = "4xx",
        /// The server was at fault or unavailable.
        ServerError = "5xx",
    }
}

impl StatusClass {
    /// The first status of the class.
    fn first(self) -> i64 {
        match self {
            Self::Success => 200,
            Self::Redirection => 300,
            Self::ClientError => 400,
            Self::ServerError => 500,
        }
    }

    fn is_failure(self) -> bool {
        matches!(self, Self::ClientError | Self::ServerError)
    }
}

/// A request of the account.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct LoggedRequest {
    pub id: LoggedRequestId,
    /// The interface that received it.
    #[sqlx(try_from = "String")]
    pub interface: RequestInterface,
    /// The HTTP method.
    #[schema(example = "GET")]
    pub method: String,
    /// The address without its ids; null if there is no such address.
    #[schema(required, example = "/api/v1/books/{id}")]
    pub route: Option<String>,
    /// The tool that an agent called; null over REST, and for other messages.
    #[schema(required, example = "create_book")]
    pub tool: Option<String>,
    /// The HTTP status of the response. A tool that fails has the status 200 and a `code`.
    #[schema(minimum = 100, maximum = 599)]
    pub status: i64,
    /// The error code; null without an error.
    #[schema(required, example = "not_found")]
    pub code: Option<String>,
    /// The time until the head of the response was ready, in milliseconds.
    #[schema(minimum = 0)]
    pub duration_ms: i64,
    /// The id in the header `X-Request-Id` of the response.
    #[schema(example = "req_01KAFMYG00000000000000000A")]
    pub request_id: String,
    /// The API key with which it was sent; null if it was sent by an app.
    #[schema(required)]
    pub key_id: Option<KeyId>,
    /// The grant of the app that sent it; null if it was sent with an API key.
    #[schema(required)]
    pub grant_id: Option<GrantId>,
    /// The time at which it ended.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// The requests that a list contains.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestFilter<'a> {
    pub status: Option<StatusClass>,
    /// The error code.
    pub code: Option<&'a str>,
}

/// The requests of the account in the last days, newest first. A key that may not manage the others, because it has a
/// limit or lacks a scope, sees only its own.
pub async fn list(
    app: &App,
    caller: &Caller,
    filter: RequestFilter<'_>,
    request: &PageRequest,
) -> Result<PageOf<LoggedRequest>> {
    caller.require_reading()?;
    let only_of = caller.key_id().filter(|_| caller.require_key_management().is_err());
    let rows = store::list(&app.database.read, caller.account_id(), only_of, filter, request).await?;
    Ok(PageOf::from_rows(rows, request, |row| row.id.as_str()))
}

/// The writer of a node.
#[derive(Debug, Default)]
pub struct Writer {
    /// The number of requests of each account that were written since the oldest ones were deleted.
    untrimmed: HashMap<AccountId, usize>,
}

impl Writer {
    /// Writes the requests that have ended on this node, unless the server is read-only; returns their number. Requests
    /// that cannot be written are lost, because memory is limited.
    pub async fn write(&mut self, app: &App) -> Result<usize> {
        let waiting = app.ended_requests.take();
        if waiting.left_out > 0 {
            app.metrics.requests.not_logged(waiting.left_out);
            let requests = waiting.left_out;
            tracing::warn!(
                requests,
                "too many requests in a short time: the request log of accounts lacks some"
            );
        }
        if waiting.requests.is_empty() {
            return Ok(0);
        }
        let written = self.insert(app, &waiting.requests).await;
        if written.is_err() {
            app.metrics.requests.not_logged(waiting.requests.len() as u64);
        }
        written
    }

    async fn insert(&mut self, app: &App, requests: &[EndedRequest]) -> Result<usize> {
        if maintenance::current(app).await?.is_some() {
            return Ok(0);
        }
        let named: Vec<_> = requests
            .iter()
            .map(|request| (LoggedRequestId::generate(request.ended_at, &app.random), request))
            .collect();
        let mut tx = app.database.begin().await?;
        store::insert(&mut tx, &named).await?;
        for account in self.count(requests) {
            store::trim(&mut tx, &account, MAX_REQUESTS_PER_ACCOUNT).await?;
        }
        tx.commit().await?;
        Ok(requests.len())
    }

    /// Counts the requests of each account; returns the accounts whose oldest requests are to be deleted.
    fn count(&mut self, requests: &[EndedRequest]) -> Vec<AccountId> {
        for request in requests {
            *self.untrimmed.entry(request.account_id.clone()).or_default() += 1;
        }
        let due = self.untrimmed.extract_if(|_, count| *count >= TRIM_INTERVAL);
        due.map(|(account, _)| account).collect()
    }
}

/// Deletes all but the newest requests of an account; returns the number of deleted ones.
pub(crate) async fn trim(app: &App, account: &AccountId, keep: i64) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let deleted = store::trim(&mut tx, account, keep).await?;
    tx.commit().await?;
    Ok(deleted)
}

/// Deletes requests after the time for which they are listed; returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    app.database
        .delete_older_than(&app.clock, LOG_RETENTION, store::DELETE_OLD)
        .await
}

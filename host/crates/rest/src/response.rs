//! The conversion of results into responses.
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use linepress_core::books::{BookAccepted, BookPageAccepted};
use linepress_core::characters::CharacterAccepted;
use linepress_core::operations::Operation;
use linepress_core::pages::{PageAccepted, PageReply};
use linepress_platform::app::App;
use serde::Serialize;

use super::addresses::{Addressed, addressed, operation_location, page_location};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::Done;
use linepress_core::artwork::Download;
use linepress_core::generation::Accepted;
use linepress_http::authentication::Balance;
use linepress_http::{Reply, file_headers, following, object_response};
use linepress_platform::database::PageOf;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::OperationId;

/// The number of seconds between two polls of an operation in progress.
pub(super) const POLL_AFTER: HeaderValue = HeaderValue::from_static("2");

const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The header that tells which preference was honored (RFC 7240, section 3).
pub(super) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
pub(super) const WAIT: HeaderValue = HeaderValue::from_static("wait");

const TRUE: HeaderValue = HeaderValue::from_static("true");

/// The reply to an accepted generation.
pub(super) trait AcceptedReply: Addressed + Serialize {
    /// The operation that the generation is followed by.
    fn operation(&self) -> &Operation;

    fn set_operation(&mut self, operation: Operation);
}

/// Implements [`AcceptedReply`] for replies with a field `operation`.
macro_rules! accepted_replies {
    ($($reply:ty),+) => {$(
        impl AcceptedReply for $reply {
            fn operation(&self) -> &Operation {
                &self.operation
            }

            fn set_operation(&mut self, operation: Operation) {
                self.operation = operation;
            }
        }
    )+};
}

accepted_replies!(BookAccepted, BookPageAccepted, CharacterAccepted, PageAccepted);

/// 202 with the reply to an accepted generation. If the request prefers to wait, the operation is that after the wait.
pub(super) async fn accepted<T: AcceptedReply>(
    app: &App,
    caller: &Caller,
    request: &HeaderMap,
    mut accepted: Accepted<T>,
) -> Reply {
    let location = operation_location(app, accepted.reply.operation())?;
    // The order is stored: it must not become an error because the wait does.
    let waited = waited(app, caller, request, &accepted.reply.operation().id)
        .await
        .unwrap_or(None);
    let (has_waited, has_ended) = match waited {
        None => (false, false),
        Some(operation) => {
            let has_ended = operation.status.is_terminal();
            accepted.reply.set_operation(operation);
            (true, has_ended)
        }
    };
    let mut response = (StatusCode::ACCEPTED, addressed(app, accepted.reply)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    if !has_ended {
        headers.insert(header::RETRY_AFTER, POLL_AFTER);
    }
    if has_waited {
        headers.insert(PREFERENCE_APPLIED, WAIT);
    }
    if accepted.replayed {
        headers.insert(IDEMPOTENCY_REPLAYED, TRUE);
    }
    response.extensions_mut().insert(Balance {
        available: accepted.available,
        consumed: accepted.consumed,
    });
    Ok(response)
}

/// The operation after the wait that the request prefers. None if it prefers none, too many clients of the account
/// wait, or the operation is gone.
pub(super) async fn waited(
    app: &App,
    caller: &Caller,
    request: &HeaderMap,
    id: &OperationId,
) -> Result<Option<Operation>> {
    let Some(wait) = following::preferred_wait(request) else {
        return Ok(None);
    };
    match following::wait_until_ended(app, caller, id, wait).await {
        Err(error) if matches!(error.kind, ErrorKind::NotFound { .. }) => Ok(None),
        waited => waited,
    }
}

/// 200 with the reply to a change that costs nothing.
pub(super) fn done<T: Addressed + Serialize>(app: &App, done: Done<T>) -> Reply {
    Ok(replayable(addressed(app, done.reply), done.replayed))
}

/// A response with the header of replays if it is one.
pub(super) fn replayable(reply: impl IntoResponse, replayed: bool) -> Response {
    let mut response = reply.into_response();
    if replayed {
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, TRUE);
    }
    response
}

/// 201 with a new page and its address.
pub(super) fn created(app: &App, page: Done<PageReply>) -> Reply {
    let location = page_location(app, &page.reply.page)?;
    created_at(app, location, page)
}

/// 201 with a new resource at this address.
pub(super) fn created_at<T: Addressed + Serialize>(app: &App, location: HeaderValue, created: Done<T>) -> Reply {
    let mut response = done(app, created)?;
    *response.status_mut() = StatusCode::CREATED;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

/// The reply to a request that charged nothing, with a balance that was read already.
pub(super) fn with_balance(available: i64, reply: impl IntoResponse) -> Response {
    let mut response = reply.into_response();
    response.extensions_mut().insert(Balance { available, consumed: 0 });
    response
}

/// 204 if the resource existed, otherwise the error.
pub(super) fn no_content(was_there: bool, missing: fn() -> Error) -> Reply<StatusCode> {
    if was_there {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(missing().into())
    }
}

/// 200 with an image.
pub(super) fn download(download: Download) -> Reply {
    let headers = file_headers(download.media_type, "inline", &download.file_name);
    Ok((headers, object_response(download.object)).into_response())
}

/// The `meta` of a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Meta {
    /// The value of `after` for the next page; null on the last one.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

impl<T> From<&PageOf<T>> for Meta {
    fn from(page: &PageOf<T>) -> Self {
        Self {
            next_cursor: page.next_cursor.clone(),
        }
    }
}

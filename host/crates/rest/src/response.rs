//! The conversion of results into responses.
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use linepress_core::app::App;
use linepress_core::books::{BookAccepted, BookPageAccepted};
use linepress_core::characters::CharacterAccepted;
use linepress_core::operations::Operation;
use linepress_core::pages::{PageAccepted, PageReply};
use serde::Serialize;

use super::addresses::{Addressed, addressed, operation_location, page_location};
use linepress_core::artwork::Download;
use linepress_core::generation::Accepted;
use linepress_core::idempotency::Done;
use linepress_http::authentication::Balance;
use linepress_http::{Reply, disposition, object_response};
use linepress_platform::database::PageOf;
use linepress_platform::error::Error;

/// The number of seconds between two polls of an operation in progress.
pub(super) const POLL_AFTER: HeaderValue = HeaderValue::from_static("2");

const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const TRUE: HeaderValue = HeaderValue::from_static("true");

/// The reply to an accepted generation.
pub(super) trait AcceptedReply: Addressed + Serialize {
    /// The operation that the generation is followed by.
    fn operation(&self) -> &Operation;
}

/// Implements [`AcceptedReply`] for replies with a field `operation`.
macro_rules! accepted_replies {
    ($($reply:ty),+) => {$(
        impl AcceptedReply for $reply {
            fn operation(&self) -> &Operation {
                &self.operation
            }
        }
    )+};
}

accepted_replies!(BookAccepted, BookPageAccepted, CharacterAccepted, PageAccepted);

/// 202 with the reply to an accepted generation.
pub(super) fn accepted<T: AcceptedReply>(app: &App, accepted: Accepted<T>) -> Reply {
    let location = operation_location(app, accepted.reply.operation())?;
    let mut response = (StatusCode::ACCEPTED, addressed(app, accepted.reply)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::RETRY_AFTER, POLL_AFTER);
    if accepted.replayed {
        headers.insert(IDEMPOTENCY_REPLAYED, TRUE);
    }
    response.extensions_mut().insert(Balance {
        available: accepted.available,
        consumed: accepted.consumed,
    });
    Ok(response)
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
    let mut response = done(app, page)?;
    *response.status_mut() = StatusCode::CREATED;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
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
    let headers = [
        (header::CONTENT_TYPE, download.media_type),
        (header::CONTENT_DISPOSITION, disposition("inline", &download.file_name)),
    ];
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

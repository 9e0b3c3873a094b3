//! How results become responses.
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse as _;
use serde::Serialize;

use crate::artwork::Download;
use crate::database::PageOf;
use crate::error::Error;
use crate::generation::Accepted;
use crate::http::authentication::Balance;
use crate::http::{Reply, sent};

/// Seconds between two looks at an operation that has not ended.
pub(super) const POLL_AFTER: HeaderValue = HeaderValue::from_static("2");

/// 202 with what was saved when the generation was accepted.
pub(super) fn accepted(accepted: Accepted) -> Reply {
    let mut response = (
        StatusCode::ACCEPTED,
        [
            (header::CONTENT_TYPE, "application/json"),
            (header::LOCATION, &accepted.location),
        ],
        accepted.body,
    )
        .into_response();
    response.headers_mut().insert(header::RETRY_AFTER, POLL_AFTER);
    if accepted.replayed {
        response
            .headers_mut()
            .insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    response.extensions_mut().insert(Balance {
        available: accepted.available,
        consumed: accepted.consumed,
    });
    Ok(response)
}

/// 204 for what was there, else the error.
pub(super) fn no_content(was_there: bool, missing: fn() -> Error) -> Reply<StatusCode> {
    if was_there {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(missing().into())
    }
}

/// 200 with an image.
pub(super) fn download(download: Download) -> Reply {
    let kind = [(header::CONTENT_TYPE, download.media_type)];
    Ok((kind, sent(download.object)).into_response())
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

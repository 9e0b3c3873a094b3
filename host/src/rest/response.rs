//! How results become responses.
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::IntoResponse as _;
use serde::Serialize;

use crate::artwork::Download;
use crate::database::PageOf;
use crate::error::Error;
use crate::generation::Accepted;
use crate::http::authentication::Balance;
use crate::http::{Reply, disposition, sent};
use crate::idempotency::Done;

/// Seconds between two looks at an operation that has not ended.
pub(super) const POLL_AFTER: HeaderValue = HeaderValue::from_static("2");

const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const TRUE: HeaderValue = HeaderValue::from_static("true");

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
        response.headers_mut().insert(REPLAYED, TRUE);
    }
    response.extensions_mut().insert(Balance {
        available: accepted.available,
        consumed: accepted.consumed,
    });
    Ok(response)
}

/// What was saved when the request was done, the address of a new resource with 201.
pub(super) fn done(status: StatusCode, done: Done) -> Reply {
    let kind = (header::CONTENT_TYPE, "application/json");
    let mut response = (status, [kind], done.reply.body).into_response();
    let headers = response.headers_mut();
    if status == StatusCode::CREATED {
        headers.insert(header::LOCATION, done.reply.location.parse().map_err(Error::internal)?);
    }
    if done.replayed {
        headers.insert(REPLAYED, TRUE);
    }
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
    let headers = [
        (header::CONTENT_TYPE, download.media_type),
        (header::CONTENT_DISPOSITION, disposition("inline", &download.file_name)),
    ];
    Ok((headers, sent(download.object)).into_response())
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

//! The conversion of results into responses.
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::IntoResponse as _;
use serde::Serialize;

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

/// 202 with the saved reply of an accepted generation.
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
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, TRUE);
    }
    response.extensions_mut().insert(Balance {
        available: accepted.available,
        consumed: accepted.consumed,
    });
    Ok(response)
}

/// The saved reply of a completed request. With status 201 it includes the address of the new resource.
pub(super) fn done(status: StatusCode, done: Done) -> Reply {
    let kind = (header::CONTENT_TYPE, "application/json");
    let mut response = (status, [kind], done.reply.body).into_response();
    let headers = response.headers_mut();
    if status == StatusCode::CREATED {
        headers.insert(header::LOCATION, done.reply.location.parse().map_err(Error::internal)?);
    }
    if done.replayed {
        headers.insert(IDEMPOTENCY_REPLAYED, TRUE);
    }
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

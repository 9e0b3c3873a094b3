//! `/artwork_uploads`: files that are uploaded before the import that names them, to an address that needs no API key.
use axum::Extension;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;
use serde::Serialize;

use super::document::{Binary, FileErrors, UploadErrors};
use super::extract::{NoBody, PathId};
use super::response;
use linepress_accounts::caller::Caller;
use linepress_core::artwork::uploads::{self, Upload};
use linepress_http::body::check_length;
use linepress_http::{Failure, Reply, file_form};
use linepress_platform::app::App;
use linepress_platform::error::Error;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ArtworkUploadReply {
    artwork_upload: Upload,
}

/// Creates an address that accepts one file for an import. The sender of the file needs no API key.
#[utoipa::path(post, path = "/artwork_uploads", tag = "Pages", operation_id = "create_artwork_upload",
    responses((status = 201, description = "The upload", body = ArtworkUploadReply), UploadErrors))]
pub(super) async fn create(State(app): State<App>, Extension(caller): Extension<Caller>, _: NoBody) -> Reply {
    let artwork_upload = uploads::create(&app, &caller).await?;
    let location = [(header::LOCATION, artwork_upload.url.clone())];
    Ok((
        StatusCode::CREATED,
        location,
        Json(ArtworkUploadReply { artwork_upload }),
    )
        .into_response())
}

/// Receives the file of an upload, at the `url` that `create_artwork_upload` returned. The token in the address is the
/// only authorization. A second file replaces the first.
#[utoipa::path(put, path = "/uploads/{token}", tag = "Pages", operation_id = "send_artwork", security(),
    params(("token" = String, Path, description = "The last part of the upload's `url`.")),
    request_body(content = Binary, content_type = "application/octet-stream",
        description = "A PNG, JPEG or WebP of at most `max_bytes`, regardless of its Content-Type. A file that begins like none of them is rejected."),
    responses((status = 204, description = "Received"), FileErrors))]
pub(super) async fn receive(
    State(app): State<App>,
    PathId(token): PathId<String>,
    headers: HeaderMap,
    body: Body,
) -> Reply<StatusCode> {
    check_length(&headers, "The file", app.config.import_limit())?;
    let broken = |_: &axum::Error| Failure::invalid_request("The file ended before it was complete.");
    let file = file_form::receive(&app, body.into_data_stream(), broken);
    let filled = uploads::fill(&app, &token, file).await?;
    response::no_content(filled, || Error::not_found("upload; it may have expired"))
}

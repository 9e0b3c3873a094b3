//! `/downloads/{token}`: a file for everyone who has its address.
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use linepress_core::downloads::{self, File};
use linepress_http::{Reply, byte_range, disposition, object_response};
use linepress_platform::app::App;
use linepress_platform::error::Error;

pub(super) async fn show(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Reply {
    let file = match token {
        Ok(Path(token)) => downloads::open(&app, &token).await?,
        Err(_) => None,
    };
    let file = file.ok_or_else(|| Error::not_found("download; its address may have expired"))?;
    Ok(respond(file, &headers)?)
}

fn respond(file: File, headers: &HeaderMap) -> Result<Response, Error> {
    let File {
        account_id,
        media_type,
        file_name,
        is_attachment,
        object,
    } = file;
    let size = object.size;
    let etag = object.version.as_ref().map(|version| format!("\"{version}\""));
    let etag = etag.map(HeaderValue::try_from).transpose().map_err(Error::internal)?;
    let mut response = match byte_range::requested_range(headers, size, etag.as_ref()) {
        byte_range::RequestedRange::Whole => object_response(object),
        byte_range::RequestedRange::Part(part) => {
            let of = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            let mut response = (StatusCode::PARTIAL_CONTENT, object_response(object.part(part))).into_response();
            let of = HeaderValue::try_from(of).map_err(Error::internal)?;
            response.headers_mut().insert(header::CONTENT_RANGE, of);
            response
        }
        byte_range::RequestedRange::Unsatisfiable => {
            let of = HeaderValue::try_from(format!("bytes */{size}")).map_err(Error::internal)?;
            return Ok((StatusCode::RANGE_NOT_SATISFIABLE, [(header::CONTENT_RANGE, of)]).into_response());
        }
    };
    // The log line of the request reads the account from here.
    response.extensions_mut().insert(account_id);
    let own = response.headers_mut();
    own.insert(
        header::CONTENT_TYPE,
        HeaderValue::try_from(media_type).map_err(Error::internal)?,
    );
    if let Some(etag) = etag {
        own.insert(header::ETAG, etag);
    }
    own.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    own.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let how = if is_attachment { "attachment" } else { "inline" };
    let disposition = HeaderValue::try_from(disposition(how, &file_name)).map_err(Error::internal)?;
    own.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

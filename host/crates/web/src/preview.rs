//! `/preview/{token}`: a character with a public preview.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use linepress_core::characters;
use linepress_http::html::{internal_error_page, not_found_page, page};
use linepress_http::{file_headers, object_response};
use linepress_platform::app::App;

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

#[derive(Template)]
#[template(path = "preview.html")]
struct PreviewPage<'a> {
    name: &'a str,
    image: Option<Picture>,
}

struct Picture {
    url: String,
    width: i64,
    height: i64,
}

pub(super) async fn show(State(app): State<App>, token: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(token)) = token else {
        return not_found_page();
    };
    let preview = match characters::preview(&app, &token).await {
        Ok(Some(preview)) => preview,
        Ok(None) => return not_found_page(),
        Err(error) => return internal_error_page(&error),
    };
    let image = preview.revision.map(|revision| Picture {
        // Relative, so that it works under any address at which the page was requested.
        url: format!("{token}/image?revision={revision}"),
        width: preview.width,
        height: preview.height,
    });
    let name = &preview.name;
    unlisted(page(StatusCode::OK, &PreviewPage { name, image }))
}

pub(super) async fn image(State(app): State<App>, token: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(token)) = token else {
        return not_found_page();
    };
    match characters::preview_image(&app, &token).await {
        Ok(Some(image)) => {
            let headers = file_headers(image.media_type, "inline", &image.file_name);
            let no_sniff = [(header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
            unlisted((headers, no_sniff, object_response(image.object)).into_response())
        }
        Ok(None) => not_found_page(),
        Err(error) => internal_error_page(&error),
    }
}

/// Excludes the response from search engines; only those who have the address should find it.
pub(crate) fn unlisted(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(ROBOTS, HeaderValue::from_static("noindex, nofollow"));
    response
}

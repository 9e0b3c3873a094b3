//! Pages for people: HTML beside its handlers.
mod preview;

use askama::Template;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use crate::app::App;
use crate::error::Error;
use crate::http::ErrorCode;

/// Every page, by its path on the server.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/preview/{token}", get(preview::show))
        .route("/preview/{token}/image", get(preview::image))
}

/// A page that loads pictures and styles from this server alone, runs nothing, and stands in nobody's frame.
fn page(status: StatusCode, template: &impl Template) -> Response {
    let html = match template.render() {
        Ok(html) => html,
        Err(error) => return failed(&Error::internal(error)),
    };
    let mut response = (status, Html(html)).into_response();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    headline: &'a str,
    advice: &'a str,
}

/// There is nothing at this address.
fn missing() -> Response {
    page(
        StatusCode::NOT_FOUND,
        &ErrorPage {
            headline: "There is nothing here",
            advice: "The address is wrong, or what it showed is no longer shared.",
        },
    )
}

/// Something of ours broke: the cause goes to the log.
fn failed(error: &Error) -> Response {
    tracing::error!(error = error.for_operator(), "a page could not be shown");
    let page = ErrorPage {
        headline: "Something went wrong on our side",
        advice: "Please try again later.",
    };
    match page.render() {
        Ok(html) => (ErrorCode::from(error).status(), Html(html)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

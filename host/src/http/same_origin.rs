//! Keeps other sites from having a browser send our forms, by what the browser says of where they come from.
use axum::http::{HeaderMap, header};
use axum::response::Response;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use url::Url;

use super::form::forged;
use crate::app::App;

/// For the pages of people. Clients that are no browser say nothing of where they come from, and pass.
pub(crate) fn layer(app: &App) -> CsrfLayer<fn(ProtectionError) -> Response> {
    let layer = CsrfLayer::new().with_rejection_response(refused as fn(ProtectionError) -> Response);
    // A proxy may send us another host than the browser's.
    match own_origin(app).and_then(|own| layer.clone().add_trusted_origin(own).ok()) {
        Some(layer) => layer,
        None => layer,
    }
}

/// The reason is for the operator: a proxy that changes the host or the origin is the usual one.
fn refused(error: ProtectionError) -> Response {
    tracing::warn!(
        reason = %error,
        "a form was refused: the browser says that it comes from another site; `public_url` must be the address in the browser"
    );
    forged()
}

fn own_origin(app: &App) -> Option<String> {
    let url = Url::parse(&app.config.public_url).ok()?;
    Some(url.origin().ascii_serialization())
}

/// Whether a browser says that the request comes from a page of this site.
pub(crate) fn is_said(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => text(header::ORIGIN.as_str()).is_some_and(|origin| own_origin(app).as_deref() == Some(origin)),
    }
}

/// The path of the page of this site that a form stands on, as the browser tells it.
pub(crate) fn page_of_form(app: &App, headers: &HeaderMap) -> Option<String> {
    let page = Url::parse(headers.get(header::REFERER)?.to_str().ok()?).ok()?;
    let is_own = own_origin(app)? == page.origin().ascii_serialization();
    is_own.then(|| page[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
}

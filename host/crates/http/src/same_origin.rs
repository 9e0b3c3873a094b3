//! Protection against forged forms by the headers `Sec-Fetch-Site` and `Origin`, in which the browser reports where a
//! form comes from.
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use url::Url;

use super::html;
use linepress_platform::app::App;

/// The middleware for web pages. Clients that are not browsers send neither header, and pass.
pub fn layer(app: &App) -> CsrfLayer<fn(ProtectionError) -> Response> {
    let layer = CsrfLayer::new().with_rejection_response(refused as fn(ProtectionError) -> Response);
    // Behind a proxy, `Host` may differ from the host that the browser knows, so trust `public_url` as well.
    match own_origin(app).and_then(|own| layer.clone().add_trusted_origin(own).ok()) {
        Some(layer) => layer,
        None => layer,
    }
}

/// Logs the reason for the operator: the usual one is a proxy that changes the host or the origin.
fn refused(error: ProtectionError) -> Response {
    tracing::warn!(
        reason = %error,
        "form rejected because the browser reports that it comes from another site; check that `public_url` is the address in the browser"
    );
    forged()
}

/// The response to a form from another site, or from before another sign-in.
pub fn forged() -> Response {
    html::error_page(
        StatusCode::FORBIDDEN,
        "That did not work",
        "The form is too old, or is not from this site, and nothing was changed. Go back, load the page again, and send it once more.",
    )
}

fn own_origin(app: &App) -> Option<String> {
    let url = Url::parse(&app.config.public_url).ok()?;
    Some(url.origin().ascii_serialization())
}

/// Returns true if the browser reports that the request comes from a page of this site.
pub fn is_reported(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => text(header::ORIGIN.as_str()).is_some_and(|origin| own_origin(app).as_deref() == Some(origin)),
    }
}

/// The path of the page that the form was on, from the `Referer` header; `None` if the page is not of this site.
pub(crate) fn path_of_form_page(app: &App, headers: &HeaderMap) -> Option<String> {
    let page = Url::parse(headers.get(header::REFERER)?.to_str().ok()?).ok()?;
    let is_own = own_origin(app)? == page.origin().ascii_serialization();
    is_own.then(|| page[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
}

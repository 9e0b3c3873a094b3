//! Keeps other sites from having a browser send our forms, by what the browser says of where they come from.
use axum::response::Response;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use url::Url;

use super::form::forged;
use crate::app::App;

/// For the pages of people. Clients that are no browser say nothing of where they come from, and pass.
pub(crate) fn layer(app: &App) -> CsrfLayer<fn(ProtectionError) -> Response> {
    let layer = CsrfLayer::new().with_rejection_response(refused as fn(ProtectionError) -> Response);
    // A proxy may send us another host than the browser's.
    let own = Url::parse(&app.config.public_url).map(|url| url.origin().ascii_serialization());
    match own.ok().and_then(|own| layer.clone().add_trusted_origin(own).ok()) {
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

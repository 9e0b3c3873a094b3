//! Maintenance: while the server is read-only, a request that may change something is refused before its body is read.
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Failure;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::maintenance;

/// Fails while the server is read-only, unless a request with this method can only read. A new operation is refused
/// without being listed anywhere.
pub async fn check(app: &App, method: &Method) -> Result<()> {
    if method.is_safe() {
        return Ok(());
    }
    maintenance::require_off(app).await
}

/// Refuses requests that may change something while the server is read-only.
pub async fn refuse_changes(State(app): State<App>, request: Request, next: Next) -> Response {
    match check(&app, request.method()).await {
        Ok(()) => next.run(request).await,
        Err(error) => Failure::from(error).into_response(),
    }
}

/// Refuses every request while the server is read-only, for addresses that store something when a browser follows a
/// link to them.
pub async fn refuse_everything(State(app): State<App>, request: Request, next: Next) -> Response {
    match maintenance::require_off(&app).await {
        Ok(()) => next.run(request).await,
        Err(error) => Failure::from(error).into_response(),
    }
}

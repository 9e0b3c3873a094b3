//! The refusal of changes while the server is read-only.
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use linepress_http::{Failure, maintenance};
use linepress_platform::app::App;

/// The operations that store nothing although their method is POST, by their path below the base path.
const STATELESS: [&str; 1] = ["/book_plans"];

/// Refuses every operation that may change something while the server is read-only.
pub(super) async fn refuse_changes(State(app): State<App>, request: Request, next: Next) -> Response {
    if STATELESS.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    match maintenance::check(&app, request.method()).await {
        Ok(()) => next.run(request).await,
        Err(error) => Failure::from(error).into_response(),
    }
}

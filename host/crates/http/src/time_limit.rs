//! Time limits of requests, so that neither a client that stops sending nor a response that never completes can hold a
//! connection.
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::Failure;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};

/// Limits the time for which a client may send nothing within a body. After that, reading the body fails.
pub fn silence() -> RequestBodyTimeoutLayer {
    RequestBodyTimeoutLayer::new(Duration::from_secs(30))
}

/// Cancels a request that takes longer than the configured limit. Its uncommitted changes are rolled back.
pub async fn limit(State(app): State<App>, request: Request, next: Next) -> Response {
    limited(&app, next.run(request)).await
}

/// The response to a request, or a failure if it takes longer than the configured limit.
pub async fn limited(app: &App, respond: impl Future<Output = Response>) -> Response {
    match within(app, respond).await {
        Ok(response) => response,
        Err(failure) => failure.into_response(),
    }
}

/// Cancels a part of a request that takes longer than the configured limit.
pub async fn within<T>(app: &App, part: impl Future<Output = T>) -> Result<T, Failure> {
    let limit = Duration::from_secs(app.config.request_timeout_seconds);
    tokio::time::timeout(limit, part).await.map_err(|_| {
        let retry_after = Duration::from_secs(5);
        let error = Error::from(ErrorKind::Overloaded { retry_after });
        error
            .with_cause(format!("the response took longer than {limit:?}"))
            .into()
    })
}

//! How long a request may take: a client that stops sending, and a response that never comes, must not hold a connection.
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::Failure;
use crate::app::App;
use crate::error::{Error, ErrorKind};

/// How long a client may be silent within a body; the body has ended too early then.
pub fn silence() -> RequestBodyTimeoutLayer {
    RequestBodyTimeoutLayer::new(Duration::from_secs(30))
}

/// Ends what takes longer than the setting allows. What was not committed by then never happened.
pub async fn limit(State(app): State<App>, request: Request, next: Next) -> Response {
    let limit = Duration::from_secs(app.config.request_timeout_seconds);
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let retry_after = Duration::from_secs(5);
            let error = Error::from(ErrorKind::Overloaded { retry_after });
            Failure::from(error.with_cause(format!("the response took longer than {limit:?}"))).into_response()
        }
    }
}

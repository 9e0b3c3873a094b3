//! `/metrics`: the metrics of the node, on a listener of their own, because they need no credentials.
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use linepress_metrics::MEDIA_TYPE;

use linepress_operator::monitoring::Monitor;
use linepress_platform::app::App;

/// The router of the listener for metrics.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(Arc::new(Monitor::new(app)))
}

async fn metrics(State(monitor): State<Arc<Monitor>>) -> Response {
    match monitor.text().await {
        Ok(text) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(error) => {
            tracing::error!(error = error.for_operator(), "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

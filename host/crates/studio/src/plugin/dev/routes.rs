//! The routes of the page.
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};

use super::session::Session;
use crate::local_page::{After, file, found, next_version};

pub(super) fn router(session: Arc<Session>) -> Router {
    Router::new()
        .route("/", get(|| file("text/html; charset=utf-8", include_str!("page.html"))))
        .route("/dev.css", get(|| file("text/css", include_str!("page.css"))))
        .route("/dev.js", get(|| file("text/javascript", include_str!("page.js"))))
        .route("/result", get(result))
        .route("/changes", get(changes))
        .route("/files/{version}", get(result_file))
        .with_state(session)
}

async fn result(State(session): State<Arc<Session>>) -> Response {
    Json(session.shown()).into_response()
}

async fn changes(State(session): State<Arc<Session>>, Query(after): Query<After>) -> Response {
    next_version(session.versions(), after).await
}

async fn result_file(State(session): State<Arc<Session>>, Path(version): Path<u64>) -> Response {
    match session.file(version) {
        Some((media_type, bytes)) => found(media_type, Some(bytes)),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

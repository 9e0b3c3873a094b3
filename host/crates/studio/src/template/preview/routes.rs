//! The routes of the preview.
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tokio::task::spawn_blocking;

use super::session::Session;
use super::view::View;
use crate::local_page::{After, file, found, next_version};

pub(super) fn router(session: Arc<Session>) -> Router {
    Router::new()
        .route("/", get(|| file("text/html; charset=utf-8", include_str!("page.html"))))
        .route("/preview.css", get(|| file("text/css", include_str!("page.css"))))
        .route("/preview.js", get(|| file("text/javascript", include_str!("page.js"))))
        .route("/choices", get(choices))
        .route("/book", get(book))
        .route("/changes", get(changes))
        .route("/pages/{name}", get(page))
        .route("/artwork/{name}", get(artwork))
        .with_state(session)
}

async fn choices(State(session): State<Arc<Session>>) -> Response {
    Json(session.choices()).into_response()
}

async fn book(State(session): State<Arc<Session>>, Query(view): Query<View>) -> Response {
    match session.show(&view).await {
        Some(shown) => Json(shown).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn changes(State(session): State<Arc<Session>>, Query(after): Query<After>) -> Response {
    next_version(session.versions(), after).await
}

async fn page(State(session): State<Arc<Session>>, Path(name): Path<String>) -> Response {
    let svg = name.strip_suffix(".svg").and_then(|name| session.picture(name));
    found("image/svg+xml", svg)
}

async fn artwork(State(session): State<Arc<Session>>, Path(name): Path<String>) -> Response {
    let picture = spawn_blocking(move || session.artwork.picture(name.strip_suffix(".png")?)).await;
    found("image/png", picture.ok().flatten())
}

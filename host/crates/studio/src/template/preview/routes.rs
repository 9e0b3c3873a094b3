//! The routes of the preview, for this machine and for the preview's own page only.
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::session::Session;
use super::view::View;

/// The time for which a request for changes waits; the page then repeats it.
const CHANGE_WAIT_LIMIT: Duration = Duration::from_secs(25);

/// The content security policy. Pages are made from templates of any origin, so they may not run scripts or load
/// anything from other hosts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) fn router(session: Arc<Session>, address: SocketAddr) -> Router {
    let hosts = [format!("{address}"), format!("localhost:{}", address.port())];
    Router::new()
        .route("/", get(|| file("text/html; charset=utf-8", include_str!("page.html"))))
        .route("/preview.css", get(|| file("text/css", include_str!("page.css"))))
        .route("/preview.js", get(|| file("text/javascript", include_str!("page.js"))))
        .route("/choices", get(choices))
        .route("/book", get(book))
        .route("/changes", get(changes))
        .route("/pages/{name}", get(page))
        .route("/artwork/{name}", get(artwork))
        .layer(middleware::from_fn(move |request, next| {
            guarded(hosts.clone(), request, next)
        }))
        .with_state(session)
}

/// Rejects requests with a foreign host name: an attacker could point such a name at this machine to let a web page
/// read the book.
async fn guarded(hosts: [String; 2], request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(|host| hosts.iter().any(|known| known == host)) {
        return (StatusCode::FORBIDDEN, "open this page at the address that was printed").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

async fn file(media_type: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, media_type)], text).into_response()
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

#[derive(Deserialize)]
struct After {
    after: u64,
}

/// Waits until the version differs from the one that the page has.
async fn changes(State(session): State<Arc<Session>>, Query(After { after }): Query<After>) -> Response {
    let mut versions = session.versions();
    let _ = timeout(CHANGE_WAIT_LIMIT, versions.wait_for(|version| *version != after)).await;
    let version = *versions.borrow();
    Json(json!({ "version": version })).into_response()
}

async fn page(State(session): State<Arc<Session>>, Path(name): Path<String>) -> Response {
    let svg = name.strip_suffix(".svg").and_then(|name| session.picture(name));
    found("image/svg+xml", svg)
}

async fn artwork(State(session): State<Arc<Session>>, Path(name): Path<String>) -> Response {
    let picture = spawn_blocking(move || session.artwork.picture(name.strip_suffix(".png")?)).await;
    found("image/png", picture.ok().flatten())
}

fn found(media_type: &'static str, body: Option<impl IntoResponse>) -> Response {
    match body {
        Some(body) => ([(header::CONTENT_TYPE, media_type)], body).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

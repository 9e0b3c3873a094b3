//! The web pages: HTML templates and their handlers.
mod account;
mod admin;
mod downloads;
mod front;
mod library;
mod limits;
mod numbers;
mod preview;
mod problem;
mod qr_code;
mod review;
mod sign_in;
mod unsubscribe;
mod upload;
mod when;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use linepress_http::handler::handler;
use linepress_http::{maintenance, same_origin, time_limit};
use linepress_platform::app::App;

/// A new idempotency key for a form.
fn new_key(app: &App) -> String {
    let mut bytes = [0; 16];
    app.random.fill(&mut bytes);
    format!("form-{}", hex::encode(bytes))
}

/// All pages, by their paths.
pub fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/downloads/{token}", get(handler(downloads::show)))
        .route("/", get(handler(front::show)))
        .merge(library::router())
        .merge(sign_in::router(app))
        .merge(account::router())
        .merge(admin::router())
        .route(
            "/uploads/{token}",
            get(handler(upload::show)).post(handler(upload::receive)),
        )
        .route(
            "/unsubscribe/{token}",
            get(handler(unsubscribe::show)).post(handler(unsubscribe::submit)),
        )
        .route("/preview/{token}", get(handler(preview::show)))
        .route("/preview/{token}/image", get(handler(preview::image)))
        .merge(review::router())
        .layer(from_fn_with_state(app.clone(), maintenance::refuse_changes))
        .layer(same_origin::layer(app))
        .layer(from_fn_with_state(app.clone(), time_limit::limit))
}

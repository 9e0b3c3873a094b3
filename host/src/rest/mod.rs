//! The REST interface: one file per concept, each of which only translates.
mod artwork;
mod artwork_uploads;
mod auth;
mod book_pages;
mod book_plans;
mod books;
mod characters;
mod docs;
mod document;
mod extract;
mod health;
mod me;
mod operations;
mod pages;
mod print_formats;
mod reply;
mod request_id;
mod strict;
mod time_limit;

use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{any, get, put};
use axum::{Json, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Error, ErrorCode};
use crate::web;
use reply::Failure;

pub use document::document;

/// Every operation of the interface, relative to `{base_url}`.
fn operations() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(me::show))
        .routes(routes!(print_formats::list))
        .routes(routes!(book_plans::create))
        .routes(routes!(operations::list))
        .routes(routes!(operations::show))
        .routes(routes!(characters::list, characters::create))
        .routes(routes!(
            characters::show,
            characters::update,
            characters::put,
            characters::archive
        ))
        .routes(routes!(characters::restore))
        .routes(routes!(characters::reference_image))
        .routes(routes!(characters::regenerate))
        .routes(routes!(books::list, books::create))
        .routes(routes!(books::show, books::update, books::put, books::delete))
        .routes(routes!(book_pages::add))
        .routes(routes!(book_pages::detach))
        .routes(routes!(book_pages::reorder))
        .routes(routes!(books::cover_image))
        .routes(routes!(books::pdf))
        .routes(routes!(pages::list, pages::create))
        .routes(routes!(pages::import))
        .routes(routes!(pages::show, pages::update, pages::put, pages::delete))
        .routes(routes!(pages::image, pages::replace_image))
        .routes(routes!(pages::regenerate))
        .routes(routes!(artwork_uploads::create))
}

/// All that the server answers.
pub fn router(app: App) -> Router {
    let (api, _) = operations().split_for_parts();
    let api = api
        .fallback(unknown_route)
        .method_not_allowed_fallback(method_not_allowed)
        // Within the authentication, so that even a panic's answer tells the balance.
        .layer(CatchPanicLayer::custom(reply::panicked))
        .layer(from_fn_with_state(app.clone(), time_limit::limit))
        .layer(from_fn_with_state(app.clone(), auth::authenticate));
    // A nested router does not see its own address with a slash.
    let base = Router::new()
        .route("/api/v1/", any(unknown_route))
        .layer(from_fn_with_state(app.clone(), auth::authenticate));
    let document = document(&app);
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/api/v1/openapi.json", get(async move || Json(document.clone())))
        .route(
            "/uploads/{token}",
            put(artwork_uploads::receive).layer(from_fn_with_state(app.clone(), time_limit::limit)),
        )
        .nest("/api/v1", docs::router())
        .nest("/api/v1", api)
        .merge(base)
        .merge(web::router())
        .fallback(unknown_route)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(CatchPanicLayer::custom(reply::panicked))
        // Each reader of a body has a limit of its own.
        .layer(DefaultBodyLimit::disable())
        .layer(time_limit::silence())
        .layer(from_fn_with_state(app.clone(), request_id::identify))
        .with_state(app)
}

async fn unknown_route() -> Failure {
    Failure(Error::not_found("address"))
}

async fn method_not_allowed(request: Request) -> impl IntoResponse {
    let message = format!(
        "{} is not allowed here; the Allow header lists what is.",
        request.method()
    );
    Failure(Error::new(ErrorCode::MethodNotAllowed, message))
}

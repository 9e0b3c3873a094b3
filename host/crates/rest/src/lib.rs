//! The REST interface, with one file per concept. The files only translate.
mod addresses;
mod admin;
mod admission;
mod artwork;
mod artwork_uploads;
mod attempts;
mod book_pages;
mod book_plans;
mod books;
mod characters;
mod deleted;
mod docs;
mod document;
mod extract;
mod keys;
mod known_parameters;
mod maintenance;
mod me;
mod operations;
mod pages;
mod print_formats;
mod requests;
mod response;
mod reviews;
mod statements;
mod used_key;
mod webhooks;

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::any;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use linepress_http::{Failure, failure};
use linepress_platform::app::App;

use admission::Admission;
use known_parameters::KnownParameters;

/// The path prefix of the operations.
const BASE_PATH: &str = "/api/v1";

/// Every operation of the interface, relative to `{base_url}`.
fn operations() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(me::show))
        .routes(routes!(statements::list))
        .routes(routes!(statements::usage))
        .routes(routes!(requests::list))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::show, keys::revoke))
        .routes(routes!(keys::rotate))
        .routes(routes!(print_formats::list))
        .routes(routes!(book_plans::create))
        .routes(routes!(operations::list))
        .routes(routes!(operations::show))
        .routes(routes!(operations::follow))
        .routes(routes!(operations::cancel))
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
        .routes(routes!(attempts::of_character))
        .routes(routes!(attempts::choose_of_character))
        .routes(routes!(attempts::image_of_character))
        .routes(routes!(books::list, books::create))
        .routes(routes!(books::show, books::update, books::put, books::delete))
        .routes(routes!(book_pages::add))
        .routes(routes!(book_pages::detach))
        .routes(routes!(book_pages::reorder))
        .routes(routes!(books::cover_image, books::replace_cover))
        .routes(routes!(books::regenerate_cover))
        .routes(routes!(books::restyle))
        .routes(routes!(books::copy))
        .routes(routes!(attempts::of_cover))
        .routes(routes!(attempts::choose_of_cover))
        .routes(routes!(attempts::image_of_cover))
        .routes(routes!(books::pdf))
        .routes(routes!(books::package))
        .routes(routes!(books::print_check))
        .routes(routes!(reviews::list_links, reviews::create_link))
        .routes(routes!(reviews::withdraw_link))
        .routes(routes!(reviews::list_comments))
        .routes(routes!(reviews::update_comment, reviews::delete_comment))
        .routes(routes!(pages::list, pages::create))
        .routes(routes!(pages::import))
        .routes(routes!(pages::show, pages::update, pages::put, pages::delete))
        .routes(routes!(pages::image, pages::replace_image))
        .routes(routes!(pages::regenerate))
        .routes(routes!(pages::refine))
        .routes(routes!(attempts::of_page))
        .routes(routes!(attempts::choose_of_page))
        .routes(routes!(attempts::image_of_page))
        .routes(routes!(artwork_uploads::create))
        .routes(routes!(webhooks::list, webhooks::create))
        .routes(routes!(webhooks::show, webhooks::update, webhooks::delete))
        .routes(routes!(webhooks::rotate_secret))
        .routes(routes!(webhooks::renew_callback_secret))
        .routes(routes!(webhooks::test))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(webhooks::replay))
        .routes(routes!(deleted::list, deleted::empty))
        .routes(routes!(deleted::delete))
        .routes(routes!(deleted::restore))
        .merge(admin_operations())
}

/// The operations for operators.
fn admin_operations() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(admin::accounts::list, admin::accounts::invite))
        .routes(routes!(admin::accounts::show, admin::accounts::update))
        .routes(routes!(admin::accounts::change_credits))
        .routes(routes!(admin::accounts::suspend))
        .routes(routes!(admin::accounts::resume))
        .routes(routes!(admin::accounts::close))
        .routes(routes!(admin::accounts::offer_password_link))
        .routes(routes!(admin::accounts::reset_second_factor))
        .routes(routes!(admin::operations::list))
        .routes(routes!(admin::operations::show))
        .routes(routes!(admin::operations::cancel))
        .routes(routes!(admin::operations::retry))
        .routes(routes!(admin::queue::show))
        .routes(routes!(admin::queue::pause))
        .routes(routes!(admin::queue::resume))
        .routes(routes!(admin::providers::list))
        .routes(routes!(admin::providers::spending))
        .routes(routes!(admin::providers::switch_off))
        .routes(routes!(admin::providers::switch_on))
        .routes(routes!(admin::providers::end_pause))
        .routes(routes!(admin::health::show))
        .routes(routes!(admin::settings::show))
        .routes(routes!(admin::backups::show, admin::backups::request))
        .routes(routes!(admin::plugins::list))
        .routes(routes!(admin::plugins::show))
        .routes(routes!(admin::plugins::allow))
        .routes(routes!(admin::plugins::deny))
        .routes(routes!(admin::plugins::use_plugin))
        .routes(routes!(admin::plugins::stop_using))
        .routes(routes!(admin::plugins::configure))
        .routes(routes!(admin::plugins::calls))
        .routes(routes!(admin::audit_log::list))
}

/// The addresses that accept uploads, relative to the server's root.
fn uploads() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(artwork_uploads::receive))
}

/// The routes of the operations, and the query parameters that each takes.
static ROUTES: LazyLock<(Router<App>, KnownParameters)> = LazyLock::new(|| {
    let (api, described) = operations().split_for_parts();
    (api, known_parameters::from_document(&described, BASE_PATH))
});

/// Derives the descriptions of all operations, which takes several milliseconds, ahead of the first router.
pub fn prepare() {
    LazyLock::force(&ROUTES);
}

/// The operations behind authentication, the documentation, and the addresses that accept uploads.
pub fn router(app: &App) -> Router<App> {
    let (api, known) = ROUTES.clone();
    let (uploads, described) = uploads().split_for_parts();
    let known_to_uploads = known_parameters::from_document(&described, "");
    let uploads = uploads.layer(from_fn_with_state(
        Admission::new(app, known_to_uploads),
        admission::admit_without_key,
    ));
    let admission = Admission::new(app, known);
    let api = api
        .fallback(unknown_route)
        .method_not_allowed_fallback(method_not_allowed)
        .layer((
            from_fn_with_state(admission.clone(), admission::admit),
            // Inside the authentication, so that the response to a panic has the credit headers, too.
            CatchPanicLayer::custom(failure::response_to_panic),
        ));
    // A nested router does not match its own path with a trailing slash.
    let base = Router::new()
        .route("/api/v1/", any(unknown_route))
        .layer(from_fn_with_state(admission, admission::authenticate));
    let (docs, llms) = docs::routers(document);
    Router::new()
        .route("/api/v1/openapi.json", document::route(document))
        .merge(llms)
        .merge(uploads)
        .nest(BASE_PATH, docs)
        .nest(BASE_PATH, api)
        .merge(base)
}

/// The OpenAPI document.
fn document(app: &App) -> serde_json::Value {
    document::complete(operations().into_openapi(), uploads().into_openapi(), app)
}

async fn unknown_route() -> Failure {
    Failure::unknown_address()
}

async fn method_not_allowed(request: Request) -> impl IntoResponse {
    Failure::method_not_allowed(request.method())
}

//! The server: every interface behind one router. A node without the role `api` serves only its health checks.
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;

use linepress_http::outage_log::OutageLog;
use linepress_http::proxy_advice::{self, ProxyAdvice};
use linepress_http::{
    Failure, appearance, assets, compression, failure, failure_page, health, protection, request_id, time_limit,
};
use linepress_mcp as mcp;
use linepress_oauth as oauth;
use linepress_platform::app::App;
use linepress_platform::config::Role;
use linepress_rest as rest;
use linepress_web as web;

/// Derives what REST and MCP describe, ahead of the router of a node with the role `api`: it depends on no part of the
/// server.
pub fn prepare_interfaces() {
    rest::prepare();
    mcp::prepare();
}

/// The router of a node, with the middleware that all interfaces share.
pub fn router(app: App) -> Router {
    let interfaces = match app.config.has_role(Role::Api) {
        true => interfaces(&app),
        false => Router::new().fallback(no_interface),
    };
    interfaces
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(CatchPanicLayer::custom(failure::response_to_panic))
        // Each reader of a body sets its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(time_limit::silence())
        .layer(from_fn(failure_page::show_failure_pages))
        .layer(from_fn_with_state(app.clone(), appearance::provide_appearance))
        .layer(from_fn_with_state(
            (app.clone(), OutageLog::default()),
            request_id::assign_request_id,
        ))
        .layer(from_fn(protection::protect))
        .layer(compression::layer())
        .layer(from_fn_with_state(
            ProxyAdvice::new(&app),
            proxy_advice::log_proxy_advice,
        ))
        .with_state(app)
}

fn interfaces(app: &App) -> Router<App> {
    Router::new()
        .merge(rest::router(app))
        .merge(mcp::router(app))
        .merge(oauth::router(app))
        .merge(assets::router())
        .merge(appearance::router())
        .merge(web::router(app))
        .fallback(unknown_route)
}

/// The response of a node that is only a worker. The status tells a load balancer that another node can respond (RFC
/// 9110, section 15.5.20).
async fn no_interface() -> (StatusCode, &'static str) {
    (
        StatusCode::MISDIRECTED_REQUEST,
        "this node is only a worker: it serves /healthz and /readyz. Send the request to a node with the role `api`\n",
    )
}

async fn unknown_route() -> Failure {
    Failure::unknown_address()
}

async fn method_not_allowed(request: Request) -> impl IntoResponse {
    Failure::method_not_allowed(request.method())
}

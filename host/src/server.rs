//! The server: every interface behind one router. A node without the role `api` serves only its health checks.
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;

use linepress_http::protection::Protection;
use linepress_http::proxy_advice::ProxyAdvice;
use linepress_http::request_id::RequestIds;
use linepress_http::{Failure, appearance, assets, compression, failure, failure_page, health, time_limit};
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
        // From the outside in.
        .layer((
            compression::layer(),
            from_fn_with_state(Arc::new(Surroundings::new(&app)), surround),
            time_limit::silence(),
            // Each reader of a body sets its own limit.
            DefaultBodyLimit::disable(),
            CatchPanicLayer::custom(failure::response_to_panic),
        ))
        .with_state(app)
}

/// The state of the middleware that all interfaces share.
struct Surroundings {
    app: App,
    proxy_advice: ProxyAdvice,
    request_ids: RequestIds,
}

impl Surroundings {
    fn new(app: &App) -> Self {
        Self {
            app: app.clone(),
            proxy_advice: ProxyAdvice::new(app),
            request_ids: RequestIds::new(app),
        }
    }
}

/// The middleware that all interfaces share, in one function: for each request, a layer clones all that are inside of
/// it.
async fn surround(State(shared): State<Arc<Surroundings>>, request: Request, next: Next) -> Response {
    shared.proxy_advice.check(&request);
    let protection = Protection::of_request(&request);
    let app = shared.app.clone();
    let respond = |request| appearance::provide(app, failure_page::show_failure_pages(request, next));
    let mut response = shared.request_ids.assign(request, respond).await;
    protection.add_headers(response.headers_mut());
    response
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

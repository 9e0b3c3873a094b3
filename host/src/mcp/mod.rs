//! The MCP interface: the same functions as REST, as tools for agents. Every request stands by itself, so that any node
//! may serve it.
mod arguments;
mod authorization;
mod confirmation;
mod preview;
mod reply;
mod schemas;
mod server;
mod tool;
mod tools;
mod waiting;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use url::Url;

use crate::app::App;

pub(crate) use schemas::Components;
use server::Server;

/// `/mcp`, with the schemas of the REST document.
pub(crate) fn router(app: &App, components: &Components) -> Router<App> {
    let server = Server::new(app, components);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        settings(&app.config.public_url),
    );
    Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(app.clone(), authorization::authorize))
}

/// Stateless, and closed to pages of other sites: a browser sends their origin, and the name under which it reached the
/// server.
fn settings(public_url: &str) -> StreamableHttpServerConfig {
    let url = Url::parse(public_url).ok();
    let host = url.as_ref().and_then(|url| url.host_str().map(str::to_owned));
    let origin = url.map(|url| {
        let port = url.port_or_known_default().map(|port| format!(":{port}"));
        format!(
            "{}://{}{}",
            url.scheme(),
            url.host_str().unwrap_or_default(),
            port.unwrap_or_default()
        )
    });
    // Proxies on the same machine may ask under its own name.
    let loopback = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_retry(None)
        .with_allowed_hosts(host.into_iter().chain(loopback))
        .with_allowed_origins(origin)
        .enforce_origin_validation()
}

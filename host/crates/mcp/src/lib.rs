//! The MCP interface: the functions of REST as tools for agents. Requests are stateless, so any node can serve any of
//! them.
mod apps;
mod arguments;
mod authorization;
mod call;
mod completion;
mod confirmation;
mod description;
mod earlier_question;
mod file_link;
mod handler;
mod list;
mod message;
mod orders;
mod placeholders;
mod preview;
mod prompt;
mod prompts;
mod refusal;
mod reply;
mod results;
#[cfg(test)]
mod samples;
mod schemas;
mod server;
mod tasks;
mod tool;
mod tools;
mod trace;
mod visits;
mod waiting;
mod window;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::handler::HandlerWithoutStateExt as _;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use url::Url;

use linepress_http::time_limit;
use linepress_platform::app::App;

pub use description::{Listing, MAX_TOOLS_BYTES, listing};
use server::Server;
use tasks::passage;

/// Derives the descriptions of all tools, which takes several milliseconds, ahead of the first router.
pub fn prepare() {
    description::check();
}

/// The routes of `/mcp`.
pub fn router(app: &App) -> Router<App> {
    let server = Server::new(app);
    let library = Arc::new(StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        settings(&app.config.public_url),
    ));
    // Shared: axum clones a service several times for each request, and this one would copy its settings.
    let carry_out = move |request: Request| {
        let library = library.clone();
        async move { library.handle(request).await }
    };
    let service = carry_out.into_service();
    Router::new()
        .route_service("/mcp", service.clone())
        // Some clients add the slash.
        .route_service("/mcp/", service)
        .layer((
            pages_of_this_machine(&app.config.public_url),
            from_fn_with_state(app.clone(), respond),
        ))
}

/// Responds to a message. The authorization is outside of the time limit, so that a call that exceeds it is in the
/// account's request log.
async fn respond(State(app): State<App>, mut request: Request, next: Next) -> Response {
    trace::attach_step(&mut request);
    let carry_out = |request| time_limit::limited(&app, passage::lead(request, next));
    authorization::authorize(&app, request, carry_out).await
}

/// CORS for pages on other ports of this machine, such as an inspector in the browser. Applies only where the server is
/// reachable from this machine alone.
fn pages_of_this_machine(public_url: &str) -> CorsLayer {
    let is_open = is_local(public_url);
    let is_allowed = move |origin: &HeaderValue, _: &Parts| is_open && origin.to_str().is_ok_and(is_local);
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_allowed))
        .allow_methods([Method::POST, Method::GET, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([header::WWW_AUTHENTICATE, apps::SESSION_HEADER])
}

/// Returns true if an address can be reached from the same machine only.
fn is_local(url: &str) -> bool {
    let url = Url::parse(url).ok();
    url.is_some_and(|url| url.host_str().is_some_and(|host| LOOPBACK.contains(&host)))
}

/// The names of the server on its own machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The settings of the protocol library: stateless, and closed to pages of other sites, which it recognizes by the
/// `Origin` and `Host` that browsers send. A server that is reachable only from its own machine allows that machine's
/// pages, such as an inspector.
fn settings(public_url: &str) -> StreamableHttpServerConfig {
    let url = Url::parse(public_url).ok();
    let host = url.as_ref().and_then(|url| url.host_str().map(str::to_owned));
    let is_local = is_local(public_url);
    let own = url.map(|url| {
        let port = url.port_or_known_default().map(|port| format!(":{port}"));
        format!(
            "{}://{}{}",
            url.scheme(),
            url.host_str().unwrap_or_default(),
            port.unwrap_or_default()
        )
    });
    let local = LOOPBACK
        .iter()
        .filter(|_| is_local)
        .map(|host| format!("http://{host}:*"));
    // Proxies on the same machine may send the loopback name as `Host`.
    let hosts = host.into_iter().chain(LOOPBACK.map(str::to_owned));
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_retry(None)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(own.into_iter().chain(local))
        .enforce_origin_validation()
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_loopback_addresses_are_local() {
        for local in [
            "http://localhost:8080",
            "http://127.0.0.1",
            "https://[::1]:8443/mcp",
            "http://LOCALHOST",
        ] {
            assert!(is_local(local), "{local}");
        }
        for remote in [
            "https://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://example.com/localhost",
            "http://localhost@example.com",
            "localhost",
            "null",
            "",
        ] {
            assert!(!is_local(remote), "{remote}");
        }
    }
}

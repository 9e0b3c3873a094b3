//! A web page for the user of this machine: its address, its protection, and the wait for changes.
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use linepress_terminal::print_error_line;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

/// The time for which a request for changes waits; the page then repeats it.
const CHANGE_WAIT_LIMIT: Duration = Duration::from_secs(25);

/// The content security policy. Pages show the work of templates and plugins of any origin, so they may not run other
/// scripts or load anything from other hosts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// A listener for this machine only.
pub(crate) struct LocalPage {
    listener: TcpListener,
    address: SocketAddr,
}

/// The version of the content that a page has.
#[derive(Deserialize)]
pub(crate) struct After {
    after: u64,
}

impl LocalPage {
    /// Listens on this port, or on any free one for 0.
    pub(crate) async fn bind(port: u16) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let listener = listener.with_context(|| format!("port {port} of this machine cannot be used"))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Serves the routes, and the functions that all pages share, until the user presses Ctrl-C.
    pub(crate) async fn serve(self, routes: Router) -> anyhow::Result<()> {
        let hosts = [self.address.to_string(), format!("localhost:{}", self.address.port())];
        let script = get(|| file("text/javascript", include_str!("local_page.js")));
        let guard = middleware::from_fn(move |request, next| guarded(hosts.clone(), request, next));
        let routes = routes.route("/local.js", script).layer(guard);
        tokio::select! {
            served = axum::serve(self.listener, routes).into_future() => served?,
            _ = tokio::signal::ctrl_c() => {}
        }
        Ok(())
    }
}

/// Rejects requests with a foreign host name: an attacker could point such a name at this machine to let a web page
/// read the content.
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

/// Waits until the version differs from the one that the page has, and returns it.
pub(crate) async fn next_version(mut versions: watch::Receiver<u64>, After { after }: After) -> Response {
    let _ = timeout(CHANGE_WAIT_LIMIT, versions.wait_for(|version| *version != after)).await;
    let version = *versions.borrow();
    Json(json!({ "version": version })).into_response()
}

/// A file of the program.
pub(crate) async fn file(media_type: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, media_type)], text).into_response()
}

/// A file that was made, or 404 without one.
pub(crate) fn found(media_type: &'static str, body: Option<impl IntoResponse>) -> Response {
    match body {
        Some(body) => ([(header::CONTENT_TYPE, media_type)], body).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Opens a browser. A failure is only reported, because the address was printed.
pub(crate) fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let opened = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opened {
        print_error_line!("linepress: no browser could be opened: {error}");
    }
}

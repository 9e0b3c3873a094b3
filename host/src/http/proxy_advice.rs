//! Warnings about a reverse proxy that the settings do not mention, each logged once.
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;

use super::client_address::PeerAddress;
use crate::app::App;

/// What was said already.
#[derive(Clone)]
pub(crate) struct ProxyAdvice {
    app: App,
    said: Arc<Said>,
}

#[derive(Default)]
struct Said {
    untrusted: AtomicBool,
    tls: AtomicBool,
}

impl ProxyAdvice {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            app: app.clone(),
            said: Arc::default(),
        }
    }

    fn look_at(&self, peer: IpAddr, headers: &HeaderMap) {
        let config = &self.app.config;
        let is_forwarded = headers.contains_key("x-forwarded-for");
        let is_trusted = config.trusted_proxies.iter().any(|network| network.contains(&peer));
        // Any other client may send such headers as well.
        if !is_trusted && !is_near(peer) {
            return;
        }
        if is_forwarded && !is_trusted && is_first(&self.said.untrusted) {
            tracing::warn!(
                %peer,
                "requests come by way of a proxy that `trusted_proxies` does not name: all its clients count as one address, \
                 and one of them can use up the sign-ins of all; add the proxy's address to `trusted_proxies`"
            );
        }
        let is_tls = headers
            .get("x-forwarded-proto")
            .is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"));
        if is_tls && config.public_url.starts_with("http://") && is_first(&self.said.tls) {
            tracing::warn!(
                public_url = config.public_url,
                "clients come over https, and `public_url` is not https: session cookies are not Secure, and links lead to \
                 the wrong address; set `public_url` to the https address"
            );
        }
    }
}

fn is_first(said: &AtomicBool) -> bool {
    !said.swap(true, Ordering::Relaxed)
}

/// Whether an address is of this machine or of a private network, as that of a proxy of the operator's is.
fn is_near(peer: IpAddr) -> bool {
    match peer.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    }
}

/// Looks at each request.
pub(crate) async fn advise(State(advice): State<ProxyAdvice>, request: Request, next: Next) -> Response {
    if let Some(peer) = request.extensions().get::<PeerAddress>() {
        advice.look_at(peer.0.to_canonical(), request.headers());
    }
    next.run(request).await
}

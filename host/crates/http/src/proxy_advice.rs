//! Warnings about a reverse proxy that the configuration does not mention. Each is logged once.
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::Request;
use axum::http::HeaderMap;

use super::client_address::PeerAddress;
use linepress_platform::app::App;

/// The settings that are compared with requests, and the warnings that have been logged.
pub struct ProxyAdvice {
    app: App,
    logged: Logged,
}

#[derive(Default)]
struct Logged {
    untrusted: AtomicBool,
    tls: AtomicBool,
}

impl ProxyAdvice {
    pub fn new(app: &App) -> Self {
        Self {
            app: app.clone(),
            logged: Logged::default(),
        }
    }

    /// Checks a request for signs of an unconfigured proxy.
    pub fn check(&self, request: &Request) {
        if let Some(peer) = request.extensions().get::<PeerAddress>() {
            self.check_headers(peer.0.to_canonical(), request.headers());
        }
    }

    fn check_headers(&self, peer: IpAddr, headers: &HeaderMap) {
        let config = &self.app.config;
        let is_forwarded = headers.contains_key("x-forwarded-for");
        let is_trusted = config.trusted_proxies.iter().any(|network| network.contains(&peer));
        // Clients on the internet may send such headers as well.
        if !is_trusted && !is_near(peer) {
            return;
        }
        if is_forwarded && !is_trusted && is_first_time(&self.logged.untrusted) {
            tracing::warn!(
                %peer,
                "requests arrive through a proxy that `trusted_proxies` does not list: all its clients count as one address, \
                and one client can use up the sign-in attempts of all; add the proxy's address to `trusted_proxies`"
            );
        }
        let is_tls = headers
            .get("x-forwarded-proto")
            .is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"));
        if is_tls && config.public_url.starts_with("http://") && is_first_time(&self.logged.tls) {
            tracing::warn!(
                public_url = config.public_url,
                "clients connect over https, but `public_url` is not https: session cookies are not Secure, and links have \
                the wrong address; set `public_url` to the https address"
            );
        }
    }
}

fn is_first_time(logged: &AtomicBool) -> bool {
    !logged.swap(true, Ordering::Relaxed)
}

/// Returns true for an address of this machine or of a private network, where an operator's own proxy would be.
fn is_near(peer: IpAddr) -> bool {
    match peer.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    }
}

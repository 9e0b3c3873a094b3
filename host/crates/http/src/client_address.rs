//! The address of a client: the other end of the connection, or the address that a trusted proxy reports.
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;

use linepress_platform::app::App;

/// The other end of the connection. The listener adds it to each request; without a listener, as in tests, it is
/// localhost.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// The address of the client that sent the request, behind any trusted proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Determines the client's address from a request's extensions and headers.
    pub fn from_headers(app: &App, extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<PeerAddress>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.to_canonical());
        Self(client_address(peer, headers, &app.config.trusted_proxies))
    }

    /// The key that limits count by: the IPv4 address, or the /64 network of an IPv6 address, because a client with one
    /// IPv6 address usually has the whole /64.
    pub fn subject(self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let network = Ipv6Addr::from_bits(address.to_bits() >> 64 << 64);
                format!("{network}/64")
            }
        }
    }
}

impl ClientAddress {
    /// The IPv6 /48 network of the address, which an internet provider may assign to a single customer; `None` for
    /// IPv4.
    pub fn site(self) -> Option<String> {
        match self.0.to_canonical() {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => {
                let network = Ipv6Addr::from_bits(address.to_bits() >> 80 << 80);
                Some(format!("{network}/48"))
            }
        }
    }
}

impl FromRequestParts<App> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        Ok(Self::from_headers(app, &parts.extensions, &parts.headers))
    }
}

/// Returns the peer's address, or behind trusted proxies the last address in `X-Forwarded-For` that is not one of
/// theirs. Addresses before that are ignored, because the client may have made them up.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer;
    let lines = headers.get_all("x-forwarded-for");
    // As bytes: a header line with bytes that are not ASCII still ends with what the proxy appended.
    let entries: Vec<&[u8]> = lines
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .collect();
    for entry in entries.iter().rev() {
        if !is_trusted(&client) {
            break;
        }
        match std::str::from_utf8(entry.trim_ascii()).ok().and_then(parse_address) {
            Some(address) => client = address,
            None => break,
        }
    }
    client
}

/// Parses an address as proxies write it: bare, in brackets, or with a port.
fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    let parsed = bare.parse::<IpAddr>().ok();
    let parsed = parsed.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    parsed.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client_for(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let lines: Vec<&[u8]> = forwarded.iter().map(|line| line.as_bytes()).collect();
        client_for_bytes(peer, &lines, trusted)
    }

    fn client_for_bytes(peer: &str, forwarded: &[&[u8]], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line).expect("a header"));
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|text| text.parse().expect("a network")).collect();
        client_address(peer.parse().expect("an address"), &headers, &trusted).to_string()
    }

    #[test]
    fn only_a_trusted_proxy_can_report_the_client_address() {
        assert_eq!(client_for("203.0.113.7", &["198.51.100.1"], &[]), "203.0.113.7");
        assert_eq!(
            client_for("203.0.113.7", &["198.51.100.1"], &["10.0.0.0/8"]),
            "203.0.113.7"
        );
        assert_eq!(
            client_for("10.0.0.1", &["198.51.100.1"], &["10.0.0.0/8"]),
            "198.51.100.1"
        );
    }

    #[test]
    fn addresses_that_the_client_wrote_are_ignored() {
        let trusted = ["10.0.0.0/8", "::1/128"];
        assert_eq!(
            client_for("10.0.0.1", &["1.1.1.1, 198.51.100.1"], &trusted),
            "198.51.100.1"
        );
        assert_eq!(
            client_for("10.0.0.1", &["1.1.1.1", "198.51.100.1, 10.0.0.2"], &trusted),
            "198.51.100.1"
        );
        assert_eq!(client_for("::1", &["10.9.9.9"], &trusted), "10.9.9.9");
        assert_eq!(client_for("10.0.0.1", &["1.1.1.1, nonsense"], &trusted), "10.0.0.1");
        assert_eq!(client_for("10.0.0.1", &[], &trusted), "10.0.0.1");
    }

    #[test]
    fn bytes_that_are_not_ascii_do_not_hide_an_address() {
        let client_for = |lines: &[&[u8]]| client_for_bytes("10.0.0.1", lines, &["10.0.0.0/8"]);
        assert_eq!(client_for(&[b"\xff, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client_for(&["\u{e9}, 198.51.100.1".as_bytes()]), "198.51.100.1");
        assert_eq!(
            client_for(&[b"1.1.1.1", b"\xff, 198.51.100.1, 10.0.0.2"]),
            "198.51.100.1"
        );
        // An unreadable entry ends the search, and entries before it are ignored.
        assert_eq!(client_for(&[b"1.1.1.1, \xff"]), "10.0.0.1");
        assert_eq!(client_for(&[b"1.1.1.1", b"\xff, 10.0.0.2"]), "10.0.0.2");
    }

    #[test]
    fn ports_and_brackets_are_not_part_of_an_address() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(client_for("10.0.0.1", &["198.51.100.1:4711"], &trusted), "198.51.100.1");
        assert_eq!(client_for("10.0.0.1", &["[2001:db8::1]:4711"], &trusted), "2001:db8::1");
        assert_eq!(client_for("10.0.0.1", &["[2001:db8::1]"], &trusted), "2001:db8::1");
        assert_eq!(
            client_for("10.0.0.1", &["::ffff:198.51.100.1"], &trusted),
            "198.51.100.1"
        );
    }

    #[test]
    fn limits_count_an_ipv6_network_as_one() {
        let subject = |text: &str| ClientAddress(text.parse().expect("an address")).subject();
        assert_eq!(subject("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(subject("2001:db8:1:2::"), subject("2001:db8:1:2:ffff::1"));
        assert_eq!(subject("198.51.100.1"), "198.51.100.1");
        assert_eq!(subject("::ffff:198.51.100.1"), "198.51.100.1");
        let site = |text: &str| ClientAddress(text.parse().expect("an address")).site();
        assert_eq!(site("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1::/48"));
        assert_eq!(site("::ffff:198.51.100.1"), None);
    }
}

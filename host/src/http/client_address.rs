//! Where a request comes from: the connection's other end, or what a proxy that the operator trusts says of it.
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;

use crate::app::App;

/// The other end of the connection. The listener puts it into each request; where there is no listener it is this machine.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// The address of whoever sent the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Of a request with these extensions and headers.
    pub(super) fn of(app: &App, extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<PeerAddress>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.to_canonical());
        Self(client(peer, headers, &app.config.trusted_proxies))
    }

    /// What limits count by. Whoever has one IPv6 address has as many as a /64 holds.
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
    /// The IPv6 /48 that the address belongs to, which one customer of a provider may have whole; `None` for IPv4.
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
        Ok(Self::of(app, &parts.extensions, &parts.headers))
    }
}

/// The last address of the way that no trusted proxy has: what stands before it, its sender may have made up.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer;
    let lines = headers.get_all("x-forwarded-for");
    // As bytes: a line that holds something unreadable still ends with what the proxy has added.
    let named: Vec<&[u8]> = lines
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .collect();
    for name in named.iter().rev() {
        if !is_trusted(&client) {
            break;
        }
        match std::str::from_utf8(name.trim_ascii()).ok().and_then(address) {
            Some(address) => client = address,
            None => break,
        }
    }
    client
}

/// An address as proxies write it, some of them with a port.
fn address(text: &str) -> Option<IpAddr> {
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

    fn of(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let lines: Vec<&[u8]> = forwarded.iter().map(|line| line.as_bytes()).collect();
        of_bytes(peer, &lines, trusted)
    }

    fn of_bytes(peer: &str, forwarded: &[&[u8]], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line).expect("a header"));
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|text| text.parse().expect("a network")).collect();
        client(peer.parse().expect("an address"), &headers, &trusted).to_string()
    }

    #[test]
    fn nobody_but_a_trusted_proxy_says_who_the_client_is() {
        assert_eq!(of("203.0.113.7", &["198.51.100.1"], &[]), "203.0.113.7");
        assert_eq!(of("203.0.113.7", &["198.51.100.1"], &["10.0.0.0/8"]), "203.0.113.7");
        assert_eq!(of("10.0.0.1", &["198.51.100.1"], &["10.0.0.0/8"]), "198.51.100.1");
    }

    #[test]
    fn what_the_client_itself_wrote_counts_for_nothing() {
        let trusted = ["10.0.0.0/8", "::1/128"];
        assert_eq!(of("10.0.0.1", &["1.1.1.1, 198.51.100.1"], &trusted), "198.51.100.1");
        assert_eq!(
            of("10.0.0.1", &["1.1.1.1", "198.51.100.1, 10.0.0.2"], &trusted),
            "198.51.100.1"
        );
        assert_eq!(of("::1", &["10.9.9.9"], &trusted), "10.9.9.9");
        assert_eq!(of("10.0.0.1", &["1.1.1.1, nonsense"], &trusted), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &[], &trusted), "10.0.0.1");
    }

    #[test]
    fn letters_that_are_not_ascii_hide_no_address() {
        let of = |lines: &[&[u8]]| of_bytes("10.0.0.1", lines, &["10.0.0.0/8"]);
        assert_eq!(of(&[b"\xff, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(of(&["\u{e9}, 198.51.100.1".as_bytes()]), "198.51.100.1");
        assert_eq!(of(&[b"1.1.1.1", b"\xff, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        // It ends the way, and what stands before it counts for nothing.
        assert_eq!(of(&[b"1.1.1.1, \xff"]), "10.0.0.1");
        assert_eq!(of(&[b"1.1.1.1", b"\xff, 10.0.0.2"]), "10.0.0.2");
    }

    #[test]
    fn ports_and_brackets_are_no_part_of_an_address() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(of("10.0.0.1", &["198.51.100.1:4711"], &trusted), "198.51.100.1");
        assert_eq!(of("10.0.0.1", &["[2001:db8::1]:4711"], &trusted), "2001:db8::1");
        assert_eq!(of("10.0.0.1", &["[2001:db8::1]"], &trusted), "2001:db8::1");
        assert_eq!(of("10.0.0.1", &["::ffff:198.51.100.1"], &trusted), "198.51.100.1");
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

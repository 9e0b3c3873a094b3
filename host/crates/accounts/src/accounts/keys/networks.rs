//! The networks from which an API key may be used.
use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;
use serde::{Serialize, Serializer};

/// The networks of a key; none allows every address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Returns true if the key may be used from this address.
    pub(crate) fn allow(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.is_empty() || self.0.iter().any(|network| network.contains(&address))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The networks in the form of the database, separated by spaces.
    pub(super) fn to_text(&self) -> String {
        let networks: Vec<String> = self.0.iter().map(IpNet::to_string).collect();
        networks.join(" ")
    }

    pub fn iter(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(IpNet::to_string)
    }
}

impl FromIterator<IpNet> for Networks {
    fn from_iter<I: IntoIterator<Item = IpNet>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

/// Parses the networks of a database row.
impl TryFrom<String> for Networks {
    type Error = ipnet::AddrParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let networks = text.split(' ').filter(|network| !network.is_empty());
        networks.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl Serialize for Networks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Parses a network in CIDR notation, or a single address, as a person writes it. The bits after the prefix become
/// zero. `None` when it is neither, or is an IPv4 network in the notation of IPv6, which no client's address would
/// match.
pub(super) fn parse(text: &str) -> Option<IpNet> {
    let text = text.trim();
    let network = text.parse::<IpNet>().ok();
    let network = network
        .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))?
        .trunc();
    let is_mapped = matches!(network.network(), IpAddr::V6(address) if is_mapped(address));
    (!is_mapped).then_some(network)
}

fn is_mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_an_address_with_or_without_a_prefix() {
        for (written, read) in [
            ("203.0.113.7", Some("203.0.113.7/32")),
            ("203.0.113.7/24", Some("203.0.113.0/24")),
            (" 10.0.0.0/8 ", Some("10.0.0.0/8")),
            ("0.0.0.0/0", Some("0.0.0.0/0")),
            ("2001:db8::1", Some("2001:db8::1/128")),
            ("2001:DB8:0:1::5/64", Some("2001:db8:0:1::/64")),
            ("::ffff:203.0.113.7", None),
            ("::ffff:203.0.113.0/120", None),
            ("203.0.113.7/33", None),
            ("203.0.113", None),
            ("office.example.com", None),
            ("", None),
        ] {
            let network = parse(written).map(|network| network.to_string());
            assert_eq!(network.as_deref(), read, "{written}");
        }
    }

    #[test]
    fn an_address_is_allowed_in_any_of_the_networks() {
        let networks = Networks::try_from("203.0.113.0/24 2001:db8::/32".to_owned()).unwrap();
        assert_eq!(networks.to_text(), "203.0.113.0/24 2001:db8::/32");
        let allow = |address: &str| networks.allow(address.parse().unwrap());
        assert!(allow("203.0.113.255") && allow("::ffff:203.0.113.1") && allow("2001:db8:1::1"));
        assert!(!allow("203.0.114.0") && !allow("2001:db9::1"));
        assert!(Networks::default().allow("203.0.114.0".parse().unwrap()));
    }
}

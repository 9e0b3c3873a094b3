//! Origins, and wildcard patterns of origins.
use std::fmt;

use linepress_egress::Origin;

/// An origin, or all origins with a subdomain of a host: `https://*.acme.com` matches `https://eu.acme.com` and
/// `https://a.b.acme.com`, but not `https://acme.com`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OriginPattern {
    /// The origin. For a wildcard pattern, the origin without the asterisk.
    origin: Origin,
    is_wildcard: bool,
}

impl OriginPattern {
    /// Parses an origin or a wildcard pattern. An error says what to change.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let Some((scheme, rest)) = text.split_once("://*.") else {
            return Origin::parse(text).map(Self::from);
        };
        let origin = Origin::parse(&format!("{scheme}://{rest}"))?;
        let is_name = !origin.host().starts_with('[') && origin.host().parse::<std::net::IpAddr>().is_err();
        // `*.com` would match almost every host.
        if !is_name || !origin.host().contains('.') {
            return Err(
                "may have an asterisk only before a name of at least two labels, such as https://*.example.com",
            );
        }
        Ok(Self {
            origin,
            is_wildcard: true,
        })
    }

    pub fn matches(&self, origin: &Origin) -> bool {
        if !self.is_wildcard {
            return self.origin == *origin;
        }
        let is_subdomain = origin
            .host()
            .strip_suffix(self.origin.host())
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
        is_subdomain && origin.scheme() == self.origin.scheme() && origin.port() == self.origin.port()
    }

    /// The origin. `None` for a wildcard pattern.
    pub fn single(&self) -> Option<&Origin> {
        (!self.is_wildcard).then_some(&self.origin)
    }

    pub(crate) fn scheme(&self) -> linepress_egress::Scheme {
        self.origin.scheme()
    }
}

impl From<Origin> for OriginPattern {
    fn from(origin: Origin) -> Self {
        Self {
            origin,
            is_wildcard: false,
        }
    }
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_wildcard {
            return self.origin.fmt(formatter);
        }
        let (scheme, host, port) = (self.origin.scheme(), self.origin.host(), self.origin.port());
        write!(formatter, "{}://*.{host}:{port}", scheme.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, origin: &str) -> bool {
        OriginPattern::parse(pattern)
            .unwrap()
            .matches(&Origin::parse(origin).unwrap())
    }

    #[test]
    fn scheme_host_and_port_must_all_be_the_same() {
        assert!(matches("https://api.acme.com", "https://API.acme.com:443"));
        assert!(!matches("https://api.acme.com", "http://api.acme.com:443"));
        assert!(!matches("https://api.acme.com", "https://api.acme.com:8443"));
        assert!(!matches("https://api.acme.com", "https://eu.api.acme.com"));
    }

    #[test]
    fn an_asterisk_matches_subdomains_only() {
        assert!(matches("https://*.acme.com", "https://eu.acme.com"));
        assert!(matches("https://*.acme.com", "https://a.b.acme.com"));
        for other in [
            "https://acme.com",
            "https://evilacme.com",
            "https://acme.com.evil.com",
            "http://eu.acme.com:443",
            "https://eu.acme.com:444",
        ] {
            assert!(!matches("https://*.acme.com", other), "{other}");
        }
    }

    #[test]
    fn an_asterisk_must_precede_a_name_of_at_least_two_labels() {
        for text in [
            "https://*.com",
            "https://*.10.0.0.1",
            "https://*",
            "https://a.*.com",
            "https://**.acme.com",
        ] {
            assert!(OriginPattern::parse(text).is_err(), "{text}");
        }
        assert_eq!(
            OriginPattern::parse("https://*.Acme.com").unwrap().to_string(),
            "https://*.acme.com:443"
        );
    }
}

use std::fmt;

use linepress_egress::Origin;

/// An origin, or all origins whose host lies below a name: `https://*.acme.com` is `https://eu.acme.com` and
/// `https://a.b.acme.com`, but not `https://acme.com`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OriginPattern {
    /// Of a pattern with an asterisk, the origin without it.
    origin: Origin,
    below: bool,
}

impl OriginPattern {
    /// An error says what to change.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let Some((scheme, rest)) = text.split_once("://*.") else {
            return Origin::parse(text).map(Self::from);
        };
        let origin = Origin::parse(&format!("{scheme}://{rest}"))?;
        let is_name = !origin.host().starts_with('[') && origin.host().parse::<std::net::IpAddr>().is_err();
        // `*.com` would be everybody.
        if !is_name || !origin.host().contains('.') {
            return Err("may have an asterisk only before a name of at least two words, such as https://*.example.com");
        }
        Ok(Self { origin, below: true })
    }

    pub fn matches(&self, origin: &Origin) -> bool {
        if !self.below {
            return self.origin == *origin;
        }
        let is_below = origin
            .host()
            .strip_suffix(self.origin.host())
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
        is_below && origin.scheme() == self.origin.scheme() && origin.port() == self.origin.port()
    }

    /// The one origin it is, if it is one.
    pub fn single(&self) -> Option<&Origin> {
        (!self.below).then_some(&self.origin)
    }

    pub(crate) fn scheme(&self) -> linepress_egress::Scheme {
        self.origin.scheme()
    }
}

impl From<Origin> for OriginPattern {
    fn from(origin: Origin) -> Self {
        Self { origin, below: false }
    }
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.below {
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
    fn an_asterisk_is_any_name_below_and_nothing_beside() {
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
    fn an_asterisk_stands_before_a_name_of_two_words() {
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

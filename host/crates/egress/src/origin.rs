//! The origin of a request: a scheme, a host and a port.
use std::fmt;

use url::{Host, Url};

/// The scheme of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// The origin of a URL in canonical form, however the URL is written: two origins are equal if their requests go to the
/// same server and port. It displays its port even if that is the default.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    scheme: Scheme,
    /// The host in the form of `exact_host`.
    host: String,
    port: u16,
}

impl Origin {
    /// Parses an origin without path, query or user. The error says what to change.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const SHAPE: &str = "must be a scheme, a host and perhaps a port, such as https://api.example.com";
        let url = Url::parse(text).map_err(|_| SHAPE)?;
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(SHAPE);
        }
        Self::of(&url)
    }

    /// Returns the origin of a URL, whatever its path and query. A URL with a user or a password is an error, because
    /// those can disguise the host.
    pub fn of(url: &Url) -> Result<Self, &'static str> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err("must start with https:// or http://"),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a user name or a password");
        }
        let host = url.host_str().and_then(exact_host).ok_or("must name a host")?;
        let port = url.port().unwrap_or(scheme.port());
        Ok(Self { scheme, host, port })
    }

    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of a `Host` header, with the port only if it is not the default.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.port() {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The host, if it is an IP address and not a name.
    pub(crate) fn address(&self) -> Option<std::net::IpAddr> {
        match Host::parse(&self.host).ok()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}:{}", self.scheme.as_str(), self.host, self.port)
    }
}

/// The canonical form of a host's name or address: lowercase, without a final dot. None when the text is not a host.
pub fn exact_host(host: &str) -> Option<String> {
    let host = Host::parse(host).ok()?.to_string();
    let host = host.strip_suffix('.').unwrap_or(&host);
    // The URL Standard allows characters such as `*` in a host, which would look like a pattern and match nothing.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    (!host.is_empty() && host.bytes().all(plain)).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_one_canonical_form() {
        for (text, form) in [
            ("https://api.acme.com", "https://api.acme.com:443"),
            ("HTTPS://API.Acme.com.:443/", "https://api.acme.com:443"),
            ("http://2130706433:8188", "http://127.0.0.1:8188"),
            ("http://127.1", "http://127.0.0.1:80"),
            ("http://[0:0::1]:8188", "http://[::1]:8188"),
            ("https://bücher.example", "https://xn--bcher-kva.example:443"),
        ] {
            assert_eq!(Origin::parse(text).unwrap().to_string(), form, "{text}");
        }
    }

    #[test]
    fn a_text_with_more_than_an_origin_is_rejected() {
        for text in [
            "api.acme.com",
            "ftp://api.acme.com",
            "https://api.acme.com/v1",
            "https://api.acme.com/?a",
            "https://api.acme.com/#a",
            "https://me@api.acme.com",
            "https://:secret@api.acme.com",
            "https://*.acme.com",
            "https://",
        ] {
            assert!(Origin::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_header_names_unusual_ports() {
        let authority = |text| Origin::parse(text).unwrap().authority();
        assert_eq!(authority("https://api.acme.com:443"), "api.acme.com");
        assert_eq!(authority("http://api.acme.com:443"), "api.acme.com:443");
        assert_eq!(authority("http://[::1]:8188"), "[::1]:8188");
    }

    #[test]
    fn an_address_is_distinguished_from_a_name() {
        let address = |text| Origin::parse(text).unwrap().address();
        assert_eq!(address("http://[::1]"), Some("::1".parse().unwrap()));
        assert_eq!(address("http://10.0.0.1:9"), Some("10.0.0.1".parse().unwrap()));
        assert_eq!(address("http://ten.example"), None);
    }

    #[test]
    fn a_host_has_one_canonical_form() {
        for (host, exact) in [
            ("pictures.intranet", Some("pictures.intranet")),
            ("Pictures.Intranet.", Some("pictures.intranet")),
            ("bücher.example", Some("xn--bcher-kva.example")),
            ("0x7f.1", Some("127.0.0.1")),
            ("[FD00:0::1]", Some("[fd00::1]")),
            ("*.intranet", None),
            ("https://pictures.intranet", None),
            ("pictures.intranet:443", None),
            ("pictures.intranet/a", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(exact_host(host).as_deref(), exact, "{host}");
        }
    }
}

//! The requirements on a URL, checked before each request, redirects included.
use std::net::IpAddr;

use url::{Host, Url};

use crate::guard::Guard;

/// Maximum length of a URL. Longer ones are not expected to lead to files.
pub const MAX_URL_BYTES: usize = 2048;

/// The problem of a URL whose host is an address that is not public.
pub(crate) const NOT_PUBLIC: &str = "must lead to the public internet";

/// Parses the URL by the URL Standard, so that every notation of an address (`0x7f.1`, `2130706433`) is recognized as
/// that address. The error says what to change.
pub(crate) fn parse(url: &str, guard: &Guard) -> Result<Url, &'static str> {
    if url.len() > MAX_URL_BYTES {
        return Err("must be at most 2048 characters");
    }
    let url = Url::parse(url).map_err(|_| "must be a whole URL such as https://example.com/picture.png")?;
    check(&url, guard)?;
    Ok(url)
}

/// Checks whether the URL may be requested. The error says what to change.
pub(crate) fn check(url: &Url, guard: &Guard) -> Result<(), &'static str> {
    if url.scheme() != "https" {
        return Err("must start with https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or a password");
    }
    if url.port().is_some() {
        return Err("must not name a port other than 443");
    }
    let address: IpAddr = match url.host() {
        // The addresses of a name are checked when the connection is made.
        Some(Host::Domain(_)) => return Ok(()),
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        None => return Err("must name a host"),
    };
    // The client connects to an address in a URL without calling the resolver, where names are checked.
    if !guard.admits(url.host_str().unwrap_or_default(), (address, 443).into()) {
        return Err(NOT_PUBLIC);
    }
    Ok(())
}

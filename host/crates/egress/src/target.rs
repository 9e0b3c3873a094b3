//! What a URL must look like before anything is sent, at every hop.
use std::net::IpAddr;

use url::{Host, Url};

use crate::guard::Guard;

/// Longer ones are no addresses of files.
const MAX_LENGTH: usize = 2048;

/// Returns the URL as the URL Standard reads it, so that each way to write an address (`0x7f.1`, `2130706433`) is seen
/// as that address; or a complaint that says what to change.
pub(crate) fn parse(url: &str, guard: &Guard) -> Result<Url, &'static str> {
    if url.len() > MAX_LENGTH {
        return Err("must be at most 2048 characters");
    }
    let url = Url::parse(url).map_err(|_| "must be a whole URL such as https://example.com/picture.png")?;
    check(&url, guard)?;
    Ok(url)
}

/// Complains about a URL that must not be asked, and says what to change.
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
        // Its addresses are checked when it is dialled.
        Some(Host::Domain(_)) => return Ok(()),
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        None => return Err("must name a host"),
    };
    // The client dials an address in a URL without asking the resolver, where names are checked.
    if !guard.admits(url.host_str().unwrap_or_default(), (address, 443).into()) {
        return Err("must lead to the public internet");
    }
    Ok(())
}

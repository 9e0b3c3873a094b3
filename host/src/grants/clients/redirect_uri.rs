//! Redirect URIs: where a browser may be sent back to. One set of rules, for what a client says of itself, for what it asks
//! for, and for what it asks a code with.
use url::{Host, Url};

/// Longer ones would not fit into the address of a request.
pub(crate) const LONGEST: usize = 2_000;

/// What a browser must never be sent to: it would run there, or show what is on the disk.
const REFUSED_SCHEMES: [&str; 16] = [
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "jar",
    "javascript",
    "mailto",
    "resource",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

/// Whether the host means the machine that the browser runs on.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.octets() == [127, 0, 0, 1],
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Reads a redirect URI, or says what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Url, &'static str> {
    if text.len() > LONGEST {
        return Err("is longer than 2000 bytes");
    }
    // Browsers read a backslash as a slash, and pass over spaces and line ends.
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) || text.contains('\\') {
        return Err("holds letters that must be percent-encoded");
    }
    let url = Url::parse(text).map_err(|_| "is no absolute URI")?;
    if url.fragment().is_some() {
        return Err("has a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds a user name or a password");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err("is http, which is for localhost, 127.0.0.1 and [::1] alone: use https"),
        scheme if REFUSED_SCHEMES.contains(&scheme) => Err("has a scheme that no app has for itself"),
        // A scheme of the app's own, which the operating system opens it for.
        _ => Ok(url),
    }
}

/// Whether a browser may be sent to `asked` for a client that has named `registered`: they are the same, but for the port on
/// the browser's own machine, where an app takes whichever is free (RFC 8252, section 7.3).
pub(crate) fn matches(registered: &str, asked: &str) -> bool {
    let Ok(asked_url) = read(asked) else { return false };
    if registered == asked {
        return true;
    }
    let Ok(url) = read(registered) else { return false };
    let are_loopback = [&url, &asked_url]
        .iter()
        .all(|url| url.scheme() == "http" && is_loopback(url));
    are_loopback && url.host() == asked_url.host() && url.path() == asked_url.path() && url.query() == asked_url.query()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apps_may_name_https_loopback_and_schemes_of_their_own() {
        for uri in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://example.com:8443/cb?a=b",
            "http://127.0.0.1/callback",
            "http://localhost:33418/",
            "http://[::1]:9/cb",
            "cursor://anysphere.cursor-retrieval/oauth/callback",
            "com.example.app:/cb",
        ] {
            assert!(read(uri).is_ok(), "{uri}");
            assert!(matches(uri, uri), "{uri}");
        }
    }

    #[test]
    fn nothing_that_runs_or_leaks_is_taken() {
        for uri in [
            "",
            "/callback",
            "http://example.com/cb",
            "http://localhost.example.com/cb",
            "http://127.0.0.2/cb",
            "http://127.0.0.1.nip.io/cb",
            "http://localhost@example.com/cb",
            "https://user:secret@example.com/cb",
            "https://example.com/cb#x",
            "https://example.com\\@evil.example/",
            "https://exa mple.com/",
            "https://example.com/\n",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://example.com/x",
            "view-source:https://example.com",
        ] {
            assert!(read(uri).is_err(), "{uri}");
            assert!(!matches(uri, uri), "{uri}");
        }
        assert!(read(&format!("https://example.com/{}", "x".repeat(LONGEST))).is_err());
    }

    #[test]
    fn only_the_port_on_loopback_may_differ() {
        let registered = "http://localhost/callback";
        for asked in ["http://localhost:1234/callback", "http://localhost/callback"] {
            assert!(matches(registered, asked), "{asked}");
        }
        for asked in [
            "https://localhost:1234/callback",
            "http://127.0.0.1:1234/callback",
            "http://localhost:1234/callback/",
            "http://localhost:1234/callback?x=y",
            "http://localhost:1234/Callback",
            "http://localhost.evil.example:1234/callback",
            "http://localhost:1234@evil.example/callback",
        ] {
            assert!(!matches(registered, asked), "{asked}");
        }
        assert!(!matches("https://example.com/cb", "https://example.com:8443/cb"));
        assert!(!matches("https://example.com/cb", "https://example.com/cb/../cb"));
        assert!(!matches("https://example.com/cb", "https://example.com/cb?x"));
    }
}

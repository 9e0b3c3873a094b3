//! Redirect URIs, to which a browser may be sent back. The same rules apply to a client's metadata, to its
//! authorization requests and to the redemption of codes.
use url::{Host, Url};

/// A longer URI would not fit into the URL of an authorization request.
pub(crate) const MAX_URI_BYTES: usize = 2_000;

/// The schemes of known agents, which only these agents open. Other registered schemes of a system may run programs or
/// show local files, and no blocklist of those would be complete.
const KNOWN_SCHEMES: [&str; 10] = [
    "claude",
    "cursor",
    "kiro",
    "raycast",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "warp",
    "windsurf",
    "zed",
];

/// Returns true when the host is the machine on which the browser runs.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.octets() == [127, 0, 0, 1],
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns true when the scheme belongs to an app: a known scheme, or a reversed domain name (RFC 8252, section 7.1).
fn is_of_an_app(scheme: &str) -> bool {
    let Some((first, rest)) = scheme.split_once('.') else {
        return KNOWN_SCHEMES.contains(&scheme);
    };
    // Top-level domains consist of letters only, unlike the first label of system schemes such as
    // `x-apple.systempreferences`.
    let is_domain = first.len() >= 2 && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_domain && rest.split('.').all(is_label)
}

/// Parses a redirect URI; the error completes a sentence that begins with the URI.
pub(crate) fn read(text: &str) -> Result<Url, &'static str> {
    if text.len() > MAX_URI_BYTES {
        return Err("is longer than 2000 bytes");
    }
    // Browsers read a backslash as a slash, and skip spaces and line breaks.
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) || text.contains('\\') {
        return Err("contains characters that must be percent-encoded");
    }
    let url = Url::parse(text).map_err(|_| "is not an absolute URI")?;
    if url.fragment().is_some() {
        return Err("has a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("contains a user name or a password");
    }
    // The text after the scheme, unparsed: parsers disagree about URLs such as `https:example.com`.
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    match url.scheme() {
        "http" | "https" if !rest.starts_with("//") || rest.starts_with("///") => {
            Err("must have :// and a host after its scheme")
        }
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err("uses http, which is only allowed for localhost, 127.0.0.1 and [::1]: use https"),
        // The operating system opens the app that registered the scheme.
        scheme if is_of_an_app(scheme) && rest.starts_with('/') => Ok(url),
        scheme if is_of_an_app(scheme) => Err("must have / or // after its scheme"),
        _ => Err("has a scheme that is not accepted: use https, or a reversed domain name such as com.example.app"),
    }
}

/// Returns true when the URI leads, over http, to an app on the machine on which the browser runs.
pub fn is_on_this_machine(text: &str) -> bool {
    read(text).is_ok_and(|url| url.scheme() == "http" && is_loopback(&url))
}

/// Returns true when a browser may be sent to `asked` for a client that registered `registered`: they are equal, except
/// for the port on the browser's own machine, where an app uses any free port (RFC 8252, section 7.3).
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
    fn https_loopback_and_app_schemes_are_accepted() {
        for uri in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://example.com:8443/cb?a=b",
            "http://127.0.0.1/callback",
            "http://localhost:33418/",
            "http://[::1]:9/cb",
            "cursor://anysphere.cursor-retrieval/oauth/callback",
            "com.example.app:/cb",
            "com.example-2.app://cb",
            "vscode-insiders://x/cb",
            "claude:/cb",
            "warp://mcp/oauth2callback",
            "raycast://oauth?package_name=x",
            "vscodium://x/cb",
            "kiro://x/cb",
            "HTTPS://example.com/cb",
        ] {
            assert!(read(uri).is_ok(), "{uri}");
            assert!(matches(uri, uri), "{uri}");
        }
    }

    #[test]
    fn schemes_that_run_programs_or_leak_codes_are_rejected() {
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
            "ms-msdt:/id",
            "search-ms://query=x",
            "shell:/startup",
            "feed:javascript:alert(1)",
            "chrome-extension://abcdef/page.html",
            "edge://settings",
            "devtools://x",
            "smb://evil.example/share",
            "tel:/1",
            "app:/cb",
            "x-apple.systempreferences:/x",
            "com..example:/cb",
            "com.:/cb",
            ".com:/cb",
            "com.example+x:/cb",
            "com.example.app:cb",
            "com.example.app:javascript:alert(1)",
            "cursor:cb",
            "https:evil.example/x",
            "https:/evil.example/x",
            "https:///evil.example/x",
            "http:localhost/cb",
            "http:/localhost/cb",
        ] {
            assert!(read(uri).is_err(), "{uri}");
            assert!(!matches(uri, uri), "{uri}");
        }
        assert!(read(&format!("https://example.com/{}", "x".repeat(MAX_URI_BYTES))).is_err());
    }

    #[test]
    fn only_http_on_loopback_leads_to_this_machine() {
        for uri in ["http://localhost:1/cb", "http://127.0.0.1/", "http://[::1]:9/cb"] {
            assert!(is_on_this_machine(uri), "{uri}");
        }
        for uri in [
            "https://example.com/",
            "cursor://localhost/cb",
            "http://localhost.example.com/",
        ] {
            assert!(!is_on_this_machine(uri), "{uri}");
        }
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

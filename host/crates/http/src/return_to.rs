//! The page to return to after sign-in: always a path of this server.
use url::Url;

use linepress_platform::app::App;

/// Longer than any address of this server, including an authorization request with all its parameters.
const MAX_PATH_BYTES: usize = 8 * 1024;

/// Returns the path if it leads to this server.
pub fn local_path<'a>(app: &App, path: &'a str) -> Option<&'a str> {
    is_local(&app.config.public_url, path).then_some(path)
}

fn is_local(public_url: &str, path: &str) -> bool {
    // Browsers treat a backslash as a slash, and drop tabs and line breaks.
    let plain = path.len() <= MAX_PATH_BYTES && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if !plain || !path.starts_with('/') || path.starts_with("//") {
        return false;
    }
    // Parse it as a browser would, too.
    let Ok(own) = Url::parse(public_url) else { return false };
    own.join(path)
        .is_ok_and(|url| url.origin() == own.origin() && !url.path().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn a_path_of_this_server_is_accepted() {
        for path in [
            "/",
            "/books?after=x%20y#z",
            "/oauth/authorize?redirect_uri=https%3A%2F%2Fevil.example%2F",
        ] {
            assert!(is_local("https://books.example", path), "{path}");
        }
    }

    #[test]
    fn any_other_address_is_rejected() {
        for path in [
            "",
            "books",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "https:evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "\t//evil.example",
            "/\n/evil.example",
            " //evil.example",
            "///evil.example",
            "/books\\..\\",
            "/ä",
            "/./\\/evil.example",
            "/.//evil.example",
            "/%0d\r\nx",
        ] {
            assert!(!is_local("https://books.example", path), "{path:?}");
        }
        assert!(!is_local("https://books.example", &format!("/{}", "x".repeat(9_000))));
    }
}

//! Security headers for every response.
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// The policy for responses other than pages: nothing may be loaded, run or framed. Pages set their own policies.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The policy for PDFs: the PDF viewers of browsers load their own parts into the document.
const PDF_POLICY: &str = "frame-ancestors 'none'";

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Denies browser features that no page uses.
const DENIED_PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// The security headers for the response to one request.
pub struct Protection {
    keeps_opener: bool,
}

impl Protection {
    pub fn of_request(request: &Request) -> Self {
        Self {
            keeps_opener: keeps_opener(request.uri().path()),
        }
    }

    /// Adds the headers that the response does not have yet.
    pub fn add_headers(self, headers: &mut HeaderMap) {
        let is_pdf = headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind == "application/pdf");
        let policy = if is_pdf { PDF_POLICY } else { POLICY };
        let mut add = |name: HeaderName, value: &'static str| {
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        };
        add(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        add(header::CONTENT_SECURITY_POLICY, policy);
        add(PERMISSIONS, DENIED_PERMISSIONS);
        if !self.keeps_opener {
            add(OPENER, "same-origin");
        }
    }
}

/// Returns true on the way to the consent page, sign-in included: some apps open that page in a popup, and their
/// callback page reports the result to the app through `window.opener`.
fn keeps_opener(path: &str) -> bool {
    ["/oauth/", "/sign-in", "/sign-up"]
        .iter()
        .any(|beginning| path.starts_with(beginning))
}

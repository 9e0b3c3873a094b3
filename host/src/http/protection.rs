//! What every response tells a browser that shows it, whoever made the response.
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// For what is not a page: nothing is loaded, run or framed. Pages have policies of their own.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The viewers of browsers load their own parts into a PDF's document.
const POLICY_OF_PDF: &str = "frame-ancestors 'none'";

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// No page uses any of them.
const NO_PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// Adds the headers that a response does not have yet.
pub(crate) async fn protect(request: Request, next: Next) -> Response {
    let keeps_opener = keeps_opener(request.uri().path());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let is_pdf = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/pdf");
    let policy = if is_pdf { POLICY_OF_PDF } else { POLICY };
    let mut add = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    add(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(header::CONTENT_SECURITY_POLICY, policy);
    add(PERMISSIONS, NO_PERMISSIONS);
    if !keeps_opener {
        add(OPENER, "same-origin");
    }
    response
}

/// Some apps open the page of consent in a window of their own and hear from it, through their callback, as its opener.
/// Signing in is on the way there.
fn keeps_opener(path: &str) -> bool {
    ["/oauth/", "/sign-in", "/sign-up"]
        .iter()
        .any(|beginning| path.starts_with(beginning))
}

//! HTML pages: rendering a template into a response, the frame around the pages of a signed-in account, and the error
//! pages.
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::Failure;
use super::error_code::ErrorCode;
use linepress_platform::error::Error;

/// The section of the navigation that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Books,
    Characters,
    Pages,
    Account,
    /// The pages of operators.
    Server,
}

/// The data about the signed-in account that `base.html` shows. A template that extends it has a field `frame` of this
/// type.
#[derive(Clone, Debug)]
pub struct Frame {
    pub section: Section,
    pub email: String,
    pub credits: i64,
    /// True if the navigation leads to the pages of operators.
    pub is_operator: bool,
    /// The value for the hidden field `csrf_token` of each form of the page.
    pub csrf_token: String,
    /// The notice that the server is read-only.
    pub notice: Option<String>,
}

impl Frame {
    /// Returns true if the page is in this section, for `aria-current`.
    pub fn is_in(&self, section: Section) -> bool {
        self.section == section
    }
}

/// Renders a page that loads resources only from this server, runs only its scripts, and cannot be framed.
pub fn page(status: StatusCode, template: &impl Template) -> Response {
    page_with_form_targets(status, template, "'self'")
}

/// Renders a page whose forms may also lead to `targets`, written as in a Content-Security-Policy.
pub fn page_with_form_targets(status: StatusCode, template: &impl Template, targets: &str) -> Response {
    let html = match template.render() {
        Ok(html) => html,
        Err(error) => return internal_error_page(&Error::internal(error)),
    };
    let mut response = (status, Html(html)).into_response();
    protect(&mut response, targets);
    response
}

/// Allows nothing inline: a script or a style that an attacker injects into a page has no effect.
const POLICY: &str = "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                      font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action";

fn protect(response: &mut Response, form_targets: &str) {
    match HeaderValue::try_from(format!("{POLICY} {form_targets}")) {
        Ok(policy) => response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy),
        // Cannot happen, as the targets were validated; a page without working forms is better than a page without a
        // policy.
        Err(_) => response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'"),
        ),
    };
    for (name, value) in [
        // Not `no-referrer`: with that, browsers send `Origin: null` with this site's own forms.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    headline: &'a str,
    advice: &'a str,
    /// The id by which an operator finds the request in the log.
    request_id: Option<&'a str>,
}

/// The page for an unknown address.
pub fn not_found_page() -> Response {
    let missing_page = ErrorPage {
        headline: "There is nothing here",
        advice: "The address is wrong, or what it showed is no longer shared.",
        request_id: None,
    };
    page(StatusCode::NOT_FOUND, &missing_page)
}

/// The page for an internal error. Logs the cause.
pub fn internal_error_page(error: &Error) -> Response {
    tracing::error!(error = %error, cause = error.cause(), "page could not be rendered");
    broken_page(None)
}

fn broken_page(request_id: Option<&str>) -> Response {
    let page = ErrorPage {
        headline: "Something went wrong on our side",
        advice: "Please try again later.",
        request_id,
    };
    let mut response = match page.render() {
        Ok(html) => (StatusCode::INTERNAL_SERVER_ERROR, Html(html)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    protect(&mut response, "'self'");
    response
}

/// The page for a rejected request: the reason, and the advice what to do about it.
pub fn error_page(status: StatusCode, headline: &str, advice: &str) -> Response {
    let refusal = ErrorPage {
        headline,
        advice,
        request_id: None,
    };
    page(status, &refusal)
}

/// The error page that a browser receives in place of the JSON envelope.
pub(super) fn page_for_failure(failure: &Failure, request_id: Option<&str>) -> Response {
    let (headline, advice) = match failure.code {
        ErrorCode::InternalError => return broken_page(request_id),
        // For all other accounts, the pages of operators do not exist.
        ErrorCode::NotFound | ErrorCode::OperatorRequired => return not_found_page(),
        ErrorCode::PlanRequired => ("This needs the Business plan", failure.message.as_str()),
        ErrorCode::RateLimited => ("A little too fast", "Please wait a moment and try again."),
        ErrorCode::Overloaded
        | ErrorCode::PlanningUnavailable
        | ErrorCode::GenerationUnavailable
        | ErrorCode::PrintingUnavailable
        | ErrorCode::Maintenance => ("Not right now", failure.message.as_str()),
        ErrorCode::MethodNotAllowed => ("That did not work", "Go back, load the page again, and try once more."),
        _ => ("That did not work", failure.message.as_str()),
    };
    let error_page = ErrorPage {
        headline,
        advice,
        request_id: None,
    };
    page(failure.code.status(), &error_page)
}

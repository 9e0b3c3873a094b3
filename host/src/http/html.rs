//! Pages: how a template becomes a response, what stands around the pages of a person, and what is shown when one fails.
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use super::Failure;
use super::error_code::ErrorCode;
use crate::error::Error;

/// Where a page stands in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Books,
    Characters,
    Pages,
    Account,
}

/// What `base.html` shows of whoever is signed in. A template that extends it has one in its field `frame`.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub section: Section,
    pub email: String,
    pub credits: i64,
    /// For the hidden field `csrf_token` of each form of the page.
    pub csrf_token: String,
}

impl Frame {
    /// Whether the page stands below this link, for `aria-current`.
    pub(crate) fn is_in(&self, section: Section) -> bool {
        self.section == section
    }
}

/// A page that loads everything from this server alone, runs only our script, and stands in nobody's frame.
pub(crate) fn page(status: StatusCode, template: &impl Template) -> Response {
    page_with_form_targets(status, template, "'self'")
}

/// The same with forms that may lead elsewhere: to `targets`, as a Content-Security-Policy writes them.
pub(crate) fn page_with_form_targets(status: StatusCode, template: &impl Template, targets: &str) -> Response {
    let html = match template.render() {
        Ok(html) => html,
        Err(error) => return failed(&Error::internal(error)),
    };
    let mut response = (status, Html(html)).into_response();
    protect(&mut response, targets);
    response
}

/// Nothing inline: neither a script nor a style that somebody smuggles into a page does anything.
const POLICY: &str = "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                      font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action";

fn protect(response: &mut Response, form_targets: &str) {
    match HeaderValue::try_from(format!("{POLICY} {form_targets}")) {
        Ok(policy) => response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy),
        // Of addresses that were checked; a page without forms is better than one without a policy.
        Err(_) => response.headers_mut().insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'"),
        ),
    };
    for (name, value) in [
        // Not `no-referrer`: with it browsers send `Origin: null` with our own forms.
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
    /// Leads an operator to the log.
    request_id: Option<&'a str>,
}

/// There is nothing at this address.
pub(crate) fn missing() -> Response {
    let page_of_nothing = ErrorPage {
        headline: "There is nothing here",
        advice: "The address is wrong, or what it showed is no longer shared.",
        request_id: None,
    };
    page(StatusCode::NOT_FOUND, &page_of_nothing)
}

/// Something of ours broke: the cause goes to the log.
pub(crate) fn failed(error: &Error) -> Response {
    tracing::error!(error = %error, cause = error.cause(), "a page could not be shown");
    broken(None)
}

fn broken(request_id: Option<&str>) -> Response {
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

/// A request was refused: why, and what to do about it.
pub(crate) fn refused(status: StatusCode, headline: &str, advice: &str) -> Response {
    let refusal = ErrorPage {
        headline,
        advice,
        request_id: None,
    };
    page(status, &refusal)
}

/// What a person is shown where a client of REST reads the envelope of errors.
pub(super) fn page_of(failure: &Failure, request_id: Option<&str>) -> Response {
    let (headline, advice) = match failure.code {
        ErrorCode::InternalError => return broken(request_id),
        ErrorCode::NotFound => return missing(),
        ErrorCode::PlanRequired => ("This needs the Business plan", failure.message.as_str()),
        ErrorCode::RateLimited => ("A little too fast", "Please wait a moment and try again."),
        ErrorCode::Overloaded
        | ErrorCode::PlanningUnavailable
        | ErrorCode::GenerationUnavailable
        | ErrorCode::PrintingUnavailable => ("Not right now", failure.message.as_str()),
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

//! Error pages for browsers, in place of the JSON envelope that API clients receive.
use std::sync::Arc;

use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;

use super::{Failure, html};

/// The request id, as an extension of the request.
#[derive(Clone)]
pub(super) struct RequestName(pub Arc<str>);

/// Marks a response whose body is an error page already. Its failure remains an extension, for the log.
#[derive(Clone)]
pub(super) struct PageWritten;

/// Replaces each failed response by an error page if the browser asked for a page.
pub async fn show_failure_pages(request: Request, next: Next) -> Response {
    if !asks_for_a_page(&request) {
        return next.run(request).await;
    }
    let name = request.extensions().get::<RequestName>().cloned();
    let response = next.run(request).await;
    let Some(failure) = response.extensions().get::<Arc<Failure>>().cloned() else {
        return response;
    };
    let mut page = html::page_for_failure(&failure, name.as_ref().map(|name| &*name.0));
    page.extensions_mut().extend(response.extensions().clone());
    page.extensions_mut().insert(PageWritten);
    if let Some(allow) = response.headers().get(header::ALLOW) {
        page.headers_mut().insert(header::ALLOW, allow.clone());
    }
    failure.insert_retry_after(page.headers_mut());
    page
}

/// Returns true if a browser follows a link or sends a form. Routes for programs respond with JSON to every client.
fn asks_for_a_page(request: &Request) -> bool {
    let path = request.uri().path();
    let is_for_programs = ["/api/", "/mcp", "/uploads/", "/.well-known/"]
        .iter()
        .any(|root| path.starts_with(root));
    let accepted = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    !is_for_programs && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

//! A person who meets a failure sees a page, where a client reads JSON.
use std::sync::Arc;

use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;

use super::{Failure, html};

/// The id that a request was given, among its extensions.
#[derive(Clone)]
pub(super) struct RequestName(pub String);

/// Marks a response whose failure is told in it already; the failure itself stays, for the log.
#[derive(Clone)]
pub(super) struct Told;

/// Gives each failed response to a browser that asked for a page the page that tells of it.
pub(crate) async fn tell_people(request: Request, next: Next) -> Response {
    let is_asked_for = asks_for_a_page(&request);
    let name = request.extensions().get::<RequestName>().cloned();
    let response = next.run(request).await;
    let failure = response.extensions().get::<Arc<Failure>>().cloned();
    let (true, Some(failure)) = (is_asked_for, failure) else {
        return response;
    };
    let mut page = html::page_of(&failure, name.as_ref().map(|name| name.0.as_str()));
    page.extensions_mut().extend(response.extensions().clone());
    page.extensions_mut().insert(Told);
    if let Some(allow) = response.headers().get(header::ALLOW) {
        page.headers_mut().insert(header::ALLOW, allow.clone());
    }
    failure.tell_when_to_return(page.headers_mut());
    page
}

/// What a browser asks for when somebody follows a link or sends a form. What is for programs speaks JSON to all.
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

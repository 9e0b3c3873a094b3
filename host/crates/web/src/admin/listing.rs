//! Lists of the pages about the server: the part that is requested, and the addresses of others.
use axum::response::{IntoResponse as _, Redirect, Response};
use url::form_urlencoded::Serializer;

use super::operator::Operator;
use linepress_http::Failure;
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::ErrorKind;

/// The number of items on a page.
const PAGE_LIMIT: &str = "50";

/// The part of the list at `path` that begins after a cursor. Redirects to its beginning if the cursor is unknown: it
/// may come from an old bookmark.
pub(super) fn request(
    app: &App,
    operator: &Operator,
    (path, prefix): (&str, &'static str),
    after: Option<&str>,
) -> Result<PageRequest, Box<Response>> {
    let scope = app.cursors.scope(operator.account_id(), prefix);
    PageRequest::parse(Some(PAGE_LIMIT), after, scope).map_err(|error| {
        Box::new(match error.kind {
            ErrorKind::InvalidPagination(_) => Redirect::to(path).into_response(),
            _ => Failure::from(error).into_response(),
        })
    })
}

/// The address of a list with these filters: its first page, or the page that follows a cursor.
pub(super) fn address(path: &str, filters: &[(&str, &str)], after: Option<&str>) -> String {
    let given = filters.iter().copied().chain(after.map(|after| ("after", after)));
    let given = given.filter(|(_, value)| !value.is_empty());
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    format!("{path}?{query}").trim_end_matches('?').to_owned()
}

//! The query string of a page's address.
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::Failure;
use linepress_platform::app::App;

/// The parsed query. A query that cannot be parsed is rejected with a page that repeats none of it.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        match axum::extract::Query::from_request_parts(parts, app).await {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(_) => Err(Failure::invalid_request(
                "The address of this page cannot be read: something after its question mark is wrong. Go back, and follow \
                 the link again.",
            )),
        }
    }
}

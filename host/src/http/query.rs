//! The query of a page's address.
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::Failure;
use crate::app::App;

/// What the query says. One that cannot be read is refused with a page, which repeats none of it.
#[derive(Debug)]
pub(crate) struct Query<T>(pub T);

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

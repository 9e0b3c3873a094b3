//! Ids in the path of a request.
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::Failure;
use linepress_platform::app::App;

/// One or several ids from the path. A path that cannot be decoded is an unknown address.
pub struct PathId<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for PathId<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        match Path::from_request_parts(parts, app).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(Failure::unknown_address()),
        }
    }
}

//! `POST /oauth/revoke`: an app gives back what it has (RFC 7009).
use axum::extract::{Request, State};
use axum::http::StatusCode;

use super::client_authentication;
use super::error::OAuthError;
use crate::app::App;
use crate::grants;
use crate::http::client_address::ClientAddress;

/// The same response whether the token was one: what is wanted is that it is none afterwards.
pub(super) async fn revoke(
    State(app): State<App>,
    from: ClientAddress,
    request: Request,
) -> Result<StatusCode, OAuthError> {
    let (client, parameters) = client_authentication::read(&app, from, request).await?;
    let token = parameters.get("token");
    let token = token.ok_or_else(|| OAuthError::invalid_request("token is missing."))?;
    grants::revoke_token(&app, &client.id, token).await?;
    Ok(StatusCode::OK)
}

//! `POST /oauth/revoke`: an app revokes its token (RFC 7009).
use axum::extract::{Request, State};
use axum::http::StatusCode;

use super::client_authentication;
use super::error::OAuthError;
use linepress_accounts::grants;
use linepress_http::client_address::ClientAddress;
use linepress_platform::app::App;

/// Responds with 200 even for an unknown token (RFC 7009, section 2.2): it is invalid afterwards either way.
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

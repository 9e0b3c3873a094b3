//! `POST /oauth/token`: tokens for a code, or for a refresh token.
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::authorize::is_our_resource;
use super::client_authentication;
use super::error::OAuthError;
use super::parameters::Parameters;
use crate::app::App;
use crate::grants::clients::Client;
use crate::grants::codes::{self, Redemption};
use crate::grants::{self, ACCESS_LIFETIME, Issued};
use crate::http::client_address::ClientAddress;
use crate::scopes::Scopes;

pub(super) async fn issue(
    State(app): State<App>,
    from: ClientAddress,
    request: Request,
) -> Result<Response, OAuthError> {
    let (client, parameters) = client_authentication::read(&app, from, request).await?;
    if !is_our_resource(&app, parameters.get("resource")) {
        let problem = format!("resource must be {}.", app.config.mcp_url());
        return Err(OAuthError::new("invalid_target", problem));
    }
    let issued = match parameters.get("grant_type") {
        Some("authorization_code") => redeem(&app, &client, &parameters).await?,
        Some("refresh_token") => refresh(&app, &client, &parameters).await?,
        None => return Err(OAuthError::invalid_request("grant_type is missing.")),
        Some(_) => {
            let problem = "grant_type must be authorization_code or refresh_token.";
            return Err(OAuthError::new("unsupported_grant_type", problem));
        }
    };
    let body = Json(json!({
        "access_token": issued.access_token.expose(),
        "token_type": "Bearer",
        "expires_in": ACCESS_LIFETIME.as_secs(),
        "refresh_token": issued.refresh_token.expose(),
        "scope": issued.scopes.to_string(),
    }));
    let no_store = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::PRAGMA, HeaderValue::from_static("no-cache")),
    ];
    Ok((no_store, body).into_response())
}

fn needed<'a>(parameters: &'a Parameters, name: &str) -> Result<&'a str, OAuthError> {
    let value = parameters.get(name);
    value.ok_or_else(|| OAuthError::invalid_request(format!("{name} is missing.")))
}

async fn redeem(app: &App, client: &Client, parameters: &Parameters) -> Result<Issued, OAuthError> {
    let shown = Redemption {
        code: needed(parameters, "code")?,
        redirect_uri: needed(parameters, "redirect_uri")?,
        code_verifier: needed(parameters, "code_verifier")?,
        resource: &app.config.mcp_url(),
    };
    Ok(codes::redeem(app, client, &shown).await??)
}

async fn refresh(app: &App, client: &Client, parameters: &Parameters) -> Result<Issued, OAuthError> {
    let token = needed(parameters, "refresh_token")?;
    // A request that names unknown scopes alone, such as `offline_access`, asks for what was granted.
    let scopes = parameters.get("scope").map(Scopes::parse);
    let scopes = scopes.filter(|scopes| !scopes.is_empty());
    let resource = app.config.mcp_url();
    Ok(grants::refresh(app, &client.id, token, scopes, &resource).await??)
}

//! `POST /oauth/token`: tokens in exchange for an authorization code or a refresh token.
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::authorize::is_our_resource;
use super::client_authentication;
use super::error::OAuthError;
use super::parameters::Parameters;
use linepress_accounts::grants::clients::Client;
use linepress_accounts::grants::codes::{self, Redemption};
use linepress_accounts::grants::{self, ACCESS_LIFETIME, Issued};
use linepress_http::client_address::ClientAddress;
use linepress_platform::app::App;
use linepress_platform::scopes::Scopes;

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

fn required_parameter<'a>(parameters: &'a Parameters, name: &str) -> Result<&'a str, OAuthError> {
    let value = parameters.get(name);
    value.ok_or_else(|| OAuthError::invalid_request(format!("{name} is missing.")))
}

async fn redeem(app: &App, client: &Client, parameters: &Parameters) -> Result<Issued, OAuthError> {
    let shown = Redemption {
        code: required_parameter(parameters, "code")?,
        redirect_uri: required_parameter(parameters, "redirect_uri")?,
        code_verifier: required_parameter(parameters, "code_verifier")?,
        resource: &app.config.mcp_url(),
    };
    Ok(codes::redeem(app, client, &shown).await??)
}

async fn refresh(app: &App, client: &Client, parameters: &Parameters) -> Result<Issued, OAuthError> {
    let token = required_parameter(parameters, "refresh_token")?;
    // If a request names only unknown scopes, such as `offline_access`, the granted scopes remain.
    let scopes = parameters.get("scope").map(Scopes::parse);
    let scopes = scopes.filter(|scopes| !scopes.is_empty());
    let resource = app.config.mcp_url();
    Ok(grants::refresh(app, &client.id, token, scopes, &resource).await??)
}

//! The exchange of a code for the provider's tokens.
use futures::FutureExt as _;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, Client, ClientId, ClientSecret, EndpointNotSet, EndpointSet,
    ExtraTokenFields, HttpRequest, PkceCodeVerifier, RedirectUrl, StandardRevocableToken, StandardTokenResponse,
    TokenResponse as _, TokenUrl,
};
use serde::{Deserialize, Serialize};

use super::discovery::Endpoints;
use super::{MAX_RESPONSE_BYTES, Provider, secret};
use crate::config::Oidc;
use crate::error::chain;

/// The field that OpenID Connect adds to OAuth's token response.
#[derive(Debug, Serialize, Deserialize)]
pub struct IdTokenField {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdTokenField {}

pub(super) type ProviderClient = Client<
    BasicErrorResponse,
    StandardTokenResponse<IdTokenField, BasicTokenType>,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

pub struct Tokens {
    pub id_token: String,
    pub access_token: String,
}

/// The OAuth client of the settings; `callback` is where the provider sends browsers back to.
pub fn client(oidc: &Oidc, callback: String, endpoints: &Endpoints) -> Result<ProviderClient, String> {
    let authorization = AuthUrl::new(endpoints.authorization.clone());
    let token = TokenUrl::new(endpoints.token.clone());
    let back = RedirectUrl::new(callback);
    let client = Client::new(ClientId::new(oidc.client_id.clone()))
        .set_auth_uri(authorization.map_err(|error| format!("authorization_endpoint: {error}"))?)
        .set_token_uri(token.map_err(|error| format!("token_endpoint: {error}"))?)
        .set_redirect_uri(back.map_err(|error| format!("public_url: {error}"))?)
        .set_auth_type(if endpoints.secret_in_form {
            AuthType::RequestBody
        } else {
            AuthType::BasicAuth
        });
    Ok(match secret::read(oidc)? {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret)),
        None => client,
    })
}

impl Provider {
    /// Exchanges a code for tokens. They are received over TLS directly from the provider, so their signatures need not
    /// be verified (OpenID Connect Core 1.0, section 3.1.3.7).
    pub async fn exchange(
        &self,
        oidc: &Oidc,
        callback: String,
        endpoints: &Endpoints,
        code: &str,
        verifier: String,
    ) -> Result<Tokens, String> {
        let client = client(oidc, callback, endpoints)?;
        // Boxed and without borrowed data, because the compiler cannot prove the required lifetimes otherwise.
        let fetcher = self.fetcher.clone();
        let send = move |request: HttpRequest| {
            let fetcher = fetcher.clone();
            async move { fetcher.exchange(request, MAX_RESPONSE_BYTES).await }.boxed()
        };
        let tokens = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request_async(&send)
            .boxed()
            .await
            .map_err(|error| chain(&error))?;
        let id_token = tokens.extra_fields().id_token.clone();
        Ok(Tokens {
            id_token: id_token.ok_or("the provider sent no id_token")?,
            access_token: tokens.access_token().secret().clone(),
        })
    }
}

//! The metadata documents that an app reads first: of the protected resource (RFC 9728), and of the authorization
//! server (RFC 8414).
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use linepress_accounts::grants::clients::AuthMethod;
use linepress_platform::app::App;
use linepress_platform::scopes::Scopes;

pub(super) async fn resource(State(app): State<App>) -> Json<Value> {
    let config = &app.config;
    Json(json!({
        "resource": config.mcp_url(),
        "resource_name": config.appearance.name,
        "authorization_servers": [config.public_url],
        "scopes_supported": Scopes::ALL,
        "bearer_methods_supported": ["header"],
    }))
}

pub(super) async fn server(State(app): State<App>) -> Json<Value> {
    let issuer = &app.config.public_url;
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/oauth/authorize"),
        "token_endpoint": format!("{issuer}/oauth/token"),
        "registration_endpoint": format!("{issuer}/oauth/register"),
        "revocation_endpoint": format!("{issuer}/oauth/revoke"),
        "scopes_supported": Scopes::ALL,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": AuthMethod::ALL,
        "revocation_endpoint_auth_methods_supported": AuthMethod::ALL,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
        "protected_resources": [app.config.mcp_url()],
    }))
}

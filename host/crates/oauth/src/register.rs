//! `/oauth/register`: an app registers itself (RFC 7591), and reads or deletes its registration (RFC 7592).
use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::error::OAuthError;
use linepress_accounts::grants::clients::{self, AuthMethod, Client, Details, MetadataError, SentMetadata};
use linepress_http::client_address::ClientAddress;
use linepress_http::is_of_kind;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;
use linepress_platform::ids::ClientId;

/// The size limit of the request, in bytes. Most of its fields are ignored, and little is stored.
const MAX_BODY_BYTES: usize = 32 * 1024;

pub(super) async fn create(
    State(app): State<App>,
    from: ClientAddress,
    request: Request,
) -> Result<Response, OAuthError> {
    // Before the body is read, because a registration needs no authentication.
    clients::take_registration(&app, &from.subject(), from.site().as_deref()).await?;
    let invalid = |problem: String| OAuthError::new("invalid_client_metadata", problem);
    let (parts, body) = request.into_parts();
    if !is_of_kind(&parts.headers, "application/json") {
        return Err(invalid("Send JSON: Content-Type: application/json.".into()));
    }
    let body = to_bytes(body, MAX_BODY_BYTES).await;
    let body = body.map_err(|_| {
        invalid(format!(
            "The body has more than {MAX_BODY_BYTES} bytes, or ended too early."
        ))
    })?;
    let sent: SentMetadata = serde_json::from_slice(&body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        invalid(format!(
            "The body is not valid client metadata (RFC 7591) in JSON (line {line}, column {column})."
        ))
    })?;
    let metadata = sent.checked(AuthMethod::default()).map_err(|error| match error {
        MetadataError::RedirectUri(problem) => OAuthError::new("invalid_redirect_uri", problem),
        MetadataError::Other(problem) => invalid(problem),
    })?;
    let registered = clients::register(&app, &metadata).await?;
    let mut body = describe(
        &app,
        &Registration {
            id: &registered.id,
            created_at: registered.created_at,
            name: &metadata.name,
            redirect_uris: &metadata.redirect_uris,
            auth_method: metadata.auth_method,
            details: &metadata.details,
            registration_token: registered.registration_token.expose(),
        },
    );
    if let Some(secret) = &registered.secret {
        body["client_secret"] = secret.expose().into();
        // 0 means that the secret does not expire.
        body["client_secret_expires_at"] = 0.into();
    }
    Ok(private(StatusCode::CREATED, body))
}

pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, OAuthError> {
    let (client, token) = authenticate_registration(&app, &id, &headers).await?;
    let shown = Registration {
        id: &client.id,
        created_at: client.created_at,
        name: &client.name,
        redirect_uris: &client.redirect_uris,
        auth_method: client.auth_method,
        details: &client.details,
        registration_token: &token,
    };
    Ok(private(StatusCode::OK, describe(&app, &shown)))
}

pub(super) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, OAuthError> {
    let (client, _) = authenticate_registration(&app, &id, &headers).await?;
    clients::revoke(&app, &client.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the client with this registration and the access token that the request shows, if the token belongs to it.
async fn authenticate_registration(app: &App, id: &str, headers: &HeaderMap) -> Result<(Client, String), OAuthError> {
    let refused = || OAuthError::invalid_token("The registration is unknown, or the access token is not for it.");
    let line = headers.get(header::AUTHORIZATION).and_then(|line| line.to_str().ok());
    let (scheme, token) = line.and_then(|line| line.split_once(' ')).ok_or_else(refused)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(refused());
    }
    let client = clients::find(app, id).await?;
    let client = client.filter(|client| client.is_opened_by(token.trim()));
    Ok((client.ok_or_else(refused)?, token.trim().to_owned()))
}

/// The registration as a client reads it.
struct Registration<'a> {
    id: &'a ClientId,
    created_at: Timestamp,
    name: &'a str,
    redirect_uris: &'a [String],
    auth_method: AuthMethod,
    details: &'a Details,
    registration_token: &'a str,
}

fn describe(app: &App, shown: &Registration<'_>) -> Value {
    let mut body = json!(shown.details);
    for (name, value) in [
        ("client_id", json!(shown.id)),
        ("client_id_issued_at", json!(shown.created_at.milliseconds() / 1000)),
        ("client_name", json!(shown.name)),
        ("redirect_uris", json!(shown.redirect_uris)),
        ("token_endpoint_auth_method", json!(shown.auth_method)),
        ("grant_types", json!(["authorization_code", "refresh_token"])),
        ("response_types", json!(["code"])),
        (
            "registration_client_uri",
            json!(format!("{}/oauth/register/{}", app.config.public_url, shown.id)),
        ),
        ("registration_access_token", json!(shown.registration_token)),
    ] {
        body[name] = value;
    }
    body
}

fn private(status: StatusCode, body: Value) -> Response {
    let no_store = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (status, no_store, Json(body)).into_response()
}

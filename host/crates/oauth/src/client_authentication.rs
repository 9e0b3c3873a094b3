//! Client authentication: by an `Authorization` header, or by fields of the form (RFC 6749, section 2.3.1).
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::form_urlencoded;

use super::error::OAuthError;
use super::parameters::Parameters;
use linepress_accounts::grants::clients::{self, Client};
use linepress_accounts::throttle::{self, Rate};
use linepress_http::client_address::ClientAddress;
use linepress_http::{FORM, is_of_kind};
use linepress_platform::app::App;

/// The size limit of a whole form, in bytes.
const MAX_FORM_BYTES: usize = 16 * 1024;

/// The limit per client address. Codes, tokens and secrets cannot be guessed; the limit keeps one address from using
/// all capacity. It is high because a service with many users may have few addresses.
const RATE_PER_ADDRESS: Rate = Rate::new(300, std::time::Duration::from_secs(60));

/// Authenticates the client, and returns it with the parameters of the form. The rate limit applies before anything is
/// read.
pub(super) async fn read(app: &App, from: ClientAddress, request: Request) -> Result<(Client, Parameters), OAuthError> {
    throttle::take(app, "requests for tokens", &from.subject(), RATE_PER_ADDRESS).await?;
    let (parts, body) = request.into_parts();
    if !is_of_kind(&parts.headers, FORM) {
        let problem = "Send a form: Content-Type: application/x-www-form-urlencoded.";
        return Err(OAuthError::invalid_request(problem));
    }
    let body = to_bytes(body, MAX_FORM_BYTES).await;
    let body = body.map_err(|_| OAuthError::invalid_request("The form is too large, or ended too early."))?;
    let parameters =
        Parameters::parse(&body).map_err(|_| OAuthError::invalid_request("The form has too many fields."))?;
    if parameters.are_repeated() {
        return Err(OAuthError::invalid_request("A field of the form is repeated."));
    }
    let (name, secret) = credentials(&parts.headers, &parameters)?;
    let client = clients::authenticate(app, &name, secret.as_deref()).await?;
    Ok((client.ok_or_else(OAuthError::invalid_client)?, parameters))
}

/// Returns the client id, and the secret if the client sent one.
fn credentials(headers: &HeaderMap, parameters: &Parameters) -> Result<(String, Option<String>), OAuthError> {
    let (named, secret) = (parameters.get("client_id"), parameters.get("client_secret"));
    let mut lines = headers.get_all(header::AUTHORIZATION).iter();
    let Some(line) = lines.next() else {
        let named = named.ok_or_else(|| OAuthError::invalid_request("client_id is missing."))?;
        return Ok((named.to_owned(), secret.map(str::to_owned)));
    };
    if lines.next().is_some() || secret.is_some() {
        return Err(OAuthError::invalid_request(
            "Authenticate in one way only: by the Authorization header or by client_secret.",
        ));
    }
    let basic = line.to_str().ok().and_then(basic_credentials);
    let (name, secret) = basic.ok_or_else(OAuthError::invalid_client)?;
    if named.is_some_and(|named| named != name) {
        return Err(OAuthError::invalid_request(
            "client_id differs from the one in the Authorization header.",
        ));
    }
    Ok((name, Some(secret)))
}

fn basic_credentials(line: &str) -> Option<(String, String)> {
    let (scheme, encoded) = line.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (name, secret) = text.split_once(':')?;
    Some((form_decoded(name), form_decoded(secret)))
}

/// Decodes the user name or the password of the header: both are form-encoded first (RFC 6749, section 2.3.1).
fn form_decoded(part: &str) -> String {
    let encoded = format!("x={}", part.replace('&', "%26"));
    form_urlencoded::parse(encoded.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

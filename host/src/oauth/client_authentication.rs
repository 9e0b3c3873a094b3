//! Which app sends a form, and that it is that app: by a header, or by fields of the form (RFC 6749, section 2.3.1).
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::form_urlencoded;

use super::error::OAuthError;
use super::parameters::Parameters;
use crate::app::App;
use crate::grants::clients::{self, Client};
use crate::http::client_address::ClientAddress;
use crate::http::{FORM, is_of_kind};
use crate::throttle::{self, Rate};

/// Of a whole form.
const LARGEST: usize = 16 * 1024;

/// Codes, tokens and secrets cannot be guessed; this keeps one address from keeping everybody busy. A host that many people use has
/// few addresses.
const BY_ADDRESS: Rate = Rate::new(300, std::time::Duration::from_secs(60));

/// The client that sent a form, and the form. Counted before anything of it is read.
pub(super) async fn read(app: &App, from: ClientAddress, request: Request) -> Result<(Client, Parameters), OAuthError> {
    throttle::take(app, "requests for tokens", &from.subject(), BY_ADDRESS).await?;
    let (parts, body) = request.into_parts();
    if !is_of_kind(&parts.headers, FORM) {
        let problem = "Send a form: Content-Type: application/x-www-form-urlencoded.";
        return Err(OAuthError::invalid_request(problem));
    }
    let body = to_bytes(body, LARGEST).await;
    let body = body.map_err(|_| OAuthError::invalid_request("The form is too large, or ended too early."))?;
    let parameters =
        Parameters::parse(&body).map_err(|_| OAuthError::invalid_request("The form has too many fields."))?;
    if parameters.are_repeated() {
        return Err(OAuthError::invalid_request(
            "A field stands in the form more than once.",
        ));
    }
    let (name, secret) = credentials(&parts.headers, &parameters)?;
    let client = clients::authenticate(app, &name, secret.as_deref()).await?;
    Ok((client.ok_or_else(OAuthError::invalid_client)?, parameters))
}

/// The name of a client, and its secret where it sent one.
fn credentials(headers: &HeaderMap, parameters: &Parameters) -> Result<(String, Option<String>), OAuthError> {
    let (named, secret) = (parameters.get("client_id"), parameters.get("client_secret"));
    let mut lines = headers.get_all(header::AUTHORIZATION).iter();
    let Some(line) = lines.next() else {
        let named = named.ok_or_else(|| OAuthError::invalid_request("client_id is missing."))?;
        return Ok((named.to_owned(), secret.map(str::to_owned)));
    };
    if lines.next().is_some() || secret.is_some() {
        return Err(OAuthError::invalid_request("Show who you are in one way only."));
    }
    let basic = line.to_str().ok().and_then(basic);
    let (name, secret) = basic.ok_or_else(OAuthError::invalid_client)?;
    if named.is_some_and(|named| named != name) {
        return Err(OAuthError::invalid_request(
            "client_id is another one than in the header.",
        ));
    }
    Ok((name, Some(secret)))
}

fn basic(line: &str) -> Option<(String, String)> {
    let (scheme, encoded) = line.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (name, secret) = text.split_once(':')?;
    Some((decoded(name), decoded(secret)))
}

/// Both parts are encoded as in a form first.
fn decoded(part: &str) -> String {
    let encoded = format!("x={}", part.replace('&', "%26"));
    form_urlencoded::parse(encoded.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

//! Authorization of MCP requests. It comes before the protocol library reads the message, because clients learn from
//! the HTTP status and the challenge where the user can grant access.
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;

use super::apps::Handshake;
use super::message::{self, Unreadable};
use super::tools;
use linepress_accounts::accounts;
use linepress_accounts::caller::Caller;
use linepress_accounts::grants;
use linepress_http::Failure;
use linepress_http::client_address::ClientAddress;
use linepress_http::request_log::{Sender, ToolCall};
use linepress_http::time_limit;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::scopes::Scopes;

/// The size limit of a message, in bytes: enough for an order of a hundred pages with the longest texts.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Admits requests with an access token for this server, or with an API key where the operator allows it, whose scopes
/// cover the called tool.
pub(super) async fn authorize<F: Future<Output = Response>>(
    app: &App,
    request: Request,
    respond: impl FnOnce(Request) -> F,
) -> Response {
    let client = ClientAddress::from_headers(app, request.extensions(), request.headers());
    let token = bearer(&request).map(str::to_owned);
    let caller = match authenticate(app, client, token.as_deref()).await {
        Ok(caller) => caller,
        Err(failure) => return failure.into_response(),
    };
    let (call, handshake) = (ToolCall::default(), Handshake::default());
    let mut response = match admit(app, &caller, &call, request).await {
        Ok(mut request) => {
            request.extensions_mut().insert(caller.clone());
            request.extensions_mut().insert(call.clone());
            request.extensions_mut().insert(handshake.clone());
            respond(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    handshake.finish(&app.random, response.headers_mut());
    response.extensions_mut().insert(Sender::over_mcp(caller, call));
    response
}

/// The reason why a request does not reach the protocol library.
enum Refusal {
    Failed(Failure),
    Unreadable(Unreadable),
}

impl Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Failed(failure) => failure.into_response(),
            Self::Unreadable(message) => message.into_response(),
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Unreadable> for Refusal {
    fn from(message: Unreadable) -> Self {
        Self::Unreadable(message)
    }
}

async fn authenticate(app: &App, client: ClientAddress, token: Option<&str>) -> Result<Caller, Failure> {
    let Some(token) = token else {
        let failure = Failure::unauthorized("Send an access token of this server's authorization server.");
        return Err(failure.with_challenge(challenge(app, None, Scopes::ALL)));
    };
    let Some(caller) = caller_of(app, client, token).await? else {
        let failure = Failure::unauthorized("The access token is not valid here. It may have expired or been revoked.");
        return Err(failure.with_challenge(challenge(app, Some("invalid_token"), Scopes::ALL)));
    };
    Ok(caller)
}

/// Reads the message, and rejects a call that the caller may not make. Records the tool that is called.
async fn admit(app: &App, caller: &Caller, call: &ToolCall, request: Request) -> Result<Request, Refusal> {
    caller.require_network()?;
    let (mut parts, body) = request.into_parts();
    let bytes = time_limit::within(app, read(body)).await??;
    if parts.method == Method::POST {
        if let Some(tool) = message::called_tool(&bytes)? {
            check_scopes(app, caller, call, &tool)?;
        }
        accept_both(&mut parts.headers);
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// The caller that a bearer token authenticates: an access token, or an API key where the operator allows it.
async fn caller_of(app: &App, client: ClientAddress, token: &str) -> Result<Option<Caller>, Failure> {
    if app.config.mcp_api_keys
        && let Some(caller) = accounts::caller_of_key(app, token, client.0).await?
    {
        return Ok(Some(caller));
    }
    Ok(grants::caller_of_token(app, token, &app.config.mcp_url()).await?)
}

/// Names both response types if the client accepts any: the protocol requires both in `Accept`, and many HTTP clients
/// send `*/*` or nothing.
fn accept_both(headers: &mut HeaderMap) {
    let mut accepted = headers.get_all(header::ACCEPT).iter();
    let accepts_any = |value: &HeaderValue| {
        let kinds = value.to_str().unwrap_or_default().split(',');
        let mut kinds = kinds.map(|kind| kind.split(';').next().unwrap_or_default().trim());
        kinds.any(|kind| kind == "*/*")
    };
    if !headers.contains_key(header::ACCEPT) || accepted.any(accepts_any) {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
    }
}

fn bearer(request: &Request) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

async fn read(body: Body) -> Result<Bytes, Failure> {
    let limited = http_body_util::Limited::new(body, MAX_MESSAGE_BYTES);
    match limited.collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(Failure::too_large("The message", MAX_MESSAGE_BYTES as u64))
        }
        Err(_) => Err(Failure::invalid_request("The body ended before it was complete.")),
    }
}

/// Rejects a call of a tool that needs more scopes than were granted. The call itself is checked again before it runs.
fn check_scopes(app: &App, caller: &Caller, call: &ToolCall, tool: &str) -> Result<(), Failure> {
    let Some(tool) = tools::all().find(|known| known.name == tool) else {
        return Ok(());
    };
    call.set_tool(tool.name);
    let needed = tool.effect.scopes();
    match caller.require(needed) {
        Err(error) if matches!(error.kind, ErrorKind::InsufficientScope { .. }) => {
            // Including the granted scopes: clients request exactly the scopes of the challenge.
            let all = caller.scopes().iter().chain(needed.iter()).collect();
            Err(Failure::from(error).with_challenge(challenge(app, Some("insufficient_scope"), all)))
        }
        // No consent of a person adds scopes to a key, so there is no challenge.
        Err(error) if matches!(error.kind, ErrorKind::KeyLacksScope { .. }) => Err(Failure::from(error)),
        // A missing plan is reported as the result of the call: no other token would help.
        _ => Ok(()),
    }
}

/// The challenge that names where to get a token and for which scopes (RFC 6750 and RFC 9728).
fn challenge(app: &App, error: Option<&str>, scopes: Scopes) -> HeaderValue {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", app.config.public_url);
    let error = error.map(|error| format!("error=\"{error}\", ")).unwrap_or_default();
    let challenge = format!("Bearer {error}resource_metadata=\"{metadata}\", scope=\"{scopes}\"");
    HeaderValue::try_from(challenge).unwrap_or(HeaderValue::from_static("Bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(authorization: &str) -> Request {
        let request = Request::builder().header(header::AUTHORIZATION, authorization);
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn a_token_is_read_from_bearer_credentials_only() {
        for (authorization, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Basic abc", None),
            ("Bearer", None),
            ("abc", None),
        ] {
            assert_eq!(bearer(&request(authorization)), token, "{authorization}");
        }
        assert_eq!(bearer(&Request::new(Body::empty())), None);
    }

    #[test]
    fn a_client_that_accepts_anything_accepts_both_response_types() {
        let both = "application/json, text/event-stream";
        for (sent, expected) in [
            (None, both),
            (Some("*/*"), both),
            (Some("text/html, */*;q=0.8"), both),
            (Some("application/json"), "application/json"),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(sent) = sent {
                headers.insert(header::ACCEPT, HeaderValue::from_static(sent));
            }
            accept_both(&mut headers);
            assert_eq!(headers[header::ACCEPT], expected, "{sent:?}");
        }
    }
}

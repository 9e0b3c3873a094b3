//! Who calls, and whether the token allows it: answered before the protocol is looked at, because clients learn from the
//! status and the challenge where to ask their person.
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use serde::Deserialize;

use super::tools;
use crate::app::App;
use crate::caller::Caller;
use crate::error::{ErrorKind, Result};
use crate::grants::{self, Scopes};
use crate::http::Failure;
use crate::json;

/// The largest message: an order of a hundred pages of the longest texts.
const MOST: usize = 4 * 1024 * 1024;

/// Lets in whoever sends an access token for this server whose grant allows what is asked.
pub(super) async fn authorize(State(app): State<App>, request: Request, next: Next) -> Response {
    match allowed(&app, request).await {
        Ok(request) => {
            let caller = request.extensions().get::<Caller>().cloned();
            let mut response = next.run(request).await;
            if let Some(caller) = caller {
                // For the log.
                response.extensions_mut().insert(caller.account_id);
            }
            response
        }
        Err(failure) => failure.into_response(),
    }
}

async fn allowed(app: &App, request: Request) -> Result<Request, Failure> {
    let Some(token) = bearer(&request) else {
        let failure = Failure::unauthorized("Send an access token of this server's authorization server.");
        return Err(failure.with_challenge(challenge(app, None, Scopes::ALL)));
    };
    let Some(caller) = grants::caller_of_token(app, token, &app.config.mcp_url()).await? else {
        let failure = Failure::unauthorized("The access token is not valid here. It may have expired or been revoked.");
        return Err(failure.with_challenge(challenge(app, Some("invalid_token"), Scopes::ALL)));
    };
    let (mut parts, body) = request.into_parts();
    let bytes = read(body).await?;
    if parts.method == Method::POST {
        check_scopes(app, &caller, &bytes)?;
    }
    parts.extensions.insert(caller);
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

fn bearer(request: &Request) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

async fn read(body: Body) -> Result<Bytes, Failure> {
    let limited = http_body_util::Limited::new(body, MOST);
    match limited.collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(Failure::too_large("The message", MOST as u64))
        }
        Err(_) => Err(Failure::invalid_request("The body ended before it was complete.")),
    }
}

/// As much of a message as says which tool is called.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Option<Params>,
}

#[derive(Default, Deserialize)]
struct Params {
    #[serde(default)]
    name: String,
}

fn check_scopes(app: &App, caller: &Caller, body: &[u8]) -> Result<(), Failure> {
    match json::check(body) {
        Ok(()) => {}
        Err(json::Refusal::TooManyValues) => return Err(Failure::too_many_values(json::MOST_VALUES)),
        Err(json::Refusal::Twice(name)) => {
            let message = format!(
                "The message has the field {:?} twice in one object.",
                json::shortened(&name)
            );
            return Err(Failure::invalid_request(message));
        }
        // The protocol has words of its own for it.
        Err(json::Refusal::NotJson(_)) => return Ok(()),
    }
    let granted = caller.grant.as_ref().map_or(Scopes::ALL, |grant| grant.scopes);
    if granted.includes(Scopes::ALL) {
        return Ok(());
    }
    let Ok(message) = serde_json::from_slice::<Message>(body) else {
        return Ok(());
    };
    if message.method != "tools/call" {
        return Ok(());
    }
    let name = message.params.unwrap_or_default().name;
    let Some(tool) = tools::all().find(|tool| tool.name == name) else {
        return Ok(());
    };
    let needed = tool.effect.scopes();
    if granted.includes(needed) {
        return Ok(());
    }
    // With those it has: clients ask for what the challenge names, and for nothing else.
    let all = granted.iter().chain(needed.iter()).collect();
    let failure = Failure::from(ErrorKind::InsufficientScope { needed });
    Err(failure.with_challenge(challenge(app, Some("insufficient_scope"), all)))
}

/// Where to get a token, and for what (RFC 6750 and RFC 9728).
fn challenge(app: &App, error: Option<&str>, scopes: Scopes) -> HeaderValue {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", app.config.public_url);
    let error = error.map(|error| format!("error=\"{error}\", ")).unwrap_or_default();
    let challenge = format!("Bearer {error}resource_metadata=\"{metadata}\", scope=\"{scopes}\"");
    HeaderValue::try_from(challenge).unwrap_or(HeaderValue::from_static("Bearer"))
}

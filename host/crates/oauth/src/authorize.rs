//! `GET /oauth/authorize`: the address to which an app sends the user's browser, so that the user can grant access.
//!
//! A wrong client or redirect URI is reported on a page of this server, because a browser must not be sent to an
//! address that does not belong to the client. All other errors are reported to the app, before the user has to sign
//! in: immediately if the app runs on the browser's own machine. Anyone can register an address elsewhere, so no
//! browser is redirected there before the user has acted (RFC 9700, section 4.11.2): the page shows the error and a
//! link that reports it to the app.
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use url::Url;

use super::parameters::Parameters;
use super::{consent, redirect};
use linepress_accounts::grants::clients::{self, Client, redirect_uri};
use linepress_accounts::grants::consent::AuthorizationRequest;
use linepress_accounts::grants::pkce;
use linepress_http::html::{error_page, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::error::ErrorKind;
use linepress_platform::scopes::Scopes;

/// The longest query string. It fits into the return address of the sign-in page.
const MAX_QUERY_BYTES: usize = 7_500;

pub(super) async fn show(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    signed_in: Result<SignedIn, Response>,
) -> Response {
    let (client, request) = match read(&app, signed_in.as_ref().ok(), &query.unwrap_or_default()).await {
        Ok(Some(read)) => read,
        // Redirect to the sign-in page, which leads back here.
        Ok(None) => return signed_in.err().unwrap_or_else(unknown_client),
        Err(response) => return response,
    };
    match signed_in {
        Ok(signed_in) => consent::show(&app, &signed_in, &client, &request).await,
        Err(response) => response,
    }
}

/// The page for a request whose client or redirect URI is wrong.
fn unusable(advice: &str) -> Response {
    error_page(StatusCode::BAD_REQUEST, "This app cannot be connected", advice)
}

/// The page for a request that is wrong in another way, with a link that reports the error to the app.
#[derive(Template)]
#[template(path = "faulty.html")]
struct FaultyPage<'a> {
    problem: &'a str,
    /// The destination of the link, described for the user.
    place: String,
    back: &'a str,
}

fn unknown_client() -> Response {
    unusable(
        "It is not known here. Remove this server from the app and add it again, so that the app registers once more.",
    )
}

/// Reads the request and finds its client. Returns `None` if the user must sign in before the client's metadata
/// document is fetched.
async fn read(
    app: &App,
    signed_in: Option<&SignedIn>,
    query: &str,
) -> Result<Option<(Client, AuthorizationRequest)>, Response> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(unusable(
            "Its request is too long. Please report this to the maker of the app.",
        ));
    }
    let Ok(parameters) = Parameters::parse(query.as_bytes()) else {
        return Err(unusable(
            "Its request has too many parameters. Please report this to the maker of the app.",
        ));
    };
    let Some(name) = parameters.get_single("client_id") else {
        return Err(unusable(
            "It did not identify itself (client_id). Please report this to the maker of the app.",
        ));
    };
    let Some(client) = find_client(app, signed_in, name).await? else {
        return Ok(None);
    };
    let asked = parameters.get_single("redirect_uri");
    let Some(asked) = asked.filter(|uri| client.allows_redirect_to(uri)) else {
        return Err(unusable(
            "It asked to have you sent back to an address that it did not register (redirect_uri). Nothing was granted.",
        ));
    };
    let state = parameters.get_single("state");
    match check(app, &parameters) {
        Ok(checked) => {
            let request = AuthorizationRequest {
                client_id: name.to_owned(),
                redirect_uri: asked.to_owned(),
                state: state.map(str::to_owned),
                scopes: checked.scopes.to_string(),
                names_scopes: checked.names_scopes,
                code_challenge: checked.code_challenge.to_owned(),
                resource: app.config.mcp_url(),
            };
            Ok(Some((client, request)))
        }
        Err((code, description)) => {
            let parameters = [("error", code), ("error_description", &description)];
            if redirect_uri::is_on_this_machine(asked) {
                return Err(redirect::to_app(app, asked, state, &parameters));
            }
            let faulty = FaultyPage {
                problem: &description,
                place: redirect::describe_destination(asked),
                back: &redirect::app_address(app, asked, state, &parameters),
            };
            Err(page(StatusCode::BAD_REQUEST, &faulty))
        }
    }
}

/// Finds the client by its `client_id`. Returns `None` if its metadata document is not cached and no account is signed
/// in to fetch it for.
async fn find_client(app: &App, signed_in: Option<&SignedIn>, name: &str) -> Result<Option<Client>, Response> {
    let found = match signed_in {
        Some(signed_in) => clients::resolve(app, name, &signed_in.account.id).await,
        None => clients::find(app, name).await,
    };
    match found {
        Ok(Some(client)) => Ok(Some(client)),
        Ok(None) if clients::may_have_document(name) && signed_in.is_none() => Ok(None),
        Ok(None) if clients::may_have_document(name) => Err(unusable(
            "Its metadata document could not be fetched or used. The log of this server has the reason; ask the \
             operator of this server.",
        )),
        Ok(None) => Err(unknown_client()),
        Err(error) if matches!(error.kind, ErrorKind::RateLimited { .. }) => {
            let advice = "Too many apps were looked up in a short time. Wait a few minutes and try again.";
            Err(error_page(StatusCode::TOO_MANY_REQUESTS, "A little too fast", advice))
        }
        Err(error) => Err(internal_error_page(&error)),
    }
}

struct Checked<'a> {
    scopes: Scopes,
    names_scopes: bool,
    code_challenge: &'a str,
}

/// Checks all parameters whose errors are reported to the app, and returns the OAuth error code and its description.
fn check<'a>(app: &App, parameters: &'a Parameters) -> Result<Checked<'a>, (&'static str, String)> {
    let invalid = |description: &str| Err(("invalid_request", description.to_owned()));
    if parameters.are_repeated() {
        return invalid("A parameter is repeated.");
    }
    if parameters.get("request").is_some() {
        return Err((
            "request_not_supported",
            "Send the parameters directly, not in a request object.".into(),
        ));
    }
    if parameters.get("request_uri").is_some() {
        return Err((
            "request_uri_not_supported",
            "Send the parameters directly, not by reference.".into(),
        ));
    }
    match parameters.get("response_type") {
        Some("code") => {}
        None => return invalid("response_type is missing: it must be code."),
        Some(_) => return Err(("unsupported_response_type", "response_type must be code.".into())),
    }
    if parameters.get("response_mode").is_some_and(|mode| mode != "query") {
        return invalid("response_mode must be query.");
    }
    // RFC 7636 defines a missing method as `plain`, which reveals the verifier to everyone who sees the request.
    if parameters.get("code_challenge_method") != Some("S256") {
        return invalid("code_challenge_method must be S256 (PKCE).");
    }
    let Some(code_challenge) = parameters.get("code_challenge").filter(|text| pkce::is_challenge(text)) else {
        return invalid("code_challenge must be the SHA-256 of the code_verifier in base64url (PKCE).");
    };
    if !is_our_resource(app, parameters.get("resource")) {
        return Err(("invalid_target", format!("resource must be {}.", app.config.mcp_url())));
    }
    let named = Scopes::parse(parameters.get("scope").unwrap_or_default());
    let names_scopes = !named.is_empty();
    Ok(Checked {
        scopes: if names_scopes { named } else { Scopes::ALL },
        names_scopes,
        code_challenge,
    })
}

/// Returns true if `resource` is this MCP server, the only resource. A missing parameter also means this server.
pub(super) fn is_our_resource(app: &App, resource: Option<&str>) -> bool {
    let Some(resource) = resource else { return true };
    let ours = app.config.mcp_url();
    // Some clients write the host in capital letters, or include the default port.
    resource == ours
        || match (Url::parse(resource), Url::parse(&ours)) {
            (Ok(resource), Ok(ours)) => resource == ours,
            _ => false,
        }
}

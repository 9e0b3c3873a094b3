//! The authorization server (OAuth 2.1): how an app discovers it, registers, obtains the user's consent, and gets,
//! refreshes and revokes its tokens. This module only translates; `grants` decides.
mod authorize;
mod client_authentication;
mod consent;
mod discovery;
mod error;
mod parameters;
mod redirect;
mod register;
mod revoke;
mod token;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use linepress_http::{Failure, maintenance, same_origin, time_limit};
use linepress_platform::app::App;

use error::OAuthError;

pub fn router(app: &App) -> Router<App> {
    let limit = || from_fn_with_state(app.clone(), time_limit::limit);
    let programs = Router::new()
        .route("/.well-known/oauth-protected-resource", get(discovery::resource))
        .route("/.well-known/oauth-protected-resource/mcp", get(discovery::resource))
        .route("/.well-known/oauth-authorization-server", get(discovery::server))
        .route("/oauth/register", post(register::create))
        .route(
            "/oauth/register/{client_id}",
            get(register::show).delete(register::delete),
        )
        .route("/oauth/token", post(token::issue))
        .route("/oauth/revoke", post(revoke::revoke))
        // Otherwise the fallback of the server would apply, which is outside of the next layer, and CORS preflights
        // would fail.
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(app.clone(), refuse_changes))
        .layer(for_every_origin())
        .layer(limit());
    let pages = Router::new()
        .route("/oauth/authorize", get(authorize::show).post(consent::decide))
        // The page stores what the app requests until the user has decided.
        .layer(from_fn_with_state(app.clone(), maintenance::refuse_everything))
        .layer(same_origin::layer(app))
        .layer(limit());
    programs.merge(pages)
}

/// Refuses to issue, rotate and revoke tokens and to register apps while the server is read-only: a refresh token that
/// is not rotated remains valid when the server is restored or moved from a backup. RFC 7009, section 2.2.1, has the
/// same response: the token still exists, and the app may retry.
async fn refuse_changes(State(app): State<App>, request: Request, next: Next) -> Response {
    match maintenance::check(&app, request.method()).await {
        Ok(()) => next.run(request).await,
        Err(error) => OAuthError::from(error).into_response(),
    }
}

async fn method_not_allowed(request: Request) -> Failure {
    Failure::method_not_allowed(request.method())
}

/// Allows every origin, since apps also run in browsers on their own sites. These routes read no cookies, and browsers
/// are not allowed to send any.
fn for_every_origin() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers(AllowHeaders::mirror_request())
}

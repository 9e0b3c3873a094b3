//! `/admin`: the functions of operators.
pub(super) mod accounts;
pub(super) mod audit_log;
pub(super) mod backups;
pub(super) mod health;
pub(super) mod operations;
pub(super) mod plugins;
pub(super) mod providers;
pub(super) mod queue;
pub(super) mod settings;

use axum::extract::{Extension, FromRequestParts};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};

use linepress_accounts::caller::Caller;
use linepress_http::Failure;
use linepress_http::client_address::ClientAddress;
use linepress_operator::administration::Actor;
use linepress_platform::app::App;

/// The operator who sends the request. A request of any other account is refused before its body is read.
pub(super) struct Operator(pub Actor);

impl FromRequestParts<App> for Operator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let caller = Extension::<Caller>::from_request_parts(parts, app).await;
        let Extension(caller) = caller.map_err(|rejection| rejection.into_response())?;
        let Ok(ClientAddress(address)) = ClientAddress::from_request_parts(parts, app).await;
        let actor = Actor::of_request(caller, address);
        match actor.require_operator() {
            Ok(()) => Ok(Self(actor)),
            Err(error) => Err(Failure::from(error).into_response()),
        }
    }
}

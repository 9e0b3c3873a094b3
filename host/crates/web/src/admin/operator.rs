//! Operators in a browser, and the forms that they send.
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};

use crate::library::form::Fields;
use linepress_http::Failure;
use linepress_http::client_address::ClientAddress;
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section};
use linepress_http::session::SignedIn;
use linepress_operator::administration::Actor;
use linepress_platform::app::App;
use linepress_platform::ids::AccountId;

/// A signed-in operator. For all other accounts, the pages of operators do not exist.
pub(super) struct Operator {
    signed_in: SignedIn,
    pub actor: Actor,
}

impl Operator {
    fn from_session(signed_in: SignedIn, client: ClientAddress) -> Result<Self, Failure> {
        let caller = signed_in.caller();
        if !caller.is_operator() {
            return Err(Failure::unknown_address());
        }
        let actor = Actor::of_request(caller, client.0);
        Ok(Self { signed_in, actor })
    }

    pub(super) fn frame(&self) -> Frame {
        self.signed_in.frame(Section::Server)
    }

    pub(super) fn account_id(&self) -> &AccountId {
        &self.signed_in.account.id
    }
}

impl FromRequestParts<App> for Operator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let signed_in = <SignedIn as FromRequestParts<App>>::from_request_parts(parts, app).await?;
        let Ok(client) = ClientAddress::from_request_parts(parts, app).await;
        Self::from_session(signed_in, client).map_err(Failure::into_response)
    }
}

/// A form that an operator sends.
pub(super) struct OperatorForm {
    pub operator: Operator,
    pub fields: Fields,
}

impl FromRequest<App> for OperatorForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        // Before the form is read, so that other accounts receive the same page for every form.
        Operator::from_request_parts(&mut parts, app).await?;
        let Ok(client) = ClientAddress::from_request_parts(&mut parts, app).await;
        let sent = CsrfForm::<Fields>::from_request(Request::from_parts(parts, body), app).await?;
        let operator = Operator::from_session(sent.signed_in, client).map_err(Failure::into_response)?;
        Ok(Self {
            operator,
            fields: sent.form,
        })
    }
}

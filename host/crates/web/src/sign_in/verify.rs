//! `/verify/{token}`: verifies the address of the account that is signed in, by a link from a mail. Opening the link
//! changes nothing, because programs that check mails open the links in them.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use linepress_accounts::sign_in;
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section, error_page, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "sign_in/verify.html")]
struct VerifyPage {
    frame: Frame,
}

pub(super) async fn show(signed_in: SignedIn) -> Response {
    let verify = VerifyPage {
        frame: signed_in.frame(Section::Account),
    };
    page(StatusCode::OK, &verify)
}

/// A form with no field except the CSRF token.
#[derive(Deserialize)]
pub(super) struct Confirmation {}

pub(super) async fn submit(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    CsrfForm { signed_in, .. }: CsrfForm<Confirmation>,
) -> Response {
    let Ok(Path(token)) = token else { return invalid() };
    match sign_in::verify_address(&app, &signed_in.caller(), &token).await {
        Ok(true) => Redirect::to("/account?verified=yes").into_response(),
        Ok(false) => invalid(),
        Err(error) => internal_error_page(&error),
    }
}

fn invalid() -> Response {
    error_page(
        StatusCode::NOT_FOUND,
        "This link does not work",
        "It is older than a day, or was sent to the address of another account. Your account page can send you a new one.",
    )
}

//! `/account/password`: changes the password, or sets the first one.
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::Tab;
use crate::problem;
use linepress_accounts::sign_in::{self, NewSession, PasswordOwner};
use linepress_http::client_address::ClientAddress;
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_http::session_cookie;
use linepress_platform::app::App;
use linepress_platform::error;

#[derive(Template)]
#[template(path = "account/password.html")]
struct PasswordPage {
    frame: Frame,
    tab: Tab,
    has_password: bool,
    is_changed: bool,
    problem: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Done {
    #[serde(default)]
    changed: String,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    done: Result<axum::extract::Query<Done>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let is_changed = done.is_ok_and(|done| !done.changed.is_empty());
    respond(&app, &signed_in, StatusCode::OK, is_changed, None).await
}

#[derive(Deserialize)]
pub(super) struct Form {
    #[serde(default)]
    current: String,
    password: String,
}

pub(super) async fn submit(
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    CsrfForm { signed_in, form }: CsrfForm<Form>,
) -> Response {
    let session = session_cookie::session_token(&app, &headers).unwrap_or_default();
    let (status, problem) = match changed(&app, &signed_in, (&session, client), &form).await {
        Ok(Some(session)) => {
            let back = Redirect::to("/account/password?changed=yes").into_response();
            return session_cookie::set_session_cookie(&app, &session, back);
        }
        Ok(None) => {
            let problem = "The current password is wrong. Nothing was changed.";
            (StatusCode::UNPROCESSABLE_ENTITY, problem.into())
        }
        Err(error) => match problem::for_user(&error) {
            Some(problem) => problem,
            None => return internal_error_page(&error),
        },
    };
    respond(&app, &signed_in, status, false, Some(problem)).await
}

async fn changed(
    app: &App,
    signed_in: &SignedIn,
    (session, client): (&str, ClientAddress),
    form: &Form,
) -> error::Result<Option<NewSession>> {
    let owner = PasswordOwner {
        caller: &signed_in.caller(),
        session,
        client: &client.subject(),
    };
    sign_in::change_password(app, owner, &form.current, &form.password).await
}

async fn respond(
    app: &App,
    signed_in: &SignedIn,
    status: StatusCode,
    is_changed: bool,
    problem: Option<String>,
) -> Response {
    let has_password = match sign_in::has_password(app, &signed_in.caller()).await {
        Ok(has_password) => has_password,
        Err(error) => return internal_error_page(&error),
    };
    let password = PasswordPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Password,
        has_password,
        is_changed,
        problem,
    };
    page(status, &password)
}

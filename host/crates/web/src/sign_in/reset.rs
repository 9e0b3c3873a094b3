//! `/reset/{token}`: a page that sets a new password, by a link that works once.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;

use super::{START, proceed};
use crate::problem;
use linepress_accounts::sign_in;
use linepress_http::form::AnonymousForm;
use linepress_http::html::{error_page, internal_error_page, page};
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "sign_in/reset.html")]
struct ResetPage<'a> {
    email: &'a str,
    problem: Option<String>,
}

pub(super) async fn show(State(app): State<App>, token: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(token)) = token else { return spent(&app) };
    match sign_in::account_of_password_reset(&app, &token).await {
        Ok(Some(account)) => page(
            StatusCode::OK,
            &ResetPage {
                email: &account.email,
                problem: None,
            },
        ),
        Ok(None) => spent(&app),
        Err(error) => internal_error_page(&error),
    }
}

#[derive(Deserialize)]
pub(super) struct Form {
    password: String,
}

pub(super) async fn submit(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    AnonymousForm(form): AnonymousForm<Form>,
) -> Response {
    let Ok(Path(token)) = token else { return spent(&app) };
    let account = match sign_in::account_of_password_reset(&app, &token).await {
        Ok(Some(account)) => account,
        Ok(None) => return spent(&app),
        Err(error) => return internal_error_page(&error),
    };
    let error = match sign_in::reset_password(&app, &token, &form.password).await {
        Ok(Some(signed_in)) => return proceed(&app, &headers, &signed_in, START).await,
        Ok(None) => return spent(&app),
        Err(error) => error,
    };
    let Some((status, problem)) = problem::for_user(&error) else {
        return internal_error_page(&error);
    };
    let again = ResetPage {
        email: &account.email,
        problem: Some(problem),
    };
    page(status, &again)
}

/// The response to a link that was used, has expired, or never existed.
fn spent(app: &App) -> Response {
    let advice = match app.config.mail.is_on() {
        true => "It has been used, or it is older than a day. Ask for a new one on the sign-in page.",
        false => "It has been used, or it is older than a day. Ask the operator of this server for a new one.",
    };
    error_page(StatusCode::NOT_FOUND, "This link does not work", advice)
}

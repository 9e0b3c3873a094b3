//! `/sign-up`: creating an account, if the operator allows sign-up.
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::{START, welcome};
use crate::problem;
use linepress_accounts::sign_in;
use linepress_http::client_address::ClientAddress;
use linepress_http::form::AnonymousForm;
use linepress_http::html::{error_page, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "sign_in/sign_up.html")]
struct SignUpPage<'a> {
    email: &'a str,
    /// True if the server sends mail.
    has_mail: bool,
    problem: Option<String>,
}

pub(super) async fn show(State(app): State<App>, signed_in: Option<SignedIn>) -> Response {
    if signed_in.is_some() {
        return Redirect::to(START).into_response();
    }
    if !app.config.sign_up {
        return closed();
    }
    let sign_up = SignUpPage {
        email: "",
        has_mail: app.config.mail.is_on(),
        problem: None,
    };
    page(StatusCode::OK, &sign_up)
}

#[derive(Deserialize)]
pub(super) struct Form {
    email: String,
    password: String,
}

pub(super) async fn submit(
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    AnonymousForm(form): AnonymousForm<Form>,
) -> Response {
    if !app.config.sign_up {
        return closed();
    }
    let error = match sign_in::sign_up(&app, &form.email, &form.password, &client.subject()).await {
        Ok(session) => {
            // The account page says that the address is to be confirmed.
            let to = if app.config.mail.is_on() { "/account" } else { START };
            return welcome(&app, &headers, &session, to).await;
        }
        Err(error) => error,
    };
    let Some((status, problem)) = problem::for_user(&error) else {
        return internal_error_page(&error);
    };
    let again = SignUpPage {
        email: &form.email,
        has_mail: app.config.mail.is_on(),
        problem: Some(problem),
    };
    problem::with_retry_after(page(status, &again), error.retry_after())
}

fn closed() -> Response {
    error_page(
        StatusCode::FORBIDDEN,
        "You cannot sign up on this server",
        "Ask the operator of this server to create an account for you.",
    )
}

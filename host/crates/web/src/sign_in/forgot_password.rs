//! `/forgot-password`: asks for a mail with a link that sets a new password, on a server that sends mail.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use crate::problem;
use linepress_accounts::sign_in;
use linepress_http::client_address::ClientAddress;
use linepress_http::form::AnonymousForm;
use linepress_http::html::{internal_error_page, not_found_page, page};
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "sign_in/forgot_password.html")]
struct ForgotPasswordPage<'a> {
    email: &'a str,
    /// True after a request. It is shown whether or not the address has an account.
    is_sent: bool,
    problem: Option<String>,
}

pub(super) async fn show(State(app): State<App>) -> Response {
    if !app.config.mail.is_on() {
        return not_found_page();
    }
    let empty = ForgotPasswordPage {
        email: "",
        is_sent: false,
        problem: None,
    };
    page(StatusCode::OK, &empty)
}

#[derive(Deserialize)]
pub(super) struct Form {
    email: String,
}

pub(super) async fn submit(
    State(app): State<App>,
    client: ClientAddress,
    AnonymousForm(form): AnonymousForm<Form>,
) -> Response {
    if !app.config.mail.is_on() {
        return not_found_page();
    }
    let email = form.email.trim();
    let Err(error) = sign_in::request_password_link(&app, email, &client.subject()).await else {
        let sent = ForgotPasswordPage {
            email,
            is_sent: true,
            problem: None,
        };
        return page(StatusCode::OK, &sent);
    };
    let Some((status, problem)) = problem::for_user(&error) else {
        return internal_error_page(&error);
    };
    let again = ForgotPasswordPage {
        email,
        is_sent: false,
        problem: Some(problem),
    };
    problem::with_retry_after(page(status, &again), error.retry_after())
}

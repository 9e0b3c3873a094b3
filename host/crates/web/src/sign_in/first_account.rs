//! `/first-account/{token}`: the page behind the link that a server without accounts prints when it starts.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;

use super::{START, welcome};
use crate::problem;
use linepress_accounts::credits::pricing;
use linepress_accounts::sign_in::{self, FirstAccount};
use linepress_http::client_address::ClientAddress;
use linepress_http::form::AnonymousForm;
use linepress_http::html::{error_page, internal_error_page, page};
use linepress_operator::administration::accounts;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;

/// The suggested number of credits: enough to try everything.
const CREDITS: &str = "100";

#[derive(Template)]
#[template(path = "sign_in/first_account.html")]
struct FirstAccountPage<'a> {
    email: &'a str,
    credits: &'a str,
    page_price: String,
    problem: Option<String>,
}

pub(super) async fn show(State(app): State<App>, token: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(token)) = token else { return spent() };
    match sign_in::opens_first_account(&app, &token).await {
        Ok(true) => page(
            StatusCode::OK,
            &FirstAccountPage {
                email: "",
                credits: CREDITS,
                page_price: pricing::credits(pricing::PAGE),
                problem: None,
            },
        ),
        Ok(false) => spent(),
        Err(error) => internal_error_page(&error),
    }
}

#[derive(Deserialize)]
pub(super) struct Form {
    email: String,
    password: String,
    credits: String,
}

pub(super) async fn submit(
    State(app): State<App>,
    token: Result<Path<String>, PathRejection>,
    client: ClientAddress,
    headers: HeaderMap,
    AnonymousForm(form): AnonymousForm<Form>,
) -> Response {
    let Ok(Path(token)) = token else { return spent() };
    let made = match form.credits.trim().parse() {
        Ok(credits) if credits >= 0 => {
            let first = FirstAccount {
                email: &form.email,
                password: &form.password,
                credits,
            };
            accounts::create_first(&app, &token, &first, client.0).await
        }
        _ => Err(Error::invalid_field(
            Field::credits(),
            "must be a whole number, 0 or more",
        )),
    };
    let error = match made {
        Ok(Some(session)) => return welcome(&app, &headers, &session, START).await,
        Ok(None) => return spent(),
        Err(error) => error,
    };
    let Some((status, problem)) = problem::for_user(&error) else {
        return internal_error_page(&error);
    };
    let again = FirstAccountPage {
        email: &form.email,
        credits: &form.credits,
        page_price: pricing::credits(pricing::PAGE),
        problem: Some(problem),
    };
    page(status, &again)
}

fn spent() -> Response {
    error_page(
        StatusCode::NOT_FOUND,
        "This link does not work",
        "It works once, for a day, and only while there is no account. A server without accounts prints a new link when it is started.",
    )
}

//! `/sign-in/code`: the code that completes a sign-in to an account with a second factor.
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;
use url::form_urlencoded::Serializer;

use super::{START, welcome};
use crate::problem;
use linepress_accounts::sign_in::second_factor::{self, Completion, PendingSignIn};
use linepress_http::client_address::ClientAddress;
use linepress_http::form::AnonymousForm;
use linepress_http::html::{error_page, internal_error_page, page};
use linepress_http::return_to::local_path;
use linepress_http::session_cookie::{forget_pending_sign_in, keep_pending_sign_in, pending_sign_in_token};
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "sign_in/code.html")]
struct CodePage<'a> {
    return_to: &'a str,
    problem: Option<String>,
}

/// Redirects to the form for the code, which the browser's cookie connects with the pending sign-in.
pub(super) fn ask(app: &App, pending: &PendingSignIn, to: &str) -> Response {
    keep_pending_sign_in(app, &pending.token, redirect("/sign-in/code", to))
}

/// Redirects to a page of the sign-in, which returns the person to `to` afterwards.
fn redirect(page: &str, to: &str) -> Response {
    if to.is_empty() || to == START {
        return Redirect::to(page).into_response();
    }
    let mut query = Serializer::new(String::new());
    query.append_pair("return_to", to);
    Redirect::to(&format!("{page}?{}", query.finish())).into_response()
}

#[derive(Deserialize)]
pub(super) struct Way {
    #[serde(default)]
    return_to: String,
}

pub(super) async fn show(
    State(app): State<App>,
    headers: HeaderMap,
    way: Result<Query<Way>, QueryRejection>,
) -> Response {
    let wanted = way.map(|Query(way)| way.return_to).unwrap_or_default();
    let return_to = local_path(&app, &wanted).unwrap_or_default();
    let token = pending_sign_in_token(&app, &headers).unwrap_or_default();
    match second_factor::is_pending(&app, &token).await {
        Ok(true) => {
            let code = CodePage {
                return_to,
                problem: None,
            };
            page(StatusCode::OK, &code)
        }
        Ok(false) => redirect("/sign-in", return_to),
        Err(error) => internal_error_page(&error),
    }
}

#[derive(Deserialize)]
pub(super) struct Form {
    code: String,
    #[serde(default)]
    return_to: String,
}

pub(super) async fn submit(
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    AnonymousForm(form): AnonymousForm<Form>,
) -> Response {
    let return_to = local_path(&app, &form.return_to).unwrap_or_default();
    let token = pending_sign_in_token(&app, &headers).unwrap_or_default();
    let completion = second_factor::complete_sign_in(&app, &token, &form.code, &client.subject()).await;
    let (status, problem, retry_after) = match completion {
        Ok(Completion::SignedIn(session)) => {
            let response = welcome(&app, &headers, &session, return_to).await;
            return forget_pending_sign_in(&app, response);
        }
        Ok(Completion::NotPending) => return forget_pending_sign_in(&app, not_pending()),
        Ok(Completion::WrongCode) => {
            let problem = "The code is wrong, or it was used before.";
            (StatusCode::UNPROCESSABLE_ENTITY, problem.into(), None)
        }
        Err(error) => match problem::for_user(&error) {
            Some((status, problem)) => (status, problem, error.retry_after()),
            None => return internal_error_page(&error),
        },
    };
    let again = CodePage {
        return_to,
        problem: Some(problem),
    };
    problem::with_retry_after(page(status, &again), retry_after)
}

fn not_pending() -> Response {
    let minutes = second_factor::PENDING_LIFETIME.as_secs() / 60;
    let advice = format!(
        "This sign-in is older than {minutes} minutes, was ended already, or was begun in another browser. Please begin once more."
    );
    error_page(StatusCode::BAD_REQUEST, "You are not signed in", &advice)
}

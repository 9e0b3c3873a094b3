//! `/sign-in`: by e-mail address and password.
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use crate::app::App;
use crate::error::ErrorKind;
use crate::http::ErrorCode;
use crate::http::client_address::ClientAddress;
use crate::http::form::AnonymousForm;
use crate::http::html::{failed, page};
use crate::http::return_to::local_path;
use crate::http::session::SignedIn;
use crate::http::session_cookie as session;
use crate::sign_in;

/// Where a browser goes that was on its way to nowhere.
pub(super) const START: &str = "/";

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    email: &'a str,
    return_to: &'a str,
    problem: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Way {
    #[serde(default)]
    return_to: String,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: Option<SignedIn>,
    way: Result<Query<Way>, QueryRejection>,
) -> Response {
    let wanted = way.map(|Query(way)| way.return_to).unwrap_or_default();
    let return_to = local_path(&app, &wanted).unwrap_or_default();
    if signed_in.is_some() {
        return Redirect::to(if return_to.is_empty() { START } else { return_to }).into_response();
    }
    let sign_in = SignInPage {
        email: "",
        return_to,
        problem: None,
    };
    page(StatusCode::OK, &sign_in)
}

#[derive(Deserialize)]
pub(super) struct Form {
    email: String,
    password: String,
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
    let again = |status, problem: String| {
        let sign_in = SignInPage {
            email: &form.email,
            return_to,
            problem: Some(problem),
        };
        page(status, &sign_in)
    };
    match sign_in::with_password(&app, &form.email, &form.password, &client.subject()).await {
        Ok(Some(session)) => {
            // Whatever session the browser had before ends: nobody can have put it there for later.
            if let Some(before) = session::session_token(&app, &headers)
                && let Err(error) = sign_in::end(&app, &before).await
            {
                return failed(&error);
            }
            let to = if return_to.is_empty() { START } else { return_to };
            session::begun(&app, &session, Redirect::to(to).into_response())
        }
        Ok(None) => again(
            StatusCode::UNPROCESSABLE_ENTITY,
            "The e-mail address and the password do not belong together.".into(),
        ),
        Err(error) => match &error.kind {
            ErrorKind::RateLimited { .. } | ErrorKind::Overloaded { .. } => {
                let status = ErrorCode::from(&error).status();
                again(status, format!("{error} Try again in a while."))
            }
            _ => failed(&error),
        },
    }
}

//! `/sign-in`: sign-in by e-mail address and password.
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;
use url::form_urlencoded::byte_serialize;

use super::{START, proceed};
use crate::problem;
use linepress_accounts::sign_in;
use linepress_http::client_address::ClientAddress;
use linepress_http::form::AnonymousForm;
use linepress_http::html::{internal_error_page, page};
use linepress_http::return_to::local_path;
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::maintenance;

#[derive(Template)]
#[template(path = "sign_in/sign_in.html")]
struct SignInPage<'a> {
    email: &'a str,
    return_to: &'a str,
    /// True if the visitor had a session that has ended.
    ended: bool,
    /// True if visitors may sign up.
    sign_up: bool,
    provider: Option<ProviderButton<'a>>,
    /// True if the server sends mail.
    has_mail: bool,
    problem: Option<String>,
}

/// The link to an OpenID Connect provider.
struct ProviderButton<'a> {
    name: &'a str,
    url: String,
}

impl<'a> ProviderButton<'a> {
    fn from_config(app: &'a App, return_to: &str) -> Option<Self> {
        let oidc = app.config.sign_in.oidc.as_ref()?;
        let return_to: String = byte_serialize(return_to.as_bytes()).collect();
        Some(Self {
            name: &oidc.name,
            url: format!("/sign-in/provider?return_to={return_to}"),
        })
    }
}

#[derive(Deserialize)]
pub(super) struct Way {
    #[serde(default)]
    return_to: String,
    #[serde(default)]
    ended: String,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: Option<SignedIn>,
    way: Result<Query<Way>, QueryRejection>,
) -> Response {
    let (wanted, ended) = way.map(|Query(way)| (way.return_to, way.ended)).unwrap_or_default();
    let return_to = local_path(&app, &wanted).unwrap_or_default();
    if signed_in.is_some() {
        return Redirect::to(if return_to.is_empty() { START } else { return_to }).into_response();
    }
    let maintenance = match maintenance::current(&app).await {
        Ok(maintenance) => maintenance,
        Err(error) => return internal_error_page(&error),
    };
    let sign_in = SignInPage {
        email: "",
        return_to,
        ended: ended == "yes",
        sign_up: app.config.sign_up,
        provider: ProviderButton::from_config(&app, return_to),
        has_mail: app.config.mail.is_on(),
        problem: maintenance.map(|maintenance| maintenance.notice()),
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
    let (status, problem, retry_after) =
        match sign_in::with_password(&app, &form.email, &form.password, &client.subject()).await {
            Ok(Some(signed_in)) => return proceed(&app, &headers, &signed_in, return_to).await,
            Ok(None) => {
                let problem = "The e-mail address or the password is wrong.";
                (StatusCode::UNPROCESSABLE_ENTITY, problem.into(), None)
            }
            Err(error) => match problem::for_user(&error) {
                Some((status, problem)) => (status, problem, error.retry_after()),
                None => return internal_error_page(&error),
            },
        };
    let again = SignInPage {
        email: &form.email,
        return_to,
        ended: false,
        sign_up: app.config.sign_up,
        provider: ProviderButton::from_config(&app, return_to),
        has_mail: app.config.mail.is_on(),
        problem: Some(problem),
    };
    problem::with_retry_after(page(status, &again), retry_after)
}

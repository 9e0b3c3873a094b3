//! `/account/second-factor`: turns the second factor on and off.
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Redirect, Response};
use serde::Deserialize;

use super::Tab;
use crate::problem;
use crate::qr_code::QrCode;
use crate::when::When;
use linepress_accounts::accounts;
use linepress_accounts::sign_in;
use linepress_accounts::sign_in::second_factor::{self, Confirmation, Enrolment, RecoveryCode};
use linepress_http::client_address::ClientAddress;
use linepress_http::form::CsrfForm;
use linepress_http::html::{Frame, Section, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_http::session_cookie::session_token;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

#[derive(Template)]
#[template(path = "account/second_factor.html")]
struct SecondFactorPage {
    frame: Frame,
    tab: Tab,
    has_password: bool,
    /// True if the address of the account was never verified.
    is_unverified: bool,
    /// The time since which the second factor is on.
    since: Option<When>,
    recovery_codes: i64,
    news: News,
    problem: Option<String>,
}

/// The secrets that a form made. They are shown in its response only.
enum News {
    None,
    Begun(NewSecret),
    Confirmed(Vec<RecoveryCode>),
    TurnedOff,
}

/// A secret that awaits its confirmation.
struct NewSecret {
    /// The secret in groups of four letters.
    text: String,
    url: String,
    qr_code: QrCode,
}

impl NewSecret {
    fn new(enrolment: Enrolment) -> Result<Self> {
        const GROUP_LETTERS: usize = 4;
        let letters: Vec<char> = enrolment.secret.chars().collect();
        let groups = letters.chunks(GROUP_LETTERS).map(String::from_iter);
        Ok(Self {
            text: groups.collect::<Vec<_>>().join(" "),
            qr_code: QrCode::new(&enrolment.url)?,
            url: enrolment.url,
        })
    }
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn) -> Response {
    respond(&app, &signed_in, StatusCode::OK, News::None, None).await
}

/// Redirects from the address of a form to the page.
pub(super) async fn to_page(_: SignedIn) -> Redirect {
    Redirect::to("/account/second-factor")
}

#[derive(Deserialize)]
pub(super) struct BeginForm {
    password: String,
}

/// Makes a secret. Shows it in this response rather than after a redirect, so that no address leads to it.
pub(super) async fn begin(
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    CsrfForm { signed_in, form }: CsrfForm<BeginForm>,
) -> Response {
    let session = session_token(&app, &headers).unwrap_or_default();
    let (caller, client) = (signed_in.caller(), client.subject());
    let begun = second_factor::begin_enrolment(&app, &caller, &session, &form.password, &client).await;
    match begun.and_then(|enrolment| enrolment.map(NewSecret::new).transpose()) {
        Ok(Some(secret)) => respond(&app, &signed_in, StatusCode::OK, News::Begun(secret), None).await,
        Ok(None) => {
            refuse(
                &app,
                &signed_in,
                News::None,
                "The password is wrong. Nothing was changed.",
            )
            .await
        }
        Err(error) => explain(&app, &signed_in, &error).await,
    }
}

#[derive(Deserialize)]
pub(super) struct ConfirmForm {
    code: String,
}

/// Turns the second factor on. Shows the recovery codes in this response, because they are not stored.
pub(super) async fn confirm(
    State(app): State<App>,
    headers: HeaderMap,
    CsrfForm { signed_in, form }: CsrfForm<ConfirmForm>,
) -> Response {
    let wrong = "The code is wrong. Enter the code that the app shows now, and check the time of its device.";
    let late = "This took too long, was done already, or was begun in another browser. Begin once more.";
    let session = session_token(&app, &headers).unwrap_or_default();
    let confirmed = second_factor::confirm(&app, &signed_in.caller(), &session, &form.code).await;
    match confirmed {
        Ok(Confirmation::Confirmed(codes)) => {
            respond(&app, &signed_in, StatusCode::OK, News::Confirmed(codes), None).await
        }
        Ok(Confirmation::WrongCode(enrolment)) => match NewSecret::new(enrolment) {
            Ok(secret) => refuse(&app, &signed_in, News::Begun(secret), wrong).await,
            Err(error) => internal_error_page(&error),
        },
        Ok(Confirmation::NotBegun) => refuse(&app, &signed_in, News::None, late).await,
        Err(error) => explain(&app, &signed_in, &error).await,
    }
}

#[derive(Deserialize)]
pub(super) struct TurnOffForm {
    password: String,
    code: String,
}

pub(super) async fn turn_off(
    State(app): State<App>,
    client: ClientAddress,
    CsrfForm { signed_in, form }: CsrfForm<TurnOffForm>,
) -> Response {
    let TurnOffForm { password, code } = form;
    match second_factor::turn_off(&app, &signed_in.caller(), &password, &code, &client.subject()).await {
        Ok(true) => respond(&app, &signed_in, StatusCode::OK, News::TurnedOff, None).await,
        Ok(false) => {
            let problem = "The password or the code is wrong. Nothing was changed.";
            refuse(&app, &signed_in, News::None, problem).await
        }
        Err(error) => explain(&app, &signed_in, &error).await,
    }
}

async fn refuse(app: &App, signed_in: &SignedIn, news: News, problem: &str) -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    respond(app, signed_in, status, news, Some(problem.into())).await
}

async fn explain(app: &App, signed_in: &SignedIn, error: &Error) -> Response {
    match problem::for_user(error) {
        Some((status, problem)) => {
            let response = respond(app, signed_in, status, News::None, Some(problem)).await;
            problem::with_retry_after(response, error.retry_after())
        }
        None => internal_error_page(error),
    }
}

async fn respond(app: &App, signed_in: &SignedIn, status: StatusCode, news: News, problem: Option<String>) -> Response {
    match second_factor_page(app, signed_in, news, problem).await {
        Ok(view) => page(status, &view),
        Err(error) => internal_error_page(&error),
    }
}

async fn second_factor_page(
    app: &App,
    signed_in: &SignedIn,
    news: News,
    problem: Option<String>,
) -> Result<SecondFactorPage> {
    let caller = signed_in.caller();
    let current = second_factor::status(app, &caller).await?;
    Ok(SecondFactorPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::SecondFactor,
        has_password: sign_in::has_password(app, &caller).await?,
        is_unverified: accounts::unverified_since(app, &signed_in.account).await?.is_some(),
        since: current.since.map(When::new),
        recovery_codes: current.recovery_codes,
        news,
        problem,
    })
}

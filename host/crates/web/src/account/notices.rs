//! `/account/notices` and `/account/verification`: forms of the overview about the mails to the account's owner.
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::Revocation;
use crate::problem;
use linepress_accounts::sign_in;
use linepress_http::form::CsrfForm;
use linepress_http::html::{error_page, internal_error_page};
use linepress_operator::mailing::{self, NoticeSettings};
use linepress_platform::app::App;

/// The checkboxes. A browser sends only those that are checked.
#[derive(Deserialize)]
pub(super) struct Form {
    book_ready: Option<String>,
    low_credits: Option<String>,
}

pub(super) async fn change(State(app): State<App>, CsrfForm { signed_in, form }: CsrfForm<Form>) -> Response {
    let settings = NoticeSettings {
        book_ready: form.book_ready.is_some(),
        low_credits: form.low_credits.is_some(),
    };
    match mailing::change_notices(&app, &signed_in.caller(), settings).await {
        Ok(()) => Redirect::to("/account?saved=yes#notices").into_response(),
        Err(error) => internal_error_page(&error),
    }
}

/// Sends another link that verifies the address.
pub(super) async fn send_verification(
    State(app): State<App>,
    CsrfForm { signed_in, .. }: CsrfForm<Revocation>,
) -> Response {
    match sign_in::request_verification(&app, &signed_in.caller()).await {
        Ok(()) => Redirect::to("/account?sent=yes").into_response(),
        Err(error) => match problem::for_user(&error) {
            Some((status, problem)) => {
                let refused = error_page(status, "That was not sent", &problem);
                problem::with_retry_after(refused, error.retry_after())
            }
            None => internal_error_page(&error),
        },
    }
}

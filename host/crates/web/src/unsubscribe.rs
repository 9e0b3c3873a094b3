//! `/unsubscribe/{token}`: switches off the notices that a mail belongs to, without a sign-in. Mail programs send the
//! form themselves (RFC 8058); opening the link changes nothing, because programs that check mails open the links in
//! them.
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use linepress_http::html::{internal_error_page, not_found_page, page};
use linepress_operator::mailing::{self, Notice};
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct UnsubscribePage {
    /// The subject of the notices, after "mails" and "an e-mail".
    about: &'static str,
    is_done: bool,
}

impl UnsubscribePage {
    fn new(notice: Notice, is_done: bool) -> Self {
        let about = match notice {
            Notice::BookReady => "when a book is drawn",
            Notice::LowCredits => "when your credits are running low",
        };
        Self { about, is_done }
    }
}

pub(super) async fn show(State(app): State<App>, token: Result<Path<String>, PathRejection>) -> Response {
    let notice = token.ok().and_then(|Path(token)| mailing::notice_of_link(&app, &token));
    match notice {
        Some(notice) => page(StatusCode::OK, &UnsubscribePage::new(notice, false)),
        None => not_found_page(),
    }
}

pub(super) async fn submit(State(app): State<App>, token: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(token)) = token else {
        return not_found_page();
    };
    let Some(notice) = mailing::notice_of_link(&app, &token) else {
        return not_found_page();
    };
    match mailing::unsubscribe(&app, &token).await {
        Ok(true) => page(StatusCode::OK, &UnsubscribePage::new(notice, true)),
        Ok(false) => not_found_page(),
        Err(error) => internal_error_page(&error),
    }
}

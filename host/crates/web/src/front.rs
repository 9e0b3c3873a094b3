//! `/`: the introduction for visitors who are not signed in.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use linepress_http::html::page;
use linepress_http::session::SignedIn;
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "front.html")]
struct FrontPage {
    /// True if visitors may sign up.
    sign_up: bool,
}

pub(super) async fn show(State(app): State<App>, signed_in: Option<SignedIn>) -> Response {
    if signed_in.is_some() {
        return Redirect::to("/library").into_response();
    }
    let front = FrontPage {
        sign_up: app.config.sign_up,
    };
    page(StatusCode::OK, &front)
}

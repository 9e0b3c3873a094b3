//! Pages about the account itself, which are available on every plan.
mod apps;
mod keys;
mod notices;
mod overview;
mod password;
mod second_factor;

use axum::Router;
use axum::routing::{get, post};
use serde::Deserialize;

use linepress_core::app::App;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/account", get(overview::show))
        .route("/account/password", get(password::show).post(password::submit))
        .route(
            "/account/second-factor",
            get(second_factor::show).post(second_factor::begin),
        )
        .route(
            "/account/second-factor/confirm",
            post(second_factor::confirm).get(second_factor::to_page),
        )
        .route(
            "/account/second-factor/off",
            post(second_factor::turn_off).get(second_factor::to_page),
        )
        .route("/account/notices", post(notices::change))
        .route("/account/verification", post(notices::send_verification))
        .route("/account/apps", get(apps::show))
        .route("/account/apps/{id}/revoke", get(apps::ask).post(apps::revoke))
        .route("/account/keys", get(keys::show).post(keys::create))
        .route("/account/keys/{id}/revoke", get(keys::ask).post(keys::revoke))
}

/// The pages about the account, for the links between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Overview,
    Keys,
    Apps,
    Password,
    SecondFactor,
}

/// A form with no field except the CSRF token.
#[derive(Deserialize)]
struct Revocation {}

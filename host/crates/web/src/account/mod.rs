//! Pages about the account itself, which are available on every plan.
mod apps;
mod key_form;
mod key_words;
mod keys;
mod notices;
mod overview;
mod password;
mod requests;
mod second_factor;
mod statements;
mod webhook;
mod webhooks;

use axum::Router;
use axum::routing::{get, post};
use serde::Deserialize;

use linepress_platform::app::App;

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
        .route(
            "/account/apps/{id}/limit",
            get(apps::ask_for_limit).post(apps::change_limit),
        )
        .route("/account/webhooks", get(webhooks::show).post(webhooks::create))
        .route("/account/webhooks/{id}", get(webhook::show).post(webhook::update))
        .route(
            "/account/webhooks/{id}/test",
            post(webhook::test).get(webhook::to_webhook),
        )
        .route(
            "/account/webhooks/{id}/pause",
            post(webhook::pause).get(webhook::to_webhook),
        )
        .route(
            "/account/webhooks/{id}/secret",
            post(webhook::rotate).get(webhook::to_webhook),
        )
        .route(
            "/account/webhooks/{id}/delete",
            post(webhook::delete).get(webhook::to_webhook),
        )
        .route(
            "/account/webhooks/{id}/deliveries/{delivery_id}/replay",
            post(webhook::replay).get(webhook::to_webhook_of_delivery),
        )
        .route("/account/ledger.csv", get(statements::ledger))
        .route("/account/usage.csv", get(statements::usage))
        .route("/account/requests", get(requests::show))
        .route("/account/keys", get(keys::show).post(keys::create))
        .route("/account/keys/{id}/revoke", get(keys::ask).post(keys::revoke))
        .route("/account/keys/{id}/rotate", get(keys::ask_to_rotate).post(keys::rotate))
}

/// The pages about the account, for the links between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Overview,
    Keys,
    Webhooks,
    Requests,
    Apps,
    Password,
    SecondFactor,
}

/// A form with no field except the CSRF token.
#[derive(Deserialize)]
struct Revocation {}

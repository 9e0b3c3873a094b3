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

use linepress_http::handler::handler;
use linepress_platform::app::App;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/account", get(handler(overview::show)))
        .route(
            "/account/password",
            get(handler(password::show)).post(handler(password::submit)),
        )
        .route(
            "/account/second-factor",
            get(handler(second_factor::show)).post(handler(second_factor::begin)),
        )
        .route(
            "/account/second-factor/confirm",
            post(handler(second_factor::confirm)).get(handler(second_factor::to_page)),
        )
        .route(
            "/account/second-factor/off",
            post(handler(second_factor::turn_off)).get(handler(second_factor::to_page)),
        )
        .route("/account/notices", post(handler(notices::change)))
        .route("/account/verification", post(handler(notices::send_verification)))
        .route("/account/apps", get(handler(apps::show)))
        .route(
            "/account/apps/{id}/revoke",
            get(handler(apps::ask)).post(handler(apps::revoke)),
        )
        .route(
            "/account/apps/{id}/limit",
            get(handler(apps::ask_for_limit)).post(handler(apps::change_limit)),
        )
        .route(
            "/account/webhooks",
            get(handler(webhooks::show)).post(handler(webhooks::create)),
        )
        .route(
            "/account/webhooks/{id}",
            get(handler(webhook::show)).post(handler(webhook::update)),
        )
        .route(
            "/account/webhooks/{id}/test",
            post(handler(webhook::test)).get(handler(webhook::to_webhook)),
        )
        .route(
            "/account/webhooks/{id}/pause",
            post(handler(webhook::pause)).get(handler(webhook::to_webhook)),
        )
        .route(
            "/account/webhooks/{id}/secret",
            post(handler(webhook::rotate)).get(handler(webhook::to_webhook)),
        )
        .route(
            "/account/webhooks/{id}/delete",
            post(handler(webhook::delete)).get(handler(webhook::to_webhook)),
        )
        .route(
            "/account/webhooks/{id}/deliveries/{delivery_id}/replay",
            post(handler(webhook::replay)).get(handler(webhook::to_webhook_of_delivery)),
        )
        .route("/account/ledger.csv", get(handler(statements::ledger)))
        .route("/account/usage.csv", get(handler(statements::usage)))
        .route("/account/requests", get(handler(requests::show)))
        .route("/account/keys", get(handler(keys::show)).post(handler(keys::create)))
        .route(
            "/account/keys/{id}/revoke",
            get(handler(keys::ask)).post(handler(keys::revoke)),
        )
        .route(
            "/account/keys/{id}/rotate",
            get(handler(keys::ask_to_rotate)).post(handler(keys::rotate)),
        )
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

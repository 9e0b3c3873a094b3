//! `/admin`: the server, for its operators. There is one file per address, or per form.
mod account;
mod account_changes;
mod accounts;
mod audit_log;
mod audit_words;
mod backups;
mod health;
mod listing;
mod operation;
mod operation_words;
mod operations;
mod operator;
mod password_link;
mod plugin_calls;
mod plugins;
mod providers;
mod settings;
mod words;

use axum::Router;
use axum::response::Redirect;
use axum::routing::{get, post};

use linepress_http::handler::handler;
use linepress_platform::app::App;
use operator::Operator;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/admin", get(handler(start)))
        .merge(of_accounts())
        .merge(of_operations())
        .merge(of_providers())
        .merge(of_plugins())
        .route("/admin/health", get(handler(health::show)))
        .route("/admin/settings", get(handler(settings::show)))
        .route(
            "/admin/backups",
            get(handler(backups::show)).post(handler(backups::request)),
        )
        .route("/admin/audit-log", get(handler(audit_log::show)))
}

fn of_accounts() -> Router<App> {
    Router::new()
        .route(
            "/admin/accounts",
            get(handler(accounts::show)).post(handler(accounts::invite)),
        )
        .route("/admin/accounts/new", get(handler(accounts::show_new)))
        .route("/admin/accounts/{id}", get(handler(account::show)))
        .route(
            "/admin/accounts/{id}/limits",
            post(handler(account_changes::set_limits)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/plan",
            post(handler(account_changes::set_plan)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/role",
            post(handler(account_changes::set_role)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/credits",
            post(handler(account_changes::add_credits)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/withdrawal",
            post(handler(account_changes::withdraw_credits)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/password-link",
            post(handler(account_changes::offer_password_link)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/reset-second-factor",
            post(handler(account_changes::reset_second_factor)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/suspend",
            post(handler(account_changes::suspend)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/resume",
            post(handler(account_changes::resume)).get(handler(account::to_account)),
        )
        .route(
            "/admin/accounts/{id}/close",
            post(handler(account_changes::close)).get(handler(account::to_account)),
        )
}

fn of_operations() -> Router<App> {
    Router::new()
        .route("/admin/operations", get(handler(operations::show)))
        .route(
            "/admin/queue/pause",
            post(handler(operations::pause)).get(handler(operations::to_list)),
        )
        .route(
            "/admin/queue/resume",
            post(handler(operations::resume)).get(handler(operations::to_list)),
        )
        .route("/admin/operations/{id}", get(handler(operation::show)))
        .route(
            "/admin/operations/{id}/cancel",
            post(handler(operation::cancel)).get(handler(operation::to_operation)),
        )
        .route(
            "/admin/operations/{id}/retry",
            post(handler(operation::retry)).get(handler(operation::to_operation)),
        )
}

fn of_providers() -> Router<App> {
    Router::new()
        .route("/admin/providers", get(handler(providers::show)))
        .route(
            "/admin/providers/{id}/off",
            post(handler(providers::switch_off)).get(handler(providers::to_list)),
        )
        .route(
            "/admin/providers/{id}/on",
            post(handler(providers::switch_on)).get(handler(providers::to_list)),
        )
        .route(
            "/admin/providers/{id}/end-pause",
            post(handler(providers::end_pause)).get(handler(providers::to_list)),
        )
}

fn of_plugins() -> Router<App> {
    Router::new()
        .route("/admin/plugins", get(handler(plugins::show)))
        .route(
            "/admin/plugins/{id}/allow",
            post(handler(plugins::allow)).get(handler(plugins::to_list)),
        )
        .route("/admin/plugins/{id}/calls", get(handler(plugin_calls::show)))
        .route(
            "/admin/plugins/{id}/deny",
            post(handler(plugins::deny)).get(handler(plugins::to_list)),
        )
        .route(
            "/admin/plugins/{id}/use",
            post(handler(plugins::use_plugin)).get(handler(plugins::to_list)),
        )
        .route(
            "/admin/plugins/{id}/stop-using",
            post(handler(plugins::stop_using)).get(handler(plugins::to_list)),
        )
        .route(
            "/admin/plugins/{id}/configure",
            post(handler(plugins::configure)).get(handler(plugins::to_list)),
        )
}

async fn start(_: Operator) -> Redirect {
    Redirect::to("/admin/accounts")
}

/// The pages about the server, for the links between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Accounts,
    Operations,
    Providers,
    Plugins,
    Health,
    Backups,
    Settings,
    AuditLog,
}

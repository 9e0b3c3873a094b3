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

use linepress_platform::app::App;
use operator::Operator;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/admin", get(start))
        .merge(of_accounts())
        .merge(of_operations())
        .merge(of_providers())
        .merge(of_plugins())
        .route("/admin/health", get(health::show))
        .route("/admin/settings", get(settings::show))
        .route("/admin/backups", get(backups::show).post(backups::request))
        .route("/admin/audit-log", get(audit_log::show))
}

fn of_accounts() -> Router<App> {
    Router::new()
        .route("/admin/accounts", get(accounts::show).post(accounts::invite))
        .route("/admin/accounts/new", get(accounts::show_new))
        .route("/admin/accounts/{id}", get(account::show))
        .route(
            "/admin/accounts/{id}/limits",
            post(account_changes::set_limits).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/plan",
            post(account_changes::set_plan).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/role",
            post(account_changes::set_role).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/credits",
            post(account_changes::add_credits).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/withdrawal",
            post(account_changes::withdraw_credits).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/password-link",
            post(account_changes::offer_password_link).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/reset-second-factor",
            post(account_changes::reset_second_factor).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/suspend",
            post(account_changes::suspend).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/resume",
            post(account_changes::resume).get(account::to_account),
        )
        .route(
            "/admin/accounts/{id}/close",
            post(account_changes::close).get(account::to_account),
        )
}

fn of_operations() -> Router<App> {
    Router::new()
        .route("/admin/operations", get(operations::show))
        .route("/admin/queue/pause", post(operations::pause).get(operations::to_list))
        .route("/admin/queue/resume", post(operations::resume).get(operations::to_list))
        .route("/admin/operations/{id}", get(operation::show))
        .route(
            "/admin/operations/{id}/cancel",
            post(operation::cancel).get(operation::to_operation),
        )
        .route(
            "/admin/operations/{id}/retry",
            post(operation::retry).get(operation::to_operation),
        )
}

fn of_providers() -> Router<App> {
    Router::new()
        .route("/admin/providers", get(providers::show))
        .route(
            "/admin/providers/{id}/off",
            post(providers::switch_off).get(providers::to_list),
        )
        .route(
            "/admin/providers/{id}/on",
            post(providers::switch_on).get(providers::to_list),
        )
        .route(
            "/admin/providers/{id}/end-pause",
            post(providers::end_pause).get(providers::to_list),
        )
}

fn of_plugins() -> Router<App> {
    Router::new()
        .route("/admin/plugins", get(plugins::show))
        .route("/admin/plugins/{id}/allow", post(plugins::allow).get(plugins::to_list))
        .route("/admin/plugins/{id}/calls", get(plugin_calls::show))
        .route("/admin/plugins/{id}/deny", post(plugins::deny).get(plugins::to_list))
        .route(
            "/admin/plugins/{id}/use",
            post(plugins::use_plugin).get(plugins::to_list),
        )
        .route(
            "/admin/plugins/{id}/stop-using",
            post(plugins::stop_using).get(plugins::to_list),
        )
        .route(
            "/admin/plugins/{id}/configure",
            post(plugins::configure).get(plugins::to_list),
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

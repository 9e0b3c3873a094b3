//! `/me`.
use axum::Extension;
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::document::CommonErrors;
use super::response::with_balance;
use linepress_accounts::caller::Caller;
use linepress_core::me::{self, AccountResource};
use linepress_http::Reply;
use linepress_platform::app::App;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct AccountReply {
    account: AccountResource,
}

/// The account's plan, credits, capabilities and limits.
#[utoipa::path(get, path = "/me", tag = "Account", operation_id = "get_account",
    responses((status = 200, description = "The account", body = AccountReply), CommonErrors))]
pub(super) async fn show(State(app): State<App>, Extension(caller): Extension<Caller>) -> Reply {
    let account = me::me(&app, &caller).await?;
    Ok(with_balance(account.credits.available, Json(AccountReply { account })))
}

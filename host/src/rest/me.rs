//! `/me`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::document::Refusals;
use super::reply::Reply;
use crate::accounts::{self, AccountResource};
use crate::app::App;
use crate::caller::Caller;

#[derive(Serialize, utoipa::ToSchema)]
pub struct AccountReply {
    account: AccountResource,
}

/// The account's plan, credits, capabilities and limits.
#[utoipa::path(get, path = "/me", tag = "Account", operation_id = "get_account",
    responses((status = 200, description = "The account", body = AccountReply), Refusals))]
pub async fn show(State(app): State<App>, caller: Caller) -> Reply<Json<AccountReply>> {
    Ok(Json(AccountReply {
        account: accounts::me(&app, &caller).await?,
    }))
}

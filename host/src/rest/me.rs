//! `/me`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::document::CommonErrors;
use crate::app::App;
use crate::caller::Caller;
use crate::http::Reply;
use crate::me::{self, AccountResource};

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct AccountReply {
    account: AccountResource,
}

/// The account's plan, credits, capabilities and limits.
#[utoipa::path(get, path = "/me", tag = "Account", operation_id = "get_account",
    responses((status = 200, description = "The account", body = AccountReply), CommonErrors))]
pub(super) async fn show(State(app): State<App>, caller: Caller) -> Reply<Json<AccountReply>> {
    Ok(Json(AccountReply {
        account: me::me(&app, &caller).await?,
    }))
}

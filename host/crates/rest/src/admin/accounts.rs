//! `/admin/accounts`.
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

use super::Operator;
use crate::addresses::account_location;
use crate::document::{
    AccountParameter, AdminActionErrors, AdminChangeErrors, AdminCreditErrors, AdminErrors, AdminListErrors,
    AdminResourceErrors, OptionalKey,
};
use crate::extract::{Body, ListParameters, NoBody, list_query, optional_key, query};
use crate::response::{Meta, replayable};
use linepress_accounts::caller::Caller;
use linepress_accounts::sign_in::PasswordLink;
use linepress_http::{PathId, Reply};
use linepress_operator::administration::GivenReason;
use linepress_operator::administration::accounts::{
    self, AccountChange, AccountUse, CreditBalance, CreditChange, ManagedAccount, NewAccount,
};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedAccountReply {
    managed_account: ManagedAccount,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedAccountsReply {
    managed_accounts: Vec<ManagedAccount>,
    meta: Meta,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AccountDetailsReply {
    managed_account: ManagedAccount,
    usage: AccountUse,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct InvitationReply {
    managed_account: ManagedAccount,
    password_link: PasswordLinkResource,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PasswordLinkReply {
    password_link: PasswordLinkResource,
}

/// A link with which an account's owner sets a password. It works once.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = PasswordLink)]
pub(crate) struct PasswordLinkResource {
    /// The address of the link. Send it to the owner only: it gives access to the account.
    #[schema(format = "uri")]
    url: String,
    /// The time after which the link is invalid.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

impl PasswordLinkResource {
    fn new(app: &App, link: &PasswordLink) -> Self {
        Self {
            url: format!("{}/reset/{}", app.config.public_url, link.token.expose()),
            expires_at: link.expires_at,
        }
    }
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CreditBalanceReply {
    balance: CreditBalance,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAccountBody {
    managed_account: NewAccount,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountChangeBody {
    managed_account: AccountChange,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AccountSearch {
    /// Only accounts whose email address contains this text or whose id it is.
    search: Option<String>,
}

/// The accounts of the server, newest first.
#[utoipa::path(get, path = "/admin/accounts", tag = "Administration", operation_id = "admin_list_accounts",
    params(ListParameters, AccountSearch),
    responses((status = 200, description = "One page of the list", body = ManagedAccountsReply), AdminListErrors))]
pub(crate) async fn list(
    State(app): State<App>,
    Operator(actor): Operator,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    search: Result<Query<AccountSearch>, QueryRejection>,
) -> Reply<Json<ManagedAccountsReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, AccountId::PREFIX)?;
    let search = query(search)?.search.unwrap_or_default();
    let page = accounts::list(&app, &actor, &search, &request).await?;
    Ok(Json(ManagedAccountsReply {
        meta: Meta::from(&page),
        managed_accounts: page.items,
    }))
}

/// Creates an account, and a link with which its owner sets a password.
#[utoipa::path(post, path = "/admin/accounts", tag = "Administration", operation_id = "admin_invite_account",
    request_body = NewAccountBody,
    responses((status = 201, description = "The account and the link", body = InvitationReply), AdminErrors))]
pub(crate) async fn invite(
    State(app): State<App>,
    Operator(actor): Operator,
    Body(body): Body<NewAccountBody>,
) -> Reply {
    let invitation = accounts::invite(&app, &actor, &body.managed_account).await;
    let invitation = invitation.map_err(in_body)?;
    let location = account_location(&app, &invitation.account.id)?;
    let reply = InvitationReply {
        password_link: PasswordLinkResource::new(&app, &invitation.link),
        managed_account: invitation.account,
    };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(reply)).into_response())
}

/// One account, with credits, keys and limits.
#[utoipa::path(get, path = "/admin/accounts/{id}", tag = "Administration", operation_id = "admin_get_account",
    params(AccountParameter),
    responses((status = 200, description = "The account", body = AccountDetailsReply), AdminResourceErrors))]
pub(crate) async fn show(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
) -> Reply<Json<AccountDetailsReply>> {
    let managed_account = accounts::get(&app, &actor, &id).await?.ok_or_else(missing)?;
    Ok(Json(AccountDetailsReply {
        usage: accounts::use_of(&app, &actor, &managed_account).await?,
        managed_account,
    }))
}

/// Changes an account's plan, role or limits. Fields that are left out do not change.
#[utoipa::path(patch, path = "/admin/accounts/{id}", tag = "Administration", operation_id = "admin_update_account",
    params(AccountParameter), request_body = AccountChangeBody,
    responses((status = 200, description = "The account", body = ManagedAccountReply), AdminChangeErrors))]
pub(crate) async fn update(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    Body(body): Body<AccountChangeBody>,
) -> Reply<Json<ManagedAccountReply>> {
    let account = accounts::change(&app, &actor, &id, &body.managed_account).await;
    found(account.map_err(in_body)?)
}

/// Adds credits to an account, or withdraws some. Send an `Idempotency-Key`, so that a retry does not add them twice.
#[utoipa::path(post, path = "/admin/accounts/{id}/credits", tag = "Administration",
    operation_id = "admin_change_account_credits", params(AccountParameter, OptionalKey), request_body = CreditChange,
    responses((status = 200, description = "The new balance", body = CreditBalanceReply), AdminCreditErrors))]
pub(crate) async fn change_credits(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    headers: HeaderMap,
    Body(change): Body<CreditChange>,
) -> Reply {
    let key = optional_key(&headers)?;
    let done = accounts::change_credits(&app, &actor, key.as_ref(), &id, &change).await?;
    let done = done.ok_or_else(missing)?;
    Ok(replayable(
        Json(CreditBalanceReply { balance: done.reply }),
        done.replayed,
    ))
}

/// Turns off the second factor of an account, whose owner lost the authenticator app and the recovery codes. The
/// password alone then signs in.
#[utoipa::path(post, path = "/admin/accounts/{id}/reset_second_factor", tag = "Administration",
    operation_id = "admin_reset_second_factor", params(AccountParameter),
    responses((status = 200, description = "The account", body = ManagedAccountReply), AdminChangeErrors))]
pub(crate) async fn reset_second_factor(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    _: NoBody,
) -> Reply<Json<ManagedAccountReply>> {
    found(accounts::reset_second_factor(&app, &actor, &id).await?)
}

/// Suspends an account: its API keys, sessions and apps are refused, and its queued drawings are canceled and refunded.
#[utoipa::path(post, path = "/admin/accounts/{id}/suspend", tag = "Administration", operation_id = "admin_suspend_account",
    params(AccountParameter), request_body = GivenReason,
    responses((status = 200, description = "The account", body = ManagedAccountReply), AdminChangeErrors))]
pub(crate) async fn suspend(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    Body(given): Body<GivenReason>,
) -> Reply<Json<ManagedAccountReply>> {
    found(accounts::suspend(&app, &actor, &id, &given).await?)
}

/// Ends the suspension of an account, whose API keys, sessions and apps work again.
#[utoipa::path(post, path = "/admin/accounts/{id}/resume", tag = "Administration", operation_id = "admin_resume_account",
    params(AccountParameter),
    responses((status = 200, description = "The account", body = ManagedAccountReply), AdminActionErrors))]
pub(crate) async fn resume(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    _: NoBody,
) -> Reply<Json<ManagedAccountReply>> {
    found(accounts::resume(&app, &actor, &id).await?)
}

/// Closes an account: ends its plan, API keys, password, sessions, apps and public previews, and refunds its queued
/// drawings. Deletes its webhooks, its review links with their comments, what is in its bin, and all pictures except
/// those in use, which cannot be undone. Its books and pages remain, and a new plan opens it again.
#[utoipa::path(post, path = "/admin/accounts/{id}/close", tag = "Administration", operation_id = "admin_close_account",
    params(AccountParameter),
    responses((status = 200, description = "The account", body = ManagedAccountReply), AdminChangeErrors))]
pub(crate) async fn close(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    _: NoBody,
) -> Reply<Json<ManagedAccountReply>> {
    accounts::close(&app, &actor, &id).await?.ok_or_else(missing)?;
    found(accounts::get(&app, &actor, &id).await?)
}

/// Makes a link with which the account's owner sets a new password. Earlier links become invalid.
#[utoipa::path(post, path = "/admin/accounts/{id}/password_link", tag = "Administration",
    operation_id = "admin_create_password_link", params(AccountParameter),
    responses((status = 200, description = "The link", body = PasswordLinkReply), AdminChangeErrors))]
pub(crate) async fn offer_password_link(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<AccountId>,
    _: NoBody,
) -> Reply<Json<PasswordLinkReply>> {
    let link = accounts::offer_password_link(&app, &actor, &id).await?;
    Ok(Json(PasswordLinkReply {
        password_link: PasswordLinkResource::new(&app, &link.ok_or_else(missing)?),
    }))
}

fn found(account: Option<ManagedAccount>) -> Reply<Json<ManagedAccountReply>> {
    Ok(Json(ManagedAccountReply {
        managed_account: account.ok_or_else(missing)?,
    }))
}

fn missing() -> Error {
    Error::not_found("account")
}

fn in_body(error: Error) -> Error {
    error.within(&Field::named("managed_account"))
}

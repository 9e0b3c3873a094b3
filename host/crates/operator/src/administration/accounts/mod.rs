//! Accounts, as operators see and change them.
mod changes;
mod request;
mod store;

use std::collections::BTreeMap;

use serde::Serialize;

use super::Actor;
use linepress_accounts::accounts::{self, Limit, OwnLimits, Plan, Role};
use linepress_accounts::credits::{self, LedgerEntry};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

pub use changes::{
    Invitation, change, change_credits, close, create, create_first, invite, offer_password_link, reset_second_factor,
    resume, set_password, suspend,
};
pub use request::{AccountChange, CreditBalance, CreditChange, LimitChanges, NewAccount};

/// An account, as an operator sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct ManagedAccount {
    pub id: AccountId,
    /// The email address with which the account was created.
    #[schema(format = "email", example = "ada@example.com")]
    pub email: String,
    #[sqlx(try_from = "String")]
    pub role: Role,
    #[sqlx(try_from = "String")]
    pub plan: Plan,
    /// The limits that differ from those of the server's settings, by name.
    #[sqlx(try_from = "Option<String>")]
    #[schema(example = json!({"pages": 50_000}))]
    pub limits: OwnLimits,
    /// The balance.
    #[schema(minimum = 0)]
    pub credits: i64,
    /// The time of the sign-up with an address that was never verified; null if the address is verified or an operator
    /// entered it.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub unverified_since: Option<Timestamp>,
    /// The time from which signing in with the password needs a code, too; null if it does not.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub second_factor_since: Option<Timestamp>,
    /// The time at which the account was suspended; null if it is not.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub suspended_at: Option<Timestamp>,
    /// The time at which the account was closed; null if it is open.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub closed_at: Option<Timestamp>,
    /// The account whose test keys use this one, its sandbox; null for the account of a customer. A sandbox has the
    /// address of its owner, and follows the changes of that account.
    #[schema(required)]
    pub sandbox_of: Option<AccountId>,
    /// The time at which the account was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// The credits, keys and limits of an account, as an operator sees them.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AccountUse {
    /// The sum of all charges.
    #[schema(minimum = 0)]
    pub spent: i64,
    /// The sum of all refunds.
    #[schema(minimum = 0)]
    pub refunded: i64,
    /// The number of API keys that are neither revoked nor expired.
    #[schema(minimum = 0)]
    pub active_keys: i64,
    /// Every limit that can refuse a request, by name.
    pub limits: BTreeMap<&'static str, Limit>,
}

/// The accounts whose address contains the text or whose id it is, newest first; all accounts if it is empty. Sandboxes
/// are found by their ids only.
pub async fn list(app: &App, actor: &Actor, search: &str, request: &PageRequest) -> Result<PageOf<ManagedAccount>> {
    actor.require_operator()?;
    let search = search.trim().to_lowercase();
    // No address contains them, and PostgreSQL rejects text with a zero byte.
    let rows = match search.contains(char::is_control) || search.len() > accounts::MAX_EMAIL_BYTES {
        true => Vec::new(),
        false if search.is_empty() => store::list(&app.database.read, request).await?,
        false => store::search(&app.database.read, &search, request).await?,
    };
    Ok(PageOf::from_rows(rows, request, |account| account.id.as_str()))
}

/// The account with this id. None if there is no such account.
pub async fn get(app: &App, actor: &Actor, id: &AccountId) -> Result<Option<ManagedAccount>> {
    actor.require_operator()?;
    Ok(store::find(&app.database.read, id).await?)
}

/// The credits, keys and limits of an account that exists.
pub async fn use_of(app: &App, actor: &Actor, account: &ManagedAccount) -> Result<AccountUse> {
    actor.require_operator()?;
    let now = app.clock.now();
    let standing = accounts::standing(app, &account.id, now).await?;
    let mut tx = app.database.begin_read().await?;
    Ok(AccountUse {
        spent: standing.totals.spent,
        refunded: standing.totals.refunded,
        active_keys: accounts::active_keys(app, &mut tx, &account.id).await?,
        limits: standing.limits(app, now),
    })
}

/// The last entries of the account's ledger, newest first.
pub async fn ledger(app: &App, actor: &Actor, id: &AccountId, limit: i64) -> Result<Vec<LedgerEntry>> {
    actor.require_operator()?;
    credits::entries(app, id, limit).await
}

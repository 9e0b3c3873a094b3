//! Sandboxes: the accounts that test keys use.
//!
//! An account has at most one sandbox, which is made with its first test key. It is an ordinary account, so that every
//! rule for orders, the ledger, webhooks and limits applies to tests as it does to live requests, and its data never
//! mixes with that of its owner. Nobody signs in to it: its address cannot be one. Its plan, limits, suspension and
//! closing follow those of its owner, whose row is locked before the sandbox's.
use super::store::{self, NewAccount};
use super::{Plan, Role, lock};
use crate::credits;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// The sandbox of an account. None before its first test key.
pub async fn sandbox_of(tx: &mut Tx, owner: &AccountId) -> Result<Option<AccountId>> {
    Ok(store::sandbox_of(tx, owner).await?)
}

/// The sandbox of an account, which is made if there is none yet. Locks the account's row.
pub(super) async fn find_or_create(app: &App, tx: &mut Tx, owner: &AccountId) -> Result<AccountId> {
    lock(app, tx, owner).await?;
    if let Some(sandbox) = store::sandbox_of(tx, owner).await? {
        return Ok(sandbox);
    }
    let now = app.clock.now();
    let id = AccountId::generate(now, &app.random);
    let new = NewAccount {
        id: &id,
        // No address contains a space.
        email: &format!("sandbox of {owner}"),
        plan: Plan::Free,
        role: Role::Customer,
        created_at: now,
        sandbox_of: Some(owner),
    };
    store::insert(tx, &new).await?;
    follow_owner(tx, owner).await?;
    credits::grant_for_tests(app, tx, &id, 0).await?;
    Ok(id)
}

/// Gives the sandbox of an account, if there is one, the plan, limits, suspension and closing of its owner, which has
/// just changed.
pub(super) async fn follow_owner(tx: &mut Tx, owner: &AccountId) -> Result<()> {
    Ok(store::follow_owner(tx, owner).await?)
}

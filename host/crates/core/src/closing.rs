//! Closing an account, and everything that ends with it. The account's rows remain, so that its books and its ledger
//! can still be read. A new plan and a new key open it again.
use crate::artwork::{attempts, bin};
use crate::operations;
use crate::worker;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::credits;
use linepress_accounts::grants;
use linepress_accounts::previews;
use linepress_accounts::review_links;
use linepress_accounts::sign_in;
use linepress_accounts::webhooks;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// The effects of closing an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The number of keys that were revoked.
    pub keys: u64,
    /// The number of queued drawings that were canceled and refunded.
    pub drawings: usize,
    /// The balance after the refunds.
    pub credits: i64,
}

/// Ends the plan, the keys, every way to sign in, the grants of apps, the webhooks, the public previews, the review
/// links with their comments, and the queued drawings, and discards what is in the bin and the earlier pictures:
/// attempts that are not chosen. The same ends for the account's sandbox. Drawings that a provider has already begun
/// are completed, because they have already cost money. Call [`end_late_grants`] after the commit.
pub async fn close(app: &App, tx: &mut Tx, account: &AccountId) -> Result<Closed> {
    let mut closed = close_one(app, tx, account).await?;
    // A sandbox is locked after its owner.
    if let Some(sandbox) = accounts::sandbox_of(tx, account).await? {
        closed.drawings += close_one(app, tx, &sandbox).await?.drawings;
    }
    Ok(closed)
}

async fn close_one(app: &App, tx: &mut Tx, account: &AccountId) -> Result<Closed> {
    let mut usage = Usage::default();
    // Before the account's row is locked: an event may be recorded for one of them in a transaction that waits for the
    // account.
    webhooks::delete_all(tx, account).await?;
    review_links::delete_all(tx, account).await?;
    let canceled = worker::cancel_all_queued(app, tx, account).await?;
    bin::empty_of(app, tx, account, &mut usage).await?;
    attempts::discard_replaced_of(app, tx, account, &mut usage).await?;
    previews::end_all(tx, account).await?;
    grants::revoke_all(app, tx, account).await?;
    operations::settle(app, tx, account, &canceled, &mut usage).await?;
    accounts::change_usage(tx, account, usage).await?;
    let keys = accounts::end_access(app, tx, account).await?;
    sign_in::end_all(tx, account).await?;
    let credits = credits::available_in(tx, account).await?;
    Ok(Closed {
        keys,
        drawings: canceled.undrawn(),
        credits,
    })
}

/// Revokes grants that were made while the account was being closed; a closed account cannot make further ones. This
/// needs a transaction of its own, because grants are locked before the account.
pub async fn end_late_grants(app: &App, account: &AccountId) -> Result<()> {
    let mut tx = app.database.begin().await?;
    grants::revoke_all(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(())
}

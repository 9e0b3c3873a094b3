//! Closing an account, and everything that ends with it. The account's rows remain, so that its books and its ledger
//! can still be read. A new plan and a new key open it again.
use crate::accounts::{self, Account, Usage};
use crate::app::App;
use crate::characters;
use crate::credits;
use crate::grants;
use crate::operations;
use crate::sign_in;
use crate::worker;
use linepress_platform::error::Result;

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

/// Ends the plan, the keys, every way to sign in, the grants of apps, the public previews, and the queued drawings.
/// Drawings that a provider has already begun are completed, because they have already cost money.
pub async fn close(app: &App, account: &Account) -> Result<Closed> {
    let mut usage = Usage::default();
    let mut tx = app.database.begin().await?;
    let canceled = worker::cancel_all_queued(app, &mut tx, &account.id, &mut usage).await?;
    characters::end_previews(&mut tx, &account.id).await?;
    grants::revoke_all(app, &mut tx, &account.id).await?;
    operations::refund(app, &mut tx, &account.id, &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, &account.id, usage).await?;
    let keys = accounts::end_access(app, &mut tx, &account.id).await?;
    sign_in::end_all(&mut tx, &account.id).await?;
    let credits = credits::available_in(&mut tx, &account.id).await?;
    tx.commit().await?;
    // Revokes grants that were made in the meantime; a closed account cannot make further ones. This needs a second
    // transaction, because grants are locked before the account.
    let mut tx = app.database.begin().await?;
    grants::revoke_all(app, &mut tx, &account.id).await?;
    tx.commit().await?;
    Ok(Closed {
        keys,
        drawings: canceled.undrawn(),
        credits,
    })
}

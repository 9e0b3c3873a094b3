//! Closing an account: what ends with it. Its rows stay, so that its books can be looked up, and its ledger is whole; a plan
//! and a new key open it again.
use crate::accounts::{self, Account, Usage};
use crate::app::App;
use crate::characters;
use crate::credits;
use crate::error::Result;
use crate::grants;
use crate::operations;
use crate::sign_in;
use crate::worker;

/// What ended with an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Keys that were revoked.
    pub keys: u64,
    /// Drawings that were queued, and are refunded.
    pub drawings: usize,
    /// What is left after the refunds.
    pub credits: i64,
}

/// Ends the plan, the keys, all that signs in, what apps may do, the public previews, and what is queued. What a provider has
/// begun is drawn to its end, because it costs.
pub async fn close(app: &App, account: &Account) -> Result<Closed> {
    let mut usage = Usage::default();
    let mut tx = app.database.begin().await?;
    let canceled = worker::cancel_queued(app, &mut tx, &account.id, &mut usage).await?;
    characters::end_previews(&mut tx, &account.id).await?;
    grants::revoke_all(app, &mut tx, &account.id).await?;
    operations::refund(app, &mut tx, &account.id, &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, &account.id, usage).await?;
    let keys = accounts::shut(app, &mut tx, &account.id).await?;
    sign_in::end_all(&mut tx, &account.id).await?;
    let credits = credits::available_in(&mut tx, &account.id).await?;
    tx.commit().await?;
    // What was granted meanwhile: nothing is any more, now that the account is closed. In a transaction of its own, because
    // grants are locked before the account.
    let mut tx = app.database.begin().await?;
    grants::revoke_all(app, &mut tx, &account.id).await?;
    tx.commit().await?;
    Ok(Closed {
        keys,
        drawings: canceled.undrawn(),
        credits,
    })
}

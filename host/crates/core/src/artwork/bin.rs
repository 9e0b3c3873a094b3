//! The artwork in the bins of accounts: it is discarded when a deleted book or page is deleted for good.
use super::attempts;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::deleted::{self, DeletedId};
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;
use linepress_platform::scopes::Scopes;

/// The number of books and pages that are deleted between two looks at a bin.
const BATCH_SIZE: i64 = 100;

/// Deletes a book or page in the bin for good. Returns false if it is not in the account's bin.
pub async fn delete_for_good(app: &App, caller: &Caller, id: &DeletedId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if !deleted::contains(&mut tx, caller.account_id(), id).await? {
        return Ok(false);
    }
    let mut usage = Usage::default();
    let is_deleted = purge(app, &mut tx, id, &mut usage).await?;
    accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    Ok(is_deleted)
}

/// Deletes everything in the account's bin for good.
pub async fn empty(app: &App, caller: &Caller) -> Result<()> {
    caller.require(Scopes::WRITING)?;
    loop {
        let mut tx = app.database.begin().await?;
        let mut usage = Usage::default();
        let is_empty = purge_oldest(app, &mut tx, caller.account_id(), &mut usage).await? == 0;
        accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
        tx.commit().await?;
        if is_empty {
            return Ok(());
        }
    }
}

/// Deletes everything in the bin of an account that is closed.
pub(crate) async fn empty_of(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<()> {
    while purge_oldest(app, tx, account, usage).await? > 0 {}
    Ok(())
}

/// Deletes the oldest books and pages in the account's bin for good if there are more than the settings allow.
pub(crate) async fn keep_newest(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<()> {
    // The oldest first, as everywhere: two transactions that purge do not wait for each other.
    for id in deleted::beyond_maximum(app, tx, account, BATCH_SIZE)
        .await?
        .iter()
        .rev()
    {
        purge(app, tx, id, usage).await?;
    }
    Ok(())
}

/// Makes room for new files: deletes what has pictures in the bin for good, the oldest first, and then attempts that
/// are not chosen, until the account's stored files, changed by `usage`, are within its limit or none of these is left.
/// It comes before the account's row is locked.
pub(crate) async fn make_room(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<()> {
    while accounts::is_storage_exceeded(app, tx, account, usage.stored_bytes).await? {
        let Some(oldest) = deleted::oldest_with_pictures(tx, account).await? else {
            break;
        };
        purge(app, tx, &oldest, usage).await?;
    }
    attempts::make_room(app, tx, account, usage).await
}

/// Deletes books and pages for good that were deleted longer ago than the settings allow; returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    let mut forgotten = 0;
    loop {
        let old = deleted::expired(app, BATCH_SIZE).await?;
        if old.is_empty() {
            return Ok(forgotten);
        }
        // One transaction each, so that none waits for a row while it holds another one.
        for (id, account) in old {
            let mut tx = app.database.begin().await?;
            let mut usage = Usage::default();
            let is_deleted = purge(app, &mut tx, &id, &mut usage).await?;
            accounts::change_usage(&mut tx, &account, usage).await?;
            tx.commit().await?;
            forgotten += u64::from(is_deleted);
        }
    }
}

/// Deletes up to `BATCH_SIZE` books and pages in the account's bin, the oldest first; returns their number.
async fn purge_oldest(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<usize> {
    let oldest = deleted::oldest(tx, account, BATCH_SIZE).await?;
    for id in &oldest {
        purge(app, tx, id, usage).await?;
    }
    Ok(oldest.len())
}

/// Deletes a book or page in the bin with its attempts, unless it is gone.
async fn purge(app: &App, tx: &mut Tx, id: &DeletedId, usage: &mut Usage) -> Result<bool> {
    if !deleted::remove(tx, id).await? {
        return Ok(false);
    }
    let target = match id {
        DeletedId::Book(id) => Target::Cover(id.clone()),
        DeletedId::Page(id) => Target::Page(id.clone()),
    };
    attempts::discard_of(app, tx, &target, usage).await?;
    Ok(true)
}

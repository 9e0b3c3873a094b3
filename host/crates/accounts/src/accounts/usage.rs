//! Counters of an account's resources. They are stored, because counting rows takes longer the more there are.
//!
//! Each change locks the account's row until its transaction ends. So it comes last in a transaction, after all other
//! rows that the transaction locks: a transaction that locked the account first and then waited for a page could
//! deadlock with one that holds the page and waits for the account.
use serde::Serialize;

use super::limits::{Countable, check};
use super::store;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// The counters of an account, or the changes to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Usage {
    /// Characters that are not archived.
    pub characters: i64,
    pub pages: i64,
    pub books: i64,
    /// Generations that have not ended.
    pub generations: i64,
    /// Bytes of artwork and of uploads.
    pub stored_bytes: i64,
}

impl Usage {
    pub(super) fn count(&self, what: Countable) -> i64 {
        match what {
            Countable::Characters => self.characters,
            Countable::Pages => self.pages,
            Countable::Books => self.books,
            Countable::Generations => self.generations,
            Countable::StoredBytes => self.stored_bytes,
        }
    }
}

/// Changes the counters without checking limits, for what has already been drawn. Comes last in its transaction.
pub async fn change_usage(tx: &mut Tx, account: &AccountId, change: Usage) -> Result<()> {
    if change != Usage::default() {
        store::change_usage(tx, account, change).await?;
    }
    Ok(())
}

/// Changes the counters for a request; fails when a counter that grew exceeds its limit.
pub async fn take_room(app: &App, tx: &mut Tx, account: &AccountId, change: Usage) -> Result<()> {
    let counted = store::change_usage(tx, account, change).await?;
    let limits = app.config.limits.with(&counted.limits);
    // A generation stores its drawings, whose sizes are not known yet.
    let grew = |what| change.count(what) > 0 || (what == Countable::StoredBytes && change.generations > 0);
    let mut grew = Countable::ALL.into_iter().filter(|&what| grew(what));
    grew.try_for_each(|what| check(&limits, what, counted.usage.count(what)))
}

/// Fails when `more` does not fit into the limits. Changes nothing; only `take_room` guarantees the room.
pub async fn check_room(app: &App, tx: &mut Tx, account: &AccountId, more: Usage) -> Result<()> {
    let counted = store::usage(&mut **tx, account).await?;
    let limits = app.config.limits.with(&counted.limits);
    let mut grows = Countable::ALL.into_iter().filter(|&what| more.count(what) > 0);
    grows.try_for_each(|what| {
        check(
            &limits,
            what,
            counted.usage.count(what).saturating_add(more.count(what)),
        )
    })
}

/// Returns true when the account's stored files, with `more` bytes, exceed its limit. Only `take_room` guarantees the
/// room.
pub async fn is_storage_exceeded(app: &App, tx: &mut Tx, account: &AccountId, more: i64) -> Result<bool> {
    let counted = store::usage(&mut **tx, account).await?;
    let limits = app.config.limits.with(&counted.limits);
    Ok(counted.usage.stored_bytes.saturating_add(more) > Countable::StoredBytes.limit(&limits))
}

/// The accounts whose counters differ from the numbers of their rows. There are none unless the database was tampered
/// with.
pub async fn miscounted(app: &App) -> Result<Vec<AccountId>> {
    Ok(store::miscounted(&app.database.read).await?)
}

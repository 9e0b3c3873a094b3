//! What an account has: counted where it changes, because counting rows takes longer the more there are.
//!
//! Each change locks the account's row until its transaction ends. So it comes last in a transaction, after all rows that
//! others may hold: whoever locked the account first and then waited for a page could wait for somebody who has the page
//! and waits for the account.
use serde::Serialize;

use super::limits::{Countable, check};
use super::store;
use crate::app::App;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::AccountId;

/// How much of each an account has, or by how much that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Usage {
    /// That are not archived.
    pub characters: i64,
    pub pages: i64,
    pub books: i64,
    /// Under way.
    pub generations: i64,
    /// Of artwork and of uploads.
    pub stored_bytes: i64,
}

impl Usage {
    pub(super) fn of(&self, what: Countable) -> i64 {
        match what {
            Countable::Characters => self.characters,
            Countable::Pages => self.pages,
            Countable::Books => self.books,
            Countable::Generations => self.generations,
            Countable::StoredBytes => self.stored_bytes,
        }
    }
}

/// Changes what the account has. Comes last in its transaction, and refuses nothing: what was drawn is kept.
pub async fn change_usage(tx: &mut Tx, account: &AccountId, change: Usage) -> Result<()> {
    if change != Usage::default() {
        store::change_usage(tx, account, change).await?;
    }
    Ok(())
}

/// The same for what somebody asks for: refuses when the account then has more than it may have of what grew.
pub async fn take_room(app: &App, tx: &mut Tx, account: &AccountId, change: Usage) -> Result<()> {
    let usage = store::change_usage(tx, account, change).await?;
    // What is drawn will be stored, however large it turns out to be.
    let grew = |what| change.of(what) > 0 || (what == Countable::StoredBytes && change.generations > 0);
    let mut grew = Countable::ALL.into_iter().filter(|&what| grew(what));
    grew.try_for_each(|what| check(app, what, usage.of(what)))
}

/// Refuses when there is no room for so much more. Changes nothing: taking the room decides.
pub async fn check_room(app: &App, tx: &mut Tx, account: &AccountId, more: Usage) -> Result<()> {
    let usage = store::usage(&mut **tx, account).await?;
    let mut grows = Countable::ALL.into_iter().filter(|&what| more.of(what) > 0);
    grows.try_for_each(|what| check(app, what, usage.of(what).saturating_add(more.of(what))))
}

/// The accounts whose counters are not what is there. There are none, unless the database was tampered with.
pub async fn miscounted(app: &App) -> Result<Vec<AccountId>> {
    Ok(store::miscounted(&app.database.read).await?)
}

//! PDFs that were made: kept for a while, the last one of each book and format.
use std::time::Duration;

use super::store;
use crate::app::App;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{AccountId, BookId};
use crate::objects;
use crate::storage::StoredObject;

/// A PDF by what it is of, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made<'a> {
    pub account: &'a AccountId,
    pub book: &'a BookId,
    /// Which of the book's PDFs it is: the format, the edition, and what of the book.
    pub name: &'a str,
    /// The object's, which follows from the content.
    pub key: &'a str,
}

/// How long a PDF is kept that nobody changes: it can be made again.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// What one account keeps at most; the oldest go first.
const MOST: usize = 100;
const MOST_BYTES: i64 = 2_000_000_000;

/// Opens the PDF if it was made before and is whole: one that a power cut left truncated is made again.
pub(super) async fn open(app: &App, made: Made<'_>) -> Result<Option<StoredObject>> {
    let Some(row) = store::find(&app.database.read, made.book, made.name).await? else {
        return Ok(None);
    };
    if row.object_key != made.key {
        return Ok(None);
    }
    let object = app.storage.open(made.key).await?;
    Ok(object.filter(|object| i64::try_from(object.size) == Ok(row.byte_size)))
}

/// Keeps a PDF, and gives up the one before and the account's oldest. False when the book was deleted meanwhile.
pub(super) async fn keep(app: &App, made: Made<'_>, pdf: tokio::fs::File, size: u64) -> Result<bool> {
    objects::expire_in(app, &[made.key], KEPT).await?;
    let byte_size = i64::try_from(size).unwrap_or(i64::MAX);
    app.storage.put_from(made.key, pdf).await?;
    let mut tx = app.database.begin().await?;
    let before = store::find(&mut *tx, made.book, made.name).await?;
    if !store::replace(&mut tx, &made, byte_size, app.clock.now()).await? {
        objects::abandon(app, &[made.key]).await;
        return Ok(false);
    }
    if let Some(before) = before.filter(|before| before.object_key != made.key) {
        objects::discard(app, &mut tx, &[&before.object_key]).await?;
    }
    let mut bytes = 0_i64;
    for (number, row) in store::of_account(&mut tx, made.account).await?.iter().enumerate() {
        bytes = bytes.saturating_add(row.byte_size);
        // Not this one: after a clock was set back all others may seem to be newer.
        let is_beyond = number >= MOST || (number > 0 && bytes > MOST_BYTES);
        if is_beyond && row.object_key != made.key {
            store::delete(&mut tx, made.account, &row.object_key).await?;
            objects::discard(app, &mut tx, &[&row.object_key]).await?;
        }
    }
    tx.commit().await?;
    Ok(true)
}

/// Gives up the PDFs of a book that is about to be deleted.
pub async fn discard_of_book(app: &App, tx: &mut Tx, book: &BookId) -> Result<()> {
    let keys = store::delete_of_book(tx, book).await?;
    objects::discard(app, tx, &keys.iter().map(String::as_str).collect::<Vec<_>>()).await
}

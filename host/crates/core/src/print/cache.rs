//! The cache of PDFs: finished ones are stored for a limited time, the latest one of each book and name.
//!
//! The object store has the file under a key that is derived from everything that its bytes depend on (`object_key` in
//! `making`), and the table `editions` (one row for each PDF) has the key of the latest PDF with each name. A PDF whose
//! key differs from the request's is out of date: the request makes it again, which replaces the row and discards the
//! old object. The PDFs of an account are also limited in number and total size.
use std::time::Duration;

use super::store;
use crate::objects;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BookId};
use linepress_platform::storage::StoredObject;

/// The name and the object key of a PDF, by which it is found in the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct PdfId<'a> {
    pub account: &'a AccountId,
    pub book: &'a BookId,
    /// The name of the PDF within its book: format, edition, part and backs.
    pub name: &'a str,
    /// The key of the object, derived from the content.
    pub key: &'a str,
}

/// The time for which a PDF is stored. After that it is made again on request.
const PDF_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// Maximum number and total size of one account's PDFs. The oldest are deleted first.
const MAX_STORED_PDFS_PER_ACCOUNT: usize = 100;
const MAX_STORED_PDF_BYTES_PER_ACCOUNT: i64 = 2_000_000_000;

/// Opens the PDF if it is in the cache and complete. An object of the wrong size, for example after a power failure,
/// is not opened, so that it is made again.
pub(super) async fn open(app: &App, pdf_id: PdfId<'_>) -> Result<Option<StoredObject>> {
    let Some(row) = store::find(&app.database.read, pdf_id.book, pdf_id.name).await? else {
        return Ok(None);
    };
    if row.object_key != pdf_id.key {
        return Ok(None);
    }
    let object = app.storage.open(pdf_id.key).await?;
    Ok(object.filter(|object| i64::try_from(object.size) == Ok(row.byte_size)))
}

/// Stores a PDF and deletes its predecessor and the account's oldest PDFs beyond the limits. Returns false when the
/// book was deleted meanwhile.
pub(super) async fn store_pdf(app: &App, pdf_id: PdfId<'_>, pdf: tokio::fs::File, size: u64) -> Result<bool> {
    objects::expire_in(app, &[pdf_id.key], PDF_RETENTION).await?;
    let byte_size = i64::try_from(size).unwrap_or(i64::MAX);
    app.storage.put_from(pdf_id.key, pdf).await?;
    let mut tx = app.database.begin().await?;
    let before = store::find(&mut *tx, pdf_id.book, pdf_id.name).await?;
    if !store::replace(&mut tx, &pdf_id, byte_size, app.clock.now()).await? {
        // Ends the transaction first, because deleting the object may take long.
        drop(tx);
        objects::abandon(app, &[pdf_id.key]).await;
        return Ok(false);
    }
    if let Some(before) = before.filter(|before| before.object_key != pdf_id.key) {
        objects::discard(app, &mut tx, &[&before.object_key]).await?;
    }
    let mut bytes = 0_i64;
    for (number, row) in store::find_by_account(&mut tx, pdf_id.account)
        .await?
        .iter()
        .enumerate()
    {
        bytes = bytes.saturating_add(row.byte_size);
        // The new PDF is never deleted: if a clock was set back, all others may seem newer.
        let is_beyond =
            number >= MAX_STORED_PDFS_PER_ACCOUNT || (number > 0 && bytes > MAX_STORED_PDF_BYTES_PER_ACCOUNT);
        if is_beyond && row.object_key != pdf_id.key {
            store::delete(&mut tx, pdf_id.account, &row.object_key).await?;
            objects::discard(app, &mut tx, &[&row.object_key]).await?;
        }
    }
    tx.commit().await?;
    Ok(true)
}

/// Deletes the PDFs of a book that is about to be deleted.
pub(crate) async fn discard_of_book(app: &App, tx: &mut Tx, book: &BookId) -> Result<()> {
    let keys = store::delete_of_book(tx, book).await?;
    objects::discard(app, tx, &keys.iter().map(String::as_str).collect::<Vec<_>>()).await
}

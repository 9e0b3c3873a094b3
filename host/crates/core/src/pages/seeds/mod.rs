//! The books from whose ids the seeds of pages are derived. No page shows its own, so only drawings read them.
mod store;

use std::collections::HashMap;

use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, PageId};

/// The book from whose id the seed of the page's book is derived; of several books, that of the oldest. None for a page
/// outside any book.
pub(super) async fn seed_book(tx: &mut Tx, page: &PageId) -> Result<Option<BookId>> {
    Ok(seed_books(tx, &[page]).await?.remove(page))
}

/// Like [`seed_book`], for several pages at once, by page.
pub(super) async fn seed_books(tx: &mut Tx, pages: &[&PageId]) -> Result<HashMap<PageId, BookId>> {
    Ok(store::seed_books(tx, pages).await?)
}

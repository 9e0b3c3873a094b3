//! The bin of an account: the rows of deleted books and pages, until they are restored or deleted for good.
//!
//! A deletion moves the rows of a book or page to tables with the same columns, so that no statement about books and
//! pages finds them, and a restoration moves them back. Their attempts and artwork remain, and count toward the
//! account's stored bytes. `pages` and `books` record the end of a drawing in these tables, too, because it may come
//! after the deletion.
//!
//! Rows are locked in this order: drawings, pages in the order of their ids, books, the entry of the bin, attempts,
//! operations, the account.
mod item;
mod store;

use crate::caller::Caller;
use crate::review_links;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BinId, BookId, PageId};

pub use item::{DeletedId, DeletedItem, DeletedKind, Location};

/// The deleted books and pages of the account, the one that was deleted last first.
pub async fn list(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<DeletedItem>> {
    caller.require_reading()?;
    let rows = store::list(&app.database.read, caller.account_id(), request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.entry_id.as_str());
    Ok(page.map(|row| row.into_item(app)))
}

/// Moves a page with its places in books to the bin. Returns false if the account has no such page.
pub async fn put_page(app: &App, tx: &mut Tx, account: &AccountId, id: &PageId) -> Result<bool> {
    let Some(title) = store::lock_page(tx, account, id).await? else {
        return Ok(false);
    };
    let entry = add_entry(app, tx, account, &DeletedId::Page(id.clone()), &title).await?;
    store::move_pages(tx, &entry, &[id]).await?;
    Ok(true)
}

/// Moves a book to the bin, together with those of these pages that have no image. Returns the number of these pages;
/// None if the account has no such book.
pub async fn put_book(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    id: &BookId,
    pages: &[&PageId],
) -> Result<Option<i64>> {
    // Pages are locked before their book.
    let pages = store::lock_undrawn_pages(&app.database, tx, account, pages).await?;
    let Some(title) = store::lock_book(tx, account, id).await? else {
        return Ok(None);
    };
    let entry = add_entry(app, tx, account, &DeletedId::Book(id.clone()), &title).await?;
    store::move_pages(tx, &entry, &pages.iter().collect::<Vec<_>>()).await?;
    store::move_book(tx, &entry, id).await?;
    Ok(Some(i64::try_from(pages.len()).unwrap_or(i64::MAX)))
}

async fn add_entry(app: &App, tx: &mut Tx, account: &AccountId, id: &DeletedId, title: &str) -> Result<BinId> {
    let now = app.clock.now();
    let entry = BinId::generate(now, &app.random);
    store::insert(tx, &entry, account, id, title, now).await?;
    Ok(entry)
}

/// Returns true if the book or page is in the account's bin.
pub async fn contains(tx: &mut Tx, account: &AccountId, id: &DeletedId) -> Result<bool> {
    Ok(store::contains(tx, account, id).await?)
}

/// Deletes a book, with its review links, or a page for good, without its attempts. Returns false if it is not in the
/// bin.
pub async fn remove(tx: &mut Tx, id: &DeletedId) -> Result<bool> {
    let is_deleted = store::delete(tx, id).await?;
    if is_deleted {
        store::forget_places(tx, id).await?;
        if let DeletedId::Book(book) = id {
            review_links::delete_of_book(tx, book).await?;
        }
    }
    Ok(is_deleted)
}

/// Up to `limit` books and pages in the account's bin, the one that was deleted first first.
pub async fn oldest(tx: &mut Tx, account: &AccountId, limit: i64) -> Result<Vec<DeletedId>> {
    Ok(store::oldest(tx, account, limit).await?)
}

/// Up to `limit` books and pages in the account's bin beyond the maximum number, those that were deleted last first.
pub async fn beyond_maximum(app: &App, tx: &mut Tx, account: &AccountId, limit: i64) -> Result<Vec<DeletedId>> {
    Ok(store::beyond(tx, account, app.config.bin.max_items.into(), limit).await?)
}

/// The book or page with pictures in the account's bin that was deleted first.
pub async fn oldest_with_pictures(tx: &mut Tx, account: &AccountId) -> Result<Option<DeletedId>> {
    Ok(store::oldest_with_pictures(tx, account).await?)
}

/// Up to `limit` books and pages that were deleted longer ago than the settings allow, each with its account.
pub async fn expired(app: &App, limit: i64) -> Result<Vec<(DeletedId, AccountId)>> {
    let now = app.database.shared_time_now(&app.clock).await?;
    let before = now.minus(app.config.bin.max_age());
    Ok(store::deleted_before(&app.database.read, before, limit).await?)
}

/// The existing books in which a page has a place, in order, each with the position.
pub async fn places_of(tx: &mut Tx, page: &PageId) -> Result<Vec<(BookId, i64)>> {
    Ok(store::places_of(tx, page).await?)
}

/// The places of a restored page in existing books, or of existing pages in a restored book, that are still waiting:
/// two restorations at the same moment do not see each other's result.
pub async fn waiting_places(tx: &mut Tx, id: &DeletedId) -> Result<Vec<(BookId, PageId, i64)>> {
    Ok(store::waiting_places(tx, id).await?)
}

/// Puts a page back into a book, which is locked.
pub async fn take_place(tx: &mut Tx, book: &BookId, page: &PageId, position: i64) -> Result<()> {
    Ok(store::take_place(tx, book, page, position).await?)
}

/// Moves a page back, as it was when it was deleted, and to these places in books, which are locked. Returns false if
/// it is not in the bin any more.
pub async fn take_page(tx: &mut Tx, page: &PageId, places: &[(BookId, i64)]) -> Result<bool> {
    let id = DeletedId::Page(page.clone());
    let Some(entry) = store::lock(tx, &id).await? else {
        return Ok(false);
    };
    store::restore_pages(tx, &entry).await?;
    for (book, position) in places {
        store::take_place(tx, book, page, *position).await?;
    }
    store::delete(tx, &id).await?;
    Ok(true)
}

/// Moves a book back, as it was when it was deleted, with the pages that were deleted with it and the places of its
/// pages that exist. Returns the pages that were deleted with it; None if it is not in the bin any more.
pub async fn take_book(app: &App, tx: &mut Tx, book: &BookId) -> Result<Option<Vec<PageId>>> {
    let id = DeletedId::Book(book.clone());
    store::lock_pages_of(&app.database, tx, book).await?;
    let Some(entry) = store::lock(tx, &id).await? else {
        return Ok(None);
    };
    let pages = store::restore_pages(tx, &entry).await?;
    store::restore_book(tx, &entry, book).await?;
    store::delete(tx, &id).await?;
    Ok(Some(pages))
}

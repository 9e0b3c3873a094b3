//! Restoring a deleted book or page.
use crate::books::{self, Book};
use crate::operations;
use crate::pages::{self, Page};
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::deleted::{self, DeletedId};
use linepress_drawings::queue;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, PageId};
use linepress_platform::scopes::Scopes;

/// A book or page that was restored.
#[derive(Clone, Debug)]
pub enum Restored {
    Book(Box<Book>),
    Page(Box<Page>),
}

/// Restores a book or page from the account's bin, as it was. A page takes its places in the books that exist; a book
/// gets its cover and its pages again. What was canceled is not drawn. None if it is not in the bin; an error if it
/// exceeds a limit of the account.
pub async fn restore(app: &App, caller: &Caller, id: &DeletedId) -> Result<Option<Restored>> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if !deleted::contains(&mut tx, caller.account_id(), id).await? {
        return Ok(None);
    }
    let restored = match id {
        DeletedId::Book(book) => restore_book(app, &mut tx, caller, book).await?,
        DeletedId::Page(page) => restore_page(app, &mut tx, caller, page).await?,
    };
    let Some(usage) = restored else {
        return Ok(None);
    };
    accounts::take_room(app, &mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    take_waiting_places(app, caller, id).await?;
    Ok(match id {
        DeletedId::Book(id) => books::get(app, caller, id)
            .await?
            .map(|book| Restored::Book(book.into())),
        DeletedId::Page(id) => pages::get(app, caller, id)
            .await?
            .map(|page| Restored::Page(page.into())),
    })
}

/// Takes the places that the restoration of a page and that of its book at the same moment both left, because neither
/// saw the other's result. A full book is left as it is.
async fn take_waiting_places(app: &App, caller: &Caller, id: &DeletedId) -> Result<()> {
    let mut tx = app.database.begin().await?;
    let mut waiting = deleted::waiting_places(&mut tx, id).await?;
    waiting.dedup_by(|one, other| one.0 == other.0);
    for (book, ..) in waiting {
        let waits = |place: &(BookId, PageId, i64)| place.0 == book;
        // Read again for each place, because another restoration may have taken it before the book was locked.
        while matches!(books::lock_for_page(app, &mut tx, caller, &book).await, Ok(true)) {
            let places = deleted::waiting_places(&mut tx, id).await?;
            let Some((_, page, position)) = places.into_iter().find(waits) else {
                break;
            };
            deleted::take_place(&mut tx, &book, &page, position).await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

/// Restores a page, and its places in the books that exist. Returns the increase of the account's usage.
async fn restore_page(app: &App, tx: &mut Tx, caller: &Caller, id: &PageId) -> Result<Option<Usage>> {
    let operation = queue::lock_open(tx, id.as_str()).await?;
    let mut places = Vec::new();
    for (book, position) in deleted::places_of(tx, id).await? {
        if books::lock_for_page(app, tx, caller, &book).await? {
            places.push((book, position));
        }
    }
    if !deleted::take_page(tx, id, &places).await? {
        return Ok(None);
    }
    pages::settle_restored(app, tx, &[id], operation.as_ref()).await?;
    Ok(Some(Usage {
        pages: 1,
        ..Usage::default()
    }))
}

/// Restores a book, the pages that were deleted with it, and the places of its pages that exist. Returns the increase
/// of the account's usage.
async fn restore_book(app: &App, tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<Option<Usage>> {
    let is_cover_drawn = queue::lock_open(tx, id.as_str()).await?.is_some();
    let Some(pages) = deleted::take_book(app, tx, id).await? else {
        return Ok(None);
    };
    // Locked, so that the worker that ends it finds the book.
    let operation = match books::active_operation(tx, id).await? {
        Some(operation) if operations::lock_open(tx, &operation).await? => Some(operation),
        _ => None,
    };
    pages::settle_restored(app, tx, &pages.iter().collect::<Vec<_>>(), None).await?;
    books::settle_restored(app, tx, id, operation.as_ref(), is_cover_drawn).await?;
    books::check_restored_size(app, tx, caller, id).await?;
    Ok(Some(Usage {
        books: 1,
        pages: i64::try_from(pages.len()).unwrap_or(i64::MAX),
        ..Usage::default()
    }))
}

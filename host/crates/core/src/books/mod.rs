//! Books: pages in an order, with a cover.
mod attempts;
mod contents;
mod copy;
mod cover;
mod create;
mod edit;
mod manuscript;
mod pdf;
mod request;
mod resource;
mod restyle;
mod search;
mod series;
mod shown;
mod store;

use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{Done, Earlier};
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AccountId, BookId, OperationId};

pub use attempts::{choose_cover_attempt, cover_attempt_image, list_cover_attempts};
pub use contents::{Step, attach, attach_all, detach, generate, move_page, reorder, reorder_seen};
pub(crate) use contents::{check_restored_size, lock_for_page};
pub use copy::{BookCopy, copy};
pub(crate) use cover::{complete as complete_cover, lock as lock_cover};
pub use cover::{image as cover_image, regenerate as regenerate_cover, replace_image as replace_cover};
pub use create::{check_size, create};
pub(crate) use edit::{active_operation, settle_restored, undrawn_pages};
pub use edit::{update, update_selecting};
pub use linepress_model::CoverStyle;
pub use manuscript::artwork_of;
pub use pdf::{
    ChosenFormat, PrintedPages, chosen_format, open_pdf, pdf, picture_of_pages, print_check, print_choices,
    printed_drawings, printed_pages,
};
pub use request::{BookChange, CoverRegeneration, MAX_PAGES, NewBook, NewBookPage, NewCover, NewCoverImage, PageEntry};
pub use resource::{Book, BookAccepted, BookPageAccepted, BookReply, BookStatus, Cover, PageSummary};
pub use restyle::{BookRestyling, restyle};
pub(crate) use search::store::SEARCH_INDEX;
pub use search::{search, suggest};
pub use series::{NumberedVolume, numbered_volumes, volumes};
pub use shown::{ShownBook, ShownPage, page_title, shown, shown_cover, shown_page};

pub async fn get(app: &App, caller: &Caller, id: &BookId) -> Result<Option<Book>> {
    caller.require_reading()?;
    let pool = &app.database.read;
    let Some(row) = store::find(pool, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    Ok(Some(row.into_book(app, pages)))
}

/// The account's books, newest first.
pub async fn list(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<Book>> {
    caller.require_reading()?;
    let pool = &app.database.read;
    let rows = store::list(pool, caller.account_id(), request).await?;
    with_pages(app, PageOf::from_rows(rows, request, |row| row.id.as_str())).await
}

/// A part of a list, with the pages of its books.
async fn with_pages(app: &App, page: PageOf<store::BookRow>) -> Result<PageOf<Book>> {
    let ids: Vec<&BookId> = page.items.iter().map(|row| &row.id).collect();
    let mut pages = store::pages_of(&app.database.read, &ids).await?;
    Ok(page.map(|row| {
        let pages = pages.remove(&row.id).unwrap_or_default();
        row.into_book(app, pages)
    }))
}

/// The reply to a repeated request about the book. If the earlier reply was not saved, it contains the book as it is
/// now. None when the book no longer exists.
async fn repeated(
    app: &App,
    caller: &Caller,
    id: &BookId,
    earlier: Earlier<BookReply>,
) -> Result<Option<Done<BookReply>>> {
    let reply = match earlier {
        Earlier::Reply(reply) => Some(reply),
        Earlier::Resource => get(app, caller, id).await?.map(|book| BookReply { book }),
    };
    Ok(reply.map(|reply| Done { reply, replayed: true }))
}

/// Marks the book as being drawn by this operation and returns it. None if the book does not exist; an error while
/// another operation draws it.
async fn start_generation(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    id: &BookId,
    operation: &OperationId,
) -> Result<Option<store::BookRow>> {
    let account = caller.account_id();
    if let Some(book) = store::start_generation(tx, account, id, operation, app.clock.now()).await? {
        return Ok(Some(book));
    }
    match store::find(&mut **tx, account, id).await? {
        Some(row) => Err(Error::generation_active("book", row.active_operation_id)),
        None => Ok(None),
    }
}

/// Reads a book that is known to exist in this transaction.
async fn read(app: &App, tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<Book> {
    let row = store::find(&mut **tx, caller.account_id(), id).await?;
    let row = row.ok_or_else(|| Error::internal("a book disappeared within its own transaction"))?;
    let pages = store::pages_of(&mut **tx, &[id]).await?.remove(id);
    Ok(row.into_book(app, pages.unwrap_or_default()))
}

/// The language of a book of the account, as a BCP 47 tag. None if there is no such book.
pub(crate) async fn language_of(app: &App, account: &AccountId, id: &BookId) -> Result<Option<String>> {
    let row = store::find(&app.database.read, account, id).await?;
    Ok(row.map(|row| row.language))
}

/// The theme that the book was planned from in the browser; empty if it was not.
pub async fn theme(app: &App, caller: &Caller, id: &BookId) -> Result<String> {
    caller.require_reading()?;
    let theme = store::theme(&app.database.read, caller.account_id(), id).await?;
    Ok(theme.unwrap_or_default())
}

/// Stores the theme that the book was planned from.
pub async fn set_theme(tx: &mut Tx, id: &BookId, theme: &str) -> Result<()> {
    Ok(store::set_theme(tx, id, theme).await?)
}

/// The themes of the account's books, the newest first, at most `limit`.
pub async fn themes(app: &App, caller: &Caller, limit: i64) -> Result<Vec<String>> {
    caller.require_reading()?;
    Ok(store::themes(&app.database.read, caller.account_id(), limit).await?)
}

/// Returns true if the caller's account has the book.
pub async fn is_own(app: &App, caller: &Caller, id: &BookId) -> Result<bool> {
    caller.require_reading()?;
    let owner = store::account_of(&app.database.read, id).await?;
    Ok(owner.as_ref() == Some(caller.account_id()))
}

/// Locks the book until the transaction ends, without a change of its times. Returns false if the account has no such
/// book.
pub async fn lock(tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<bool> {
    Ok(store::lock_unchanged(tx, caller.account_id(), id).await?)
}

/// Returns whether the book exists, whichever account owns it.
pub(crate) async fn exists(app: &App, id: &BookId) -> Result<bool> {
    Ok(store::exists(&app.database.read, id).await?)
}

/// Locks the book that this operation works on until the transaction ends, if there is such a book.
pub(crate) async fn lock_of_operation(tx: &mut Tx, operation: &OperationId) -> Result<()> {
    Ok(store::lock_of_operation(tx, operation).await?)
}

/// Clears the active operation of the book that this operation worked on, if there is such a book.
pub(crate) async fn operation_ended(app: &App, tx: &mut Tx, operation: &OperationId) -> Result<()> {
    Ok(store::operation_ended(tx, operation, app.clock.now()).await?)
}

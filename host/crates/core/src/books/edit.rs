//! Changing books.
use super::{Book, BookChange, contents, read, store};
use crate::characters::{self, Selection};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, OperationId, PageId};
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Changes the given metadata and characters of the book. None if the book does not exist.
pub async fn update(app: &App, caller: &Caller, id: &BookId, change: &BookChange) -> Result<Option<Book>> {
    caller.require(Scopes::WRITING)?;
    update_selecting(app, caller, id, change, &Selection::default()).await
}

/// Changes the given metadata of the book, and adds and removes characters. None if the book does not exist.
pub async fn update_selecting(
    app: &App,
    caller: &Caller,
    id: &BookId,
    change: &BookChange,
    selection: &Selection,
) -> Result<Option<Book>> {
    caller.require(Scopes::WRITING)?;
    validation::check(change)?;
    if *change == BookChange::default() && selection.is_empty() {
        // An empty change does not update the time of the last change either.
        return super::get(app, caller, id).await;
    }
    let mut tx = app.database.begin().await?;
    if !store::update(&mut tx, caller.account_id(), id, change, app.clock.now()).await? {
        return Ok(None);
    }
    let ids = change.character_ids.as_deref();
    if ids.is_some() || !selection.is_empty() {
        let row = store::find(&mut *tx, caller.account_id(), id).await?;
        let present = row.map(|row| row.characters.0).unwrap_or_default();
        let links = characters::changed(&mut tx, caller, present, ids, selection).await?;
        store::set_characters(&mut tx, id, &links).await?;
    }
    let book = read(app, &mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(book))
}

/// The pages of the book that have no image and are in no other book. None if the account has no such book.
pub(crate) async fn undrawn_pages(tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<Option<Vec<PageId>>> {
    match store::find(&mut **tx, caller.account_id(), id).await? {
        Some(_) => Ok(Some(store::undrawn_pages(tx, id).await?)),
        None => Ok(None),
    }
}

/// The operation that draws for a book, or drew for it when it was deleted.
pub(crate) async fn active_operation(tx: &mut Tx, id: &BookId) -> Result<Option<OperationId>> {
    Ok(store::active_operation(tx, id).await?)
}

/// Sets the state of a book that was just restored, with the operation that draws for it, and numbers its pages.
pub(crate) async fn settle_restored(
    app: &App,
    tx: &mut Tx,
    id: &BookId,
    operation: Option<&OperationId>,
    is_cover_drawn: bool,
) -> Result<()> {
    store::settle_restored(tx, id, operation, is_cover_drawn, app.clock.now()).await?;
    // A page that was deleted earlier may have the same position as one that moved up since.
    contents::renumber(tx, id).await
}

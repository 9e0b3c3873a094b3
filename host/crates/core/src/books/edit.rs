//! Changing and deleting books.
use super::{Book, BookChange, read, store};
use crate::accounts::{self, Usage};
use crate::app::App;
use crate::artwork;
use crate::caller::Caller;
use crate::characters::{self, Selection};
use crate::operations;
use crate::pages;
use crate::print;
use crate::queue::{self, Target};
use linepress_platform::error::Result;
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};
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
    if let Some(ids) = &change.character_ids {
        let present = store::find(&mut *tx, caller.account_id(), id).await?;
        let present = present.map(|book| book.characters.0).unwrap_or_default();
        let links = characters::ready_or_present(&mut tx, caller, ids, &present, &Field::character_ids()).await?;
        store::set_characters(&mut tx, id, &links).await?;
    }
    if !selection.is_empty() {
        let row = store::find(&mut *tx, caller.account_id(), id).await?;
        let present = row.map(|row| row.characters.0).unwrap_or_default();
        let field = &Field::character_ids();
        let links = selection.links(&mut tx, caller, &present, field).await?;
        store::set_characters(&mut tx, id, &links).await?;
    }
    let book = read(app, &mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(book))
}

/// Deletes the book and its cover. Returns false if the book does not exist. Its queued drawings are canceled, and
/// pages that have no image and are in no other book are deleted. Pages with an image remain, and so do pages that are
/// being drawn.
pub async fn delete(app: &App, caller: &Caller, id: &BookId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if store::find(&mut *tx, caller.account_id(), id).await?.is_none() {
        return Ok(false);
    }
    let undrawn = store::undrawn_pages(&mut tx, id).await?;
    let mut targets = vec![Target::Cover(id.clone())];
    targets.extend(undrawn.iter().cloned().map(Target::Page));
    let canceled = operations::cancel_drawings(app, &mut tx, &targets).await?;
    let held = queue::held_targets(&mut tx, &targets).await?;
    let gone: Vec<&PageId> = undrawn.iter().filter(|page| !held.contains(page.as_str())).collect();
    let pages = pages::delete_undrawn(&mut tx, caller, &gone).await?;
    print::discard_of_book(app, &mut tx, id).await?;
    let Some(cover) = store::delete(&mut tx, caller.account_id(), id).await? else {
        return Ok(false);
    };
    let mut usage = Usage {
        books: -1,
        pages: -pages,
        ..Usage::default()
    };
    if let Some(cover) = cover {
        artwork::discard(app, &mut tx, &cover, &mut usage).await?;
    }
    // Recorded after the book is locked, in the order in which a worker completes a cover.
    let canceled = operations::record_undrawn(app, &mut tx, canceled).await?;
    operations::refund(app, &mut tx, caller.account_id(), &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    Ok(true)
}

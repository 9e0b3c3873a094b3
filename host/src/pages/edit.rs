//! Changing and deleting pages.
use super::{Page, PageChange, store};
use crate::accounts::{self, Usage};
use crate::app::App;
use crate::artwork;
use crate::books;
use crate::caller::Caller;
use crate::characters::{self, Selection};
use crate::database::Tx;
use crate::error::Result;
use crate::ids::PageId;
use crate::operations;
use crate::queue::Target;
use crate::validation;

/// Changes the given metadata and characters of the page; its image remains. None if the page does not exist.
pub(crate) async fn update(app: &App, caller: &Caller, id: &PageId, change: &PageChange) -> Result<Option<Page>> {
    update_selecting(app, caller, id, change, &Selection::default()).await
}

/// Changes the given metadata of the page, and adds and removes characters. None if the page does not exist.
pub(crate) async fn update_selecting(
    app: &App,
    caller: &Caller,
    id: &PageId,
    change: &PageChange,
    selection: &Selection,
) -> Result<Option<Page>> {
    validation::check("page", change)?;
    if *change == PageChange::default() && selection.is_empty() {
        // An empty change does not update the time of the last change either.
        return super::get(app, caller, id).await;
    }
    let mut tx = app.database.begin().await?;
    if !store::update(&mut tx, &caller.account_id, id, change, app.clock.now()).await? {
        return Ok(None);
    }
    if let Some(ids) = &change.character_ids {
        let present = store::find(&mut *tx, &caller.account_id, id).await?;
        let present = present.map(|page| page.characters.0).unwrap_or_default();
        let links = characters::ready_or_present(&mut tx, caller, ids, &present, "page.character_ids").await?;
        store::set_characters(&mut tx, id, &links).await?;
    }
    if !selection.is_empty() {
        let row = store::find(&mut *tx, &caller.account_id, id).await?;
        let present = row.map(|row| row.characters.0).unwrap_or_default();
        let field = "page.character_ids";
        let links = selection.links(&mut tx, caller, &present, field).await?;
        store::set_characters(&mut tx, id, &links).await?;
    }
    let row = store::find(&mut *tx, &caller.account_id, id).await?;
    tx.commit().await?;
    Ok(row.map(|row| row.into_page(app)))
}

/// Deletes the page and its image, and removes it from its books. Returns false if the page does not exist. Its queued
/// drawing is canceled.
pub(crate) async fn delete(app: &App, caller: &Caller, id: &PageId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    if store::find(&mut *tx, &caller.account_id, id).await?.is_none() {
        return Ok(false);
    }
    // Canceled first: a worker that completes a drawing locks the drawing and then the page, so this must use the same
    // order.
    let canceled = operations::cancel_queued(app, &mut tx, &[Target::Page(id.clone())]).await?;
    for operation in &canceled.operations {
        books::operation_ended(app, &mut tx, operation).await?;
    }
    let Some(artwork) = store::delete(&mut tx, &caller.account_id, id).await? else {
        return Ok(false);
    };
    let mut usage = Usage {
        pages: -1,
        ..Usage::default()
    };
    if let Some(artwork) = artwork {
        artwork::discard(app, &mut tx, &artwork, &mut usage).await?;
    }
    operations::refund(app, &mut tx, &caller.account_id, &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, &caller.account_id, usage).await?;
    tx.commit().await?;
    Ok(true)
}

/// Deletes those of these pages that have no image, and removes them from their books. Returns their number. Their
/// queued drawings must be canceled before.
pub(crate) async fn delete_undrawn(tx: &mut Tx, caller: &Caller, ids: &[&PageId]) -> Result<i64> {
    let deleted = store::delete_undrawn(tx, &caller.account_id, ids).await?;
    Ok(i64::try_from(deleted).unwrap_or(i64::MAX))
}

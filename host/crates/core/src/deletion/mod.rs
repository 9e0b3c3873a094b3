//! Deleting books and pages, which moves them to the account's bin, and restoring them.
mod restore;

use std::collections::BTreeSet;

use crate::artwork::bin;
use crate::operations::{self, FailureCode};
use crate::{books, pages, print};
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::deleted;
use linepress_drawings::queue::{self, Target};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, OperationId, PageId};
use linepress_platform::scopes::Scopes;

pub use crate::artwork::bin::{delete_for_good, empty as empty_bin};
pub use linepress_accounts::deleted::{DeletedId, DeletedItem, DeletedKind, list};
pub use restore::{Restored, restore};

/// Moves the page, with its image and its places in books, to the bin; false when there is no such page. A drawing that
/// still waits for it is canceled and refunded, and ends the operation of the book that it was drawn for.
pub async fn delete_page(app: &App, caller: &Caller, id: &PageId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if !pages::belongs_to(&mut tx, caller, id).await? {
        return Ok(false);
    }
    // Drawings, page, operation: a worker that completes another drawing of the page locks them in the same order.
    let canceled = operations::cancel_drawings(app, &mut tx, &[Target::Page(id.clone())]).await?;
    if !pages::lock(app, &mut tx, id).await? {
        return Ok(false);
    }
    // Books are locked before the bin, as when a page returns to them.
    let operations: BTreeSet<&OperationId> = canceled.iter().map(|drawing| &drawing.refund.operation).collect();
    for operation in operations {
        books::lock_of_operation(&mut tx, operation).await?;
    }
    if !deleted::put_page(app, &mut tx, caller.account_id(), id).await? {
        return Ok(false);
    }
    let mut usage = Usage {
        pages: -1,
        ..Usage::default()
    };
    // The bin is locked before the operation, as when a book is deleted.
    bin::keep_newest(app, &mut tx, caller.account_id(), &mut usage).await?;
    let canceled = operations::record_undrawn(app, &mut tx, canceled).await?;
    for operation in &canceled.operations {
        books::operation_ended(app, &mut tx, operation).await?;
    }
    operations::settle(app, &mut tx, caller.account_id(), &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    Ok(true)
}

/// Moves the book and its cover to the bin. Returns false if the book does not exist. Its queued drawings are canceled,
/// and pages that have no image and are in no other book go to the bin with it. Pages with an image remain, and so do
/// pages that are being drawn.
pub async fn delete_book(app: &App, caller: &Caller, id: &BookId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let Some(undrawn) = books::undrawn_pages(&mut tx, caller, id).await? else {
        return Ok(false);
    };
    let mut targets = vec![Target::Cover(id.clone())];
    targets.extend(undrawn.iter().cloned().map(Target::Page));
    let canceled = operations::cancel_drawings(app, &mut tx, &targets).await?;
    let held = queue::held_targets(&mut tx, &targets).await?;
    let gone: Vec<&PageId> = undrawn.iter().filter(|page| !held.contains(page.as_str())).collect();
    print::discard_of_book(app, &mut tx, id).await?;
    let Some(pages) = deleted::put_book(app, &mut tx, caller.account_id(), id, &gone).await? else {
        return Ok(false);
    };
    for drawing in &canceled {
        // Of a page that another drawing of the order keeps, the canceled one may have been the last.
        if let Target::Page(page) = &drawing.target {
            pages::complete(app, &mut tx, page, None, None, Some(FailureCode::Canceled)).await?;
        }
    }
    let mut usage = Usage {
        books: -1,
        pages: -pages,
        ..Usage::default()
    };
    bin::keep_newest(app, &mut tx, caller.account_id(), &mut usage).await?;
    // Recorded after the book is locked, in the order in which a worker completes a cover.
    let canceled = operations::record_undrawn(app, &mut tx, canceled).await?;
    operations::settle(app, &mut tx, caller.account_id(), &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    Ok(true)
}

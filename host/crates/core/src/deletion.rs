//! Deleting a page: cancels its drawing, refunds it, and ends the operation of the book that it was drawn for.
use crate::accounts::{self, Usage};
use crate::app::App;
use crate::caller::Caller;
use crate::queue::Target;
use crate::{books, operations, pages};
use linepress_platform::error::Result;
use linepress_platform::ids::PageId;
use linepress_platform::scopes::Scopes;

/// Deletes the page, its image, and its places in books; false when there is no such page. A drawing that still waits for it is
/// canceled and refunded.
pub async fn delete_page(app: &App, caller: &Caller, id: &PageId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if !pages::belongs_to(&mut tx, caller, id).await? {
        return Ok(false);
    }
    // First: a worker that completes a drawing locks its row before the page's, so this does the same.
    let canceled = operations::cancel_queued_for(app, &mut tx, &[Target::Page(id.clone())]).await?;
    for operation in &canceled.operations {
        books::operation_ended(app, &mut tx, operation).await?;
    }
    let mut usage = Usage::default();
    if !pages::remove(app, &mut tx, caller, id, &mut usage).await? {
        return Ok(false);
    }
    operations::refund(app, &mut tx, caller.account_id(), &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    Ok(true)
}

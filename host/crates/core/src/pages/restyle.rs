//! Drawing the pages of a book again with another look.
use super::{Origin, Page, PageRegeneration, StoredPage, drawing_job, store};
use crate::characters;
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::NewDrawingJob;
use linepress_model::Look;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{BookId, OperationId, PageId};

impl Page {
    /// Returns whether the page is drawn again when the pages of its book are. The customer's own artwork is not, nor is a
    /// locked page.
    pub fn is_restyled(&self) -> bool {
        self.origin != Origin::Imported && !self.locked
    }
}

/// Counts the pages of the book that [`redraw_all`] draws.
pub(crate) async fn count_restyled(tx: &mut Tx, book: &BookId) -> Result<usize> {
    let count = store::count_restyled(tx, book).await?;
    usize::try_from(count).map_err(Error::internal)
}

/// Gives those of these pages that are drawn by providers this look, and marks them as being drawn by the operation. Returns
/// their drawing jobs, in the order of the pages. An error if one of them is being drawn already.
pub(crate) async fn redraw_all(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    ids: &[PageId],
    look: &Look,
) -> Result<Vec<NewDrawingJob>> {
    // All transactions that lock several pages do so in the order of their ids.
    let mut in_order: Vec<(usize, &PageId)> = ids.iter().enumerate().collect();
    in_order.sort_unstable_by_key(|(_, id)| *id);
    let mut jobs = Vec::new();
    for (position, id) in in_order {
        let Some(row) = store::find(&mut **tx, caller.account_id(), id).await? else {
            continue;
        };
        let audience = row.audience;
        if !row.into_page().is_restyled() {
            continue;
        }
        store::set_look(tx, id, look).await?;
        let row = started(app, tx, caller, operation, id).await?;
        let page = row.into_page();
        let named = page.characters.iter().map(|link| &link.id);
        let characters = characters::still_active(tx, caller, named).await?;
        let change = PageRegeneration::default();
        jobs.push((position, drawing_job(app, &page, audience, &characters, &change)));
    }
    jobs.sort_unstable_by_key(|(position, _)| *position);
    Ok(jobs.into_iter().map(|(_, job)| job).collect())
}

async fn started(app: &App, tx: &mut Tx, caller: &Caller, operation: &OperationId, id: &PageId) -> Result<StoredPage> {
    let now = app.clock.now();
    if let Some(row) = store::start_generation(tx, caller, id, operation, now).await? {
        return Ok(row);
    }
    let row = store::find(&mut **tx, caller.account_id(), id).await?;
    Err(row.map_or_else(|| Error::not_found("page"), StoredPage::refusal))
}

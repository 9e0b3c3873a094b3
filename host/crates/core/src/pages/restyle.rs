//! Drawing the pages of a book again with another look.
use std::collections::HashMap;

use super::{Origin, Page, PageRegeneration, drawing_job, store};
use crate::characters;
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::NewDrawingJob;
use linepress_model::{Audience, Look};
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
/// their drawing jobs, in the order of the pages. An error if one of them is being drawn already. The transaction has locked the
/// pages.
pub(crate) async fn redraw_all(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    ids: &[PageId],
    look: &Look,
) -> Result<Vec<NewDrawingJob>> {
    let all: Vec<&PageId> = ids.iter().collect();
    let rows = store::find_all_in(tx, caller.account_id(), &all).await?;
    let pages = rows.into_iter().map(|row| (row.audience, row.into_page()));
    let mut pages: Vec<(Audience, Page)> = pages.filter(|(_, page)| page.is_restyled()).collect();
    let positions: HashMap<&PageId, usize> = ids.iter().zip(0..).collect();
    pages.sort_unstable_by_key(|(_, page)| positions[&page.id]);
    if let Some((_, page)) = pages.iter().find(|(_, page)| page.active_operation_id.is_some()) {
        return Err(Error::generation_active("page", page.active_operation_id.clone()));
    }
    let drawn: Vec<&PageId> = pages.iter().map(|(_, page)| &page.id).collect();
    if !store::restyle(tx, &drawn, operation, look, app.clock.now()).await? {
        return Err(Error::generation_active("page", None));
    }
    let named = pages.iter().flat_map(|(_, page)| &page.characters);
    let active = characters::load(tx, caller, named.map(|link| &link.id).collect()).await?;
    let change = PageRegeneration::default();
    let jobs = pages.into_iter().map(|(audience, page)| {
        let page = Page {
            line_weight: look.line_weight,
            detail: look.detail,
            style: look.style.clone(),
            ..page
        };
        let characters = active.among(page.characters.iter().map(|link| &link.id));
        drawing_job(app, &page, audience, &characters, &change)
    });
    Ok(jobs.collect())
}

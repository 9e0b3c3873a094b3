//! Drawing pages of a book again: all that providers draw with another look, or those that a customer chose.
mod store;

use std::collections::HashMap;

use super::{Origin, Page, PageRegeneration, drawing_job, seeds};
use crate::characters;
use crate::looks::LookChange;
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::NewDrawingJob;
use linepress_model::{Audience, Look};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::{BookId, OperationId, PageId};

impl Page {
    /// Returns whether the page is drawn again when the pages of its book are. The customer's own artwork is not, nor
    /// is a locked page.
    pub fn is_restyled(&self) -> bool {
        self.origin != Origin::Imported && !self.locked
    }
}

/// Counts the pages of the book that [`redraw_all`] draws.
pub(crate) async fn count_restyled(tx: &mut Tx, book: &BookId) -> Result<usize> {
    let count = store::count_restyled(tx, book).await?;
    usize::try_from(count).map_err(Error::internal)
}

/// The pages to draw again, and their look.
#[derive(Clone, Copy)]
pub(crate) enum Redrawing<'a> {
    /// Those of these pages that providers draw and that are not locked, all with this look.
    Drawn(&'a [PageId], &'a Look),
    /// All of these pages, each with this change of its own look. A locked page is an error.
    Chosen(&'a [PageId], LookChange<'a>),
}

impl Redrawing<'_> {
    fn ids(&self) -> &[PageId] {
        match self {
            Self::Drawn(ids, _) | Self::Chosen(ids, _) => ids,
        }
    }

    /// The look that the page gets; None if it is not drawn again.
    fn look(&self, page: &Page) -> Option<Look> {
        match self {
            Self::Drawn(_, look) => page.is_restyled().then(|| (*look).clone()),
            Self::Chosen(_, change) => Some(change.over(&page.look())),
        }
    }

    /// Fails when the customer chose a page that is locked.
    fn check_locks(&self, pages: &[(Audience, Page)]) -> Result<()> {
        if matches!(self, Self::Drawn(..)) {
            return Ok(());
        }
        let locked = pages.iter().filter(|(_, page)| page.locked);
        let titles: Vec<_> = locked.map(|(_, page)| page.title.clone()).collect();
        match titles.is_empty() {
            true => Ok(()),
            false => Err(ErrorKind::PagesLocked { titles }.into()),
        }
    }
}

/// Changes the look of the pages, and marks them as being drawn by the operation. Returns their drawing jobs, in the
/// order in which they are named. An error if one of them is being drawn already. The transaction has locked the pages.
pub(crate) async fn redraw_all(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    redrawing: Redrawing<'_>,
) -> Result<Vec<NewDrawingJob>> {
    let ids: Vec<&PageId> = redrawing.ids().iter().collect();
    let rows = super::store::find_all_in(tx, caller.account_id(), &ids).await?;
    let mut pages: Vec<(Audience, Page)> = rows.into_iter().map(|row| (row.audience, row.into_page())).collect();
    let positions: HashMap<&PageId, usize> = ids.iter().copied().zip(0..).collect();
    pages.sort_unstable_by_key(|(_, page)| positions[&page.id]);
    redrawing.check_locks(&pages)?;
    let drawn: Vec<(Audience, Page)> = pages
        .into_iter()
        .filter_map(|(audience, page)| {
            let look = redrawing.look(&page)?;
            let Look {
                line_weight,
                detail,
                style,
                frame,
            } = look;
            Some((
                audience,
                Page {
                    line_weight,
                    detail,
                    style,
                    frame,
                    ..page
                },
            ))
        })
        .collect();
    if let Some((_, page)) = drawn.iter().find(|(_, page)| page.active_operation_id.is_some()) {
        return Err(Error::generation_active("page", page.active_operation_id.clone()));
    }
    for (look, pages) in by_look(&drawn) {
        if !store::restyle(tx, &pages, operation, &look, app.clock.now()).await? {
            return Err(Error::generation_active("page", None));
        }
    }
    let named = drawn.iter().flat_map(|(_, page)| &page.characters);
    let active = characters::load(tx, caller, named.map(|link| &link.id).collect()).await?;
    let mut seed_books = seeds::seed_books(tx, &ids).await?;
    let change = PageRegeneration::default();
    let jobs = drawn.into_iter().map(|(audience, page)| {
        let characters = active.among(page.characters.iter().map(|link| &link.id));
        drawing_job(app, &page, audience, seed_books.remove(&page.id), &characters, &change)
    });
    Ok(jobs.collect())
}

/// The pages by their look. Nearly always all have the same.
fn by_look(pages: &[(Audience, Page)]) -> Vec<(Look, Vec<&PageId>)> {
    let mut groups: Vec<(Look, Vec<&PageId>)> = Vec::new();
    for (_, page) in pages {
        let look = page.look();
        match groups.iter_mut().find(|(known, _)| *known == look) {
            Some((_, group)) => group.push(&page.id),
            None => groups.push((look, vec![&page.id])),
        }
    }
    groups
}

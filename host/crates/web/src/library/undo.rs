//! Forms that take back what another form has just done. Each posts to the address of an operation that exists anyway.
//! The address of the page names what was done, so a form is shown only if it is still possible.
use super::attempts::Attempts;
use linepress_accounts::caller::Caller;
use linepress_core::artwork::Status;
use linepress_core::books::Book;
use linepress_core::deletion::DeletedId;
use linepress_core::pages::{self, Page};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{AttemptId, BookId, PageId};

/// The form behind the button *Undo*.
pub(super) struct Undo {
    pub path: String,
    pub fields: Vec<(&'static str, String)>,
}

impl Undo {
    /// Restores a book or page that was deleted.
    pub(super) fn deletion(id: Option<DeletedId>) -> Option<Self> {
        let id = id.filter(|id| !id.as_str().is_empty())?;
        Some(Self {
            path: format!("/library/bin/{id}/restore"),
            fields: Vec::new(),
        })
    }

    /// Chooses the attempt that was chosen before.
    pub(super) fn choice(attempts: &Attempts, before: Option<&AttemptId>) -> Option<Self> {
        let before = attempts.tiles.iter().find(|tile| Some(&tile.id) == before)?;
        (!before.is_chosen && !attempts.is_drawing).then(|| Self {
            path: format!("{}/{}/choose{}", attempts.path, before.id, attempts.query),
            fields: Vec::new(),
        })
    }

    /// Moves a page of the book back, or puts one back that was taken out.
    pub(super) async fn page_of_book(
        app: &App,
        caller: &Caller,
        book: &Book,
        (page, position): (Option<&PageId>, Option<i64>),
    ) -> Result<Option<Self>> {
        let (Some(page), Some(position)) = (page, position) else {
            return Ok(None);
        };
        let form = |name| Self::place(&book.id, name, page, position);
        if let Some(present) = book.pages.iter().find(|other| other.id == *page) {
            return Ok((present.position != position).then(|| form("order")));
        }
        let can_return = |page: &Page| page.status == Status::Ready && page.aspect == book.aspect;
        let taken_out = pages::get(app, caller, page).await?;
        Ok(taken_out
            .is_some_and(|page| can_return(&page))
            .then(|| form("put-back")))
    }

    fn place(book: &BookId, form: &str, page: &PageId, position: i64) -> Self {
        Self {
            path: format!("/library/books/{book}/{form}"),
            fields: vec![("page", page.to_string()), ("position", position.to_string())],
        }
    }
}

/// The page that was moved between two orders of the same pages, with its position in the first. None if more than one
/// page was moved.
pub(super) fn moved_page(before: &[PageId], after: &[PageId]) -> Option<(PageId, usize)> {
    let first = before.iter().zip(after).position(|(one, other)| one != other)?;
    [&before[first], &after[first]].into_iter().find_map(|page| {
        let without = |order: &[PageId]| order.iter().filter(|other| *other != page).cloned().collect::<Vec<_>>();
        let position = before.iter().position(|other| other == page)? + 1;
        (without(before) == without(after)).then(|| (page.clone(), position))
    })
}

/// The order after a page was moved to a position from 1; positions beyond the end are the last.
pub(super) fn with_page_at(order: &[PageId], page: &PageId, position: usize) -> Vec<PageId> {
    let mut order: Vec<PageId> = order.iter().filter(|other| *other != page).cloned().collect();
    order.insert(position.saturating_sub(1).min(order.len()), page.clone());
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &str) -> Vec<PageId> {
        names.chars().map(PageId::from_text).collect()
    }

    #[test]
    fn the_page_that_was_moved_is_found_and_moves_back() {
        for (before, after, moved) in [
            ("abcd", "abcd", None),
            ("abcd", "bcda", Some(("a", 1))),
            ("abcd", "dabc", Some(("d", 4))),
            ("abcd", "acbd", Some(("b", 2))),
            ("abcd", "badc", None),
        ] {
            let found = moved_page(&ids(before), &ids(after));
            let expected = moved.map(|(page, position)| (PageId::from_text(page), position));
            assert_eq!(found, expected, "{after}");
            if let Some((page, position)) = found {
                assert_eq!(with_page_at(&ids(after), &page, position), ids(before), "{after}");
            }
        }
        assert_eq!(with_page_at(&ids("abc"), &PageId::from_text("a"), 9), ids("bca"));
    }
}

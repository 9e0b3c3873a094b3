//! The pages of a book and their order.
pub(super) mod store;

use std::collections::{HashMap, HashSet};

use super::create::{UNKNOWN_PAGE, attachable, check_size, check_size_or};
use super::{Book, BookPageAccepted, BookReply, NewBookPage, read, repeated, start_generation};
use crate::characters;
use crate::generation::{Accepted, Claim, Generation};
use crate::operations::{OperationType, ResourceType};
use crate::pages;
use crate::sources::Source;
use crate::variants;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{self, Done, IdempotencyKey, Once};
use linepress_accounts::order::Order;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};
use linepress_platform::importer::SpooledFile;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Inserts a ready page into the book at `position`, or at the end. None if the book does not exist.
pub async fn attach(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    id: &BookId,
    page_id: &PageId,
    position: Option<u32>,
) -> Result<Option<Done<BookReply>>> {
    caller.require(Scopes::WRITING)?;
    let once = Once::new(
        app,
        caller,
        key,
        "book.attach_page",
        Some(id.as_str()),
        &(page_id, position),
    )?;
    attach_claimed(app, caller, once, id, std::slice::from_ref(page_id), position).await
}

/// Appends ready pages to the book: all of them or none. None if the book does not exist.
pub async fn attach_all(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    id: &BookId,
    page_ids: &[PageId],
) -> Result<Option<Done<BookReply>>> {
    caller.require(Scopes::WRITING)?;
    let once = Once::new(
        app,
        caller,
        Some(key),
        "book.attach_pages",
        Some(id.as_str()),
        &page_ids,
    )?;
    attach_claimed(app, caller, once, id, page_ids, None).await
}

async fn attach_claimed(
    app: &App,
    caller: &Caller,
    once: Once<'_>,
    id: &BookId,
    page_ids: &[PageId],
    position: Option<u32>,
) -> Result<Option<Done<BookReply>>> {
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim(&mut tx).await? {
        return repeated(app, caller, id, earlier).await;
    }
    let Some(book) = store::lock(&mut tx, caller.account_id(), id, app.clock.now()).await? else {
        return Ok(None);
    };
    let states = pages::states(&mut tx, caller, &page_ids.iter().collect::<Vec<_>>()).await?;
    for page_id in page_ids {
        attachable(states.get(page_id), book.aspect)
            .map_err(|problem| Error::invalid_field(Field::page_id(), problem))?;
        insert(app, &mut tx, caller, id, page_id, position).await?;
    }
    let book = read(app, &mut tx, caller, id).await?;
    let done = once.done_in_brief(&mut tx, BookReply { book }).await?;
    tx.commit().await?;
    Ok(Some(done))
}

/// Creates a page in the book and queues its drawing, from the picture in the file if one came with the request. None
/// if the book does not exist; an error while another operation draws for the book.
pub async fn generate(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &BookId,
    new: &NewBookPage,
    file: Option<SpooledFile>,
) -> Result<Option<Accepted<BookPageAccepted>>> {
    caller.require(Scopes::SPENDING)?;
    let checked = validation::check(&new.page).map_err(|error| error.within(&Field::page()));
    idempotency::or_conflict(app, caller, Some(order.key()), checked).await?;
    let source = Source::receive(app, caller, order, (new.page.source_upload_id.as_ref(), file)).await;
    let source = source.map_err(|error| error.within(&Field::page()))?;
    let accepted = generate_claimed(app, caller, order, id, new, &source).await;
    source.release(app, order, accepted.as_ref().map(Option::as_ref)).await;
    accepted
}

async fn generate_claimed(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &BookId,
    new: &NewBookPage,
    source: &Source,
) -> Result<Option<Accepted<BookPageAccepted>>> {
    let (kind, arguments) = (OperationType::BookAddPage, source.arguments(new));
    let mut generation = match Generation::claim(app, caller, order, kind, Some(id.as_str()), &arguments).await? {
        Claim::Replay(accepted) => return Ok(Some(accepted)),
        Claim::Fresh(generation) => *generation,
    };
    let (tx, operation) = (&mut generation.tx, &generation.operation_id);
    let Some(book) = start_generation(app, tx, caller, id, operation).await? else {
        return Ok(None);
    };
    if new.page.aspect.is_some_and(|wanted| wanted != book.aspect) {
        let problem = format!("must be {}, like the book's, or left out", book.aspect);
        return Err(Error::invalid_field(Field::page().then(Field::aspect()), problem));
    }
    let characters = match &new.page.character_ids {
        Some(ids) => characters::ready(tx, caller, ids, &Field::page().then(Field::character_ids())).await?,
        None => characters::still_active(tx, caller, book.characters.0.iter().map(|link| &link.id)).await?,
    };
    let spec = pages::PageSpec {
        page: &new.page,
        aspect: book.aspect,
        audience: book.audience,
        look: &book.look.into(),
        book: Some(id),
        seed_book: Some(&book.seed_book_id),
        characters: &characters,
    };
    let (page, mut job) = pages::insert(app, tx, caller, operation, &spec).await?;
    source.draw_from(app, tx, &mut job).await?;
    insert(app, tx, caller, id, &page.id, new.position).await?;
    let jobs = variants::jobs(app, job, new.page.variants).map_err(|error| error.within(&Field::page()))?;
    let book = read(app, tx, caller, id).await?;
    let reply = |operation| BookPageAccepted { page, book, operation };
    let accepted = generation.accept((ResourceType::Book, id.as_str()), jobs, reply);
    accepted.await.map(Some)
}

/// Begins a transaction that holds the book's lock. None if the book does not exist.
async fn lock(app: &App, caller: &Caller, id: &BookId) -> Result<Option<Tx>> {
    let mut tx = app.database.begin().await?;
    let locked = store::lock(&mut tx, caller.account_id(), id, app.clock.now()).await?;
    Ok(locked.map(|_| tx))
}

/// Locks a book to which a restored page returns. Returns false if the book does not exist; an error if it has no room
/// for one more page.
pub(crate) async fn lock_for_page(app: &App, tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<bool> {
    let locked = store::lock(tx, caller.account_id(), id, app.clock.now()).await?;
    if locked.is_none() {
        return Ok(false);
    }
    let pages = store::positions(tx, id).await?.len() + 1;
    check_size_or(app, caller, pages, "Take a page out of the book first.")?;
    Ok(true)
}

/// Returns an error when a restored book has more pages than one may have.
pub(crate) async fn check_restored_size(app: &App, tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<()> {
    let pages = store::positions(tx, id).await?.len();
    check_size_or(app, caller, pages, "Delete one of its pages first.")
}

/// Removes the page from the book without deleting it. None if the book does not exist, false when the page is not in
/// it.
pub async fn detach(app: &App, caller: &Caller, id: &BookId, page: &PageId) -> Result<Option<bool>> {
    caller.require(Scopes::WRITING)?;
    let Some(mut tx) = lock(app, caller, id).await? else {
        return Ok(None);
    };
    let detached = store::detach(&mut tx, id, page).await?;
    if detached {
        tx.commit().await?;
    }
    Ok(Some(detached))
}

/// Reorders the pages of the book; `page_ids` must name each of them once. None if the book does not exist.
pub async fn reorder(app: &App, caller: &Caller, id: &BookId, page_ids: &[PageId]) -> Result<Option<Book>> {
    caller.require(Scopes::WRITING)?;
    let Some(mut tx) = lock(app, caller, id).await? else {
        return Ok(None);
    };
    let present = store::positions(&mut tx, id).await?;
    check_permutation(&present, page_ids)?;
    place(&mut tx, id, &present, page_ids).await?;
    let book = read(app, &mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(book))
}

/// Reorders the pages of the book if its present order is still `seen`. Returns false, and changes nothing, if it is
/// not. None if the book does not exist.
pub async fn reorder_seen(
    app: &App,
    caller: &Caller,
    id: &BookId,
    seen: &[PageId],
    wanted: &[PageId],
) -> Result<Option<bool>> {
    caller.require(Scopes::WRITING)?;
    let Some(mut tx) = lock(app, caller, id).await? else {
        return Ok(None);
    };
    let present = store::positions(&mut tx, id).await?;
    if !present.iter().map(|(page, _)| page).eq(seen) {
        return Ok(Some(false));
    }
    check_permutation(&present, wanted)?;
    place(&mut tx, id, &present, wanted).await?;
    tx.commit().await?;
    Ok(Some(true))
}

/// The direction in which a page moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Earlier,
    Later,
}

impl Step {
    /// Moves the item at this index, if it can move in this direction.
    fn apply<T>(self, order: &mut [T], index: usize) {
        match self {
            Self::Earlier if index > 0 => order.swap(index, index - 1),
            Self::Later if index + 1 < order.len() => order.swap(index, index + 1),
            Self::Earlier | Self::Later => {}
        }
    }
}

/// Moves a page of the book by one position. The first page cannot move earlier, nor the last one later; then nothing
/// changes. None if the book does not exist, false when the page is not in it.
pub async fn move_page(app: &App, caller: &Caller, id: &BookId, page: &PageId, step: Step) -> Result<Option<bool>> {
    caller.require(Scopes::WRITING)?;
    let Some(mut tx) = lock(app, caller, id).await? else {
        return Ok(None);
    };
    let present = store::positions(&mut tx, id).await?;
    let Some(index) = present.iter().position(|(other, _)| other == page) else {
        return Ok(Some(false));
    };
    let mut order: Vec<PageId> = present.iter().map(|(page, _)| page.clone()).collect();
    step.apply(&mut order, index);
    place(&mut tx, id, &present, &order).await?;
    tx.commit().await?;
    Ok(Some(true))
}

fn check_permutation(present: &[(PageId, i64)], wanted: &[PageId]) -> Result<()> {
    let known: HashSet<&PageId> = present.iter().map(|(page, _)| page).collect();
    let seen = check_named(&known, wanted)?;
    match present.iter().find(|(page, _)| !seen.contains(page)) {
        Some((missing, _)) => {
            let message = format!("must name every page of the book; {missing} is missing");
            Err(Error::invalid_field(Field::page_ids(), message))
        }
        None => Ok(()),
    }
}

/// Returns the pages that a request names; an error if one of them is not among the pages of the book, or is named
/// twice.
pub(super) fn check_named<'a>(known: &HashSet<&PageId>, named: &'a [PageId]) -> Result<HashSet<&'a PageId>> {
    let mut seen = HashSet::new();
    for (index, id) in named.iter().enumerate() {
        if !known.contains(id) {
            return Err(Error::invalid_field(
                Field::page_ids().at(index),
                "names a page that is not in the book",
            ));
        }
        if !seen.insert(id) {
            return Err(Error::invalid_field(
                Field::page_ids().at(index),
                "names a page for the second time",
            ));
        }
    }
    Ok(seen)
}

/// Inserts a page at a position from 1. The transaction must hold the book's lock. An error when the page is in the
/// book already.
async fn insert(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    id: &BookId,
    page: &PageId,
    position: Option<u32>,
) -> Result<()> {
    let mut present = store::positions(tx, id).await?;
    if present.iter().any(|(other, _)| other == page) {
        return Err(Error::invalid_field(
            Field::page_id(),
            "names a page that is in the book already",
        ));
    }
    check_size(app, caller, present.len() + 1)?;
    let last = present.len() + 1;
    let position = position.map_or(last, |position| position as usize);
    if !(1..=last).contains(&position) {
        return Err(Error::invalid_field(
            Field::position(),
            format!("must be from 1 to {last}"),
        ));
    }
    let after_all = present.last().map_or(1, |(_, position)| position + 1);
    if !store::attach(tx, id, page, after_all).await? {
        return Err(Error::invalid_field(Field::page_id(), UNKNOWN_PAGE));
    }
    if position < last {
        let mut order: Vec<PageId> = present.iter().map(|(page, _)| page.clone()).collect();
        order.insert(position - 1, page.clone());
        present.push((page.clone(), after_all));
        place(tx, id, &present, &order).await?;
    }
    Ok(())
}

/// The ids of the book's pages, in order.
async fn page_ids(tx: &mut Tx, id: &BookId) -> Result<Vec<PageId>> {
    let present = store::positions(tx, id).await?;
    Ok(present.into_iter().map(|(page, _)| page).collect())
}

/// The pages of a book that a transaction has locked; `None` if it has locked everything.
pub(super) struct LockedPages(Option<HashSet<PageId>>);

/// Locks the pages of the book until the transaction ends. Pages are locked before their book, as when it is deleted.
pub(super) async fn lock_pages(app: &App, tx: &mut Tx, id: &BookId) -> Result<LockedPages> {
    let locked = super::store::lock_pages(&app.database, tx, id).await?;
    Ok(LockedPages(locked.map(HashSet::from_iter)))
}

impl LockedPages {
    /// The ids of the book's pages, in order, without those that were attached since the pages were locked.
    pub(super) async fn ids(&self, tx: &mut Tx, id: &BookId) -> Result<Vec<PageId>> {
        let mut ids = page_ids(tx, id).await?;
        if let Some(locked) = &self.0 {
            ids.retain(|page| locked.contains(page));
        }
        Ok(ids)
    }
}

/// Numbers the pages of the book in their present order.
pub(super) async fn renumber(tx: &mut Tx, id: &BookId) -> Result<()> {
    let present = store::positions(tx, id).await?;
    let order: Vec<PageId> = present.iter().map(|(page, _)| page.clone()).collect();
    place(tx, id, &present, &order).await
}

/// Numbers the pages in this order, updating only those that move.
async fn place(tx: &mut Tx, id: &BookId, present: &[(PageId, i64)], order: &[PageId]) -> Result<()> {
    let positions: HashMap<&PageId, i64> = present.iter().map(|(page, at)| (page, *at)).collect();
    let order = (1_i64..).zip(order).map(|(position, page)| (page, position));
    let moved: Vec<_> = order
        .filter(|(page, position)| positions.get(page) != Some(position))
        .collect();
    Ok(store::set_positions(tx, id, &moved).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &str) -> Vec<PageId> {
        names.chars().map(PageId::from_text).collect()
    }

    #[test]
    fn an_order_must_name_each_page_of_the_book_once() {
        let present: Vec<(PageId, i64)> = ids("abc").into_iter().zip(1..).collect();
        for (wanted, problem) in [
            ("abc", None),
            ("cab", None),
            ("axb", Some("page_ids[1] names a page that is not in the book")),
            ("aba", Some("page_ids[2] names a page for the second time")),
            ("abca", Some("page_ids[3] names a page for the second time")),
            ("ca", Some("page_ids must name every page of the book; b is missing")),
            ("", Some("page_ids must name every page of the book; a is missing")),
        ] {
            let checked = check_permutation(&present, &ids(wanted));
            let complaint = checked.err().map(|error| match error.details().as_slice() {
                [detail] => format!("{} {}", detail.field, detail.message),
                details => panic!("{wanted}: {details:?}"),
            });
            assert_eq!(complaint.as_deref(), problem, "{wanted}");
        }
    }

    #[test]
    fn a_page_moves_by_one_position_and_not_beyond_the_ends() {
        for (step, index, after) in [
            (Step::Earlier, 1, "bac"),
            (Step::Earlier, 2, "acb"),
            (Step::Earlier, 0, "abc"),
            (Step::Later, 0, "bac"),
            (Step::Later, 1, "acb"),
            (Step::Later, 2, "abc"),
        ] {
            let mut order = ids("abc");
            step.apply(&mut order, index);
            assert_eq!(order, ids(after), "{step:?} {index}");
        }
    }
}

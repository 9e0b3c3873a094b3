//! Creating a book: its cover and new pages are queued, and existing pages are attached.
use std::collections::HashMap;

use linepress_model::Aspect;

use super::request::PageKind;
use super::{BookAccepted, NewBook, contents, series, store};
use crate::artwork::Status;
use crate::characters::{self, ReadyCharacter};
use crate::generation::{Accepted, Claim, Generation};
use crate::operations::{OperationType, ResourceType};
use crate::pages::{self, PageState};
use crate::sources::Source;
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_drawings::queue::{DrawingRequest, NewDrawingJob, Target};
use linepress_platform::app::App;
use linepress_platform::error::{Detail, Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// The source pictures of new pages, by the index of their entries.
type Sources = HashMap<usize, Source>;

/// Creates a book and queues its cover and its new pages.
pub async fn create(app: &App, caller: &Caller, order: &Order, new: &NewBook) -> Result<Accepted<BookAccepted>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(new)).await?;
    let has_sources = new.pages.iter().any(|page| page.source_upload_id.is_some());
    if has_sources && !idempotency::is_used(app, caller, order.key()).await? {
        // Before a hundred pictures are read.
        check_size(app, caller, new.pages.len())?;
    }
    let mut sources = Sources::new();
    let created = match receive_sources(app, caller, order, new, &mut sources).await {
        Ok(()) => create_from(app, caller, order, new, &sources).await,
        Err(error) => Err(error),
    };
    for source in sources.values() {
        source.release(app, order, created.as_ref().map(Some)).await;
    }
    created
}

/// Receives the source pictures. After an error, `sources` contains those that were received.
async fn receive_sources(
    app: &App,
    caller: &Caller,
    order: &Order,
    new: &NewBook,
    sources: &mut Sources,
) -> Result<()> {
    for (index, entry) in new.pages.iter().enumerate() {
        if let Some(upload) = &entry.source_upload_id {
            let source = Source::receive(app, caller, order, (Some(upload), None)).await;
            let source = source.map_err(|error| error.within(&Field::pages().at(index)))?;
            sources.insert(index, source);
        }
    }
    Ok(())
}

async fn create_from(
    app: &App,
    caller: &Caller,
    order: &Order,
    new: &NewBook,
    sources: &Sources,
) -> Result<Accepted<BookAccepted>> {
    let now = app.clock.now();
    let id = BookId::generate(now, &app.random);
    let claim = Generation::claim(app, caller, order, OperationType::BookCreate, None, new).await?;
    let mut generation = match claim {
        Claim::Replay(accepted) => return Ok(accepted),
        Claim::Fresh(generation) => *generation,
    };
    check_size(app, caller, new.pages.len())?;
    // Before a hundred inserts.
    generation.check_payable(new.price()).await?;
    let tx = &mut generation.tx;
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = characters::ready(tx, caller, named, &Field::character_ids()).await?;
    let seed_book = series::seed_book(tx, caller.account_id(), &new.title).await?;
    let inserted = store::Inserted {
        id: &id,
        new,
        characters: &characters,
        operation: &generation.operation_id,
        seed_book: seed_book.as_ref(),
    };
    store::insert(tx, caller, inserted, now).await?;
    let mut jobs = vec![cover_job(app, &id, new, &characters)];
    let book = (&id, seed_book.as_ref().unwrap_or(&id));
    jobs.extend(add_pages(app, &mut generation, caller, book, (new, sources), &characters).await?);
    let book = super::read(app, &mut generation.tx, caller, &id).await?;
    let reply = |operation| BookAccepted { book, operation };
    generation.accept((ResourceType::Book, id.as_str()), jobs, reply).await
}

/// Attaches the existing pages of a new book and inserts its new ones, in order. Returns the drawing jobs of the new
/// pages.
async fn add_pages(
    app: &App,
    generation: &mut Generation<'_>,
    caller: &Caller,
    (book, seed_book): (&BookId, &BookId),
    (new, sources): (&NewBook, &Sources),
    characters: &[ReadyCharacter],
) -> Result<Vec<NewDrawingJob>> {
    let (tx, operation) = (&mut generation.tx, &generation.operation_id);
    let indexes = &mut generation.page_indexes;
    let existing: Vec<&PageId> = new.pages.iter().filter_map(|page| page.page_id.as_ref()).collect();
    let existing = pages::states(tx, caller, &existing).await?;
    let named = new.pages.iter().filter_map(|page| page.character_ids.as_deref());
    let named = characters::load(tx, caller, named.flatten().collect()).await?;
    let (aspect, audience, look) = (
        new.aspect.unwrap_or_default(),
        new.audience.unwrap_or_default(),
        new.look(),
    );
    let mut problems = Vec::new();
    let (mut places, mut drawn, mut jobs) = (Vec::new(), Vec::new(), Vec::new());
    for (index, entry) in new.pages.iter().enumerate() {
        let path = || Field::pages().at(index);
        match entry.kind() {
            PageKind::Existing(id) => match attachable(existing.get(id), aspect) {
                Ok(()) => places.push(id.clone()),
                Err(message) => problems.push(Detail {
                    field: path().then(Field::page_id()),
                    message,
                }),
            },
            PageKind::New(page) => {
                let own = match &page.character_ids {
                    Some(ids) => Some(named.ready(ids, &path().then(Field::character_ids()))?),
                    None => None,
                };
                let spec = pages::PageSpec {
                    page: &page,
                    aspect,
                    audience,
                    look: &look,
                    book: Some(book),
                    seed_book: Some(seed_book),
                    characters: own.as_deref().unwrap_or(characters),
                };
                let (page, mut job) = pages::prepare(app, operation, &spec);
                if let Some(source) = sources.get(&index) {
                    source.draw_from(app, tx, &mut job).await?;
                }
                indexes.insert(page.id.clone(), index);
                places.push(page.id.clone());
                drawn.push(page);
                jobs.push(job);
            }
        }
    }
    if !problems.is_empty() {
        return Err(Error::validation(problems));
    }
    pages::insert_all(tx, caller, &drawn.iter().collect::<Vec<_>>(), audience).await?;
    if !contents::store::attach_all(tx, book, &places).await? {
        return Err(Error::invalid_field(
            Field::pages(),
            "names a page that was deleted just now",
        ));
    }
    Ok(jobs)
}

pub(super) const UNKNOWN_PAGE: &str = "names no page of this account";

/// Checks whether a page can be attached to a book of this aspect. The error says why it cannot.
pub(super) fn attachable(page: Option<&PageState>, aspect: Aspect) -> Result<(), String> {
    match page {
        None => Err(UNKNOWN_PAGE.into()),
        Some(page) if page.status == Status::Generating => {
            let operation = page.active_operation_id.as_ref();
            let operation = operation.map(|id| format!(" {id}")).unwrap_or_default();
            Err(format!(
                "names a page that is being drawn; wait until its operation{operation} has ended"
            ))
        }
        Some(page) if page.status == Status::Failed => {
            Err("names a page that could not be drawn; regenerate it, or put artwork in its place".into())
        }
        Some(page) if page.aspect != aspect => {
            Err(format!("names a page of aspect {}; the book is {aspect}", page.aspect))
        }
        Some(_) => Ok(()),
    }
}

fn cover_job(app: &App, id: &BookId, new: &NewBook, characters: &[ReadyCharacter]) -> NewDrawingJob {
    NewDrawingJob {
        target: Target::Cover(id.clone()),
        title: new.title.to_string(),
        credits: pricing::COVER,
        request: DrawingRequest {
            prompt: new.cover_prompt().into(),
            new_prompt: None,
            old_prompt: None,
            new_title: None,
            new_caption: None,
            title: new.title.to_string(),
            aspect: new.aspect.unwrap_or_default(),
            audience: new.audience.unwrap_or_default(),
            seed: app.random.seed(),
            characters: characters.iter().map(ReadyCharacter::snapshot).collect(),
            source: None,
            refinement: None,
            in_color: new.cover_style().is_color(),
            new_style: None,
            look: new.look().of_cover(),
            seed_book_id: None,
            is_test: false,
        },
    }
}

/// Returns an error for more pages than one book may have.
pub fn check_size(app: &App, caller: &Caller, pages: usize) -> Result<()> {
    check_size_or(app, caller, pages, "Put the rest into another book.")
}

/// The same, with advice for the account.
pub(super) fn check_size_or(app: &App, caller: &Caller, pages: usize, advice: &'static str) -> Result<()> {
    let (what, limit) = ("pages in one book", caller.limits(app).pages_per_book);
    if i64::try_from(pages).is_ok_and(|pages| pages <= limit) {
        return Ok(());
    }
    Err(ErrorKind::AccountLimitReached { what, limit, advice }.into())
}

#[cfg(test)]
mod tests {
    use linepress_platform::ids::OperationId;

    use super::*;

    #[test]
    fn only_a_ready_page_of_the_same_aspect_can_be_attached() {
        let state = |status, aspect, operation: Option<&str>| PageState {
            id: PageId::from_text("page_1"),
            status,
            aspect,
            active_operation_id: operation.map(OperationId::from_text),
        };
        let drawn = "names a page that is being drawn; wait until its operation op_1 has ended";
        let failed = "names a page that could not be drawn; regenerate it, or put artwork in its place";
        for (page, problem) in [
            (Some(state(Status::Ready, Aspect::Square, None)), None),
            // The page has a picture, and is being drawn again.
            (Some(state(Status::Ready, Aspect::Square, Some("op_1"))), None),
            (None, Some("names no page of this account")),
            (
                Some(state(Status::Generating, Aspect::Square, Some("op_1"))),
                Some(drawn),
            ),
            (Some(state(Status::Failed, Aspect::Square, None)), Some(failed)),
            (
                Some(state(Status::Ready, Aspect::Portrait, None)),
                Some("names a page of aspect portrait; the book is square"),
            ),
        ] {
            let checked = attachable(page.as_ref(), Aspect::Square);
            assert_eq!(checked.err().as_deref(), problem);
        }
    }
}

//! Creating a book: its cover and new pages are queued, the others attached.
use linepress_model::Aspect;

use super::request::PageKind;
use super::{BookAccepted, NewBook, store};
use crate::app::App;
use crate::artwork::Status;
use crate::caller::Caller;
use crate::characters::{self, ReadyCharacter};
use crate::credits::{self, pricing};
use crate::database::Tx;
use crate::error::{Detail, Error, ErrorKind, Result};
use crate::generation::{Accepted, Claim, Generation};
use crate::idempotency::IdempotencyKey;
use crate::ids::{BookId, PageId};
use crate::operations::{OperationType, ResourceType};
use crate::pages;
use crate::queue::{DrawingRequest, NewDrawingJob, Target};
use crate::validation;

/// Creates a book and queues its cover and its new pages.
pub(crate) async fn create(app: &App, caller: &Caller, key: &IdempotencyKey, new: &NewBook) -> Result<Accepted> {
    validation::check("book", new)?;
    let now = app.clock.now();
    let id = BookId::generate(now, &app.random);
    let claim = Generation::claim(app, caller, key, OperationType::BookCreate, None, new).await?;
    let mut generation = match claim {
        Claim::Replay(accepted) => return Ok(accepted),
        Claim::Fresh(generation) => generation,
    };
    check_size(app, new.pages.len())?;
    let tx = &mut generation.tx;
    // Known from the body: an account that cannot pay must not hold the database for a hundred inserts.
    credits::require(tx, &caller.account_id, new.price()).await?;
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = characters::ready(tx, caller, named, "book.character_ids").await?;
    let inserted = store::Inserted {
        id: &id,
        new,
        characters: &characters,
        operation: &generation.operation_id,
    };
    store::insert(tx, caller, inserted, now).await?;
    let mut jobs = vec![cover_job(app, &id, new, &characters)];
    jobs.extend(add_pages(app, &mut generation, caller, &id, new, &characters).await?);
    let book = super::read(app, &mut generation.tx, caller, &id).await?;
    let reply = |operation| BookAccepted { book, operation };
    generation.accept((ResourceType::Book, id.as_str()), jobs, reply).await
}

/// Puts the pages of a new book in their places: attaches those that exist, inserts the others. Returns what to draw.
async fn add_pages(
    app: &App,
    generation: &mut Generation<'_>,
    caller: &Caller,
    book: &BookId,
    new: &NewBook,
    characters: &[ReadyCharacter],
) -> Result<Vec<NewDrawingJob>> {
    let mut jobs = Vec::new();
    let mut problems = Vec::new();
    for (index, entry) in new.pages.iter().enumerate() {
        let field = format!("book.pages[{index}]");
        let position = i64::try_from(index + 1).unwrap_or(i64::MAX);
        let page_id = match entry.kind() {
            PageKind::Existing(id) => {
                let aspect = new.aspect.unwrap_or_default();
                if let Err(message) = attachable(&mut generation.tx, caller, id, aspect).await? {
                    problems.push(Detail {
                        field: format!("{field}.page_id"),
                        message,
                    });
                    continue;
                }
                id.clone()
            }
            PageKind::New(page) => {
                let own = match &page.character_ids {
                    Some(ids) => {
                        let field = format!("{field}.character_ids");
                        &*characters::ready(&mut generation.tx, caller, ids, &field).await?
                    }
                    None => characters,
                };
                let spec = pages::PageSpec {
                    page: &page,
                    aspect: new.aspect.unwrap_or_default(),
                    audience: new.audience.unwrap_or_default(),
                    characters: own,
                };
                let operation = &generation.operation_id;
                let (page, job) = pages::insert(app, &mut generation.tx, caller, operation, &spec).await?;
                jobs.push(job);
                page.id
            }
        };
        if !store::attach(&mut generation.tx, book, &page_id, position).await? {
            return Err(Error::invalid_field(format!("{field}.page_id"), NO_PAGE));
        }
    }
    if problems.is_empty() {
        Ok(jobs)
    } else {
        Err(Error::validation(problems))
    }
}

pub(super) const NO_PAGE: &str = "names no page of this account";

/// Whether a page can be attached to a book of this aspect; if not, why.
pub(super) async fn attachable(
    tx: &mut Tx,
    caller: &Caller,
    id: &PageId,
    aspect: Aspect,
) -> Result<Result<(), String>> {
    Ok(match pages::find(tx, caller, id).await? {
        None => Err(NO_PAGE.into()),
        Some(page) if page.status != Status::Ready => Err("names a page that is not ready".into()),
        Some(page) if page.aspect != aspect => {
            Err(format!("names a page of aspect {}; the book is {aspect}", page.aspect))
        }
        Some(_) => Ok(()),
    })
}

fn cover_job(app: &App, id: &BookId, new: &NewBook, characters: &[ReadyCharacter]) -> NewDrawingJob {
    NewDrawingJob {
        target: Target::Cover(id.clone()),
        title: new.title.to_string(),
        credits: pricing::COVER,
        request: DrawingRequest {
            prompt: new.cover_prompt().into(),
            new_prompt: None,
            title: new.title.to_string(),
            aspect: new.aspect.unwrap_or_default(),
            audience: new.audience.unwrap_or_default(),
            seed: app.random.seed(),
            characters: characters.iter().map(ReadyCharacter::snapshot).collect(),
        },
    }
}

/// Refuses more pages than one book may have.
pub(super) fn check_size(app: &App, pages: usize) -> Result<()> {
    let limit = app.config.limits.pages_per_book;
    if i64::try_from(pages).is_ok_and(|pages| pages <= limit) {
        return Ok(());
    }
    let what = "pages in one book";
    Err(ErrorKind::AccountLimitReached { what, limit }.into())
}

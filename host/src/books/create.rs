//! Creating a book: its cover and new pages are queued, the others attached.
use super::{BookAccepted, NewBook, PageEntry, store};
use crate::app::App;
use crate::artwork::Aspect;
use crate::caller::Caller;
use crate::characters;
use crate::database::Tx;
use crate::drawing::{NewDrawing, Request, Target, TargetType};
use crate::error::{Detail, Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{BookId, OperationId, PageId};
use crate::operations::{self, NewOperation, OperationType, ResourceType};
use crate::{credits, pages, validation};

/// Creates a book and queues its cover and its new pages.
pub async fn create(app: &App, caller: &Caller, key: &IdempotencyKey, new: &NewBook) -> Result<Accepted> {
    validation::check("book", new)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(replay);
    }
    check_size(app, new.pages.len())?;
    // Known from the body: an account that cannot pay must not hold the database for a hundred inserts.
    credits::require(&mut tx, &caller.account_id, new.price()).await?;
    let now = app.clock.now();
    let id = BookId::generate(now, &app.random);
    let operation_id = operations::new_id(app);
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = characters::usable(&mut tx, caller, named, "book.character_ids").await?;
    store::insert(&mut tx, caller, &id, new, &characters, &operation_id, now).await?;

    let mut drawings = vec![cover_drawing(app, &id, new, &characters)];
    drawings.extend(add_pages(app, &mut tx, caller, &id, new, &characters, &operation_id).await?);
    let begin = NewOperation {
        kind: OperationType::BookCreate,
        resource: ResourceType::Book,
        resource_id: id.as_str(),
        drawings,
    };
    let (operation, available) = operations::begin(app, &mut tx, caller, operation_id, begin).await?;
    let book = super::read_in(app, &mut tx, caller, &id).await?;
    let reply = BookAccepted { book, operation };
    operations::accept(app, tx, caller, key, &reply, &reply.operation, available).await
}

/// Puts the pages of a new book in their places: attaches those that exist, inserts the others. Answers what to draw.
async fn add_pages(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    book: &BookId,
    new: &NewBook,
    characters: &[characters::Usable],
    operation: &OperationId,
) -> Result<Vec<NewDrawing>> {
    let mut drawings = Vec::new();
    let mut problems = Vec::new();
    for (index, entry) in new.pages.iter().enumerate() {
        let field = format!("book.pages[{index}]");
        let position = i64::try_from(index + 1).unwrap_or(i64::MAX);
        let page_id = match entry {
            PageEntry {
                page_id: Some(existing),
                ..
            } => match attachable(tx, caller, existing, new.aspect.unwrap_or_default()).await? {
                Ok(id) => id,
                Err(message) => {
                    problems.push(Detail {
                        field: format!("{field}.page_id"),
                        message,
                    });
                    continue;
                }
            },
            entry => {
                let own = match &entry.character_ids {
                    Some(ids) => &*characters::usable(tx, caller, ids, &format!("{field}.character_ids")).await?,
                    None => characters,
                };
                let draft = pages::Draft {
                    page: &entry.to_new_page(),
                    aspect: new.aspect.unwrap_or_default(),
                    audience: new.audience.unwrap_or_default(),
                    characters: own,
                };
                let (page, drawing) = pages::insert(app, tx, caller, operation, &draft).await?;
                drawings.push(drawing);
                page.id
            }
        };
        if !store::attach(tx, book, &page_id, position).await? {
            return Err(Error::invalid_field(format!("{field}.page_id"), NO_PAGE));
        }
    }
    if problems.is_empty() {
        Ok(drawings)
    } else {
        Err(Error::validation(problems))
    }
}

pub(super) const NO_PAGE: &str = "names no page of this account";

/// Whether a page can be attached to a book of this aspect; if not, why.
pub(super) async fn attachable(
    tx: &mut Tx,
    caller: &Caller,
    id: &str,
    aspect: Aspect,
) -> Result<Result<PageId, String>> {
    let id = PageId::from_client(id);
    Ok(match pages::find_in(tx, caller, &id).await? {
        None => Err(NO_PAGE.into()),
        Some(page) if page.status != "ready" => Err("names a page that is not ready".into()),
        Some(page) if page.aspect != aspect.as_str() => Err(format!(
            "names a page of aspect {}; the book is {}",
            page.aspect,
            aspect.as_str()
        )),
        Some(_) => Ok(id),
    })
}

fn cover_drawing(app: &App, id: &BookId, new: &NewBook, characters: &[characters::Usable]) -> NewDrawing {
    NewDrawing {
        target: Target {
            kind: TargetType::Cover,
            id: id.as_str().into(),
        },
        title: new.title.clone(),
        credits: 0,
        request: Request {
            prompt: new.cover_prompt().into(),
            new_prompt: None,
            title: new.title.clone(),
            aspect: new.aspect.unwrap_or_default(),
            audience: new.audience.unwrap_or_default(),
            seed: app.random.seed(),
            characters: characters.iter().map(characters::Usable::sketch).collect(),
        },
    }
}

/// Refuses more pages than one book may have.
pub(super) fn check_size(app: &App, pages: usize) -> Result<()> {
    let limit = app.config.limits.pages_per_book;
    if i64::try_from(pages).is_ok_and(|pages| pages <= limit) {
        Ok(())
    } else {
        Err(Error::account_limit("pages in one book", limit))
    }
}

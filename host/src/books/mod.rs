//! Books: pages in an order, with a cover.
mod draft;
mod pdf;
mod store;

use serde::Serialize;

use crate::app::App;
use crate::artwork::{self, Aspect, Audience, Download, Image};
use crate::caller::Caller;
use crate::characters::{self, CharacterLink};
use crate::clock::Timestamp;
use crate::database::{PageOf, PageRequest, Tx};
use crate::drawing::{NewDrawing, Request, Target, TargetType};
use crate::error::{Detail, Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{ArtworkId, BookId, OperationId, PageId};
use crate::operations::{self, NewOperation, Operation, OperationType, ResourceType};
use crate::pages::{self, Status};
use crate::{credits, print, validation};

pub use draft::{MAX_PAGES, NewBook, NewCover, PageEntry};
pub use pdf::{Pdf, pdf};

/// Where a book stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BookStatus {
    /// Something of it is being drawn.
    Generating,
    /// Every page is ready.
    Ready,
    /// A page has failed, or there is none.
    Incomplete,
}

/// A book.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Book {
    pub id: BookId,
    #[schema(example = "Woodland Friends")]
    pub title: String,
    /// Printed below the title; may be empty.
    pub subtitle: String,
    /// Printed on the title page; may be empty.
    pub author: String,
    /// What the book is about; may be empty.
    pub description: String,
    #[schema(inline)]
    pub audience: Audience,
    #[schema(inline)]
    pub aspect: Aspect,
    #[schema(inline)]
    pub status: BookStatus,
    pub cover: Cover,
    /// Who appears on the cover and, unless a page names others, on every page.
    pub characters: Vec<CharacterLink>,
    /// In the order they are printed.
    pub pages: Vec<PageSummary>,
    /// How many pages there are.
    pub page_count: usize,
    /// The ids of the print formats that match the aspect, the default first.
    pub print_formats: Vec<String>,
    /// The operation that is drawing it at this moment; null when none is.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed; drawing it counts.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// The drawing on the title page.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Cover {
    /// What it shows.
    pub prompt: String,
    #[schema(inline)]
    pub status: Status,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
}

/// A page as its book shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PageSummary {
    pub id: PageId,
    #[schema(example = "A fox in the woods")]
    pub title: String,
    /// Its place in the book, from 1.
    #[schema(minimum = 1)]
    pub position: i64,
    #[schema(inline)]
    pub status: Status,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
}

/// The answer to an accepted generation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BookAccepted {
    pub book: Book,
    /// Poll it to learn when cover and pages are drawn.
    pub operation: Operation,
}

pub async fn get(app: &App, caller: &Caller, id: &BookId) -> Result<Option<Book>> {
    let pool = &app.database.read;
    let Some(row) = store::find(pool, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let mut pages = store::pages_of(pool, &[id.as_str()]).await?;
    let pages = pages.remove(id.as_str()).unwrap_or_default();
    Ok(Some(row.into_book(app, pages)))
}

/// The account's books, newest first.
pub async fn list(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<Book>> {
    let pool = &app.database.read;
    let rows = store::list(pool, &caller.account_id, request).await?;
    let page = PageOf::from_rows(rows, request.limit, |row| &row.id);
    let ids: Vec<&str> = page.items.iter().map(|row| row.id.as_str()).collect();
    let mut pages = store::pages_of(pool, &ids).await?;
    let books = page.items.into_iter().map(|row| {
        let pages = pages.remove(&row.id).unwrap_or_default();
        row.into_book(app, pages)
    });
    Ok(PageOf {
        items: books.collect(),
        next_cursor: page.next_cursor,
    })
}

/// Creates a book and queues its cover and its new pages.
pub async fn create(app: &App, caller: &Caller, key: &IdempotencyKey, new: &NewBook) -> Result<Accepted> {
    validation::check("book", new)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(replay);
    }
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
    let book = read_in(app, &mut tx, caller, &id).await?;
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
        store::attach(tx, book, &page_id, position).await?;
    }
    if problems.is_empty() {
        Ok(drawings)
    } else {
        Err(Error::validation(problems))
    }
}

/// Whether a page can be attached to a book of this aspect; if not, why.
async fn attachable(tx: &mut Tx, caller: &Caller, id: &str, aspect: Aspect) -> Result<Result<PageId, String>> {
    let id = PageId::from_client(id);
    Ok(match pages::find_in(tx, caller, &id).await? {
        None => Err("names no page of this account".into()),
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
            title: new.title.clone(),
            aspect: new.aspect.unwrap_or_default(),
            audience: new.audience.unwrap_or_default(),
            seed: app.random.seed(),
            characters: characters.iter().map(characters::Usable::sketch).collect(),
        },
    }
}

async fn read_in(app: &App, tx: &mut Tx, caller: &Caller, id: &BookId) -> Result<Book> {
    let row = store::find_in(tx, &caller.account_id, id).await?;
    let pages = store::pages_in(tx, id).await?;
    Ok(row.into_book(app, pages))
}

/// The cover's image, when the book is the caller's and has one.
pub async fn cover_image(app: &App, caller: &Caller, id: &BookId) -> Result<Option<Download>> {
    let Some(row) = store::find(&app.database.read, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (row.cover_image_key, row.image.media_type) else {
        return Ok(None);
    };
    artwork::download(app, &key, media_type).await.map(Some)
}

/// Records how the drawing of a cover ended.
pub async fn settle_cover(app: &App, tx: &mut Tx, id: &str, artwork: Option<&ArtworkId>) -> Result<()> {
    Ok(store::settle_cover(tx, id, artwork, app.clock.now()).await?)
}

/// Frees the book that an operation worked on, if it was one.
pub async fn operation_ended(app: &App, tx: &mut Tx, operation: &str) -> Result<()> {
    Ok(store::operation_ended(tx, operation, app.clock.now()).await?)
}

impl store::BookRow {
    fn into_book(self, app: &App, pages: Vec<store::PageRow>) -> Book {
        let status = match (&self.active_operation_id, &pages) {
            (Some(_), _) => BookStatus::Generating,
            (None, pages) if pages.iter().any(|page| page.status == "generating") => BookStatus::Generating,
            (None, pages) if !pages.is_empty() && pages.iter().all(|page| page.status == "ready") => BookStatus::Ready,
            _ => BookStatus::Incomplete,
        };
        let aspect = Aspect::parse(&self.aspect).unwrap_or_default();
        let pages: Vec<PageSummary> = pages
            .into_iter()
            .map(|row| PageSummary {
                image: row.image.at(pages::image_url(app, &row.id)),
                id: PageId::from_text(row.id),
                title: row.title,
                position: row.position,
                status: Status::parse(&row.status),
            })
            .collect();
        Book {
            status,
            cover: Cover {
                prompt: self.cover_prompt,
                status: Status::parse(&self.cover_status),
                image: self
                    .image
                    .at(format!("{}/books/{}/cover_image", app.config.base_url(), self.id)),
            },
            id: BookId::from_text(self.id),
            title: self.title,
            subtitle: self.subtitle,
            author: self.author,
            description: self.description,
            audience: Audience::parse(&self.audience).unwrap_or_default(),
            aspect,
            characters: characters::links(self.characters.as_deref()),
            page_count: pages.len(),
            pages,
            print_formats: print::formats(app)
                .into_iter()
                .filter(|format| format.aspect == aspect)
                .map(|format| format.id)
                .collect(),
            active_operation_id: self.active_operation_id.map(OperationId::from_text),
            created_at: Timestamp::from_microseconds(self.created_at),
            updated_at: Timestamp::from_microseconds(self.updated_at),
        }
    }
}

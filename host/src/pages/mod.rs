//! Pages: one drawing each, standing alone or in books.
mod store;

use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::artwork::{self, Aspect, Audience, Download, Image};
use crate::caller::Caller;
use crate::characters::{self, CharacterLink};
use crate::clock::Timestamp;
use crate::database::{PageOf, PageRequest, Tx};
use crate::drawing::{NewDrawing, Request, Target, TargetType};
use crate::error::{Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{ArtworkId, BookId, CharacterId, OperationId, PageId};
use crate::operations::{self, NewOperation, Operation, OperationType, ResourceType, SafeError};
use crate::validation;

pub use store::StoredPage;

/// Where a page's image came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Generated,
    Imported,
}

/// Where a page or character stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Generating,
    Ready,
    Failed,
}

impl Status {
    pub fn parse(text: &str) -> Self {
        match text {
            "generating" => Self::Generating,
            "ready" => Self::Ready,
            // The schema allows no fourth word.
            _ => Self::Failed,
        }
    }
}

/// A page.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Page {
    pub id: PageId,
    #[schema(example = "A fox in the woods")]
    pub title: String,
    /// What the drawing shows, in the words it was asked for with.
    pub prompt: String,
    /// The line printed under the drawing; empty when there is none.
    pub caption: String,
    #[schema(inline)]
    pub aspect: Aspect,
    #[schema(inline)]
    pub origin: Origin,
    #[schema(inline)]
    pub status: Status,
    /// Who appears on the page, the most important first.
    pub characters: Vec<CharacterLink>,
    /// The books the page stands in.
    pub book_ids: Vec<BookId>,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
    /// Why the last generation failed, when it left the page without an image.
    #[schema(required)]
    pub error: Option<SafeError>,
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

/// A page to be drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPage {
    #[garde(length(chars, min = 1, max = 200), custom(validation::line))]
    /// Printed with the page, and the name it goes by.
    #[schema(min_length = 1, max_length = 200, format = "line", example = "A fox in the woods")]
    pub title: String,
    /// What to draw; the title when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 1, max = 2000), custom(validation::visible_text)))]
    #[schema(
        min_length = 1,
        max_length = 2000,
        format = "visible_text",
        example = "A fox curled up under an oak"
    )]
    pub prompt: Option<String>,
    /// One line printed under the drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 300), custom(validation::optional_line)))]
    #[schema(max_length = 300, format = "optional_line", example = "Good night, little fox")]
    pub caption: Option<String>,
    /// `portrait` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters of the account that appear on the page, the most important first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Option<Vec<CharacterId>>, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
}

/// What may be said with a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRegeneration {
    /// A new prompt; the old one when it is left out. It becomes the page's own when it has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 1, max = 2000), custom(validation::visible_text)))]
    #[schema(
        min_length = 1,
        max_length = 2000,
        format = "visible_text",
        example = "A fox leaping over a brook"
    )]
    pub prompt: Option<String>,
}

/// The answer to an accepted generation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PageAccepted {
    pub page: Page,
    /// Poll it to learn when the page is drawn.
    pub operation: Operation,
}

/// A page as a concept that creates it wants it.
pub struct Draft<'a> {
    pub page: &'a NewPage,
    pub aspect: Aspect,
    pub audience: Audience,
    pub characters: &'a [characters::Usable],
}

pub async fn get(app: &App, caller: &Caller, id: &PageId) -> Result<Option<Page>> {
    Ok(store::find(&app.database.read, &caller.account_id, id)
        .await?
        .map(|row| row.into_page(app)))
}

/// The account's pages, newest first; only those of `book` when it is given.
pub async fn list(app: &App, caller: &Caller, book: Option<&BookId>, request: &PageRequest) -> Result<PageOf<Page>> {
    let rows = store::list(&app.database.read, &caller.account_id, book, request).await?;
    let page = PageOf::from_rows(rows, request.limit, |row| &row.id);
    let items = page.items.into_iter().map(|row| row.into_page(app)).collect();
    Ok(PageOf {
        items,
        next_cursor: page.next_cursor,
    })
}

/// Creates a page and queues its drawing.
pub async fn create(app: &App, caller: &Caller, key: &IdempotencyKey, new: &NewPage) -> Result<Accepted> {
    validation::check("page", new)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(replay);
    }
    let characters = characters::usable(
        &mut tx,
        caller,
        new.character_ids.as_deref().unwrap_or_default(),
        "page.character_ids",
    )
    .await?;
    let aspect = new.aspect.unwrap_or_default();
    let draft = Draft {
        page: new,
        aspect,
        audience: Audience::default(),
        characters: &characters,
    };
    let operation_id = operations::new_id(app);
    let (page, drawing) = insert(app, &mut tx, caller, &operation_id, &draft).await?;
    begin(
        app,
        tx,
        caller,
        key,
        operation_id,
        OperationType::PageCreate,
        page,
        drawing,
    )
    .await
}

/// Begins the operation that draws a page, saves the reply and commits.
#[expect(clippy::too_many_arguments, reason = "all that one accepted generation is made of")]
async fn begin(
    app: &App,
    mut tx: Tx,
    caller: &Caller,
    key: &IdempotencyKey,
    operation_id: OperationId,
    kind: OperationType,
    page: Page,
    drawing: NewDrawing,
) -> Result<Accepted> {
    let new = NewOperation {
        kind,
        resource: ResourceType::Page,
        resource_id: page.id.as_str(),
        drawings: vec![drawing],
    };
    let (operation, available) = operations::begin(app, &mut tx, caller, operation_id, new).await?;
    let reply = PageAccepted { page, operation };
    operations::accept(app, tx, caller, key, &reply, &reply.operation, available).await
}

/// Inserts a page that is about to be drawn; answers it and what to queue for it.
pub async fn insert(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    draft: &Draft<'_>,
) -> Result<(Page, NewDrawing)> {
    let now = app.clock.now();
    let title = draft.page.title.clone();
    let page = Page {
        id: PageId::generate(now, &app.random),
        prompt: draft.page.prompt.clone().unwrap_or_else(|| title.clone()),
        title,
        caption: draft.page.caption.clone().unwrap_or_default(),
        aspect: draft.aspect,
        origin: Origin::Generated,
        status: Status::Generating,
        characters: draft.characters.iter().map(characters::Usable::link).collect(),
        book_ids: Vec::new(),
        image: None,
        error: None,
        active_operation_id: Some(operation.clone()),
        created_at: now,
        updated_at: now,
    };
    store::insert(tx, caller, &page, draft.audience).await?;
    let drawing = drawing_of(
        app,
        page.id.as_str(),
        &page.title,
        &page.prompt,
        draft.aspect,
        draft.audience,
        draft.characters,
    );
    Ok((page, drawing))
}

/// Draws the page again, keeping its image until the new one is there.
pub async fn regenerate(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    id: &PageId,
    change: &PageRegeneration,
) -> Result<Option<Accepted>> {
    validation::check("page", change)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(Some(replay));
    }
    let operation_id = operations::new_id(app);
    let Some(row) = store::start_generation(&mut tx, caller, id, &operation_id, app.clock.now()).await? else {
        return match store::find_in(&mut tx, &caller.account_id, id).await? {
            Some(_) => Err(Error::generation_active("page")),
            None => Ok(None),
        };
    };
    let audience = row.audience();
    let page = row.into_page(app);
    let ids: Vec<String> = page.characters.iter().map(|link| link.id.as_str().to_owned()).collect();
    let characters = characters::still_usable(&mut tx, caller, &ids).await?;
    let drawing = drawing_of(
        app,
        page.id.as_str(),
        &page.title,
        change.prompt.as_ref().unwrap_or(&page.prompt),
        page.aspect,
        audience,
        &characters,
    );
    begin(
        app,
        tx,
        caller,
        key,
        operation_id,
        OperationType::PageRegenerate,
        page,
        drawing,
    )
    .await
    .map(Some)
}

/// The page's image, when the page is the caller's and has one.
pub async fn image(app: &App, caller: &Caller, id: &PageId) -> Result<Option<Download>> {
    let Some((key, media_type)) = store::image_key(&app.database.read, &caller.account_id, id).await? else {
        return Ok(None);
    };
    artwork::download(app, &key, media_type).await.map(Some)
}

/// Records how the drawing of a page with this prompt ended: with an artwork, or with an error.
pub async fn settle(
    app: &App,
    tx: &mut Tx,
    id: &str,
    artwork: Option<&ArtworkId>,
    prompt: &str,
    error: Option<&str>,
) -> Result<()> {
    Ok(store::settle(tx, id, artwork, prompt, error, app.clock.now()).await?)
}

/// A page of the caller as this transaction sees it.
pub async fn find_in(tx: &mut Tx, caller: &Caller, id: &PageId) -> Result<Option<StoredPage>> {
    Ok(store::find_in(tx, &caller.account_id, id).await?)
}

pub fn image_url(app: &App, id: &str) -> String {
    format!("{}/pages/{id}/image", app.config.base_url())
}

fn drawing_of(
    app: &App,
    id: &str,
    title: &str,
    prompt: &str,
    aspect: Aspect,
    audience: Audience,
    characters: &[characters::Usable],
) -> NewDrawing {
    NewDrawing {
        target: Target {
            kind: TargetType::Page,
            id: id.into(),
        },
        title: title.into(),
        credits: 1,
        request: Request {
            prompt: prompt.into(),
            title: title.into(),
            aspect,
            audience,
            seed: app.random.seed(),
            characters: characters.iter().map(characters::Usable::sketch).collect(),
        },
    }
}

impl StoredPage {
    fn into_page(self, app: &App) -> Page {
        Page {
            image: self.image.at(image_url(app, &self.id)),
            characters: characters::links(self.characters.as_deref()),
            book_ids: self
                .book_ids
                .as_deref()
                .map(|ids| ids.split(characters::BETWEEN).map(BookId::from_text).collect())
                .unwrap_or_default(),
            error: self.error_code.as_deref().map(SafeError::of_code),
            status: Status::parse(&self.status),
            origin: if self.origin == "imported" {
                Origin::Imported
            } else {
                Origin::Generated
            },
            aspect: Aspect::parse(&self.aspect).unwrap_or_default(),
            id: PageId::from_text(self.id),
            title: self.title,
            prompt: self.prompt,
            caption: self.caption,
            active_operation_id: self.active_operation_id.map(OperationId::from_text),
            created_at: Timestamp::from_microseconds(self.created_at),
            updated_at: Timestamp::from_microseconds(self.updated_at),
        }
    }

    fn audience(&self) -> Audience {
        Audience::parse(&self.audience).unwrap_or_default()
    }
}

//! Pages: one drawing each, standing alone or in books.
mod edit;
mod import;
mod request;
mod resource;
mod store;

use crate::app::App;
use crate::artwork::{self, Aspect, Audience, Download};
use crate::caller::Caller;
use crate::characters;
use crate::database::{PageOf, PageRequest, Tx};
use crate::drawing::{NewDrawing, Request, Target, TargetType};
use crate::error::{Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{ArtworkId, BookId, OperationId, PageId};
use crate::operations::{self, NewOperation, OperationType, ResourceType};
use crate::validation;

pub use edit::{delete, update};
pub use import::{import, replace_image};
pub use request::{NewImage, NewImport, NewPage, PageChange, PageRegeneration};
pub use resource::{Origin, Page, PageAccepted, Status};
pub use store::StoredPage;

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
    let page = PageOf::from_rows(rows, request, |row| &row.id);
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
    store::insert(tx, caller, &page, draft.audience, None).await?;
    let drawing = drawing_of(
        app,
        page.id.as_str(),
        &page.title,
        &page.prompt,
        draft.aspect,
        draft.audience,
        draft.characters,
        None,
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
        change.prompt.as_deref(),
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

/// Records how the drawing of a page ended: with an artwork, or with an error. False when there is no such page any more.
pub async fn settle(
    app: &App,
    tx: &mut Tx,
    id: &str,
    artwork: Option<&ArtworkId>,
    asked: &Request,
    error: Option<&str>,
) -> Result<bool> {
    let before = match artwork {
        Some(_) => store::artwork_in(tx, id).await?,
        None => None,
    };
    let settled = store::settle(tx, id, artwork, asked.new_prompt.as_deref(), error, app.clock.now()).await?;
    if let (true, Some(before)) = (settled, before) {
        artwork::discard(app, tx, &before).await?;
    }
    Ok(settled)
}

/// Whether there is such a page, whoever owns it.
pub async fn exists(app: &App, id: &str) -> Result<bool> {
    Ok(store::exists(&app.database.read, id).await?)
}

/// A page of the caller as this transaction sees it.
pub async fn find_in(tx: &mut Tx, caller: &Caller, id: &PageId) -> Result<Option<StoredPage>> {
    Ok(store::find_in(tx, &caller.account_id, id).await?)
}

pub fn url(app: &App, id: &str) -> String {
    format!("{}/pages/{id}", app.config.base_url())
}

pub fn image_url(app: &App, id: &str) -> String {
    format!("{}/image", url(app, id))
}

#[expect(clippy::too_many_arguments, reason = "all that a drawing is made from")]
fn drawing_of(
    app: &App,
    id: &str,
    title: &str,
    prompt: &str,
    aspect: Aspect,
    audience: Audience,
    characters: &[characters::Usable],
    new_prompt: Option<&str>,
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
            new_prompt: new_prompt.map(str::to_owned),
            title: title.into(),
            aspect,
            audience,
            seed: app.random.seed(),
            characters: characters.iter().map(characters::Usable::sketch).collect(),
        },
    }
}

//! Pages: one drawing each, in any number of books or in none.
mod attempts;
mod edit;
mod import;
mod refine;
mod request;
mod resource;
mod restyle;
mod search;
mod seeds;
mod store;

use std::collections::HashMap;

use linepress_model::{Aspect, Audience, Look};

use crate::artwork::{self, Download, ImageSize, Status};
use crate::characters::{self, ReadyCharacter};
use crate::generation::{Accepted, Claim, Generation};
use crate::operations::{FailureCode, OperationType, ResourceType};
use crate::sources::Source;
use crate::variants;
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_accounts::deleted::Location;
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_drawings::queue::{self, DrawingRequest, NewDrawingJob, Rewording, Target};
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, ArtworkId, BookId, OperationId, PageId};
use linepress_platform::importer::SpooledFile;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

pub use crate::artwork::Origin;
pub use attempts::{attempt_image, choose_attempt, list_attempts};
pub(crate) use edit::{belongs_to, settle_restored};
pub use edit::{update, update_selecting};
pub(crate) use import::Replacement;
pub use import::{import, replace_image};
pub use refine::refine;
pub use request::{NewImage, NewImport, NewPage, PageChange, PageRefinement, PageRegeneration, PageTexts};
pub use resource::{Page, PageAccepted, PageReply};
pub(crate) use restyle::{Redrawing, count_restyled, redraw_all};
pub use search::search;
pub(crate) use search::store::SEARCH_INDEX;
pub(crate) use store::{PageState, StoredPage};

/// The specification of a new page, from the module that creates it.
pub struct PageSpec<'a> {
    pub page: &'a NewPage,
    pub aspect: Aspect,
    pub audience: Audience,
    /// The look of the book, which the page may override.
    pub look: &'a Look,
    /// The book in which the page is created, if any.
    pub book: Option<&'a BookId>,
    /// The book from whose id the seed of that book is derived.
    pub seed_book: Option<&'a BookId>,
    pub characters: &'a [ReadyCharacter],
}

pub async fn get(app: &App, caller: &Caller, id: &PageId) -> Result<Option<Page>> {
    caller.require_reading()?;
    let row = store::find(&app.database.read, caller.account_id(), id).await?;
    Ok(row.map(|row| row.into_page()))
}

/// The books that contain a page of the account; none if there is no such page.
pub(crate) async fn books_of(app: &App, account: &AccountId, id: &PageId) -> Result<Vec<BookId>> {
    let row = store::find(&app.database.read, account, id).await?;
    Ok(row.map_or_else(Vec::new, |row| row.book_ids.0))
}

/// The caller's pages among these ids, by id.
pub async fn find_all(app: &App, caller: &Caller, ids: &[&PageId]) -> Result<HashMap<PageId, Page>> {
    caller.require_reading()?;
    let rows = store::find_all(&app.database.read, caller.account_id(), ids).await?;
    let pages = rows.into_iter().map(|row| (row.id.clone(), row.into_page()));
    Ok(pages.collect())
}

/// The account's pages, newest first; only the pages of `book` if it is given.
pub async fn list(app: &App, caller: &Caller, book: Option<&BookId>, request: &PageRequest) -> Result<PageOf<Page>> {
    caller.require_reading()?;
    let rows = store::list(&app.database.read, caller.account_id(), book, request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    Ok(page.map(StoredPage::into_page))
}

/// The account's ready pages that could be attached to a book of this aspect and are not in it, newest first.
pub async fn list_attachable(
    app: &App,
    caller: &Caller,
    book: &BookId,
    aspect: Aspect,
    request: &PageRequest,
) -> Result<PageOf<Page>> {
    caller.require_reading()?;
    let rows = store::list_attachable(&app.database.read, caller.account_id(), book, aspect, request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    Ok(page.map(StoredPage::into_page))
}

/// Creates a page and queues its drawing, from the picture in the file if one came with the request.
pub async fn create(
    app: &App,
    caller: &Caller,
    order: &Order,
    new: &NewPage,
    file: Option<SpooledFile>,
) -> Result<Accepted<PageAccepted>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(new)).await?;
    let source = Source::receive(app, caller, order, (new.source_upload_id.as_ref(), file)).await?;
    let created = create_claimed(app, caller, order, new, &source).await;
    source.release(app, order, created.as_ref().map(Some)).await;
    created
}

async fn create_claimed(
    app: &App,
    caller: &Caller,
    order: &Order,
    new: &NewPage,
    source: &Source,
) -> Result<Accepted<PageAccepted>> {
    let (kind, arguments) = (OperationType::PageCreate, source.arguments(new));
    let mut generation = match Generation::claim(app, caller, order, kind, None, &arguments).await? {
        Claim::Replay(accepted) => return Ok(accepted),
        Claim::Fresh(generation) => *generation,
    };
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = characters::ready(&mut generation.tx, caller, named, &Field::character_ids()).await?;
    let spec = PageSpec {
        page: new,
        aspect: new.aspect.unwrap_or_default(),
        audience: Audience::default(),
        look: &Look::default(),
        book: None,
        seed_book: None,
        characters: &characters,
    };
    let (page, mut job) = insert(app, &mut generation.tx, caller, &generation.operation_id, &spec).await?;
    source.draw_from(app, &mut generation.tx, &mut job).await?;
    accept(generation, page, variants::jobs(app, job, new.variants)?).await
}

async fn accept(generation: Generation<'_>, page: Page, jobs: Vec<NewDrawingJob>) -> Result<Accepted<PageAccepted>> {
    let id = page.id.clone();
    let reply = |operation| PageAccepted { page, operation };
    generation.accept((ResourceType::Page, id.as_str()), jobs, reply).await
}

/// Inserts a page before its first drawing. Returns it and its drawing job.
pub(crate) async fn insert(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    spec: &PageSpec<'_>,
) -> Result<(Page, NewDrawingJob)> {
    let (page, job) = prepare(app, operation, spec);
    insert_all(tx, caller, &[&page], spec.audience).await?;
    Ok((page, job))
}

/// Creates a page and its drawing job without storing them.
pub fn prepare(app: &App, operation: &OperationId, spec: &PageSpec<'_>) -> (Page, NewDrawingJob) {
    let now = app.clock.now();
    let page = Page::to_draw(PageId::generate(now, &app.random), spec, operation, now);
    let (seed_book, change) = (spec.seed_book.cloned(), PageRegeneration::default());
    let job = drawing_job(app, &page, spec.audience, seed_book, spec.characters, &change);
    (page, job)
}

/// Inserts pages before their first drawing.
pub(crate) async fn insert_all(tx: &mut Tx, caller: &Caller, pages: &[&Page], audience: Audience) -> Result<()> {
    Ok(store::insert(tx, caller, pages, audience, None).await?)
}

/// Queues a new drawing of the page, from the picture in the file if one came with the request. The page keeps its
/// present image until then. None if the page does not exist.
pub async fn regenerate(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &PageId,
    change: &PageRegeneration,
    file: Option<SpooledFile>,
) -> Result<Option<Accepted<PageAccepted>>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(change)).await?;
    let source = Source::receive(app, caller, order, (change.source_upload_id.as_ref(), file)).await?;
    let accepted = regenerate_claimed(app, caller, order, id, change, &source).await;
    source.release(app, order, accepted.as_ref().map(Option::as_ref)).await;
    accepted
}

async fn regenerate_claimed(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &PageId,
    change: &PageRegeneration,
    source: &Source,
) -> Result<Option<Accepted<PageAccepted>>> {
    let (kind, arguments) = (OperationType::PageRegenerate, source.arguments(change));
    let mut generation = match Generation::claim(app, caller, order, kind, Some(id.as_str()), &arguments).await? {
        Claim::Replay(accepted) => return Ok(Some(accepted)),
        Claim::Fresh(generation) => *generation,
    };
    let Some(row) = start(app, caller, &mut generation, id).await? else {
        return Ok(None);
    };
    let tx = &mut generation.tx;
    let audience = row.audience;
    let page = row.into_page();
    let seed_book = seeds::seed_book(tx, id).await?;
    let characters = characters::still_active(tx, caller, page.characters.iter().map(|link| &link.id)).await?;
    let mut job = drawing_job(app, &page, audience, seed_book, &characters, change);
    source.draw_from(app, tx, &mut job).await?;
    let jobs = variants::jobs(app, job, change.variants)?;
    accept(generation, page, jobs).await.map(Some)
}

/// Marks the page as being drawn by the generation, and returns it. None if the page does not exist; an error if it is
/// already being drawn or locked.
async fn start(app: &App, caller: &Caller, generation: &mut Generation<'_>, id: &PageId) -> Result<Option<StoredPage>> {
    let (tx, now) = (&mut generation.tx, app.clock.now());
    let started = store::start_generation(tx, caller, id, &generation.operation_id, now).await?;
    if started.is_some() {
        return Ok(started);
    }
    match store::find(&mut **tx, caller.account_id(), id).await? {
        Some(row) => Err(row.refusal()),
        None => Ok(None),
    }
}

/// The image of a page. None when the caller has no such page; an error when the page has no image.
pub async fn image(app: &App, caller: &Caller, id: &PageId, size: ImageSize) -> Result<Option<Download>> {
    caller.require_reading()?;
    let (pool, account) = (&app.database.read, caller.account_id());
    let Some(keys) = store::image_keys(pool, account, id).await? else {
        let page = store::find(pool, account, id).await?;
        return match page {
            Some(page) => Err(Error::no_image("page", page.status == Status::Generating)),
            None => Ok(None),
        };
    };
    let download = match size {
        ImageSize::Screen => artwork::download_for(app, account, &keys.image_key, keys.media_type, &keys.title).await,
        ImageSize::Print => artwork::print_for(app, account, &keys.master_key, &keys.title).await,
    };
    download.map(Some)
}

/// The image of a page of this account, for a visitor to whom its owner shows it. None if there is no such page, or it
/// has no image.
pub(crate) async fn shown_image(app: &App, account: &AccountId, id: &PageId) -> Result<Option<Download>> {
    let Some(keys) = store::image_keys(&app.database.read, account, id).await? else {
        return Ok(None);
    };
    artwork::download(app, &keys.image_key, keys.media_type, &keys.title)
        .await
        .map(Some)
}

/// Locks the page until the transaction ends, whichever account owns it. Returns false when it no longer exists.
pub(crate) async fn lock(app: &App, tx: &mut Tx, id: &PageId) -> Result<bool> {
    Ok(store::lock(tx, Location::Library, id, app.clock.now()).await?)
}

/// Locks the page, which may be in the bin, until the transaction ends, whichever account owns it. Returns its
/// location; None when it was deleted for good. The transaction has locked a drawing of the page that was open, so the
/// page is not restored meanwhile.
pub(crate) async fn lock_anywhere(app: &App, tx: &mut Tx, id: &PageId) -> Result<Option<Location>> {
    for location in [Location::Library, Location::Bin] {
        if store::lock(tx, location, id, app.clock.now()).await? {
            return Ok(Some(location));
        }
    }
    Ok(None)
}

/// Records the result of a page's drawing: an artwork to show, a failure, or neither if the page shows another variant.
/// The page is being drawn until its last drawing has ended. A page in the bin gets the result as well, and has it when
/// it is restored. Returns the location of the page; None when it was deleted for good.
pub(crate) async fn complete(
    app: &App,
    tx: &mut Tx,
    id: &PageId,
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
    failure: Option<FailureCode>,
) -> Result<Option<Location>> {
    // The lock comes first: of the drawings that end at the same time, one must find no other open.
    let Some(location) = lock_anywhere(app, tx, id).await? else {
        return Ok(None);
    };
    let is_last = !queue::has_open_drawing(tx, &Target::Page(id.clone())).await?;
    store::complete(tx, (location, id), artwork, asked, failure, is_last).await?;
    Ok(Some(location))
}

/// Returns whether the page exists, whichever account owns it.
pub(crate) async fn exists(app: &App, id: &PageId) -> Result<bool> {
    Ok(store::exists(&app.database.read, id).await?)
}

/// The states of the caller's pages among these ids, read in this transaction.
pub(crate) async fn states(tx: &mut Tx, caller: &Caller, ids: &[&PageId]) -> Result<HashMap<PageId, PageState>> {
    Ok(store::states(tx, caller.account_id(), ids).await?)
}

/// The drawing job of a page. The texts of `change` are stored with the page once the page was drawn.
fn drawing_job(
    app: &App,
    page: &Page,
    audience: Audience,
    seed_book: Option<BookId>,
    characters: &[ReadyCharacter],
    change: &PageRegeneration,
) -> NewDrawingJob {
    // Destructured by name, so that a new field must be used or left out on purpose.
    let PageRegeneration {
        prompt,
        title,
        caption,
        // The number of jobs.
        variants: _,
        // Passed separately, because it may be a file of the request.
        source_upload_id: _,
    } = change;
    let reworded = |new: Option<&str>, old: &str| {
        new.map(|new| Rewording {
            new: new.into(),
            old: old.into(),
        })
    };
    let title_drawn = title.as_deref().unwrap_or(&page.title);
    NewDrawingJob {
        target: Target::Page(page.id.clone()),
        title: title_drawn.into(),
        credits: pricing::PAGE,
        request: DrawingRequest {
            prompt: prompt.as_deref().unwrap_or(&page.prompt).into(),
            new_prompt: prompt.as_deref().map(str::to_owned),
            old_prompt: prompt.as_ref().map(|_| page.prompt.clone()),
            new_title: reworded(title.as_deref(), &page.title),
            new_caption: reworded(caption.as_deref(), &page.caption),
            title: title_drawn.into(),
            aspect: page.aspect,
            audience,
            seed: app.random.seed(),
            characters: characters.iter().map(ReadyCharacter::snapshot).collect(),
            source: None,
            refinement: None,
            in_color: false,
            new_style: None,
            look: page.look(),
            seed_book_id: seed_book,
            is_test: false,
        },
    }
}

//! Covers: regenerating, replacing and downloading them.
pub(super) mod store;

use super::store::find;
use super::{
    Book, BookAccepted, BookReply, CoverRegeneration, CoverStyle, NewCoverImage, read, repeated, start_generation,
};
use crate::artwork::attempts::{self, NewAttempt};
use crate::artwork::{self, Download, NewArtwork, Source, Status, bin};
use crate::characters::{self, ReadyCharacter};
use crate::generation::{Accepted, Claim, Generation};
use crate::operations::{OperationType, ResourceType};
use crate::pages::Replacement;
use crate::variants;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::deleted::Location;
use linepress_accounts::idempotency::{self, Done, IdempotencyKey, Once};
use linepress_accounts::order::Order;
use linepress_drawings::queue::{self, DrawingRequest, NewDrawingJob, Target};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{ArtworkId, BookId};
use linepress_platform::importer::SpooledFile;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Queues a new drawing of the cover, which keeps its present image until then. None if the book does not exist.
pub async fn regenerate(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &BookId,
    change: &CoverRegeneration,
) -> Result<Option<Accepted<BookAccepted>>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(change)).await?;
    let kind = OperationType::BookRegenerateCover;
    let mut generation = match Generation::claim(app, caller, order, kind, Some(id.as_str()), change).await? {
        Claim::Replay(accepted) => return Ok(Some(accepted)),
        Claim::Fresh(generation) => *generation,
    };
    let (tx, operation) = (&mut generation.tx, &generation.operation_id);
    let Some(row) = start_generation(app, tx, caller, id, operation).await? else {
        return Ok(None);
    };
    store::start(tx, id).await?;
    let characters = row.characters.0.iter().map(|link| &link.id);
    let characters = characters::still_active(tx, caller, characters).await?;
    let book = read(app, tx, caller, id).await?;
    let job = drawing_job(app, &book, &characters, change);
    let jobs = variants::jobs(app, job, change.variants)?;
    let reply = |operation| BookAccepted { book, operation };
    let accepted = generation.accept((ResourceType::Book, id.as_str()), jobs, reply);
    accepted.await.map(Some)
}

/// The drawing job of a cover. A new prompt and a new style become those of the cover once it was drawn.
fn drawing_job(app: &App, book: &Book, characters: &[ReadyCharacter], change: &CoverRegeneration) -> NewDrawingJob {
    // Destructured by name, so that a new field must be used or left out on purpose.
    let CoverRegeneration {
        prompt,
        style,
        // The number of jobs.
        variants: _,
    } = change;
    let (new_prompt, style) = (prompt.as_deref(), *style);
    NewDrawingJob {
        target: Target::Cover(book.id.clone()),
        title: book.title.clone(),
        credits: book.cover.price(),
        request: DrawingRequest {
            prompt: new_prompt.unwrap_or(&book.cover.prompt).into(),
            new_prompt: new_prompt.map(str::to_owned),
            old_prompt: new_prompt.map(|_| book.cover.prompt.clone()),
            new_title: None,
            new_caption: None,
            title: book.title.clone(),
            aspect: book.aspect,
            audience: book.audience,
            seed: app.random.seed(),
            characters: characters.iter().map(ReadyCharacter::snapshot).collect(),
            source: None,
            refinement: None,
            in_color: style.unwrap_or(book.cover.style).is_color(),
            new_style: style,
            look: book.look().of_cover(),
            seed_book_id: None,
            is_test: false,
        },
    }
}

/// Replaces the cover's image by finished artwork, and its style if the request names one. The artwork keeps its colors
/// if the style is then `color`. It is an error while the cover is being drawn, because one of the two pictures would be
/// lost. None if the book does not exist.
pub async fn replace_image(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    id: &BookId,
    new: &NewCoverImage,
    file: Option<SpooledFile>,
) -> Result<Option<Done<BookReply>>> {
    caller.require(Scopes::WRITING)?;
    let target = ("book.replace_cover", id.as_str());
    let source = Source::from_request(file, new.upload_id.as_ref(), new.image_url.as_deref());
    let Replacement { once, source } = Replacement::check(app, caller, key, target, new, source).await?;
    if let Some(earlier) = once.earlier().await? {
        return repeated(app, caller, id, earlier).await;
    }
    let Some(book) = find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    if book.cover_status == Status::Generating {
        return Err(Error::generation_active("cover", book.active_operation_id));
    }
    let (artwork, _) = if new.style.unwrap_or(book.cover_style).is_color() {
        artwork::receive_in_color(app, caller, source, book.aspect, book.audience).await?
    } else {
        artwork::receive(app, caller, source, Some(book.aspect), book.audience).await?
    };
    let replaced = replace(app, caller, &once, id, (&artwork, new.style)).await;
    artwork
        .abandon_unless_used(app, replaced.as_ref().map(Option::as_ref))
        .await;
    replaced
}

async fn replace(
    app: &App,
    caller: &Caller,
    once: &Once<'_>,
    id: &BookId,
    (artwork, style): (&NewArtwork, Option<CoverStyle>),
) -> Result<Option<Done<BookReply>>> {
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim(&mut tx).await? {
        return repeated(app, caller, id, earlier).await;
    }
    let account = caller.account_id();
    let now = app.clock.now();
    let Some(prompt) = store::lock_idle(&mut tx, account, id, now).await? else {
        return match find(&mut *tx, account, id).await? {
            Some(row) => Err(Error::generation_active("cover", row.active_operation_id)),
            None => Ok(None),
        };
    };
    let mut usage = Usage::default();
    let artwork = artwork::insert(app, &mut tx, account, artwork, &mut usage).await?;
    store::complete(&mut tx, (Location::Library, id), Some(&artwork), None, true).await?;
    attempts::keep_style(&mut tx, id).await?;
    if let Some(style) = style {
        store::set_style(&mut tx, id, style).await?;
    }
    let new = NewAttempt::imported(account, Target::Cover(id.clone()), &artwork, &prompt);
    attempts::record(app, &mut tx, new, &mut usage).await?;
    bin::make_room(app, &mut tx, account, &mut usage).await?;
    let book = read(app, &mut tx, caller, id).await?;
    let done = once.done_in_brief(&mut tx, BookReply { book }).await?;
    accounts::take_room(app, &mut tx, account, usage).await?;
    tx.commit().await?;
    Ok(Some(done))
}

/// The image of a cover. None when the caller has no such book; an error when the cover has no image.
pub async fn image(app: &App, caller: &Caller, id: &BookId) -> Result<Option<Download>> {
    caller.require_reading()?;
    let Some(row) = find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (row.cover_image_key, row.image.media_type) else {
        return Err(Error::no_image("cover", row.cover_status == Status::Generating));
    };
    artwork::download_for(app, caller.account_id(), &key, media_type, &row.title)
        .await
        .map(Some)
}

/// Locks the book of a cover, which may be in the bin, until the transaction ends, whichever account owns it. Returns
/// its location; None when it was deleted for good. The transaction has locked a drawing of the cover that was open, so
/// the book is not restored meanwhile.
pub(crate) async fn lock(app: &App, tx: &mut Tx, id: &BookId) -> Result<Option<Location>> {
    for location in [Location::Library, Location::Bin] {
        if store::lock(tx, location, id, app.clock.now()).await? {
            return Ok(Some(location));
        }
    }
    Ok(None)
}

/// Records the result of a cover's drawing: an artwork to show; or none if the drawing failed or the cover shows
/// another variant. The cover is being drawn until its last drawing has ended. A book in the bin gets the result as
/// well, and has it when it is restored. Returns the location of the book; None when it was deleted for good.
pub(crate) async fn complete(
    app: &App,
    tx: &mut Tx,
    id: &BookId,
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
) -> Result<Option<Location>> {
    // The lock comes first: of the drawings that end at the same time, one must find no other open.
    let Some(location) = lock(app, tx, id).await? else {
        return Ok(None);
    };
    let is_last = !queue::has_open_drawing(tx, &Target::Cover(id.clone())).await?;
    store::complete(tx, (location, id), artwork, asked, is_last).await?;
    Ok(Some(location))
}

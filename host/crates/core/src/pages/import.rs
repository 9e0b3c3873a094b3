//! Import of finished artwork: as a new page, or as the new image of a page.
use garde::Validate;
use linepress_model::{Aspect, Audience};
use serde::Serialize;

use super::{NewImage, NewImport, Page, PageReply, StoredPage, store};
use crate::artwork::attempts::{self, NewAttempt};
use crate::artwork::{self, NewArtwork, Source, bin};
use crate::characters::{self, ReadyCharacter};
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{self, Done, IdempotencyKey, Once};
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{ArtworkId, PageId};
use linepress_platform::importer::SpooledFile;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Imports finished artwork as a new, ready page. Nothing is stored of rejected artwork.
pub async fn import(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    new: &NewImport,
    file: Option<SpooledFile>,
) -> Result<Done<PageReply>> {
    caller.require(Scopes::WRITING)?;
    idempotency::or_conflict(app, caller, key, validation::check(new)).await?;
    let digest = artwork::digest_for(key, file.as_ref()).await?;
    let source = Source::from_request(file, new.upload_id.as_ref(), new.image_url.as_deref());
    let source = idempotency::or_conflict(app, caller, key, source).await?;
    let once = Once::new(app, caller, key, "page.import", None, &(new, digest))?;
    if let Some(earlier) = once.earlier().await? {
        return earlier.reply();
    }
    // Checked before the file is fetched and read, because most requests that fail do so here.
    drop(check_and_load_characters(app, caller, new, app.database.begin_read().await?).await?);
    let (artwork, aspect) = artwork::receive(app, caller, source, new.aspect, Audience::default()).await?;
    let inserted = insert(app, caller, &once, new, aspect, &artwork).await;
    artwork.abandon_unless_used(app, inserted.as_ref().map(Some)).await;
    inserted
}

/// The increase of the account's usage by an import, without the stored bytes, which are known later.
const ONE_PAGE: Usage = Usage {
    characters: 0,
    pages: 1,
    books: 0,
    generations: 0,
    stored_bytes: 0,
};

/// Checks that the account has room for one more page, and returns the characters that the import names.
async fn check_and_load_characters(
    app: &App,
    caller: &Caller,
    new: &NewImport,
    mut tx: Tx,
) -> Result<(Tx, Vec<ReadyCharacter>)> {
    let ids = new.character_ids.as_deref().unwrap_or_default();
    let characters = characters::ready(&mut tx, caller, ids, &Field::character_ids()).await?;
    accounts::check_room(app, &mut tx, caller.account_id(), ONE_PAGE).await?;
    Ok((tx, characters))
}

async fn insert(
    app: &App,
    caller: &Caller,
    once: &Once<'_>,
    new: &NewImport,
    aspect: Aspect,
    artwork: &NewArtwork,
) -> Result<Done<PageReply>> {
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim(&mut tx).await? {
        return earlier.reply();
    }
    let (mut tx, characters) = check_and_load_characters(app, caller, new, tx).await?;
    let now = app.clock.now();
    let page = Page::imported(PageId::generate(now, &app.random), new, aspect, &characters, now);
    let mut usage = ONE_PAGE;
    let artwork = artwork::insert(app, &mut tx, caller.account_id(), artwork, &mut usage).await?;
    store::insert(&mut tx, caller, &[&page], Audience::default(), Some(&artwork)).await?;
    record_attempt(app, &mut tx, caller, &page.id, (&artwork, &page.prompt), &mut usage).await?;
    let row = require_row(store::find(&mut *tx, caller.account_id(), &page.id).await?)?;
    accounts::take_room(app, &mut tx, caller.account_id(), usage).await?;
    let page = row.into_page();
    let done = once.done(&mut tx, PageReply { page }).await?;
    tx.commit().await?;
    Ok(done)
}

/// A request to replace an image by finished artwork. It is checked, but its file is not read yet.
pub(crate) struct Replacement<'a> {
    pub once: Once<'a>,
    pub source: Source,
}

impl<'a> Replacement<'a> {
    /// Checks the request for an action on the resource with this id, and the source that it names.
    pub(crate) async fn check(
        app: &'a App,
        caller: &'a Caller,
        key: Option<&'a IdempotencyKey>,
        (action, id): (&str, &str),
        new: &(impl Serialize + Validate<Context = ()> + Sync),
        source: Result<Source>,
    ) -> Result<Self> {
        idempotency::or_conflict(app, caller, key, validation::check(new)).await?;
        let source = idempotency::or_conflict(app, caller, key, source).await?;
        let file = match &source {
            Source::File(file) => Some(file),
            Source::Upload(_) | Source::Url(_) => None,
        };
        let digest = artwork::digest_for(key, file).await?;
        let once = Once::new(app, caller, key, action, Some(id), &(new, digest))?;
        Ok(Self { once, source })
    }
}

/// Replaces the page's image by finished artwork. It is an error while the page is locked, and while it is being
/// drawn, because one of the two pictures would be lost. None if the page does not exist.
pub async fn replace_image(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    id: &PageId,
    new: &NewImage,
    file: Option<SpooledFile>,
) -> Result<Option<Done<PageReply>>> {
    caller.require(Scopes::WRITING)?;
    let target = ("page.replace_image", id.as_str());
    let source = Source::from_request(file, new.upload_id.as_ref(), new.image_url.as_deref());
    let Replacement { once, source } = Replacement::check(app, caller, key, target, new, source).await?;
    if let Some(earlier) = once.earlier().await? {
        return earlier.reply().map(Some);
    }
    let Some(page) = store::find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    if page.active_operation_id.is_some() || page.locked_at.is_some() {
        return Err(page.refusal());
    }
    let (artwork, _) = artwork::receive(app, caller, source, Some(page.aspect), page.audience).await?;
    let replaced = replace(app, caller, &once, id, &artwork).await;
    artwork
        .abandon_unless_used(app, replaced.as_ref().map(Option::as_ref))
        .await;
    replaced
}

async fn replace(
    app: &App,
    caller: &Caller,
    once: &Once<'_>,
    id: &PageId,
    artwork: &NewArtwork,
) -> Result<Option<Done<PageReply>>> {
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim(&mut tx).await? {
        return earlier.reply().map(Some);
    }
    let account = caller.account_id();
    let now = app.clock.now();
    let Some(prompt) = store::lock_idle(&mut tx, account, id, now).await? else {
        return match store::find(&mut *tx, account, id).await? {
            Some(row) => Err(row.refusal()),
            None => Ok(None),
        };
    };
    let mut usage = Usage::default();
    let artwork = artwork::insert(app, &mut tx, account, artwork, &mut usage).await?;
    store::replace_image(&mut tx, id, &artwork, now).await?;
    record_attempt(app, &mut tx, caller, id, (&artwork, &prompt), &mut usage).await?;
    let row = require_row(store::find(&mut *tx, account, id).await?)?;
    accounts::take_room(app, &mut tx, caller.account_id(), usage).await?;
    let page = row.into_page();
    let done = once.done(&mut tx, PageReply { page }).await?;
    tx.commit().await?;
    Ok(Some(done))
}

/// Records an imported picture as the page's chosen attempt, and makes room for it in the bin and among the account's
/// earlier pictures.
async fn record_attempt(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    id: &PageId,
    (artwork, prompt): (&ArtworkId, &str),
    usage: &mut Usage,
) -> Result<()> {
    let new = NewAttempt::imported(caller.account_id(), Target::Page(id.clone()), artwork, prompt);
    attempts::record(app, tx, new, usage).await?;
    bin::make_room(app, tx, caller.account_id(), usage).await
}

fn require_row(row: Option<StoredPage>) -> Result<StoredPage> {
    row.ok_or_else(|| Error::internal("a page disappeared within its own transaction"))
}

//! Attempts: the pictures that a page, a cover or a character shows or has shown. The one that it shows is the chosen
//! one.
//!
//! Each drawing and each replacement adds an attempt, which is chosen; the one before it remains, and can be chosen
//! again. A transaction that changes the picture of a target locks the target's row first and then changes its
//! attempts, so that the two always agree. Attempts that are not chosen may be discarded without that lock.
mod store;

use std::collections::HashMap;

use serde::Serialize;

use super::image::{Download, Image, ImageColumns, Origin, discard as discard_artwork, download_for};
use super::quality::QualityColumns;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::{DrawingJob, DrawingRequest, Target};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AccountId, ArtworkId, AttemptId, BookId, OperationId, PageId};

/// A picture that a page, a cover or a character shows or has shown.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Attempt {
    pub id: AttemptId,
    pub origin: Origin,
    /// The prompt with which it was drawn: of a character, the description. Of an imported picture, the prompt that the
    /// page or cover had then.
    pub prompt: String,
    /// True for the picture that the page, cover or character shows.
    pub chosen: bool,
    /// A line of the image provider about the drawing; null if there is none.
    #[schema(required)]
    pub note: Option<String>,
    /// The picture. It never changes.
    pub image: Image,
    /// The time when it was drawn or imported.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The page, character or, for a cover, book that it belongs to, for interfaces that make its address.
    #[serde(skip)]
    pub target: Target,
}

/// A row with the columns of its artwork.
#[derive(Debug, sqlx::FromRow)]
struct StoredAttempt {
    id: AttemptId,
    #[sqlx(try_from = "String")]
    origin: Origin,
    prompt: String,
    note: Option<String>,
    created_at: Timestamp,
    replaced_at: Option<Timestamp>,
    #[sqlx(flatten)]
    image: ImageColumns,
    #[sqlx(flatten)]
    quality: QualityColumns,
}

impl StoredAttempt {
    /// None without artwork, which every attempt has.
    fn into_attempt(self, target: &Target) -> Option<Attempt> {
        let quality = self.quality.quality();
        let image = self.image.into_image()?;
        Some(Attempt {
            id: self.id,
            origin: self.origin,
            prompt: self.prompt,
            chosen: self.replaced_at.is_none(),
            note: self.note,
            image: Image { quality, ..image },
            created_at: self.created_at,
            target: target.clone(),
        })
    }
}

/// The attempts of a target, newest first. The caller of this function has checked that the target is the account's.
pub(crate) async fn list(app: &App, target: &Target, request: &PageRequest) -> Result<PageOf<Attempt>> {
    let rows = store::list(&app.database.read, target.id(), request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    let attempts = page.items.into_iter().map(|row| row.into_attempt(target));
    let attempts: Option<Vec<Attempt>> = attempts.collect();
    Ok(PageOf {
        items: attempts.ok_or_else(|| Error::internal("an attempt has no artwork"))?,
        next_cursor: page.next_cursor,
    })
}

/// The picture of an attempt. None if the target has no such attempt. The caller of this function has checked that the
/// target is the account's.
pub(crate) async fn image(
    app: &App,
    account: &AccountId,
    target: &Target,
    id: &AttemptId,
    title: &str,
) -> Result<Option<Download>> {
    let Some((key, media_type)) = store::image_key(&app.database.read, target.id(), id).await? else {
        return Ok(None);
    };
    download_for(app, account, &key, media_type, title).await.map(Some)
}

/// The note on a picture that was drawn again because no provider could change the present one.
pub(crate) const DRAWN_AGAIN: &str = "This server cannot change a picture: it was drawn again with the change in mind.";

/// Returns true if a note names something that the picture does not show, and not only how it was refined.
pub fn names_a_difference(note: &str) -> bool {
    let rest = note.strip_prefix(DRAWN_AGAIN).unwrap_or(note);
    !rest.trim().is_empty()
}

/// The provider's notes about the pictures that these pages show. Pages without a note are missing.
pub async fn page_notes(app: &App, caller: &Caller, pages: &[PageId]) -> Result<HashMap<PageId, String>> {
    caller.require_reading()?;
    Ok(store::page_notes(&app.database.read, caller.account_id(), pages).await?)
}

/// Returns true if the picture that the page shows was drawn from a photograph, and nothing else of the page was
/// changed since.
pub async fn is_unedited_from_photograph(app: &App, caller: &Caller, page: &PageId) -> Result<bool> {
    caller.require_reading()?;
    Ok(store::count_unedited_from_photographs(&app.database.read, caller.account_id(), page).await? > 0)
}

/// A picture that a target has just got.
pub(crate) struct NewAttempt<'a> {
    pub account: &'a AccountId,
    pub target: Target,
    pub artwork: &'a ArtworkId,
    pub origin: Origin,
    pub prompt: &'a str,
    /// The seed of a character's look, or the one that draws the picture of a page from text again.
    pub seed: Option<i64>,
    pub note: Option<&'a str>,
    /// The operation that drew it.
    pub operation: Option<&'a OperationId>,
    /// False for a variant of the picture that the target shows.
    pub is_chosen: bool,
}

impl<'a> NewAttempt<'a> {
    /// An imported picture of a page or cover with this prompt.
    pub(crate) fn imported(account: &'a AccountId, target: Target, artwork: &'a ArtworkId, prompt: &'a str) -> Self {
        Self {
            account,
            target,
            artwork,
            origin: Origin::Imported,
            prompt,
            seed: None,
            note: None,
            operation: None,
            is_chosen: true,
        }
    }

    /// The picture of a drawing job, with the provider's note about it and the seed that draws it from text again.
    pub(crate) fn drawn(
        job: &'a DrawingJob,
        artwork: &'a ArtworkId,
        request: &'a DrawingRequest,
        note: Option<&'a str>,
        seed: Option<i64>,
    ) -> Self {
        // A character is described by itself; its prompt is its name if it has no description.
        let (look, seed) = match job.target {
            Target::Character(_) => {
                let look = request.characters.first();
                (look, look.map(|look| look.seed))
            }
            Target::Page(_) => (None, seed),
            Target::Cover(_) => (None, None),
        };
        Self {
            account: &job.account_id,
            target: job.target.clone(),
            artwork,
            origin: Origin::Generated,
            prompt: look.map_or(&request.prompt, |look| &look.description),
            seed,
            note,
            operation: Some(&job.operation_id),
            is_chosen: true,
        }
    }
}

/// Records a picture as an attempt of its target, which the transaction has locked and, for the chosen one, changed.
/// Discards the attempts beyond the maximum, those that have not been shown for the longest time.
pub(crate) async fn record(app: &App, tx: &mut Tx, new: NewAttempt<'_>, usage: &mut Usage) -> Result<()> {
    let now = app.clock.now();
    if new.is_chosen {
        store::replace_chosen(tx, new.target.id(), now).await?;
    }
    store::insert(tx, &AttemptId::generate(now, &app.random), &new, now).await?;
    let replaced = store::replaced(tx, new.target.id()).await?;
    let beyond = replaced.iter().skip(app.config.attempts.max_per_picture - 1);
    for attempt in beyond {
        discard_replaced(app, tx, attempt, usage).await?;
    }
    Ok(())
}

/// Records the present style of a cover, which the transaction has locked, with the attempt that it shows, so that
/// choosing the attempt again restores the style if a replacement changes it.
pub(crate) async fn keep_style(tx: &mut Tx, cover: &BookId) -> Result<()> {
    Ok(store::keep_style(tx, cover).await?)
}

/// Records a copy of the artwork that a target shows as the chosen attempt of another target, which shows it. The
/// transaction has locked the first.
pub(crate) async fn copy_chosen(app: &App, tx: &mut Tx, from: &Target, to: &Target, artwork: &ArtworkId) -> Result<()> {
    let id = AttemptId::generate(app.clock.now(), &app.random);
    Ok(store::copy_chosen(tx, from.id(), (&id, to.id()), artwork).await?)
}

/// Returns whether the target, which the transaction has locked, shows a picture of this operation.
pub(crate) async fn shows_drawing_of(tx: &mut Tx, target: &Target, operation: &OperationId) -> Result<bool> {
    Ok(store::shows_drawing_of(tx, target.id(), operation).await?)
}

/// An attempt that was chosen again, for its target.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Chosen {
    pub artwork_id: ArtworkId,
    #[sqlx(try_from = "String")]
    pub origin: Origin,
    pub prompt: String,
    pub seed: Option<i64>,
    /// The style of the cover that belongs to the picture; None if it was not recorded.
    pub style: Option<String>,
    /// The prompt of the attempt that was chosen before: if the target's prompt is another one, it was edited since.
    #[sqlx(skip)]
    pub prompt_before: Option<String>,
    /// The style of that attempt: if the cover's style is another one, it was edited since.
    #[sqlx(skip)]
    pub style_before: Option<String>,
}

/// The result of choosing an attempt.
pub(crate) enum Choice {
    /// The target has no such attempt.
    Missing,
    /// It is chosen already.
    Unchanged,
    /// The target must now show it.
    Chosen(Chosen),
}

/// Chooses an attempt of a target, which the transaction has locked.
pub(crate) async fn choose(app: &App, tx: &mut Tx, target: &Target, id: &AttemptId) -> Result<Choice> {
    match store::is_chosen(tx, target.id(), id).await? {
        None => return Ok(Choice::Missing),
        Some(true) => return Ok(Choice::Unchanged),
        Some(false) => {}
    }
    let before = store::replace_chosen(tx, target.id(), app.clock.now()).await?;
    let (prompt_before, style_before) = before.map_or((None, None), |(prompt, style)| (Some(prompt), style));
    // It may be discarded meanwhile, because that needs no lock of the target.
    let chosen = store::choose(tx, target.id(), id).await?;
    Ok(match chosen {
        None => Choice::Missing,
        Some(chosen) => Choice::Chosen(Chosen {
            prompt_before,
            style_before,
            ..chosen
        }),
    })
}

/// Discards all attempts of a deleted page or book, with their artwork.
pub(crate) async fn discard_of(app: &App, tx: &mut Tx, target: &Target, usage: &mut Usage) -> Result<()> {
    for artwork in store::delete_of(tx, target.id()).await? {
        discard_artwork(app, tx, &artwork, usage).await?;
    }
    Ok(())
}

/// Discards all attempts of an account that are not chosen, with their artwork.
pub(crate) async fn discard_replaced_of(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<()> {
    for artwork in store::delete_replaced_of(tx, account).await? {
        discard_artwork(app, tx, &artwork, usage).await?;
    }
    Ok(())
}

/// Discards attempts of the account that are not chosen until its stored files, changed by `usage`, are within its
/// limit or no such attempt is left: those first that have not been shown for the longest time. It comes before the
/// account's row is locked.
pub(crate) async fn make_room(app: &App, tx: &mut Tx, account: &AccountId, usage: &mut Usage) -> Result<()> {
    const BATCH_SIZE: i64 = 10;
    while accounts::is_storage_exceeded(app, tx, account, usage.stored_bytes).await? {
        let oldest = store::longest_replaced(tx, account, BATCH_SIZE).await?;
        if oldest.is_empty() {
            break;
        }
        for attempt in &oldest {
            discard_replaced(app, tx, attempt, usage).await?;
            if !accounts::is_storage_exceeded(app, tx, account, usage.stored_bytes).await? {
                break;
            }
        }
    }
    Ok(())
}

/// Discards attempts that were replaced longer ago than the maximum age; returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    const BATCH_SIZE: i64 = 100;
    let now = app.database.shared_time_now(&app.clock).await?;
    let before = now.minus(app.config.attempts.max_age());
    let mut forgotten = 0;
    loop {
        let old = store::replaced_before(&app.database.read, before, BATCH_SIZE).await?;
        if old.is_empty() {
            return Ok(forgotten);
        }
        // One transaction each, so that none waits for a row while it holds another one.
        for (id, account) in old {
            let mut tx = app.database.begin().await?;
            let mut usage = Usage::default();
            discard_replaced(app, &mut tx, &id, &mut usage).await?;
            accounts::change_usage(&mut tx, &account, usage).await?;
            tx.commit().await?;
            forgotten += u64::from(usage != Usage::default());
        }
    }
}

/// Discards an attempt with its artwork, unless it is chosen or gone.
async fn discard_replaced(app: &App, tx: &mut Tx, id: &AttemptId, usage: &mut Usage) -> Result<()> {
    match store::delete_replaced(tx, id).await? {
        Some(artwork) => discard_artwork(app, tx, &artwork, usage).await,
        None => Ok(()),
    }
}

//! Drafts: book plans that customers edit in the browser before ordering. A draft costs nothing, and is deleted when it
//! was not changed for a long time.
mod book;
mod order;
mod photo;
mod planning;
mod store;

use std::time::Duration;

use linepress_accounts::caller::Caller;
use linepress_core::print;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result, UnprintableText};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, DraftId};
use linepress_platform::scopes::Scopes;

pub use book::{DraftBook, DraftWarning, PageEdit};
pub use order::{Ordered, order};
pub use photo::{ChosenPhoto, draw_from_photo};
pub use planning::{next_volume, plan, recent_themes};

/// Maximum number of drafts of an account that are not ordered.
const MAX_DRAFTS: i64 = 50;
/// Maximum size of a draft as JSON: a hundred pages with texts of maximum length fit.
const MAX_BOOK_BYTES: usize = 1024 * 1024;
/// The time for which a draft is stored after its last change.
const DRAFT_LIFETIME: Duration = Duration::from_secs(90 * 24 * 3600);
/// The time for which an ordered draft is stored, so that its URL leads to the book.
const ORDERED_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// A stored draft.
#[derive(Debug)]
pub struct Draft {
    pub book: DraftBook,
    pub version: Version,
    /// The book that was created from it, if it was ordered.
    pub ordered: Option<BookId>,
}

/// A draft as a list shows it.
#[derive(Debug, sqlx::FromRow)]
pub struct DraftSummary {
    pub id: DraftId,
    pub title: String,
    pub page_count: i64,
    pub updated_at: Timestamp,
}

/// The version of a draft: an id of the browser page that saved it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// Generates a version for a browser page that is about to be shown.
    pub fn generate(app: &App) -> Self {
        let mut bytes = [0; 16];
        app.random.fill(&mut bytes);
        Self(hex::encode(bytes))
    }

    /// Parses a version that a client sent. A text that cannot be a version matches no draft.
    pub fn from_client(text: &str) -> Self {
        let is_valid = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self(if is_valid { text.to_owned() } else { String::new() })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A change of a draft.
pub struct Edit<'a> {
    /// The version of the draft that the browser page showed.
    pub seen: &'a Version,
    /// The version of the browser page itself, which may save any number of times.
    pub own: &'a Version,
    pub book: &'a DraftBook,
}

/// The outcome of a change.
#[derive(Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    Saved,
    /// The draft does not exist; it may have been deleted.
    Missing,
    /// Another browser page saved a different text after this one was shown. Nothing was changed.
    Conflict,
    /// The draft was ordered and can no longer be changed.
    Ordered {
        book: BookId,
        /// True when the change is equal to the order.
        is_same: bool,
    },
}

/// Stores a new draft.
pub async fn create(app: &App, caller: &Caller, book: &DraftBook) -> Result<DraftId> {
    caller.require(Scopes::WRITING)?;
    let id = DraftId::generate(app.clock.now(), &app.random);
    let contents = contents(book)?;
    let mut tx = app.database.begin().await?;
    check_room_in(&mut tx, caller).await?;
    let draft = store::NewDraft {
        id: &id,
        title: book.shown_title(),
        page_count: book.page_count(),
        contents,
        version: Version::generate(app),
        order_key: order::new_key(app),
        theme: book.theme.clone(),
    };
    store::insert(&mut tx, caller.account_id(), &draft, times(app)).await?;
    tx.commit().await?;
    Ok(id)
}

/// Returns an error if the account has the maximum number of drafts.
pub async fn check_room(app: &App, caller: &Caller) -> Result<()> {
    caller.require(Scopes::WRITING)?;
    check_room_in(&mut app.database.begin_read().await?, caller).await
}

async fn check_room_in(tx: &mut Tx, caller: &Caller) -> Result<()> {
    if store::count(tx, caller.account_id()).await? < MAX_DRAFTS {
        return Ok(());
    }
    Err(ErrorKind::AccountLimitReached {
        what: "plans that are not ordered",
        limit: MAX_DRAFTS,
        advice: "Order one, or delete one in the library.",
    }
    .into())
}

/// The account's drafts that are not ordered, the most recently changed first.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<DraftSummary>> {
    caller.require_reading()?;
    Ok(store::list(&app.database.read, caller.account_id(), MAX_DRAFTS).await?)
}

pub async fn get(app: &App, caller: &Caller, id: &DraftId) -> Result<Option<Draft>> {
    caller.require_reading()?;
    let row = store::find(&app.database.read, caller.account_id(), id).await?;
    row.map(store::DraftRow::into_draft).transpose()
}

/// Returns the texts of a draft that cannot be printed, because no font of this server has some of their characters.
pub async fn unprintable_texts(app: &App, book: &DraftBook) -> Result<Vec<UnprintableText>> {
    print::unprintable_texts(app, &book.manuscript()).await
}

/// Saves a change, unless another browser page saved one that this page has not seen.
pub async fn save(app: &App, caller: &Caller, id: &DraftId, edit: &Edit<'_>) -> Result<SaveOutcome> {
    caller.require(Scopes::WRITING)?;
    let changed = store::Changed {
        title: edit.book.shown_title(),
        page_count: edit.book.page_count(),
        contents: contents(edit.book)?,
        seen: edit.seen,
        own: edit.own,
    };
    let mut tx = app.database.begin().await?;
    if store::update(&mut tx, caller.account_id(), id, &changed, times(app)).await? {
        tx.commit().await?;
        return Ok(SaveOutcome::Saved);
    }
    let Some(row) = store::find(&mut *tx, caller.account_id(), id).await? else {
        return Ok(SaveOutcome::Missing);
    };
    let stored = row.into_draft()?;
    let is_same = stored.book == *edit.book;
    Ok(match stored.ordered {
        Some(book) => SaveOutcome::Ordered { book, is_same },
        None if is_same => SaveOutcome::Saved,
        None => SaveOutcome::Conflict,
    })
}

fn contents(book: &DraftBook) -> Result<String> {
    let contents = serde_json::to_string(book)?;
    if contents.len() > MAX_BOOK_BYTES {
        return Err(Error::invalid_field(
            Field::book(),
            "is too long to be saved; shorten its texts, or remove pages",
        ));
    }
    Ok(contents)
}

/// Deletes the draft. Returns false if the draft does not exist.
pub async fn delete(app: &App, caller: &Caller, id: &DraftId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let deleted = store::delete(&mut tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(deleted)
}

/// Deletes expired drafts, ordered or not, and returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}

fn times(app: &App) -> store::Times {
    let now = app.clock.now();
    store::Times {
        now,
        expires_at: now.plus(DRAFT_LIFETIME),
    }
}

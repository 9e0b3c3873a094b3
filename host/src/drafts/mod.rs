//! Drafts: plans of books that their owner edits in the browser before ordering them. A draft costs nothing, and is deleted
//! when it has not been changed for a long time.
mod book;
mod order;
mod store;

use std::time::Duration;

use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{BookId, DraftId};

pub(crate) use book::{DraftBook, DraftPage, DraftWarning, PageEdit};
pub(crate) use order::{Ordered, order};

/// How many drafts an account may have that are not ordered.
const MAX_DRAFTS: i64 = 50;
/// The longest book as JSON: a hundred pages with the longest texts.
const MAX_BOOK_BYTES: usize = 1024 * 1024;
/// How long a draft lives after its last change.
const LIFETIME: Duration = Duration::from_secs(90 * 24 * 3600);
/// How long a draft leads to its book after it was ordered.
const LIFETIME_ORDERED: Duration = Duration::from_secs(7 * 24 * 3600);

/// A plan that was stored.
#[derive(Debug)]
pub(crate) struct Draft {
    pub book: DraftBook,
    pub version: Version,
    /// The book that was made of it.
    pub ordered: Option<BookId>,
}

/// A plan as a list shows it.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct DraftSummary {
    pub id: DraftId,
    pub title: String,
    pub page_count: i64,
    pub updated_at: Timestamp,
}

/// Names the page of a browser that saved a draft last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version(String);

impl Version {
    /// A new one, for a page that is about to be shown.
    pub(crate) fn generate(app: &App) -> Self {
        let mut bytes = [0; 16];
        app.random.fill(&mut bytes);
        Self(hex::encode(bytes))
    }

    /// A version as a client sent it. One that was never given out is the version of no draft.
    pub(crate) fn from_client(text: &str) -> Self {
        let is_one = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self(if is_one { text.to_owned() } else { String::new() })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A change of a draft.
pub(crate) struct Edit<'a> {
    /// The version that the page showed.
    pub seen: &'a Version,
    /// The page's own version: it may save as often as it likes.
    pub own: &'a Version,
    pub book: &'a DraftBook,
}

/// The outcome of a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SaveOutcome {
    Saved,
    /// There is no such draft, or there is none any more.
    Missing,
    /// Another page has saved other words since this one was shown. Nothing was changed.
    Conflict,
    /// The draft was ordered, and stays as it is.
    Ordered {
        book: BookId,
        /// Whether the change holds what was ordered.
        is_same: bool,
    },
}

/// Stores a new draft.
pub(crate) async fn create(app: &App, caller: &Caller, book: &DraftBook) -> Result<DraftId> {
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
    };
    store::insert(&mut tx, &caller.account_id, &draft, times(app)).await?;
    tx.commit().await?;
    Ok(id)
}

/// Refuses one draft more than an account may have.
pub(crate) async fn check_room(app: &App, caller: &Caller) -> Result<()> {
    check_room_in(&mut app.database.begin_read().await?, caller).await
}

async fn check_room_in(tx: &mut Tx, caller: &Caller) -> Result<()> {
    if store::count(tx, &caller.account_id).await? < MAX_DRAFTS {
        return Ok(());
    }
    Err(ErrorKind::AccountLimitReached {
        what: "plans that are not ordered",
        limit: MAX_DRAFTS,
        advice: "Order one, or delete one in the library.",
    }
    .into())
}

/// The account's drafts that are not ordered, the last changed first.
pub(crate) async fn list(app: &App, caller: &Caller) -> Result<Vec<DraftSummary>> {
    Ok(store::list(&app.database.read, &caller.account_id, MAX_DRAFTS).await?)
}

pub(crate) async fn get(app: &App, caller: &Caller, id: &DraftId) -> Result<Option<Draft>> {
    let row = store::find(&app.database.read, &caller.account_id, id).await?;
    row.map(store::DraftRow::into_draft).transpose()
}

/// Saves a change, unless another page has saved one that this page has not seen.
pub(crate) async fn save(app: &App, caller: &Caller, id: &DraftId, edit: &Edit<'_>) -> Result<SaveOutcome> {
    let changed = store::Changed {
        title: edit.book.shown_title(),
        page_count: edit.book.page_count(),
        contents: contents(edit.book)?,
        seen: edit.seen,
        own: edit.own,
    };
    let mut tx = app.database.begin().await?;
    if store::update(&mut tx, &caller.account_id, id, &changed, times(app)).await? {
        tx.commit().await?;
        return Ok(SaveOutcome::Saved);
    }
    let Some(row) = store::find(&mut *tx, &caller.account_id, id).await? else {
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
            "book",
            "is too long to be saved; shorten its texts, or take pages out",
        ));
    }
    Ok(contents)
}

/// Deletes the draft; false when there is none.
pub(crate) async fn delete(app: &App, caller: &Caller, id: &DraftId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let deleted = store::delete(&mut tx, &caller.account_id, id).await?;
    tx.commit().await?;
    Ok(deleted)
}

/// Deletes drafts that were not changed for a long time, and those that were ordered a while ago.
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
        expires_at: now.plus(LIFETIME),
    }
}

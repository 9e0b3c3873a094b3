//! Copying a book: a new book that shares the pages of the original.
mod store;

use std::time::Duration;

use garde::Validate;
use serde::{Deserialize, Serialize};

use super::contents;
use super::cover::store::artwork as cover_artwork;
use super::create::check_size;
use super::store::{BookRow, find, lock_unchanged};
use super::{Book, BookReply, get, read};
use crate::artwork::attempts;
use crate::artwork::copy::ArtworkCopy;
use crate::artwork::{Status, bin};
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{self, Done, IdempotencyKey, Once};
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::BookId;
use linepress_platform::scopes::Scopes;
use linepress_platform::text::Title;
use linepress_platform::validation;

/// The number of tries to copy a book whose cover is replaced again and again.
const MAX_TRIES: usize = 3;

/// The options of a copy.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BookCopy {
    /// The title of the copy; that of the original if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub title: Option<Title>,
}

/// Makes a new book with the texts, the cover, the characters, the look and the pages of a book, at no cost. Its pages
/// are in both books then. None if the book does not exist; an error while it is being drawn.
pub async fn copy(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    id: &BookId,
    new: &BookCopy,
) -> Result<Option<Done<BookReply>>> {
    caller.require(Scopes::WRITING)?;
    idempotency::or_conflict(app, caller, key, validation::check(new)).await?;
    let once = Once::new(app, caller, key, "book.copy", Some(id.as_str()), new)?;
    if let Some(earlier) = once.earlier::<BookId>().await? {
        return replayed(app, caller, &earlier.reply()?.reply).await;
    }
    // The cover may be replaced while its objects are copied.
    for _ in 0..MAX_TRIES {
        let Some(original) = find(&app.database.read, caller.account_id(), id).await? else {
            return Ok(None);
        };
        check_idle(&original)?;
        let cover = match cover_artwork(&app.database.read, id).await? {
            Some(artwork) => match ArtworkCopy::store(app, &artwork).await? {
                Some(copy) => Some(copy),
                None => continue,
            },
            None => None,
        };
        let made = make(app, caller, &once, id, new, cover.as_ref()).await;
        let is_outdated = matches!(made, Ok(Made::Outdated));
        let done = made.map(Made::into_done);
        if let Some(cover) = &cover {
            cover.abandon_unless_used(app, done.as_ref().map(Option::as_ref)).await;
        }
        if !is_outdated {
            return done;
        }
    }
    Err(ErrorKind::Overloaded {
        retry_after: Duration::from_secs(5),
    }
    .into())
}

/// The outcome of a try.
enum Made {
    /// The cover was replaced meanwhile, and nothing was changed.
    Outdated,
    /// The original was deleted meanwhile.
    Missing,
    Done(Box<Done<BookReply>>),
}

impl Made {
    fn into_done(self) -> Option<Done<BookReply>> {
        match self {
            Self::Done(done) => Some(*done),
            Self::Outdated | Self::Missing => None,
        }
    }
}

/// Makes the copy with this copy of the cover's artwork.
async fn make(
    app: &App,
    caller: &Caller,
    once: &Once<'_>,
    id: &BookId,
    new: &BookCopy,
    cover: Option<&ArtworkCopy>,
) -> Result<Made> {
    let mut tx = app.database.begin().await?;
    if let Some(earlier) = once.claim::<BookId>(&mut tx).await? {
        let copy = earlier.reply()?.reply;
        let replayed = replayed(app, caller, &copy).await?;
        return Ok(replayed.map_or(Made::Missing, |done| Made::Done(Box::new(done))));
    }
    // None of the pages is deleted until the copy has it.
    let pages = contents::lock_pages(app, &mut tx, id).await?;
    if !lock_unchanged(&mut tx, caller.account_id(), id).await? {
        return Ok(Made::Missing);
    }
    let original = find(&mut *tx, caller.account_id(), id).await?;
    let original = original.ok_or_else(|| Error::internal("a locked book disappeared"))?;
    check_idle(&original)?;
    if cover_artwork(&mut *tx, id).await?.as_ref() != cover.map(|cover| &cover.original) {
        return Ok(Made::Outdated);
    }
    let pages = pages.ids(&mut tx, id).await?;
    check_size(app, caller, pages.len())?;
    let mut usage = Usage {
        books: 1,
        ..Usage::default()
    };
    let artwork = match cover {
        Some(cover) => match cover.insert(app, &mut tx, &mut usage).await? {
            Some(artwork) => Some(artwork),
            None => return Ok(Made::Outdated),
        },
        None => None,
    };
    let now = app.clock.now();
    let copy = BookId::generate(now, &app.random);
    store::insert(&mut tx, id, &copy, new.title.as_deref(), artwork.as_ref(), now).await?;
    if !contents::store::attach_all(&mut tx, &copy, &pages).await? {
        return Err(Error::internal("a locked page disappeared"));
    }
    if let Some(artwork) = &artwork {
        let (from, to) = (Target::Cover(id.clone()), Target::Cover(copy.clone()));
        attempts::copy_chosen(app, &mut tx, &from, &to, artwork).await?;
    }
    bin::make_room(app, &mut tx, caller.account_id(), &mut usage).await?;
    accounts::take_room(app, &mut tx, caller.account_id(), usage).await?;
    let book = read(app, &mut tx, caller, &copy).await?;
    once.done(&mut tx, copy).await?;
    tx.commit().await?;
    Ok(Made::Done(Box::new(done(book, false))))
}

/// The reply to a repeated request, with the copy as it is now. None if it was deleted since.
async fn replayed(app: &App, caller: &Caller, copy: &BookId) -> Result<Option<Done<BookReply>>> {
    Ok(get(app, caller, copy).await?.map(|book| done(book, true)))
}

fn done(book: Book, replayed: bool) -> Done<BookReply> {
    Done {
        reply: BookReply { book },
        replayed,
    }
}

fn check_idle(book: &BookRow) -> Result<()> {
    if book.active_operation_id.is_some() || book.cover_status == Status::Generating {
        return Err(Error::generation_active("book", book.active_operation_id.clone()));
    }
    Ok(())
}

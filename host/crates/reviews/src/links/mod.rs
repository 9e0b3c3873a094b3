//! Review links: addresses at which people without an account see a book and comment on it, for some days.
mod request;
mod resource;
mod store;

use std::time::Duration;

use linepress_accounts::caller::Caller;
use linepress_accounts::credentials;
use linepress_accounts::throttle;
use linepress_core::books;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{BookId, ReviewLinkId};
use linepress_platform::maintenance;
use linepress_platform::scopes::Scopes;
use linepress_platform::secrets::Secret;
use linepress_platform::validation;

pub use request::{DEFAULT_LINK_DAYS, MAX_LINK_DAYS, NewReviewLink};
pub use resource::ReviewLink;
pub(crate) use store::WorkingLink;

/// The number of links to one book that work at the same time.
pub const MAX_WORKING_LINKS_PER_BOOK: i64 = 20;

/// The number of links to one book that are stored after they were withdrawn or have expired.
const MAX_ENDED_LINKS_PER_BOOK: i64 = 50;

/// The time after its expiry for which a link is stored with its comments.
pub const EXPIRED_LINK_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// The time within which a second opening of a link is not recorded.
const MIN_OPENING_INTERVAL: Duration = Duration::from_secs(3600);

/// A review link that was just made, with its address, which is not shown again.
pub struct WithAddress {
    pub link: ReviewLink,
    pub url: String,
}

/// The review links to a book, newest first, including those that were withdrawn or have expired. None if the book does
/// not exist.
pub async fn list(
    app: &App,
    caller: &Caller,
    book: &BookId,
    request: &PageRequest,
) -> Result<Option<PageOf<ReviewLink>>> {
    caller.require_reading()?;
    if !books::is_own(app, caller, book).await? {
        return Ok(None);
    }
    let rows = store::list(&app.database.read, book, request).await?;
    Ok(Some(PageOf::from_rows(rows, request, |row| row.id.as_str())))
}

/// Makes a review link to a book. None if the book does not exist.
pub async fn create(app: &App, caller: &Caller, book: &BookId, new: &NewReviewLink) -> Result<Option<WithAddress>> {
    caller.require(Scopes::WRITING)?;
    validation::check(new)?;
    let mut tx = app.database.begin().await?;
    throttle::take_change(app, &mut tx, caller).await?;
    // Another request that makes a link to the book waits, and so does one that deletes the book.
    if !books::lock(&mut tx, caller, book).await? {
        return Ok(None);
    }
    let now = app.clock.now();
    if store::count_working(&mut tx, book, now).await? >= MAX_WORKING_LINKS_PER_BOOK {
        return Err(ErrorKind::AccountLimitReached {
            what: "review links to one book",
            limit: MAX_WORKING_LINKS_PER_BOOK,
            advice: "Withdraw one.",
        }
        .into());
    }
    store::trim_ended(&mut tx, book, now, MAX_ENDED_LINKS_PER_BOOK).await?;
    // Links are locked before the account's row, as when the account is handed over.
    credentials::check_still_allowed(app, &mut tx, caller).await?;
    let secret = Secret::generate(&app.random);
    let link = ReviewLink {
        id: ReviewLinkId::generate(now, &app.random),
        book_id: book.clone(),
        name: new.name.as_deref().unwrap_or_default().to_owned(),
        comments: 0,
        unresolved_comments: 0,
        created_at: now,
        expires_at: now.plus(new.lifetime()),
        withdrawn_at: None,
        last_opened_at: None,
    };
    store::insert(&mut tx, caller.account_id(), &link, &secret.hash()).await?;
    tx.commit().await?;
    Ok(Some(WithAddress {
        url: format!("{}/review/{}", app.config.public_url, secret.expose()),
        link,
    }))
}

/// Withdraws a review link: its address does not work any more, and its comments remain. Nothing changes if it was
/// withdrawn before. Returns false if it does not exist.
pub async fn withdraw(app: &App, caller: &Caller, id: &ReviewLinkId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let found = store::withdraw(&mut tx, caller.account_id(), id, app.clock.now()).await?;
    tx.commit().await?;
    Ok(found)
}

/// Deletes review links with their comments 30 days after their expiry; returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    app.database
        .delete_older_than(&app.clock, EXPIRED_LINK_RETENTION, store::DELETE_EXPIRED)
        .await
}

/// The link with this token, if it works: it was neither withdrawn nor has it expired, its book is not in the bin, and
/// its account is neither suspended nor closed.
pub(crate) async fn find_working(app: &App, token: &str) -> Result<Option<WorkingLink>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    Ok(store::find_working(&app.database.read, &token.hash(), app.clock.now()).await?)
}

/// Locks a link until the transaction ends. Returns false if it was withdrawn or has expired.
pub(crate) async fn lock_working(app: &App, tx: &mut Tx, id: &ReviewLinkId) -> Result<bool> {
    Ok(store::lock_working(tx, id, app.clock.now()).await?)
}

/// Records that the page of the link was opened, at most once an hour, and not while the server is read-only.
pub(crate) async fn record_opening(app: &App, link: &WorkingLink) -> Result<()> {
    let now = app.clock.now();
    let is_recent = |time| now.since(time) < MIN_OPENING_INTERVAL;
    if link.last_opened_at.is_some_and(is_recent) || maintenance::current(app).await?.is_some() {
        return Ok(());
    }
    let mut tx = app.database.begin().await?;
    store::record_opening(&mut tx, &link.id, now, now.minus(MIN_OPENING_INTERVAL)).await?;
    Ok(tx.commit().await?)
}

//! The visits of people who have a review link. They see the book as it is now and the comments that were made with the
//! same link, and nothing else of the account.
use std::time::Duration;

use crate::comments::{self, Comment, NewComment, Subject};
use crate::links::{self, WorkingLink};
use linepress_accounts::throttle::{self, Rate};
use linepress_core::artwork::Download;
use linepress_core::books::{self, ShownBook};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, PageId};
use linepress_platform::validation;

/// The visits of a client, whichever links it uses. Pictures are not counted: their number depends on the book.
const VISITS_BY_CLIENT: Rate = Rate::new(120, Duration::from_secs(60));
const VISITS: &str = "visits in a short time";

/// The comments of a client, with whichever links it makes them.
const COMMENTS_BY_CLIENT: Rate = Rate::new(60, Duration::from_secs(600));
const COMMENTS: &str = "comments in a short time";

/// A book that a visitor sees.
#[derive(Debug)]
pub struct Visit {
    pub book: ShownBook,
    /// The comments that were made with the link, in their order. Those on pages that left the book are among them.
    pub comments: Vec<Comment>,
    /// The time from which the link does not work any more.
    pub expires_at: Timestamp,
}

/// A picture that a visitor sees.
#[derive(Debug)]
pub struct ShownPicture {
    /// The account that the work for the picture counts toward.
    pub account_id: AccountId,
    pub download: Download,
}

/// The book of the link with this token. `client` identifies the address of the client. None if the link does not work.
pub async fn open(app: &App, token: &str, client: &str) -> Result<Option<Visit>> {
    throttle::take(app, VISITS, client, VISITS_BY_CLIENT).await?;
    let Some(link) = links::find_working(app, token).await? else {
        return Ok(None);
    };
    let Some(book) = books::shown(app, &link.account_id, &link.book_id).await? else {
        return Ok(None);
    };
    let comments = comments::of_link(app, &link.id).await?;
    if let Err(error) = links::record_opening(app, &link).await {
        // The visitor can still see the book.
        tracing::warn!(
            link = %link.id,
            error = error.for_operator(),
            "opening of a review link could not be recorded"
        );
    }
    Ok(Some(Visit {
        book,
        comments,
        expires_at: link.expires_at,
    }))
}

/// The cover's picture. None if the link does not work, or there is no picture.
pub async fn cover(app: &App, token: &str) -> Result<Option<ShownPicture>> {
    let Some(link) = links::find_working(app, token).await? else {
        return Ok(None);
    };
    let download = books::shown_cover(app, &link.account_id, &link.book_id).await?;
    Ok(picture(link, download))
}

/// The picture of a page. None if the link does not work, the page is not in the book, or there is no picture.
pub async fn page_picture(app: &App, token: &str, page: &PageId) -> Result<Option<ShownPicture>> {
    let Some(link) = links::find_working(app, token).await? else {
        return Ok(None);
    };
    let download = books::shown_page(app, &link.account_id, &link.book_id, page).await?;
    Ok(picture(link, download))
}

fn picture(link: WorkingLink, download: Option<Download>) -> Option<ShownPicture> {
    let account_id = link.account_id;
    download.map(|download| ShownPicture { account_id, download })
}

/// Adds a comment on a page of the book, or on the book as a whole. None if the link does not work.
pub async fn comment(
    app: &App,
    token: &str,
    client: &str,
    page: Option<&PageId>,
    new: &NewComment,
) -> Result<Option<()>> {
    let Some(link) = links::find_working(app, token).await? else {
        return Ok(None);
    };
    validation::check(new)?;
    let page = match page {
        None => None,
        Some(page) => match books::page_title(app, &link.book_id, page).await? {
            Some(title) => Some((page, title)),
            None => return Err(Error::invalid_field(Field::page(), "is no longer in the book")),
        },
    };
    throttle::take(app, COMMENTS, client, COMMENTS_BY_CLIENT).await?;
    let mut tx = app.database.begin().await?;
    if !links::lock_working(app, &mut tx, &link.id).await? {
        return Ok(None);
    }
    let subject = Subject {
        book: &link.book_id,
        page,
    };
    comments::add(app, &mut tx, &link.id, subject, new).await?;
    tx.commit().await?;
    Ok(Some(()))
}

//! Comments on a book and on its pages, which people with a review link make. The owner reads, resolves and deletes
//! them.
mod request;
mod resource;
mod store;

use linepress_accounts::caller::Caller;
use linepress_core::books;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{BookId, CommentId, PageId, ReviewLinkId};
use linepress_platform::scopes::Scopes;

pub use request::{CommentChange, NewComment};
pub use resource::Comment;

/// The number of comments that can be made with one link.
pub const MAX_COMMENTS_PER_LINK: i64 = 500;

/// The comments on a book and on its pages, newest first. None if the book does not exist.
pub async fn list(app: &App, caller: &Caller, book: &BookId, request: &PageRequest) -> Result<Option<PageOf<Comment>>> {
    caller.require_reading()?;
    if !books::is_own(app, caller, book).await? {
        return Ok(None);
    }
    let rows = store::list(&app.database.read, book, request).await?;
    Ok(Some(PageOf::from_rows(rows, request, |row| row.id.as_str())))
}

/// Marks a comment as resolved, or as unresolved again. None if it does not exist.
pub async fn update(app: &App, caller: &Caller, id: &CommentId, change: &CommentChange) -> Result<Option<Comment>> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if let Some(resolved) = change.resolved {
        let at = resolved.then(|| app.clock.now());
        store::set_resolved(&mut tx, caller.account_id(), id, at).await?;
    }
    let comment = store::find(&mut tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(comment)
}

/// Deletes a comment. Returns false if it does not exist.
pub async fn delete(app: &App, caller: &Caller, id: &CommentId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let found = store::delete(&mut tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(found)
}

/// The subject of a new comment.
pub(crate) struct Subject<'a> {
    pub book: &'a BookId,
    /// The page with its title; None for the book as a whole.
    pub page: Option<(&'a PageId, String)>,
}

/// Stores a comment with a link, which is locked.
pub(crate) async fn add(
    app: &App,
    tx: &mut Tx,
    link: &ReviewLinkId,
    subject: Subject<'_>,
    new: &NewComment,
) -> Result<()> {
    if store::count(tx, link).await? >= MAX_COMMENTS_PER_LINK {
        return Err(ErrorKind::AccountLimitReached {
            what: "comments with one review link",
            limit: MAX_COMMENTS_PER_LINK,
            advice: "Make another link.",
        }
        .into());
    }
    let now = app.clock.now();
    let (page, page_title) = subject.page.unzip();
    let comment = Comment {
        id: CommentId::generate(now, &app.random),
        review_link_id: link.clone(),
        page_id: page.cloned(),
        page_title: page_title.unwrap_or_default(),
        name: new.name.to_string(),
        text: new.text.to_string(),
        created_at: now,
        resolved_at: None,
    };
    Ok(store::insert(tx, subject.book, &comment).await?)
}

/// The comments that were made with a link, in their order.
pub(crate) async fn of_link(app: &App, link: &ReviewLinkId) -> Result<Vec<Comment>> {
    Ok(store::of_link(&app.database.read, link).await?)
}

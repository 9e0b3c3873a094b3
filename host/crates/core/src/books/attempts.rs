//! The attempts of a cover: the pictures that it shows or has shown.
use super::{Book, cover, read, store};
use crate::artwork::Download;
use crate::artwork::attempts::{self, Attempt, Choice};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AttemptId, BookId};
use linepress_platform::scopes::Scopes;

/// The attempts of a book's cover, newest first. None if the book does not exist.
pub async fn list_cover_attempts(
    app: &App,
    caller: &Caller,
    id: &BookId,
    request: &PageRequest,
) -> Result<Option<PageOf<Attempt>>> {
    caller.require_reading()?;
    if store::find(&app.database.read, caller.account_id(), id)
        .await?
        .is_none()
    {
        return Ok(None);
    }
    attempts::list(app, &Target::Cover(id.clone()), request).await.map(Some)
}

/// The picture of an attempt. None if the book does not exist; an error when its cover has no such attempt.
pub async fn cover_attempt_image(
    app: &App,
    caller: &Caller,
    id: &BookId,
    attempt: &AttemptId,
) -> Result<Option<Download>> {
    caller.require_reading()?;
    let Some(book) = store::find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let target = Target::Cover(id.clone());
    let image = attempts::image(app, caller.account_id(), &target, attempt, &book.title).await?;
    image.ok_or_else(missing).map(Some)
}

/// Makes the cover show an earlier picture again, at no cost. It gets the picture's prompt and style, too, each unless
/// it was edited since its present picture was drawn or imported. It is an error while the cover is being drawn, and
/// when the cover has no such attempt. Nothing changes if it shows the picture already. None if the book does not exist.
pub async fn choose_cover_attempt(
    app: &App,
    caller: &Caller,
    id: &BookId,
    attempt: &AttemptId,
) -> Result<Option<Book>> {
    caller.require(Scopes::WRITING)?;
    let (account, now) = (caller.account_id(), app.clock.now());
    let mut tx = app.database.begin().await?;
    if cover::store::lock_idle(&mut tx, account, id, now).await?.is_none() {
        return match store::find(&mut *tx, account, id).await? {
            Some(row) => Err(Error::generation_active("cover", row.active_operation_id)),
            None => Ok(None),
        };
    }
    match attempts::choose(app, &mut tx, &Target::Cover(id.clone()), attempt).await? {
        Choice::Missing => return Err(missing()),
        Choice::Unchanged => {
            drop(tx);
            return super::get(app, caller, id).await;
        }
        Choice::Chosen(chosen) => cover::store::show_attempt(&mut tx, id, &chosen, now).await?,
    }
    let book = read(app, &mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(book))
}

fn missing() -> Error {
    Error::not_found("attempt of this cover")
}

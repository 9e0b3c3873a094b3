//! The attempts of a page: the pictures that it shows or has shown.
use super::{Page, store};
use crate::artwork::Download;
use crate::artwork::attempts::{self, Attempt, Choice};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AttemptId, PageId};
use linepress_platform::scopes::Scopes;

/// The attempts of a page, newest first. None if the page does not exist.
pub async fn list_attempts(
    app: &App,
    caller: &Caller,
    id: &PageId,
    request: &PageRequest,
) -> Result<Option<PageOf<Attempt>>> {
    caller.require_reading()?;
    if store::find(&app.database.read, caller.account_id(), id)
        .await?
        .is_none()
    {
        return Ok(None);
    }
    attempts::list(app, &Target::Page(id.clone()), request).await.map(Some)
}

/// The picture of an attempt. None if the page does not exist; an error when it has no such attempt.
pub async fn attempt_image(app: &App, caller: &Caller, id: &PageId, attempt: &AttemptId) -> Result<Option<Download>> {
    caller.require_reading()?;
    let Some(page) = store::find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let target = Target::Page(id.clone());
    let image = attempts::image(app, caller.account_id(), &target, attempt, &page.title).await?;
    image.ok_or_else(missing).map(Some)
}

/// Makes the page show an earlier picture again, at no cost. The page gets the picture's prompt, too, unless its prompt
/// was edited since its present picture was drawn; title and caption remain. It is an error while the page is being
/// drawn or locked, and when the page has no such attempt. Nothing changes if it shows the picture already. None if the
/// page does not exist.
pub async fn choose_attempt(app: &App, caller: &Caller, id: &PageId, attempt: &AttemptId) -> Result<Option<Page>> {
    caller.require(Scopes::WRITING)?;
    let (account, now) = (caller.account_id(), app.clock.now());
    let mut tx = app.database.begin().await?;
    if store::lock_idle(&mut tx, account, id, now).await?.is_none() {
        return match store::find(&mut *tx, account, id).await? {
            Some(row) => Err(row.refusal()),
            None => Ok(None),
        };
    }
    match attempts::choose(app, &mut tx, &Target::Page(id.clone()), attempt).await? {
        Choice::Missing => return Err(missing()),
        Choice::Unchanged => {
            drop(tx);
            return super::get(app, caller, id).await;
        }
        Choice::Chosen(chosen) => store::show_attempt(&mut tx, id, &chosen, now).await?,
    }
    let row = store::find(&mut *tx, account, id).await?;
    tx.commit().await?;
    Ok(row.map(|row| row.into_page()))
}

fn missing() -> Error {
    Error::not_found("attempt of this page")
}

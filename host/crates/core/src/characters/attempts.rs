//! The attempts of a character: the reference images that it has or has had.
use super::{Character, store};
use crate::artwork::Download;
use crate::artwork::attempts::{self, Attempt, Choice};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AttemptId, CharacterId};
use linepress_platform::scopes::Scopes;

/// The attempts of an active character, newest first. None if the character does not exist.
pub async fn list_attempts(
    app: &App,
    caller: &Caller,
    id: &CharacterId,
    request: &PageRequest,
) -> Result<Option<PageOf<Attempt>>> {
    caller.require_reading()?;
    if store::find(&app.database.read, caller.account_id(), id)
        .await?
        .is_none()
    {
        return Ok(None);
    }
    attempts::list(app, &Target::Character(id.clone()), request)
        .await
        .map(Some)
}

/// The picture of an attempt. None if the character does not exist; an error when it has no such attempt.
pub async fn attempt_image(
    app: &App,
    caller: &Caller,
    id: &CharacterId,
    attempt: &AttemptId,
) -> Result<Option<Download>> {
    caller.require_reading()?;
    let Some(character) = store::find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let target = Target::Character(id.clone());
    let image = attempts::image(app, caller.account_id(), &target, attempt, &character.name).await?;
    image.ok_or_else(missing).map(Some)
}

/// Gives an active character an earlier reference image again, at no cost, with its seed and description. It is an
/// error while the character is being drawn, and when it has no such attempt. Nothing changes if it has the image
/// already. None if the character does not exist.
pub async fn choose_attempt(
    app: &App,
    caller: &Caller,
    id: &CharacterId,
    attempt: &AttemptId,
) -> Result<Option<Character>> {
    caller.require(Scopes::WRITING)?;
    let (account, now) = (caller.account_id(), app.clock.now());
    let mut tx = app.database.begin().await?;
    if !store::lock_idle(&mut tx, account, id, now).await? {
        return match store::find(&mut *tx, account, id).await? {
            Some(row) => Err(Error::generation_active("character", row.active_operation_id)),
            None => Ok(None),
        };
    }
    match attempts::choose(app, &mut tx, &Target::Character(id.clone()), attempt).await? {
        Choice::Missing => return Err(missing()),
        Choice::Unchanged => {
            drop(tx);
            return super::get(app, caller, id).await;
        }
        Choice::Chosen(chosen) => store::show_attempt(&mut tx, id, &chosen, now).await?,
    }
    let row = store::find(&mut *tx, account, id).await?;
    tx.commit().await?;
    Ok(row.map(|row| row.into_character(app)))
}

fn missing() -> Error {
    Error::not_found("attempt of this character")
}

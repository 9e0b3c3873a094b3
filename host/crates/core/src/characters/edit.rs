//! Changing, archiving and restoring characters.
use super::{Character, CharacterChange, preview_token, store};
use crate::operations;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::credentials;
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::CharacterId;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Changes the given fields of an active character. None if the character does not exist.
pub async fn update(
    app: &App,
    caller: &Caller,
    id: &CharacterId,
    change: &CharacterChange,
) -> Result<Option<Character>> {
    caller.require(Scopes::WRITING)?;
    validation::check(change)?;
    if *change == CharacterChange::default() {
        // An empty change does not update the time of the last change either.
        return super::get(app, caller, id).await;
    }
    let mut tx = app.database.begin().await?;
    let now = app.clock.now();
    if !store::update(&mut tx, caller.account_id(), id, change.name.as_deref(), now).await? {
        return Ok(None);
    }
    match change.public_preview {
        Some(true) => {
            // A preview gives access that lasts. The character is locked before the account's row.
            credentials::check_still_allowed(app, &mut tx, caller).await?;
            store::set_preview(&mut tx, id, &preview_token(app)).await?;
        }
        Some(false) => store::end_preview(&mut tx, id).await?,
        None => {}
    }
    let row = store::find(&mut *tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(row.map(|row| row.into_character(app)))
}

/// Archives an active character. Returns false if the character does not exist. Its queued drawing is canceled, and its
/// public page is unavailable until it is restored.
pub async fn archive(app: &App, caller: &Caller, id: &CharacterId) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if store::find(&mut *tx, caller.account_id(), id).await?.is_none() {
        return Ok(false);
    }
    // Drawings, character, operation: a worker that completes another drawing of the character locks them in the same
    // order.
    let canceled = operations::cancel_drawings(app, &mut tx, &[Target::Character(id.clone())]).await?;
    if !store::archive(&mut tx, caller.account_id(), id, app.clock.now()).await? {
        return Ok(false);
    }
    if !canceled.is_empty() {
        super::complete(app, &mut tx, id, None, None).await?;
    }
    let canceled = operations::record_undrawn(app, &mut tx, canceled).await?;
    let mut usage = Usage {
        characters: -1,
        ..Usage::default()
    };
    operations::settle(app, &mut tx, caller.account_id(), &canceled, &mut usage).await?;
    accounts::change_usage(&mut tx, caller.account_id(), usage).await?;
    tx.commit().await?;
    Ok(true)
}

/// Restores an archived character. An active character is returned unchanged.
pub async fn restore(app: &App, caller: &Caller, id: &CharacterId) -> Result<Option<Character>> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    if store::restore(&mut tx, caller.account_id(), id, app.clock.now()).await? {
        let one = Usage {
            characters: 1,
            ..Usage::default()
        };
        accounts::take_room(app, &mut tx, caller.account_id(), one).await?;
    }
    let row = store::find(&mut *tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(row.map(|row| row.into_character(app)))
}

//! Changing pages.
mod store;

use super::{Page, PageChange};
use crate::characters::{self, Selection};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, OperationId, PageId};
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Changes the given metadata and characters of the page; its image remains. None if the page does not exist.
pub async fn update(app: &App, caller: &Caller, id: &PageId, change: &PageChange) -> Result<Option<Page>> {
    caller.require(Scopes::WRITING)?;
    update_selecting(app, caller, id, change, &Selection::default()).await
}

/// Changes the given metadata of the page, and adds and removes characters. None if the page does not exist.
pub async fn update_selecting(
    app: &App,
    caller: &Caller,
    id: &PageId,
    change: &PageChange,
    selection: &Selection,
) -> Result<Option<Page>> {
    caller.require(Scopes::WRITING)?;
    validation::check(change)?;
    if *change == PageChange::default() && selection.is_empty() {
        // An empty change does not update the time of the last change either.
        return super::get(app, caller, id).await;
    }
    let mut tx = app.database.begin().await?;
    if !store::update(&mut tx, caller.account_id(), id, change, app.clock.now()).await? {
        return Ok(None);
    }
    if let Some(text) = change.alternative_text.as_deref() {
        set_alternative_text(&mut tx, caller.account_id(), id, text).await?;
    }
    let ids = change.character_ids.as_deref();
    if ids.is_some() || !selection.is_empty() {
        let row = super::store::find(&mut *tx, caller.account_id(), id).await?;
        let present = row.map(|row| row.characters.0).unwrap_or_default();
        let links = characters::changed(&mut tx, caller, present, ids, selection).await?;
        store::set_characters(&mut tx, id, &links).await?;
    }
    let row = super::store::find(&mut *tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(row.map(|row| row.into_page()))
}

/// Changes the alternative text of the picture that the page shows. Another picture has a text of its own.
async fn set_alternative_text(tx: &mut Tx, account: &AccountId, id: &PageId, text: &str) -> Result<()> {
    let is_stored = store::set_alternative_text(tx, account, id, text).await?;
    if is_stored || text.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_field(
        Field::alternative_text(),
        "describes a picture, which this page does not have: send it once the page is ready",
    ))
}

/// Returns true if the account has this page.
pub(crate) async fn belongs_to(tx: &mut Tx, caller: &Caller, id: &PageId) -> Result<bool> {
    Ok(super::store::find(&mut **tx, caller.account_id(), id).await?.is_some())
}

/// Sets the state of pages that were just restored: this operation draws them, or none if there is no such operation.
pub(crate) async fn settle_restored(
    app: &App,
    tx: &mut Tx,
    ids: &[&PageId],
    operation: Option<&OperationId>,
) -> Result<()> {
    Ok(store::settle_restored(tx, ids, operation, app.clock.now()).await?)
}

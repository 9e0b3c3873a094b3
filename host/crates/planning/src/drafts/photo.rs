//! Photographs from which pages of a draft are drawn when it is ordered.
use super::{Version, contents, store, times};
use linepress_accounts::caller::Caller;
use linepress_core::artwork::uploads;
use linepress_core::pages::PageTexts;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{DraftId, UploadId};
use linepress_platform::scopes::Scopes;

/// A photograph that a person chose for a page of a draft.
#[derive(Debug)]
pub struct ChosenPhoto<'a> {
    /// The index of the page.
    pub index: usize,
    /// The page as the person saw it. The version of the draft does not identify it, because an open browser page saves
    /// under the same version again.
    pub seen: &'a PageTexts,
    pub upload: UploadId,
}

/// Has the page of a draft drawn from the photograph. Returns false if the page is no longer there as it was seen, or
/// the draft was ordered or deleted. A photograph that is not used is deleted.
pub async fn draw_from_photo(app: &App, caller: &Caller, id: &DraftId, photo: &ChosenPhoto<'_>) -> Result<bool> {
    caller.require(Scopes::WRITING)?;
    let saved = save(app, caller, id, photo).await;
    let is_unused = match &saved {
        Ok(saved) => !saved,
        // After an internal error it is unknown what was committed, and the upload expires.
        Err(error) => !error.is_internal(),
    };
    if is_unused {
        uploads::discard(app, caller, &photo.upload).await?;
    }
    saved
}

async fn save(app: &App, caller: &Caller, id: &DraftId, photo: &ChosenPhoto<'_>) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let Some(row) = store::find(&mut *tx, caller.account_id(), id).await? else {
        return Ok(false);
    };
    let before = row.contents().to_owned();
    let mut book = row.into_draft()?.book;
    let Some(page) = book.pages.get_mut(photo.index).filter(|page| **page == *photo.seen) else {
        return Ok(false);
    };
    page.source_upload_id = Some(photo.upload.clone());
    let replacement = store::Replacement {
        before,
        contents: contents(&book)?,
        version: Version::generate(app),
    };
    let saved = store::replace_contents(&mut tx, caller.account_id(), id, &replacement, times(app)).await?;
    tx.commit().await?;
    Ok(saved)
}

//! Links to one file that work for a short time, for clients that cannot send the account's authorization: an agent
//! passes them on to its user.
//!
//! Links are not stored. `grants` seals the target of a link, and checks the grant and the account on each use; the
//! file's owner is checked here.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::artwork::ImageSize;
use crate::print::PrintOptions;
use crate::{books, characters, pages};
use linepress_accounts::caller::Caller;
use linepress_accounts::grants;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::file_name::FileName;
use linepress_platform::ids::{AccountId, AttemptId, BookId, CharacterId, PageId};
use linepress_platform::storage::StoredObject;

/// The time for which a link works.
pub use linepress_accounts::grants::LINK_LIFETIME;

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    #[serde(rename = "p")]
    PageImage(PageId),
    /// The page's picture for print.
    #[serde(rename = "m")]
    PagePrint(PageId),
    #[serde(rename = "c")]
    CharacterImage(CharacterId),
    #[serde(rename = "v")]
    CoverImage(BookId),
    #[serde(rename = "ap")]
    PageAttempt(PageId, AttemptId),
    #[serde(rename = "av")]
    CoverAttempt(BookId, AttemptId),
    #[serde(rename = "ac")]
    CharacterAttempt(CharacterId, AttemptId),
    #[serde(rename = "b")]
    BookPdf(BookId, PrintOptions),
}

/// A file that is being sent to the holder of its link.
#[derive(Debug)]
pub struct File {
    pub account_id: AccountId,
    pub media_type: String,
    pub file_name: FileName,
    /// True when it should be saved rather than displayed.
    pub is_attachment: bool,
    pub object: StoredObject,
}

/// A link and the properties of its file.
#[derive(Debug)]
pub struct Link {
    pub url: String,
    pub media_type: String,
    pub file_name: FileName,
    pub byte_size: u64,
    pub expires_at: Timestamp,
}

/// Makes a link to a file of the caller, who must act under a grant. None if the resource does not exist; an error when
/// it has no file.
pub async fn link(app: &App, caller: &Caller, target: Target) -> Result<Option<Link>> {
    caller.require_reading()?;
    let Some(file) = find(app, caller, &target).await? else {
        return Ok(None);
    };
    let (token, expires_at) = grants::seal_link(app, caller, target)?;
    Ok(Some(Link {
        url: format!("{}/downloads/{token}", app.config.public_url),
        media_type: file.media_type,
        file_name: file.file_name,
        byte_size: file.object.size,
        expires_at,
    }))
}

/// Opens the file of a link. None when the link was not made by this installation or has expired, or when its grant has
/// ended.
pub async fn open(app: &App, token: &str) -> Result<Option<File>> {
    let Some((caller, target)) = grants::caller_of_link(app, token).await? else {
        return Ok(None);
    };
    find(app, &caller, &target).await
}

async fn find(app: &App, caller: &Caller, target: &Target) -> Result<Option<File>> {
    let image = match target {
        Target::PageImage(id) => pages::image(app, caller, id, ImageSize::Screen).await?,
        Target::PagePrint(id) => pages::image(app, caller, id, ImageSize::Print).await?,
        Target::CharacterImage(id) => characters::reference_image(app, caller, id).await?,
        Target::CoverImage(id) => books::cover_image(app, caller, id).await?,
        Target::PageAttempt(id, attempt) => pages::attempt_image(app, caller, id, attempt).await?,
        Target::CoverAttempt(id, attempt) => books::cover_attempt_image(app, caller, id, attempt).await?,
        Target::CharacterAttempt(id, attempt) => characters::attempt_image(app, caller, id, attempt).await?,
        Target::BookPdf(id, options) => {
            let pdf = books::pdf(app, caller, id, options).await?;
            return Ok(pdf.map(|pdf| File {
                account_id: caller.account_id().clone(),
                media_type: "application/pdf".into(),
                file_name: pdf.file_name,
                is_attachment: true,
                object: pdf.object,
            }));
        }
    };
    Ok(image.map(|image| File {
        account_id: caller.account_id().clone(),
        media_type: image.media_type,
        file_name: image.file_name,
        is_attachment: false,
        object: image.object,
    }))
}

/// Reads a picture of the caller for display. None if the resource does not exist; an error when it has no picture.
pub async fn picture(app: &App, caller: &Caller, target: &Target) -> Result<Option<Bytes>> {
    caller.require_reading()?;
    // The picture for print shows the same, but is about a hundred times as large.
    let shown = match target {
        Target::PagePrint(id) => Target::PageImage(id.clone()),
        target => target.clone(),
    };
    let Some(file) = find(app, caller, &shown).await? else {
        return Ok(None);
    };
    Ok(Some(file.object.whole().await.map_err(Error::unavailable)?))
}

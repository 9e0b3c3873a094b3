//! Addresses that lead to one file for a short while, for whoever cannot send the account's own authorization: an agent
//! hands them on to its person.
//!
//! Nothing of them is stored. An address holds what it leads to and until when, under a seal that only this installation
//! can make; whose the file is, and whether the grant behind the address still stands, is asked each time it is used.
mod token;

use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use crate::accounts;
use crate::app::App;
use crate::artwork::ImageSize;
use crate::caller::{Caller, Plan};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::file_name::FileName;
use crate::ids::{AccountId, BookId, CharacterId, PageId};
use crate::print::PrintOptions;
use crate::storage::StoredObject;
use crate::{books, characters, grants, pages};

/// How long an address works.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// What an address leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Target {
    #[serde(rename = "p")]
    PageImage(PageId),
    /// As it is printed.
    #[serde(rename = "m")]
    PagePrint(PageId),
    #[serde(rename = "c")]
    CharacterImage(CharacterId),
    #[serde(rename = "v")]
    CoverImage(BookId),
    #[serde(rename = "b")]
    BookPdf(BookId, PrintOptions),
}

/// A file on its way to whoever has its address.
#[derive(Debug)]
pub(crate) struct File {
    pub account_id: AccountId,
    pub media_type: String,
    pub file_name: FileName,
    /// Whether it is for keeping rather than for looking at.
    pub is_to_be_kept: bool,
    pub object: StoredObject,
}

/// An address, and what is known of the file.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    pub url: String,
    pub media_type: String,
    pub byte_size: u64,
    pub expires_at: Timestamp,
}

/// Makes an address for a file of the caller's, who is an app that acts under a grant. Nothing when there is no such resource; an error when it has no file.
pub(crate) async fn link(app: &App, caller: &Caller, target: Target) -> Result<Option<Link>> {
    let Some(file) = find(app, caller, &target).await? else {
        return Ok(None);
    };
    let expires_at = app.clock.now().plus(LIFETIME);
    let token = token::seal(app, caller, target, expires_at)?;
    Ok(Some(Link {
        url: format!("{}/downloads/{token}", app.config.public_url),
        media_type: file.media_type,
        byte_size: file.object.size,
        expires_at,
    }))
}

/// The file that an address leads to. Nothing when it is none of ours, has expired, or what it was given for has ended.
pub(crate) async fn open(app: &App, token: &str) -> Result<Option<File>> {
    let Some(sealed) = token::open(app, token) else {
        return Ok(None);
    };
    let Some(account) = accounts::find_by_id(app, &sealed.account).await? else {
        return Ok(None);
    };
    if !grants::is_active(app, &account.id, &sealed.grant).await? {
        return Ok(None);
    }
    if account.plan != Plan::Business {
        return Err(ErrorKind::PlanRequired.into());
    }
    let caller = Caller {
        account_id: account.id,
        email: account.email,
        plan: account.plan,
        key_id: None,
        grant: None,
    };
    find(app, &caller, &sealed.target).await
}

async fn find(app: &App, caller: &Caller, target: &Target) -> Result<Option<File>> {
    let image = match target {
        Target::PageImage(id) => pages::image(app, caller, id, ImageSize::Screen).await?,
        Target::PagePrint(id) => pages::image(app, caller, id, ImageSize::Print).await?,
        Target::CharacterImage(id) => characters::reference_image(app, caller, id).await?,
        Target::CoverImage(id) => books::cover_image(app, caller, id).await?,
        Target::BookPdf(id, options) => {
            let pdf = books::pdf(app, caller, id, options).await?;
            return Ok(pdf.map(|pdf| File {
                account_id: caller.account_id.clone(),
                media_type: "application/pdf".into(),
                file_name: pdf.file_name,
                is_to_be_kept: true,
                object: pdf.object,
            }));
        }
    };
    Ok(image.map(|image| File {
        account_id: caller.account_id.clone(),
        media_type: image.media_type,
        file_name: image.file_name,
        is_to_be_kept: false,
        object: image.object,
    }))
}

/// The bytes of a picture of the caller's, to look at. Nothing when there is no such resource; an error when it has none.
pub(crate) async fn picture(app: &App, caller: &Caller, target: &Target) -> Result<Option<Bytes>> {
    // What is printed is made from what is shown, and is a hundred times as large.
    let shown = match target {
        Target::PagePrint(id) => Target::PageImage(id.clone()),
        target => target.clone(),
    };
    let Some(file) = find(app, caller, &shown).await? else {
        return Ok(None);
    };
    let pieces: Vec<Bytes> = file.object.chunks.try_collect().await.map_err(Error::internal)?;
    Ok(Some(pieces.concat().into()))
}

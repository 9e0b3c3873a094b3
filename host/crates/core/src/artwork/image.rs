//! Images as clients see them, and as they are stored.
use std::time::Duration;

use linepress_imaging::{ArtworkError, Prepared};
use linepress_model::{Audience, text_enum};
use serde::{Deserialize, Serialize};

use super::quality::{Quality, faults_column};
use super::{store, transfers};
use crate::address::Address;
use crate::objects;
use linepress_accounts::accounts::Usage;
use linepress_accounts::idempotency::Done;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::file_name::FileName;
use linepress_platform::ids::{AccountId, ArtworkId};
use linepress_platform::storage::StoredObject;

text_enum! {
    /// The state of a page, a cover or a character.
    #[schema(as = ArtworkStatus)]
    pub enum Status {
        Generating = "generating",
        Ready = "ready",
        Failed = "failed",
    }
}

text_enum! {
    /// The origin of a picture.
    #[schema(as = PageOrigin)]
    pub enum Origin {
        Generated = "generated",
        Imported = "imported",
    }
}

text_enum! {
    /// The size of a picture: for the screen or for print.
    #[derive(Default)]
    pub enum ImageSize {
        #[default]
        Screen = "screen",
        Print = "print",
    }
}

/// An image and the URL from which its owner may download it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Image {
    /// Downloading it needs the same authorization as the resource.
    #[serde(default, skip_serializing_if = "Address::is_unset")]
    #[schema(value_type = String, format = "uri", required)]
    pub url: Address,
    /// Pixels.
    #[schema(minimum = 1)]
    pub width: i64,
    /// Pixels.
    #[schema(minimum = 1)]
    pub height: i64,
    /// The media type of the file.
    #[schema(example = "image/png")]
    pub media_type: String,
    /// Bytes.
    #[schema(minimum = 1)]
    pub byte_size: i64,
    /// Grows with every replacement.
    pub revision: i64,
    /// The picture's quality as a coloring page. It is present only in a page's own resource and in attempts, and only
    /// for pictures that were stored since the server measures them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// The alternative text of the picture of a page. The resource has it as a field of the page.
    #[serde(skip)]
    pub alternative_text: Option<String>,
}

/// An image that is being sent to a client.
#[derive(Debug)]
pub struct Download {
    pub media_type: String,
    /// Derived from the title or name of the page, cover or character.
    pub file_name: FileName,
    pub object: StoredObject,
}

/// Opens a stored image for its owner. The caller of this function has checked the ownership.
pub(crate) async fn download_for(
    app: &App,
    account: &AccountId,
    key: &str,
    media_type: String,
    title: &str,
) -> Result<Download> {
    let place = transfers::place(app, account).await?;
    let download = download(app, key, media_type, title).await?;
    Ok(Download {
        object: transfers::hold_place(download.object, place),
        ..download
    })
}

/// Makes the picture for print from a stored print master, for its owner. The caller of this function has checked the
/// ownership.
pub(crate) async fn print_for(app: &App, account: &AccountId, master_key: &str, title: &str) -> Result<Download> {
    let place = transfers::place(app, account).await?;
    let master = app.storage.get(master_key).await?;
    let master = master.ok_or_else(|| Error::internal(format!("object {master_key} is missing")))?;
    let turn = app.importer.acquire_turn(account).await?;
    let picture = app
        .importer
        .print_picture(turn, master)
        .await
        .map_err(from_stored_artwork)?;
    Ok(Download {
        media_type: "image/png".into(),
        file_name: FileName::new(title, "image", "-print.png"),
        object: transfers::hold_place(StoredObject::from_bytes(picture).made_from(master_key), place),
    })
}

/// Converts a failure to process stored artwork. The client is not at fault, so the result is an overload or an
/// internal error.
pub fn from_stored_artwork(error: ArtworkError) -> Error {
    match error {
        ArtworkError::TookTooLong { .. } => ErrorKind::Overloaded {
            retry_after: Duration::from_secs(10),
        }
        .into(),
        error => Error::internal(error),
    }
}

/// Opens a stored image without a limit of transfers per account, for public previews and review links.
pub async fn download(app: &App, key: &str, media_type: String, title: &str) -> Result<Download> {
    let object = app
        .storage
        .open(key)
        .await?
        .ok_or_else(|| Error::internal(format!("object {key} is missing")))?;
    Ok(Download {
        media_type,
        file_name: FileName::new(title, "image", ".png"),
        object,
    })
}

/// Artwork whose objects are stored, but whose database row is not yet inserted.
#[derive(Debug)]
pub struct NewArtwork {
    pub(super) image_key: String,
    pub(super) master_key: String,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) media_type: &'static str,
    pub(super) byte_size: i64,
    /// Size of the picture and the print master together, in bytes.
    pub(super) stored_bytes: i64,
    pub(super) measures: String,
    pub(super) faults: String,
    /// Empty without a description.
    pub(super) alternative_text: String,
}

impl NewArtwork {
    /// The same artwork with a description of its picture, if there is one.
    pub fn described(self, alternative_text: Option<&str>) -> Self {
        Self {
            alternative_text: alternative_text.unwrap_or_default().to_owned(),
            ..self
        }
    }

    /// Stores the picture and the print master under `folder`. Running it twice writes the same objects.
    pub async fn store(app: &App, folder: &str, prepared: Prepared, audience: Audience) -> Result<Self> {
        Self::store_within(app, app.database.begin().await?, folder, &prepared, audience).await
    }

    /// Stores the picture and the print master under `folder`, and announces them in `tx`, which has checked that
    /// nothing refers to these objects yet.
    pub async fn store_within(
        app: &App,
        mut tx: Tx,
        folder: &str,
        prepared: &Prepared,
        audience: Audience,
    ) -> Result<Self> {
        let new = Self {
            image_key: format!("{folder}/image.png"),
            master_key: format!("{folder}/master.pdf"),
            width: prepared.width.into(),
            height: prepared.height.into(),
            media_type: prepared.media_type,
            byte_size: size(prepared.image.len()),
            stored_bytes: size(prepared.image.len() + prepared.master.len()),
            measures: serde_json::to_string(&prepared.measures)?,
            faults: if prepared.is_color {
                "[]".to_owned()
            } else {
                faults_column(&prepared.measures, audience)?
            },
            alternative_text: String::new(),
        };
        objects::announce_within(app, &mut tx, &new.keys()).await?;
        tx.commit().await?;
        app.storage.put(&new.image_key, prepared.image.clone()).await?;
        app.storage.put(&new.master_key, prepared.master.clone()).await?;
        Ok(new)
    }

    fn keys(&self) -> [&str; 2] {
        [&self.image_key, &self.master_key]
    }

    /// Deletes the objects if the request did not use them.
    pub async fn abandon_unless_used<T>(&self, app: &App, outcome: Result<Option<&Done<T>>, &Error>) {
        objects::abandon_unless_used(app, &self.keys(), outcome).await;
    }
}

fn size(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Inserts the row of stored artwork and adds its size to the account's usage.
pub async fn insert(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    new: &NewArtwork,
    usage: &mut Usage,
) -> Result<ArtworkId> {
    let now = app.clock.now();
    let id = ArtworkId::generate(now, &app.random);
    store::insert(tx, &id, account, new, now).await?;
    objects::keep(tx, &new.keys()).await?;
    usage.stored_bytes += new.stored_bytes;
    Ok(id)
}

/// Deletes the row and the objects of artwork that nothing refers to any more, and subtracts its size from the
/// account's usage.
pub async fn discard(app: &App, tx: &mut Tx, id: &ArtworkId, usage: &mut Usage) -> Result<()> {
    if let Some((image, master, stored_bytes)) = store::delete(tx, id).await? {
        usage.stored_bytes -= stored_bytes;
        objects::discard(app, tx, &[&image, &master]).await?;
    }
    Ok(())
}

/// The columns of an artwork that a resource shows, read by an outer join: all None without artwork.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ImageColumns {
    pub width: Option<i64>,
    pub height: Option<i64>,
    pub media_type: Option<String>,
    pub byte_size: Option<i64>,
    pub revision: i64,
    /// Only read for pages; empty for none.
    #[sqlx(default)]
    pub alternative_text: Option<String>,
}

impl ImageColumns {
    /// The image, None without artwork.
    pub fn into_image(self) -> Option<Image> {
        Some(Image {
            url: Address::default(),
            width: self.width?,
            height: self.height?,
            media_type: self.media_type?,
            byte_size: self.byte_size?,
            revision: self.revision,
            quality: None,
            alternative_text: self.alternative_text.filter(|text| !text.is_empty()),
        })
    }
}

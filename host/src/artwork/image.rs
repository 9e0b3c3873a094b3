//! Images as clients see them, and as they are kept.
use std::time::Duration;

use linepress_imaging::{ArtworkError, Prepared};
use linepress_model::{Audience, text_enum};
use serde::Serialize;

use super::quality::{Quality, faults_column};
use super::{store, transfers};
use crate::accounts::Usage;
use crate::app::App;
use crate::database::Tx;
use crate::error::{Error, ErrorKind, Result};
use crate::file_name::FileName;
use crate::idempotency::Done;
use crate::ids::{AccountId, ArtworkId};
use crate::objects;
use crate::storage::StoredObject;

text_enum! {
    /// Where a page, a cover or a character stands.
    #[schema(as = ArtworkStatus)]
    pub enum Status {
        Generating = "generating",
        Ready = "ready",
        Failed = "failed",
    }
}

text_enum! {
    /// How large a picture is wanted: as it is shown, or as it is printed.
    #[derive(Default)]
    pub enum ImageSize {
        #[default]
        Screen = "screen",
        Print = "print",
    }
}

/// An image and where its owner may download it.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Image {
    /// Needs the same authorization as the resource.
    #[schema(format = "uri")]
    pub url: String,
    /// Pixels.
    #[schema(minimum = 1)]
    pub width: i64,
    /// Pixels.
    #[schema(minimum = 1)]
    pub height: i64,
    /// What kind of file it is.
    #[schema(example = "image/png")]
    pub media_type: String,
    /// Bytes.
    #[schema(minimum = 1)]
    pub byte_size: i64,
    /// Grows with every replacement.
    pub revision: i64,
    /// What the picture is like as a coloring page. Only a page's own resource tells it, and only of pictures that were
    /// stored since it is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
}

/// An image on its way to a client.
#[derive(Debug)]
pub struct Download {
    pub media_type: String,
    /// After the title or name of what it shows.
    pub(crate) file_name: FileName,
    pub object: StoredObject,
}

/// Opens a stored image for its owner. Callers have checked whose it is.
pub async fn download_for(
    app: &App,
    account: &AccountId,
    key: &str,
    media_type: String,
    title: &str,
) -> Result<Download> {
    let place = transfers::place(app, account).await?;
    let download = download(app, key, media_type, title).await?;
    Ok(Download {
        object: transfers::holding(download.object, place),
        ..download
    })
}

/// Makes the picture that is printed from a stored print master, for its owner. Callers have checked whose it is.
pub async fn print_for(app: &App, account: &AccountId, master_key: &str, title: &str) -> Result<Download> {
    let place = transfers::place(app, account).await?;
    let master = app.storage.get(master_key).await?;
    let master = master.ok_or_else(|| Error::internal(format!("object {master_key} is missing")))?;
    let turn = app.importer.acquire_turn(account).await?;
    let picture = app.importer.print_picture(turn, master).await.map_err(of_stored)?;
    Ok(Download {
        media_type: "image/png".into(),
        file_name: FileName::new(title, "image", "-print.png"),
        object: transfers::holding(StoredObject::from_bytes(picture).made_from(master_key), place),
    })
}

/// Why nothing could be made of what is stored: no fault of whoever asks for it.
pub fn of_stored(error: ArtworkError) -> Error {
    match error {
        ArtworkError::TookTooLong { .. } => ErrorKind::Overloaded {
            retry_after: Duration::from_secs(10),
        }
        .into(),
        error => Error::internal(error),
    }
}

/// Opens a stored image for anyone.
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

/// Artwork whose objects are stored and whose row is not yet.
#[derive(Debug)]
pub struct NewArtwork {
    pub(super) image_key: String,
    pub(super) master_key: String,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) media_type: &'static str,
    pub(super) byte_size: i64,
    /// Picture and print master.
    pub(super) stored_bytes: i64,
    pub(super) measures: String,
    pub(super) faults: String,
}

impl NewArtwork {
    /// Stores picture and print master below `folder`. Running it twice writes the same objects.
    pub async fn store(app: &App, folder: &str, prepared: Prepared, audience: Audience) -> Result<Self> {
        Self::store_within(app, app.database.begin().await?, folder, &prepared, audience).await
    }

    /// The same, announced at the end of a transaction that knows that nothing refers to the objects yet.
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
            faults: faults_column(&prepared.measures, audience)?,
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

    /// Deletes the objects when the request that brought them gave them no place: it was refused, met nothing, or was done
    /// before. After a fault nobody knows, and the sweep decides.
    pub async fn abandon_unless_placed(&self, app: &App, outcome: Result<Option<&Done>, &Error>) {
        let unused = match outcome {
            Ok(done) => done.is_none_or(|done| done.replayed),
            Err(error) => !error.is_internal(),
        };
        if unused {
            objects::abandon(app, &self.keys()).await;
        }
    }
}

fn size(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Records artwork whose objects are stored, and adds it to what the account has.
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

/// Gives up artwork that nothing refers to any more, row and objects, and takes it from what the account has.
pub async fn discard(app: &App, tx: &mut Tx, id: &ArtworkId, usage: &mut Usage) -> Result<()> {
    if let Some((image, master, stored_bytes)) = store::delete(tx, id).await? {
        usage.stored_bytes -= stored_bytes;
        objects::discard(app, tx, &[&image, &master]).await?;
    }
    Ok(())
}

/// The columns of an artwork that a resource shows, from an outer join.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ImageColumns {
    pub width: Option<i64>,
    pub height: Option<i64>,
    pub media_type: Option<String>,
    pub byte_size: Option<i64>,
    pub revision: i64,
}

impl ImageColumns {
    /// The image at `url`, when there is one.
    pub fn at(self, url: String) -> Option<Image> {
        Some(Image {
            url,
            width: self.width?,
            height: self.height?,
            media_type: self.media_type?,
            byte_size: self.byte_size?,
            revision: self.revision,
            quality: None,
        })
    }
}

//! Images as clients see them, and as they are kept.
use bytes::Bytes;
use linepress_imaging::Prepared;
use linepress_model::text_enum;
use serde::Serialize;

use super::store;
use crate::app::App;
use crate::database::Tx;
use crate::error::{Error, Result};
use crate::ids::{AccountId, ArtworkId};
use crate::objects;

text_enum! {
    /// Where a page or character stands.
    pub enum Status {
        Generating = "generating",
        Ready = "ready",
        Failed = "failed",
    }
}

/// An image and where its owner may download it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
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
}

/// An image's bytes on their way to a client.
#[derive(Debug)]
pub struct Download {
    pub media_type: String,
    pub bytes: Bytes,
}

/// Reads a stored image. Callers have checked whose it is.
pub async fn download(app: &App, key: &str, media_type: String) -> Result<Download> {
    let bytes = app
        .storage
        .get(key)
        .await?
        .ok_or_else(|| Error::internal(format!("object {key} is missing")))?;
    Ok(Download { media_type, bytes })
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
    pub(super) measures: String,
}

impl NewArtwork {
    /// Stores picture and print master below `folder`. Running it twice writes the same objects.
    pub async fn store(app: &App, folder: &str, prepared: Prepared) -> Result<Self> {
        Self::store_within(app, app.database.begin().await?, folder, prepared).await
    }

    /// The same, announced at the end of a transaction that knows that nothing refers to the objects yet.
    pub async fn store_within(app: &App, mut tx: Tx, folder: &str, prepared: Prepared) -> Result<Self> {
        let new = Self {
            image_key: format!("{folder}/image.png"),
            master_key: format!("{folder}/master.pdf"),
            width: prepared.width.into(),
            height: prepared.height.into(),
            media_type: prepared.media_type,
            byte_size: i64::try_from(prepared.image.len()).unwrap_or(i64::MAX),
            measures: serde_json::to_string(&prepared.measures)?,
        };
        objects::announce_within(app, &mut tx, &new.keys()).await?;
        tx.commit().await?;
        app.storage.put(&new.image_key, prepared.image).await?;
        app.storage.put(&new.master_key, prepared.master).await?;
        Ok(new)
    }

    fn keys(&self) -> [&str; 2] {
        [&self.image_key, &self.master_key]
    }

    /// Deletes the objects of artwork that found no place.
    pub async fn abandon(&self, app: &App) {
        objects::abandon(app, &self.keys()).await;
    }
}

/// Records artwork whose objects are stored.
pub async fn insert(app: &App, tx: &mut Tx, account: &AccountId, new: &NewArtwork) -> Result<ArtworkId> {
    let now = app.clock.now();
    let id = ArtworkId::generate(now, &app.random);
    store::insert(tx, &id, account, new, now).await?;
    objects::keep(tx, &new.keys()).await?;
    Ok(id)
}

/// Gives up artwork that nothing refers to any more, row and objects.
pub async fn discard(app: &App, tx: &mut Tx, id: &ArtworkId) -> Result<()> {
    if let Some((image, master)) = store::delete(tx, id).await? {
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
        })
    }
}

//! A copy of artwork, for another target: each artwork belongs to one attempt.
use super::store;
use crate::objects;
use linepress_accounts::accounts::Usage;
use linepress_accounts::idempotency::Done;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::ArtworkId;

/// The objects of a copy, to which no row refers yet.
#[derive(Debug)]
pub(crate) struct ArtworkCopy {
    pub original: ArtworkId,
    image_key: String,
    master_key: String,
}

impl ArtworkCopy {
    /// Copies the objects of artwork. None if it was discarded.
    pub(crate) async fn store(app: &App, original: &ArtworkId) -> Result<Option<Self>> {
        let Some((image, master)) = store::keys(&app.database.read, original).await? else {
            return Ok(None);
        };
        let folder = format!("copies/{}", ArtworkId::generate(app.clock.now(), &app.random));
        let copy = Self {
            original: original.clone(),
            image_key: format!("{folder}/image.png"),
            master_key: format!("{folder}/master.pdf"),
        };
        objects::announce(app, &copy.keys()).await?;
        for (from, to) in [(&image, &copy.image_key), (&master, &copy.master_key)] {
            let bytes = app.storage.get(from).await?;
            let bytes = bytes.ok_or_else(|| Error::internal(format!("object {from} is missing")))?;
            app.storage.put(to, bytes).await?;
        }
        Ok(Some(copy))
    }

    /// Inserts the row and adds its size to the account's usage. None if the original was discarded.
    pub(crate) async fn insert(&self, app: &App, tx: &mut Tx, usage: &mut Usage) -> Result<Option<ArtworkId>> {
        let now = app.clock.now();
        let id = ArtworkId::generate(now, &app.random);
        let inserted = store::copy(tx, &self.original, &id, self.keys(), now).await?;
        let Some(stored_bytes) = inserted else {
            return Ok(None);
        };
        objects::keep(tx, &self.keys()).await?;
        usage.stored_bytes += stored_bytes;
        Ok(Some(id))
    }

    fn keys(&self) -> [&str; 2] {
        [&self.image_key, &self.master_key]
    }

    /// Deletes the objects if the request did not use them. After an internal error it is unknown whether they are used, and
    /// the sweep of unused objects decides.
    pub(crate) async fn abandon_unless_used<T>(&self, app: &App, outcome: Result<Option<&Done<T>>, &Error>) {
        let unused = match outcome {
            Ok(done) => done.is_none_or(|done| done.replayed),
            Err(error) => !error.is_internal(),
        };
        if unused {
            objects::abandon(app, &self.keys()).await;
        }
    }
}

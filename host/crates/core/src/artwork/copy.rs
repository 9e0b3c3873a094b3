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
        let folder = folder(&image, &ArtworkId::generate(app.clock.now(), &app.random));
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
        let id = ArtworkId::generate(app.clock.now(), &app.random);
        let inserted = store::copy(tx, &self.original, &id, self.keys()).await?;
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

    /// Deletes the objects if the request did not use them.
    pub(crate) async fn abandon_unless_used<T>(&self, app: &App, outcome: Result<Option<&Done<T>>, &Error>) {
        objects::abandon_unless_used(app, &self.keys(), outcome).await;
    }
}

/// The folder of a copy. Like the key of its original, that of a drawn picture contains the id of its drawing, by which
/// the record of a book's drawings finds the provider.
fn folder(image_key: &str, id: &ArtworkId) -> String {
    let drawn = image_key
        .strip_prefix("drawings/")
        .and_then(|rest| rest.split_once('/'));
    match drawn {
        Some((drawing, _)) => format!("drawings/{drawing}/{id}"),
        None => format!("imports/{id}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_a_drawing_and_its_copy_name_the_drawing() {
        let id = ArtworkId::from_text("art_2");
        let copy = folder("drawings/draw_1/lease/image.png", &id);
        assert_eq!(copy, "drawings/draw_1/art_2");
        assert_eq!(folder(&format!("{copy}/image.png"), &id), copy);
        assert_eq!(folder("imports/art_1/image.png", &id), "imports/art_2");
    }
}

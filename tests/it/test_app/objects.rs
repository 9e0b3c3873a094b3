//! The object store, compared with the references in the database.
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::testing;
use linepress_platform::config::ObjectPlace;
use serde_json::json;

use super::{Actor, TestApp};

impl TestApp {
    /// Returns the keys of all stored objects.
    pub(crate) fn objects(&self) -> BTreeSet<String> {
        self.objects.keys(&self.server.config.data_dir)
    }

    /// Returns the folder of the objects, for a test that changes files behind the server's back. It must be started
    /// with `objects_in_a_folder`.
    pub(crate) fn object_folder(&self) -> PathBuf {
        match self.server.config.object_place().unwrap() {
            ObjectPlace::Folder(folder) => folder,
            place => panic!("{place} is not a folder"),
        }
    }

    /// Returns the keys that artworks refer to.
    pub(crate) async fn referred(&self) -> BTreeSet<String> {
        let rows: Vec<(String, String)> = sqlx::query_as("SELECT image_key, master_key FROM artworks")
            .fetch_all(&self.server.database.read)
            .await
            .unwrap();
        rows.into_iter().flat_map(|(image, master)| [image, master]).collect()
    }

    /// Returns the keys of the objects of a page.
    pub(crate) async fn objects_of_page(&self, page: &str) -> BTreeSet<String> {
        let (image, master): (String, String) = sqlx::query_as(
            "SELECT image_key, master_key FROM artworks JOIN pages ON pages.artwork_id = artworks.id WHERE pages.id = $1",
        )
        .bind(page)
        .fetch_one(&self.server.database.read)
        .await
        .unwrap();
        BTreeSet::from([image, master])
    }

    /// Fails if a rejected import stored anything; `import` names it in the failure message.
    pub(crate) async fn check_nothing_stored(&self, actor: &Actor, import: &str) {
        assert_eq!(actor.get("/pages").await.expect(200)["pages"], json!([]), "{import}");
        assert!(self.referred().await.is_empty(), "{import}");
        assert!(self.objects().is_empty(), "{import}: {:?}", self.objects());
    }

    /// Fails unless every resource with a picture, deleted ones included, shows its chosen attempt, and has no other
    /// chosen one.
    pub(crate) async fn check_attempts(&self) {
        const SHOWN: &str = "SELECT id, artwork_id FROM pages WHERE artwork_id IS NOT NULL \
             UNION ALL SELECT id, artwork_id FROM characters WHERE artwork_id IS NOT NULL \
             UNION ALL SELECT id, cover_artwork_id FROM books WHERE cover_artwork_id IS NOT NULL \
             UNION ALL SELECT id, artwork_id FROM bin_pages WHERE artwork_id IS NOT NULL \
             UNION ALL SELECT id, cover_artwork_id FROM bin_books WHERE cover_artwork_id IS NOT NULL";
        const CHOSEN: &str = "SELECT target_id, artwork_id FROM attempts WHERE replaced_at IS NULL";
        let [shown, chosen] = [SHOWN, CHOSEN].map(async |pairs| {
            let rows: Vec<(String, String)> = sqlx::query_as(pairs)
                .fetch_all(&self.server.database.read)
                .await
                .unwrap();
            let number = rows.len();
            let pairs: BTreeSet<(String, String)> = rows.into_iter().collect();
            assert_eq!(pairs.len(), number);
            pairs
        });
        assert_eq!(shown.await, chosen.await);
    }

    /// Fails unless, after all discarded objects have been deleted, exactly the objects of artworks and exactly the
    /// artworks of attempts are left, every resource shows its chosen attempt, and every balance is the sum of its
    /// ledger.
    pub(crate) async fn check_books(&self) {
        self.server.clock.advance(Duration::from_secs(49 * 3600));
        testing::sweep_objects(&self.server).await.unwrap();
        assert_eq!(self.objects(), self.referred().await);
        let orphans: Vec<String> = sqlx::query_scalar(
            "SELECT id FROM artworks a WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE artwork_id = a.id)",
        )
        .fetch_all(&self.server.database.read)
        .await
        .unwrap();
        assert!(orphans.is_empty(), "{orphans:?}");
        self.check_attempts().await;
        self.check_ledger().await;
    }
}

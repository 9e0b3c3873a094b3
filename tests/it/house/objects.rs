//! The object folder, compared with what the database refers to.
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use linepress::storage;

use super::House;

impl House {
    /// The keys of all objects that are stored.
    pub fn objects(&self) -> BTreeSet<String> {
        let root = self.app.config.objects_dir();
        let mut keys = BTreeSet::new();
        gather(&root, &root, &mut keys);
        keys
    }

    /// The keys that artworks refer to.
    pub async fn referred(&self) -> BTreeSet<String> {
        let rows: Vec<(String, String)> = sqlx::query_as("SELECT image_key, master_key FROM artworks")
            .fetch_all(&self.app.database.read)
            .await
            .unwrap();
        rows.into_iter().flat_map(|(image, master)| [image, master]).collect()
    }

    /// Fails unless, once everything discarded is due, exactly those objects are left that artworks refer to, and exactly
    /// those artworks that resources show; and unless every balance is the sum of its ledger.
    pub async fn check_books(&self) {
        self.app.clock.advance(Duration::from_secs(49 * 3600));
        storage::sweep(&self.app).await.unwrap();
        assert_eq!(self.objects(), self.referred().await);
        let orphans: Vec<String> = sqlx::query_scalar(
            "SELECT id FROM artworks a WHERE NOT EXISTS (SELECT 1 FROM pages WHERE artwork_id = a.id) \
               AND NOT EXISTS (SELECT 1 FROM characters WHERE artwork_id = a.id) \
               AND NOT EXISTS (SELECT 1 FROM books WHERE cover_artwork_id = a.id)",
        )
        .fetch_all(&self.app.database.read)
        .await
        .unwrap();
        assert!(orphans.is_empty(), "{orphans:?}");
        self.check_ledger().await;
    }
}

fn gather(root: &Path, folder: &Path, keys: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            gather(root, &path, keys);
        } else {
            keys.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

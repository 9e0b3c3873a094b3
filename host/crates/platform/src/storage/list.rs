//! Lists the contents of the object store.
use futures::TryStreamExt as _;
use object_store::path::Path as Key;

use super::mark::MARK_FILE_NAME;
use super::{PROBE_KEY, Storage, is_foreign};
use crate::error::{Error, Result};
use crate::random::Random;

/// Keys of objects.
#[derive(Debug)]
pub struct Listed {
    pub keys: Vec<String>,
    /// True if these are all keys of the store.
    pub is_complete: bool,
}

impl Storage {
    /// The keys of all objects.
    pub async fn list(&self) -> Result<Listed> {
        let (mut keys, kinds) = self.kinds().await?;
        for kind in &kinds {
            keys.extend(self.below(kind).await?);
        }
        Ok(Listed {
            keys,
            is_complete: true,
        })
    }

    /// The keys directly in the root, and the kinds, which are its folders.
    async fn kinds(&self) -> Result<(Vec<String>, Vec<Key>)> {
        self.check_mark().await?;
        let root = self.store.list_with_delimiter(None).await.map_err(Error::unavailable)?;
        let kinds = root.common_prefixes.into_iter();
        let kinds = kinds.filter(|kind| !is_foreign(kind.as_ref())).collect();
        Ok((keys(root.objects), kinds))
    }

    /// The keys of about `about` objects. Keys begin with a kind and an id: of each kind some ids are taken at random,
    /// with all objects below them.
    pub async fn sample(&self, about: usize, random: &Random) -> Result<Listed> {
        let (keys_without_kind, kinds) = self.kinds().await?;
        let each = about / kinds.len().max(1);
        let mut listed = Listed {
            keys: keys_without_kind,
            is_complete: true,
        };
        for kind in &kinds {
            let mut ids = self
                .store
                .list_with_delimiter(Some(kind))
                .await
                .map_err(Error::unavailable)?;
            listed.keys.extend(keys(ids.objects));
            let mut taken = 0;
            while taken < each && !ids.common_prefixes.is_empty() {
                let id = ids.common_prefixes.swap_remove(random.below(ids.common_prefixes.len()));
                let below = self.below(&id).await?;
                taken += below.len().max(1);
                listed.keys.extend(below);
            }
            listed.is_complete &= ids.common_prefixes.is_empty();
        }
        Ok(listed)
    }

    /// The keys of all objects below a folder, with their sizes in bytes.
    pub async fn list_below(&self, folder: &str) -> Result<Vec<(String, u64)>> {
        let folder = Key::from(folder);
        let objects = self
            .store
            .list(Some(&folder))
            .map_ok(|object| (object.location.to_string(), object.size));
        objects.try_collect().await.map_err(Error::unavailable)
    }

    async fn below(&self, prefix: &Key) -> Result<Vec<String>> {
        let objects: Vec<_> = self
            .store
            .list(Some(prefix))
            .try_collect()
            .await
            .map_err(Error::unavailable)?;
        Ok(keys(objects))
    }
}

fn keys(objects: Vec<object_store::ObjectMeta>) -> Vec<String> {
    let keys = objects.into_iter().map(|object| object.location.to_string());
    keys.filter(|key| key != PROBE_KEY && key != MARK_FILE_NAME).collect()
}

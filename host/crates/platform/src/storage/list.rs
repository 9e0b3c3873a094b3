//! Lists the contents of the object store.
use std::collections::BTreeMap;

use futures::TryStreamExt as _;
use object_store::ObjectMeta;
use object_store::path::Path as Key;

use super::mark::is_mark;
use super::{PROBE_KEY, Storage, is_foreign};
use crate::error::{Error, Result};
use crate::random::Random;

/// Objects of the store.
#[derive(Debug)]
pub struct Listed {
    /// The size of each object in bytes, by its key.
    pub sizes: BTreeMap<String, u64>,
    /// True if these are all objects of the store.
    pub is_complete: bool,
}

impl Storage {
    /// All objects.
    pub async fn list(&self) -> Result<Listed> {
        let (objects, kinds) = self.kinds().await?;
        let mut sizes: BTreeMap<_, _> = sizes(objects).collect();
        for kind in &kinds {
            sizes.extend(self.below(kind).await?);
        }
        Ok(Listed {
            sizes,
            is_complete: true,
        })
    }

    /// The objects directly in the root, and the kinds, which are its folders.
    async fn kinds(&self) -> Result<(Vec<ObjectMeta>, Vec<Key>)> {
        self.check_mark().await?;
        let root = self.store.list_with_delimiter(None).await.map_err(Error::unavailable)?;
        let kinds = root.common_prefixes.into_iter();
        let kinds = kinds.filter(|kind| !is_foreign(kind.as_ref())).collect();
        Ok((root.objects, kinds))
    }

    /// About `about` objects. Keys begin with a kind and an id: of each kind some ids are taken at random, with all
    /// objects below them.
    pub async fn sample(&self, about: usize, random: &Random) -> Result<Listed> {
        let (objects_without_kind, kinds) = self.kinds().await?;
        let each = about / kinds.len().max(1);
        let mut listed = Listed {
            sizes: sizes(objects_without_kind).collect(),
            is_complete: true,
        };
        for kind in &kinds {
            let mut ids = self
                .store
                .list_with_delimiter(Some(kind))
                .await
                .map_err(Error::unavailable)?;
            listed.sizes.extend(sizes(ids.objects));
            let mut taken = 0;
            while taken < each && !ids.common_prefixes.is_empty() {
                let id = ids.common_prefixes.swap_remove(random.below(ids.common_prefixes.len()));
                let below = self.below(&id).await?;
                taken += below.len().max(1);
                listed.sizes.extend(below);
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

    async fn below(&self, prefix: &Key) -> Result<BTreeMap<String, u64>> {
        let objects: Vec<_> = self
            .store
            .list(Some(prefix))
            .try_collect()
            .await
            .map_err(Error::unavailable)?;
        Ok(sizes(objects).collect())
    }
}

fn sizes(objects: Vec<ObjectMeta>) -> impl Iterator<Item = (String, u64)> {
    let sizes = objects
        .into_iter()
        .map(|object| (object.location.to_string(), object.size));
    sizes.filter(|(key, _)| key != PROBE_KEY && !is_mark(key))
}

//! What there is in the object store.
use futures::TryStreamExt as _;
use object_store::path::Path as Key;

use super::{PROBE, Storage};
use crate::error::{Error, Result};
use crate::random::Random;

/// Keys of objects.
#[derive(Debug)]
pub struct Listed {
    pub keys: Vec<String>,
    /// Whether these are all.
    pub is_complete: bool,
}

impl Storage {
    /// Every object.
    pub async fn list(&self) -> Result<Listed> {
        Ok(Listed {
            keys: self.below(None).await?,
            is_complete: true,
        })
    }

    /// About so many objects. Keys begin with a kind and an id: of each kind some ids are taken at random, with all that is
    /// below them.
    pub async fn sample(&self, about: usize, random: &Random) -> Result<Listed> {
        let kinds = self.store.list_with_delimiter(None).await.map_err(Error::internal)?;
        let each = about / kinds.common_prefixes.len().max(1);
        let mut listed = Listed {
            keys: keys(kinds.objects),
            is_complete: true,
        };
        for kind in &kinds.common_prefixes {
            let mut ids = self
                .store
                .list_with_delimiter(Some(kind))
                .await
                .map_err(Error::internal)?;
            listed.keys.extend(keys(ids.objects));
            let mut taken = 0;
            while taken < each && !ids.common_prefixes.is_empty() {
                let id = ids.common_prefixes.swap_remove(random.below(ids.common_prefixes.len()));
                let below = self.below(Some(&id)).await?;
                taken += below.len().max(1);
                listed.keys.extend(below);
            }
            listed.is_complete &= ids.common_prefixes.is_empty();
        }
        Ok(listed)
    }

    async fn below(&self, prefix: Option<&Key>) -> Result<Vec<String>> {
        let objects: Vec<_> = self.store.list(prefix).try_collect().await.map_err(Error::internal)?;
        Ok(keys(objects))
    }
}

fn keys(objects: Vec<object_store::ObjectMeta>) -> Vec<String> {
    let keys = objects.into_iter().map(|object| object.location.to_string());
    keys.filter(|key| key != PROBE).collect()
}

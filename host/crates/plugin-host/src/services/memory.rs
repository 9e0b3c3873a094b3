//! A store in memory, for commands without a database.
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::{self, BoxFuture, FutureExt as _};

use super::store::{PluginStore, StoreFailure, StoreUsage};

/// The values of each plugin, by key.
type Values = BTreeMap<String, BTreeMap<String, String>>;

/// A store that forgets everything when it is dropped. Cheap to clone.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Values>>);

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without the values, which may be secrets.
impl fmt::Debug for MemoryStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl PluginStore for MemoryStore {
    fn get(&self, plugin: &str, key: &str) -> BoxFuture<'static, Result<Option<String>, StoreFailure>> {
        let values = self.lock();
        let value = values.get(plugin).and_then(|values| values.get(key)).cloned();
        future::ready(Ok(value)).boxed()
    }

    fn set(&self, plugin: &str, key: &str, value: String) -> BoxFuture<'static, Result<(), StoreFailure>> {
        let mut values = self.lock();
        let own = values.entry(plugin.to_owned()).or_default();
        let others = own.iter().filter(|(other, _)| *other != key);
        let usage = others.fold(StoreUsage::default(), |usage, (key, value)| StoreUsage {
            values: usage.values + 1,
            bytes: usage.bytes + key.len() + value.len(),
        });
        if !usage.fits(key.len() + value.len()) {
            return future::ready(Err(StoreFailure::Full)).boxed();
        }
        own.insert(key.to_owned(), value);
        future::ready(Ok(())).boxed()
    }

    fn delete(&self, plugin: &str, key: &str) -> BoxFuture<'static, Result<(), StoreFailure>> {
        if let Some(own) = self.lock().get_mut(plugin) {
            own.remove(key);
        }
        future::ready(Ok(())).boxed()
    }

    fn keys(&self, plugin: &str) -> BoxFuture<'static, Result<Vec<String>, StoreFailure>> {
        let values = self.lock();
        let own = values.get(plugin).into_iter().flat_map(BTreeMap::keys);
        let keys: Vec<String> = own.cloned().collect();
        future::ready(Ok(keys)).boxed()
    }
}

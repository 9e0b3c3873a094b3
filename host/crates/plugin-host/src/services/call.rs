//! The services of one call.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::cache::Cache;
use super::permission::Permission;
use super::store::{PluginStore, StoreFailure, check_key, check_value};

/// Maximum number of operations of the store in one call.
const MAX_STORE_OPERATIONS: u32 = 100;

/// Time limit of one operation of the store. A call that waits for the store uses up its own deadline.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// The services for the calls of one plugin.
pub(crate) struct Services {
    store: Option<Arc<dyn PluginStore>>,
    cache: Arc<Cache>,
}

impl Services {
    pub(crate) fn new(store: Option<Arc<dyn PluginStore>>) -> Self {
        Self {
            store,
            cache: Arc::default(),
        }
    }

    /// The services of one call, which has these permissions.
    pub(crate) fn for_call(&self, plugin: Arc<str>, permissions: &BTreeSet<Permission>) -> CallServices {
        let may = |permission: Permission| permissions.contains(&permission);
        CallServices {
            plugin,
            store: self.store.clone().filter(|_| may(Permission::Store)),
            cache: may(Permission::Cache).then(|| self.cache.clone()),
            operations: 0,
            has_warned: false,
        }
    }
}

/// An error of the store, for the plugin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallStoreError {
    Invalid(String),
    Full,
    Unavailable(&'static str),
    TooManyOperations(String),
}

/// The services of one call. A plugin reaches only the values under its own id.
pub(crate) struct CallServices {
    plugin: Arc<str>,
    /// `None` if the call may not use the store.
    store: Option<Arc<dyn PluginStore>>,
    /// `None` if the call may not use the cache.
    cache: Option<Arc<Cache>>,
    /// The operations of the store until now.
    operations: u32,
    /// True if this call has written its warning into the operator's log.
    has_warned: bool,
}

impl CallServices {
    pub(crate) async fn get(&mut self, key: &str) -> Result<Option<String>, CallStoreError> {
        check_key(key).map_err(CallStoreError::Invalid)?;
        let store = self.store()?;
        let found = timeout(STORE_TIMEOUT, store.get(&self.plugin, key)).await;
        self.done(found.unwrap_or_else(|_| Err(late())))
    }

    pub(crate) async fn set(&mut self, key: &str, value: String) -> Result<(), CallStoreError> {
        check_key(key)
            .and_then(|()| check_value(&value))
            .map_err(CallStoreError::Invalid)?;
        let store = self.store()?;
        let done = timeout(STORE_TIMEOUT, store.set(&self.plugin, key, value)).await;
        self.done(done.unwrap_or_else(|_| Err(late())))
    }

    pub(crate) async fn delete(&mut self, key: &str) -> Result<(), CallStoreError> {
        check_key(key).map_err(CallStoreError::Invalid)?;
        let store = self.store()?;
        let done = timeout(STORE_TIMEOUT, store.delete(&self.plugin, key)).await;
        self.done(done.unwrap_or_else(|_| Err(late())))
    }

    /// The keys that begin with `prefix`, sorted.
    pub(crate) async fn list_keys(&mut self, prefix: &str) -> Result<Vec<String>, CallStoreError> {
        let store = self.store()?;
        let keys = timeout(STORE_TIMEOUT, store.keys(&self.plugin)).await;
        let mut keys = self.done(keys.unwrap_or_else(|_| Err(late())))?;
        keys.retain(|key| key.starts_with(prefix));
        keys.sort();
        Ok(keys)
    }

    pub(crate) fn cached(&self, key: &str, max_age: Duration) -> Option<String> {
        self.cache.as_ref()?.get(key, max_age, Instant::now())
    }

    pub(crate) fn cache(&mut self, key: String, value: String) {
        let Some(cache) = &self.cache else { return };
        if let Err(problem) = cache.set(key, value, Instant::now()) {
            self.warn("an entry of the plugin's cache is not stored", &problem);
        }
    }

    /// Counts an operation, and returns the store.
    fn store(&mut self) -> Result<Arc<dyn PluginStore>, CallStoreError> {
        let store = self.store.clone().ok_or(CallStoreError::Unavailable(
            "this call has no store: it is there only while the plugin does its work",
        ))?;
        if self.operations >= MAX_STORE_OPERATIONS {
            return Err(CallStoreError::TooManyOperations(format!(
                "the call has reached its limit of {MAX_STORE_OPERATIONS} operations of the store"
            )));
        }
        self.operations += 1;
        Ok(store)
    }

    /// Converts the result of an operation. The plugin learns nothing about the cause of an outage.
    fn done<Returned>(&mut self, done: Result<Returned, StoreFailure>) -> Result<Returned, CallStoreError> {
        done.map_err(|failure| match failure {
            StoreFailure::Full => CallStoreError::Full,
            StoreFailure::ReadOnly => CallStoreError::Unavailable("the server is read-only"),
            StoreFailure::Removed => CallStoreError::Unavailable("the plugin was removed"),
            StoreFailure::Unavailable(reason) => {
                self.warn("the store of a plugin does not respond", &reason);
                CallStoreError::Unavailable("the store does not respond")
            }
        })
    }

    /// Writes one warning for each call.
    fn warn(&mut self, event: &'static str, reason: &str) {
        if !self.has_warned {
            self.has_warned = true;
            tracing::warn!(plugin = &*self.plugin, reason, "{event}");
        }
    }
}

fn late() -> StoreFailure {
    StoreFailure::Unavailable(format!("no response within {STORE_TIMEOUT:?}"))
}

#[cfg(test)]
mod tests {
    use futures::future::{self, BoxFuture, FutureExt as _};

    use super::super::memory::MemoryStore;
    use super::super::store::{MAX_STORE_VALUES, MAX_VALUE_BYTES};
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn call(services: &Services, permissions: &[Permission]) -> CallServices {
        services.for_call("acme.flux".into(), &permissions.iter().copied().collect())
    }

    fn in_memory() -> Services {
        Services::new(Some(Arc::new(MemoryStore::default())))
    }

    #[tokio::test]
    async fn values_outlive_a_call_and_belong_to_one_plugin() {
        let services = in_memory();
        let mut first = call(&services, &[Permission::Store]);
        for key in ["token", "price/a", "price/b"] {
            assert_eq!(first.set(key, "1".into()).await, Ok(()));
        }
        assert_eq!(first.delete("price/a").await, Ok(()));
        let mut second = call(&services, &[Permission::Store]);
        assert_eq!(second.get("token").await, Ok(Some("1".into())));
        assert_eq!(second.list_keys("").await, Ok(vec!["price/b".into(), "token".into()]));
        assert_eq!(second.list_keys("price/").await, Ok(vec!["price/b".into()]));
        let mut other = services.for_call("acme.fluxx".into(), &BTreeSet::from([Permission::Store]));
        assert_eq!(other.get("token").await, Ok(None));
        assert_eq!(other.list_keys("").await, Ok(Vec::new()));
    }

    #[tokio::test]
    async fn a_call_has_only_its_permissions() {
        let services = in_memory();
        let mut none = call(&services, &[]);
        assert!(matches!(none.get("a").await, Err(CallStoreError::Unavailable(_))));
        assert!(matches!(
            none.set("a", "1".into()).await,
            Err(CallStoreError::Unavailable(_))
        ));
        none.cache("a".into(), "1".into());
        let mut both = call(&services, &[Permission::Store, Permission::Cache]);
        assert_eq!(both.get("a").await, Ok(None));
        assert_eq!(both.cached("a", HOUR), None);
        both.cache("a".into(), "1".into());
        assert_eq!(both.cached("a", HOUR).as_deref(), Some("1"));
        assert_eq!(
            call(&services, &[Permission::Cache]).cached("a", HOUR).as_deref(),
            Some("1")
        );
    }

    #[tokio::test]
    async fn a_call_has_a_limited_number_of_operations() {
        let services = in_memory();
        let mut busy = call(&services, &[Permission::Store]);
        for number in 0..MAX_STORE_OPERATIONS {
            assert_eq!(busy.set(&format!("key{number}"), "1".into()).await, Ok(()));
        }
        let refused = busy.get("key0").await;
        assert!(
            matches!(refused, Err(CallStoreError::TooManyOperations(_))),
            "{refused:?}"
        );
        assert_eq!(
            call(&services, &[Permission::Store]).get("key0").await,
            Ok(Some("1".into()))
        );
    }

    #[tokio::test]
    async fn a_full_store_refuses_values_and_keeps_the_others() {
        let services = in_memory();
        for _ in 0..2 {
            for number in 0..MAX_STORE_VALUES {
                let key = format!("key{number}");
                assert_eq!(
                    call(&services, &[Permission::Store]).set(&key, "1".into()).await,
                    Ok(())
                );
            }
        }
        let mut late = call(&services, &[Permission::Store]);
        assert_eq!(late.set("more", "1".into()).await, Err(CallStoreError::Full));
        assert_eq!(late.get("key0").await, Ok(Some("1".into())));
        assert_eq!(late.delete("key0").await, Ok(()));
        assert_eq!(late.set("more", "1".into()).await, Ok(()));
    }

    #[tokio::test]
    async fn keys_and_values_out_of_bounds_are_refused() {
        let services = in_memory();
        let mut bad = call(&services, &[Permission::Store]);
        let long = "x".repeat(MAX_VALUE_BYTES + 1);
        for (key, value) in [("", "1"), ("a b", "1"), ("a", "\0"), ("a", long.as_str())] {
            let refused = bad.set(key, value.to_owned()).await;
            assert!(matches!(refused, Err(CallStoreError::Invalid(_))), "{refused:?}");
        }
        assert_eq!(bad.list_keys("").await, Ok(Vec::new()));
    }

    /// A store that never responds.
    #[derive(Debug)]
    struct Silent;

    impl PluginStore for Silent {
        fn get(&self, _: &str, _: &str) -> BoxFuture<'static, Result<Option<String>, StoreFailure>> {
            future::pending().boxed()
        }

        fn set(&self, _: &str, _: &str, _: String) -> BoxFuture<'static, Result<(), StoreFailure>> {
            future::ready(Err(StoreFailure::ReadOnly)).boxed()
        }

        fn delete(&self, _: &str, _: &str) -> BoxFuture<'static, Result<(), StoreFailure>> {
            future::ready(Err(StoreFailure::Unavailable("postgres://db.internal".into()))).boxed()
        }

        fn keys(&self, _: &str) -> BoxFuture<'static, Result<Vec<String>, StoreFailure>> {
            future::pending().boxed()
        }
    }

    #[tokio::test]
    async fn an_outage_is_an_error_without_its_cause() {
        let services = Services::new(Some(Arc::new(Silent)));
        let mut call = call(&services, &[Permission::Store]);
        let silent = CallStoreError::Unavailable("the store does not respond");
        assert_eq!(call.delete("a").await, Err(silent));
        assert_eq!(
            call.set("a", "1".into()).await,
            Err(CallStoreError::Unavailable("the server is read-only"))
        );
        // Takes as long as the time limit of one operation.
        let began = Instant::now();
        let late = call.get("a").await;
        assert_eq!(late, Err(CallStoreError::Unavailable("the store does not respond")));
        assert!(began.elapsed() >= STORE_TIMEOUT);
    }
}

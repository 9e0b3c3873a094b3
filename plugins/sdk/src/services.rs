//! Services of the server that a plugin may use if its manifest asks for them and the operator approved that. In a
//! component they are imports; in native builds they are the doubles of `testing`.

/// A store for texts that outlive a call, such as tokens and prices. The manifest needs `store = true` below
/// `[permissions]`. All nodes of a server share it. The server may be unable to read or change it at any time, so a
/// plugin should be able to work without it.
pub mod store {
    pub use crate::bindings::shared::linepress::host::store::StoreError;

    use crate::Failure;

    /// Returns the value of a key, if there is one.
    pub fn get(key: &str) -> Result<Option<String>, StoreError> {
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::store::get(key);
        #[cfg(not(target_family = "wasm"))]
        return Ok(crate::doubles::stored(key));
    }

    /// Stores a value, in place of the previous one of this key.
    pub fn set(key: &str, value: &str) -> Result<(), StoreError> {
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::store::set(key, value);
        #[cfg(not(target_family = "wasm"))]
        {
            crate::doubles::store(key, value);
            Ok(())
        }
    }

    /// Deletes the value of a key, if there is one.
    pub fn delete(key: &str) -> Result<(), StoreError> {
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::store::delete(key);
        #[cfg(not(target_family = "wasm"))]
        {
            crate::doubles::delete_stored(key);
            Ok(())
        }
    }

    /// Returns all keys that begin with `prefix`, sorted.
    pub fn list_keys(prefix: &str) -> Result<Vec<String>, StoreError> {
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::store::list_keys(prefix);
        #[cfg(not(target_family = "wasm"))]
        return Ok(crate::doubles::stored_keys(prefix));
    }

    impl From<StoreError> for Failure {
        fn from(error: StoreError) -> Self {
            match error {
                StoreError::Invalid(reason) => Self::Other(format!("the store refused an entry: {reason}")),
                StoreError::Full => Self::Other("the store is full".into()),
                StoreError::Unavailable(reason) | StoreError::Other(reason) => Self::Other(reason),
            }
        }
    }
}

/// A cache in the memory of one node, such as for a list of models. The manifest needs `cache = true` below
/// `[permissions]`. An entry may be gone at any time.
pub mod cache {
    use std::time::Duration;

    /// Returns the value of a key if it was set less than `max_age` ago, in whole seconds. In native builds, entries do
    /// not age.
    pub fn get(key: &str, max_age: Duration) -> Option<String> {
        let seconds = u32::try_from(max_age.as_secs()).unwrap_or(u32::MAX);
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::cache::get(key, seconds);
        #[cfg(not(target_family = "wasm"))]
        return (seconds > 0).then(|| crate::doubles::cached(key)).flatten();
    }

    /// Sets the value of a key. An entry that exceeds a limit is not stored.
    pub fn set(key: &str, value: &str) {
        #[cfg(target_family = "wasm")]
        crate::bindings::shared::linepress::host::cache::set(key, value);
        #[cfg(not(target_family = "wasm"))]
        crate::doubles::cache(key, value);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{cache, store};
    use crate::Failure;

    #[test]
    fn a_native_build_has_a_store_and_a_cache_of_its_own() {
        assert!(matches!(store::get("token"), Ok(None)));
        for key in ["token", "price/b", "price/a"] {
            store::set(key, "1").unwrap();
        }
        store::delete("price/b").unwrap();
        assert_eq!(store::get("token").unwrap().as_deref(), Some("1"));
        assert_eq!(store::list_keys("price/").unwrap(), ["price/a"]);
        cache::set("models", "lines-2");
        assert_eq!(cache::get("models", Duration::from_secs(1)).as_deref(), Some("lines-2"));
        assert_eq!(cache::get("models", Duration::ZERO), None);
    }

    #[test]
    fn an_error_of_the_store_becomes_a_failure_that_is_tried_again() {
        let full = Failure::from(store::StoreError::Full);
        assert_eq!(full, Failure::Other("the store is full".into()));
    }
}

//! A store for the values of plugins, which the calling code provides.
use std::fmt;

use futures::future::BoxFuture;

/// Maximum size of a key.
pub(super) const MAX_KEY_BYTES: usize = 128;
/// Maximum size of a value. Key and value together must be less than a guest may pass to a host function.
pub(super) const MAX_VALUE_BYTES: usize = 64 << 10;
/// Maximum number of values that a plugin stores.
pub const MAX_STORE_VALUES: usize = 256;
/// Maximum size of all keys and values that a plugin stores.
pub const MAX_STORE_BYTES: usize = 1 << 20;

/// Stores the values of plugins. Keys and values have been checked when they arrive here. The store applies the limits
/// of a plugin ([`StoreUsage::fits`]), because only the store can apply them to concurrent changes.
pub trait PluginStore: fmt::Debug + Send + Sync {
    fn get(&self, plugin: &str, key: &str) -> BoxFuture<'static, Result<Option<String>, StoreFailure>>;
    /// Stores a value, in place of the previous one of this key.
    fn set(&self, plugin: &str, key: &str, value: String) -> BoxFuture<'static, Result<(), StoreFailure>>;
    fn delete(&self, plugin: &str, key: &str) -> BoxFuture<'static, Result<(), StoreFailure>>;
    /// All keys of the plugin, in any order.
    fn keys(&self, plugin: &str) -> BoxFuture<'static, Result<Vec<String>, StoreFailure>>;
}

/// The reason why an operation of a store failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreFailure {
    /// The value does not fit into the plugin's store.
    Full,
    /// The server is read-only.
    ReadOnly,
    /// The plugin was removed while it ran.
    Removed,
    /// The store does not respond. The reason is for the operator's log.
    Unavailable(String),
}

/// The number and the size of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreUsage {
    pub values: usize,
    /// The size of all keys and values.
    pub bytes: usize,
}

impl StoreUsage {
    /// Returns true if an entry of this size may be added.
    pub fn fits(self, entry_bytes: usize) -> bool {
        self.values < MAX_STORE_VALUES && self.bytes.saturating_add(entry_bytes) <= MAX_STORE_BYTES
    }
}

/// Checks a key. The error is for the plugin.
pub(super) fn check_key(key: &str) -> Result<(), String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:".contains(&byte);
    if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(is_allowed) {
        return Err(format!(
            "a key must have 1 to {MAX_KEY_BYTES} characters: ASCII letters, digits and ._-/:"
        ));
    }
    Ok(())
}

/// Checks a value. The error is for the plugin.
pub(super) fn check_value(value: &str) -> Result<(), String> {
    if value.len() > MAX_VALUE_BYTES {
        return Err(format!(
            "the value has {} bytes, and at most {MAX_VALUE_BYTES} are stored",
            value.len()
        ));
    }
    // PostgreSQL rejects text with a zero byte.
    if value.contains('\0') {
        return Err("a value must not contain a zero byte".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_plain() {
        for key in ["a", "prices/2026-11.json", "token:eu_1", &"k".repeat(MAX_KEY_BYTES)] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        for key in ["", "a b", "ä", "a\0", "a\n", "a%", &"k".repeat(MAX_KEY_BYTES + 1)] {
            assert!(check_key(key).unwrap_err().contains("1 to 128 characters"), "{key:?}");
        }
    }

    #[test]
    fn a_value_is_bounded_and_has_no_zero_byte() {
        assert_eq!(check_value(""), Ok(()));
        assert_eq!(check_value(&"ü".repeat(MAX_VALUE_BYTES / 2)), Ok(()));
        let refusal = check_value(&"x".repeat(MAX_VALUE_BYTES + 1)).unwrap_err();
        assert!(refusal.contains("65537 bytes"), "{refusal}");
        assert!(check_value("a\0b").unwrap_err().contains("zero byte"));
    }

    #[test]
    fn a_store_is_bounded_in_values_and_bytes() {
        let usage = |values, bytes| StoreUsage { values, bytes };
        assert!(usage(MAX_STORE_VALUES - 1, MAX_STORE_BYTES - 1).fits(1));
        assert!(!usage(MAX_STORE_VALUES, 0).fits(1));
        assert!(!usage(0, MAX_STORE_BYTES).fits(1));
        assert!(!usage(0, usize::MAX).fits(1));
    }
}

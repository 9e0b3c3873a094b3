//! A cache in the memory of this node, one for each loaded plugin.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::store::{StoreUsage, check_key, check_value};

/// The entries of a plugin. They are lost when the plugin is loaded again.
#[derive(Default)]
pub(super) struct Cache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    by_key: HashMap<String, Entry>,
    /// The size of all keys and values.
    bytes: usize,
    /// The number of entries that were set so far.
    count: u64,
}

struct Entry {
    value: String,
    set_at: Instant,
    /// A number that grows with each entry, because two may have the same time.
    number: u64,
}

impl Cache {
    /// Returns the value of a key if it is younger than `max_age` at this time.
    pub(super) fn get(&self, key: &str, max_age: Duration, now: Instant) -> Option<String> {
        let entries = self.lock();
        let entry = entries.by_key.get(key)?;
        (now.saturating_duration_since(entry.set_at) < max_age).then(|| entry.value.clone())
    }

    /// Sets the value of a key, and removes the oldest entries until all fit. An error says which limit the entry
    /// exceeds.
    pub(super) fn set(&self, key: String, value: String, now: Instant) -> Result<(), String> {
        check_key(&key)?;
        check_value(&value)?;
        let mut entries = self.lock();
        entries.remove(&key);
        let bytes = key.len() + value.len();
        while !entries.usage().fits(bytes) {
            entries.remove_oldest();
        }
        entries.bytes += bytes;
        entries.count += 1;
        let number = entries.count;
        entries.by_key.insert(
            key,
            Entry {
                value,
                set_at: now,
                number,
            },
        );
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn usage(&self) -> StoreUsage {
        StoreUsage {
            values: self.by_key.len(),
            bytes: self.bytes,
        }
    }

    fn remove(&mut self, key: &str) {
        if let Some(removed) = self.by_key.remove(key) {
            self.bytes -= key.len() + removed.value.len();
        }
    }

    /// Removes the entry that was set first. Any entry fits into an empty cache, so there is one to remove.
    fn remove_oldest(&mut self) {
        let oldest = self.by_key.iter().min_by_key(|(_, entry)| entry.number);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            self.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::{MAX_STORE_BYTES, MAX_STORE_VALUES, MAX_VALUE_BYTES};
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn an_entry_is_found_until_it_is_too_old_for_the_question() {
        let (cache, begin) = (Cache::default(), Instant::now());
        cache.set("models".into(), "lines-2".into(), begin).unwrap();
        let later = begin + Duration::from_secs(60);
        assert_eq!(
            cache.get("models", Duration::from_secs(61), later).as_deref(),
            Some("lines-2")
        );
        assert_eq!(cache.get("models", Duration::from_secs(60), later), None);
        assert_eq!(cache.get("models", Duration::ZERO, begin), None);
        assert_eq!(cache.get("prices", HOUR, begin), None);
        cache.set("models".into(), "lines-3".into(), later).unwrap();
        assert_eq!(
            cache.get("models", Duration::from_secs(1), later).as_deref(),
            Some("lines-3")
        );
    }

    #[test]
    fn the_oldest_entries_give_way() {
        let (cache, now) = (Cache::default(), Instant::now());
        for number in 0..=MAX_STORE_VALUES {
            cache.set(format!("key{number}"), "x".into(), now).unwrap();
        }
        assert_eq!(cache.get("key0", HOUR, now), None);
        assert!(cache.get("key1", HOUR, now).is_some());
        assert_eq!(cache.lock().by_key.len(), MAX_STORE_VALUES);
        for number in 0..40 {
            cache
                .set(format!("big{number}"), "x".repeat(MAX_VALUE_BYTES), now)
                .unwrap();
        }
        let entries = cache.lock();
        let bytes: usize = entries
            .by_key
            .iter()
            .map(|(key, entry)| key.len() + entry.value.len())
            .sum();
        assert_eq!(entries.bytes, bytes);
        assert!(
            bytes <= MAX_STORE_BYTES && bytes > MAX_STORE_BYTES - 2 * MAX_VALUE_BYTES,
            "{bytes}"
        );
    }

    #[test]
    fn an_entry_that_exceeds_a_limit_is_not_kept() {
        let (cache, now) = (Cache::default(), Instant::now());
        assert!(cache.set("a b".into(), "x".into(), now).is_err());
        assert!(cache.set("a".into(), "x".repeat(MAX_VALUE_BYTES + 1), now).is_err());
        assert_eq!(cache.get("a", HOUR, now), None);
    }
}

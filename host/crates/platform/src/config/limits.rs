//! The limits of one account.
use serde::{Deserialize, Serialize};

/// The limits of one account, which `/me` lists. A request that would exceed one is refused.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Book plans per minute.
    pub plans_per_minute: i64,
    /// Changes per minute whose replies are saved: generations, imports, and all other requests with an idempotency
    /// key.
    pub changes_per_minute: i64,
    /// Characters that are not archived.
    pub characters: i64,
    pub pages: i64,
    pub books: i64,
    pub pages_per_book: i64,
    /// Generations that have not ended.
    pub generations: i64,
    /// Uploads that have not expired.
    pub uploads: i64,
    /// Free covers in 24 hours of orders without a paid page that was drawn.
    pub free_covers_per_day: i64,
    /// Megabytes of artwork and uploads.
    pub stored_mb: i64,
    /// Files in transfer at a time, on each node.
    pub transfers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            plans_per_minute: 10,
            changes_per_minute: 600,
            characters: 200,
            pages: 10_000,
            books: 1_000,
            pages_per_book: 100,
            generations: 100,
            uploads: 50,
            free_covers_per_day: 10,
            stored_mb: 10_000,
            transfers: 8,
        }
    }
}

impl Limits {
    /// Checks each limit; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        for (setting, limit, most) in [
            ("limits.plans_per_minute", self.plans_per_minute, 6_000),
            ("limits.changes_per_minute", self.changes_per_minute, 1_000_000),
            ("limits.characters", self.characters, 1_000_000),
            ("limits.pages", self.pages, 1_000_000),
            ("limits.books", self.books, 1_000_000),
            ("limits.pages_per_book", self.pages_per_book, 800),
            ("limits.generations", self.generations, 1_000_000),
            ("limits.uploads", self.uploads, 1_000_000),
            ("limits.free_covers_per_day", self.free_covers_per_day, 1_000_000),
            ("limits.stored_mb", self.stored_mb, 1_000_000_000),
        ] {
            if !(1..=most).contains(&limit) {
                return Err((setting, format!("must be 1 to {most}")));
            }
        }
        if !(1..=1000).contains(&self.transfers) {
            return Err(("limits.transfers", "must be 1 to 1000".into()));
        }
        Ok(())
    }
}

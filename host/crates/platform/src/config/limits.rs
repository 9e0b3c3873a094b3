//! The limits of each account that has no limits of its own.
use serde::{Deserialize, Serialize};

use crate::account_limits::{LimitName, OwnLimits};

/// The settings of the limits that an account can have of its own.
const SETTINGS: [(&str, LimitName); 10] = [
    ("limits.plans_per_minute", LimitName::PlansPerMinute),
    ("limits.changes_per_minute", LimitName::ChangesPerMinute),
    ("limits.characters", LimitName::Characters),
    ("limits.pages", LimitName::Pages),
    ("limits.books", LimitName::Books),
    ("limits.pages_per_book", LimitName::PagesPerBook),
    ("limits.generations", LimitName::Generations),
    ("limits.uploads", LimitName::Uploads),
    ("limits.free_covers_per_day", LimitName::FreeCoversPerDay),
    ("limits.stored_mb", LimitName::StoredMb),
];

/// The limits of an account, which `/me` lists, unless an operator set others for it. A request that would exceed one
/// is refused.
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
    /// Free covers in 24 hours of orders without a paid drawing that was completed.
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
    /// These limits, except where an account has its own.
    pub fn with(&self, own: &OwnLimits) -> Self {
        let mut limits = self.clone();
        for (name, limit) in own.iter() {
            *limits.field(name) = limit;
        }
        limits
    }

    /// The limit with this name.
    pub fn get(&self, name: LimitName) -> i64 {
        *self.clone().field(name)
    }

    fn field(&mut self, name: LimitName) -> &mut i64 {
        match name {
            LimitName::PlansPerMinute => &mut self.plans_per_minute,
            LimitName::ChangesPerMinute => &mut self.changes_per_minute,
            LimitName::Characters => &mut self.characters,
            LimitName::Pages => &mut self.pages,
            LimitName::Books => &mut self.books,
            LimitName::PagesPerBook => &mut self.pages_per_book,
            LimitName::Generations => &mut self.generations,
            LimitName::Uploads => &mut self.uploads,
            LimitName::FreeCoversPerDay => &mut self.free_covers_per_day,
            LimitName::StoredMb => &mut self.stored_mb,
        }
    }

    /// Checks each limit; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        for (setting, name) in SETTINGS {
            if let Some(problem) = name.problem(self.get(name)) {
                return Err((setting, problem));
            }
        }
        if !(1..=1000).contains(&self.transfers) {
            return Err(("limits.transfers", "must be 1 to 1000".into()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_an_account_replace_those_of_the_settings() {
        let mut own = OwnLimits::default();
        own.set(LimitName::Pages, Some(70));
        let expected = Limits {
            pages: 70,
            ..Limits::default()
        };
        assert_eq!(Limits::default().with(&own), expected);
    }

    #[test]
    fn every_limit_has_a_range_that_contains_its_default() {
        for name in LimitName::ALL {
            assert_eq!(name.problem(Limits::default().get(*name)), None, "{name:?}");
            assert!(name.problem(0).is_some() && name.problem(name.max_number() + 1).is_some());
        }
        // Every limit is a setting.
        assert!(
            LimitName::ALL
                .iter()
                .all(|name| SETTINGS.iter().any(|(_, other)| other == name))
        );
    }
}

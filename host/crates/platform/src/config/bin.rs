//! How long deleted books and pages stay in the bin.
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The settings of the bin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BinSettings {
    /// The days for which a deleted book or page can be restored.
    pub days: u64,
    /// The deleted books and pages of one account that can be restored.
    pub max_items: u32,
}

impl Default for BinSettings {
    fn default() -> Self {
        Self {
            days: 30,
            max_items: 500,
        }
    }
}

impl BinSettings {
    const MAX_DAYS: u64 = 36_500;
    const MAX_ITEMS: u32 = 10_000;

    /// The time for which a deleted book or page can be restored.
    pub fn max_age(&self) -> Duration {
        Duration::from_secs(self.days * 24 * 3600)
    }

    /// Checks each setting; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        if !(1..=Self::MAX_DAYS).contains(&self.days) {
            return Err(("bin.days", format!("must be 1 to {}", Self::MAX_DAYS)));
        }
        if !(1..=Self::MAX_ITEMS).contains(&self.max_items) {
            return Err(("bin.max_items", format!("must be 1 to {}", Self::MAX_ITEMS)));
        }
        Ok(())
    }
}

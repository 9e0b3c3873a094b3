//! How long the earlier pictures of pages, covers and characters are stored.
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of attempts: the pictures that a page, a cover or a character shows or has shown.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttemptSettings {
    /// The attempts of one page, cover or character, including the one that it shows.
    pub max_per_picture: usize,
    /// The days for which an attempt is stored after another one was chosen.
    pub max_age_days: u64,
}

impl Default for AttemptSettings {
    fn default() -> Self {
        Self {
            max_per_picture: 10,
            max_age_days: 90,
        }
    }
}

impl AttemptSettings {
    const MAX_PER_PICTURE: usize = 100;
    const MAX_AGE_DAYS: u64 = 36_500;

    /// The time for which an attempt is stored after another one was chosen.
    pub fn max_age(&self) -> Duration {
        Duration::from_secs(self.max_age_days * 24 * 3600)
    }

    /// Checks each setting; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        if !(1..=Self::MAX_PER_PICTURE).contains(&self.max_per_picture) {
            let problem = format!("must be 1 to {}", Self::MAX_PER_PICTURE);
            return Err(("attempts.max_per_picture", problem));
        }
        if !(1..=Self::MAX_AGE_DAYS).contains(&self.max_age_days) {
            return Err(("attempts.max_age_days", format!("must be 1 to {}", Self::MAX_AGE_DAYS)));
        }
        Ok(())
    }
}

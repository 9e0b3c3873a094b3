//! Requests to make review links.
use std::time::Duration;

use garde::Validate;
use serde::Deserialize;

use linepress_platform::text::ReviewLinkName;

/// The longest time for which a link works, in days. The schema of [`NewReviewLink`] repeats it, because the derive
/// accepts only literals.
pub const MAX_LINK_DAYS: u32 = 90;

/// The time for which a link works unless another one is requested, in days.
pub const DEFAULT_LINK_DAYS: u32 = 30;

/// A new review link.
#[derive(Clone, Debug, Default, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReviewLink {
    /// The number of days for which it works; 30 if omitted.
    #[serde(default)]
    #[garde(custom(is_valid_lifetime))]
    #[schema(minimum = 1, maximum = 90, example = 30)]
    pub days: Option<u32>,
    /// A name for the owner, such as that of the person who gets it; empty if omitted. Visitors do not see it.
    #[serde(default)]
    #[garde(dive)]
    pub name: Option<ReviewLinkName>,
}

impl NewReviewLink {
    /// The time for which the link works.
    pub(super) fn lifetime(&self) -> Duration {
        Duration::from_secs(u64::from(self.days.unwrap_or(DEFAULT_LINK_DAYS)) * 24 * 3600)
    }
}

fn is_valid_lifetime(days: &Option<u32>, _: &()) -> garde::Result {
    if days.is_none_or(|days| (1..=MAX_LINK_DAYS).contains(&days)) {
        return Ok(());
    }
    Err(garde::Error::new(format!("must be 1 to {MAX_LINK_DAYS}")))
}

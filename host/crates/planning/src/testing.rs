//! Single steps of housekeeping, for tests that decide when each one happens.
use linepress_platform::app::App;
use linepress_platform::error::Result;

use crate::drafts;

/// Deletes expired drafts; returns their number.
pub async fn forget_drafts(app: &App) -> Result<u64> {
    drafts::forget_old(app).await
}

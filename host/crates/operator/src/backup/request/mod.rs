//! The request of an operator for a backup that the schedule does not call for yet. A worker makes it within a minute.
mod store;

use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// Requests a backup to the place of the settings.
pub(crate) async fn request(app: &App, tx: &mut Tx) -> Result<()> {
    Ok(store::put(app.lease_clock(), tx).await?)
}

/// The time of the last request. A completed backup that began later has fulfilled it.
pub(super) async fn requested_at(app: &App) -> sqlx::Result<Option<Timestamp>> {
    store::find(&app.database.read).await
}

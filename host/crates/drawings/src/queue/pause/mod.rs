//! The pause of the queue: while it lasts, no node claims a drawing. Drawings that workers hold are drawn to their end,
//! and new orders are accepted.
mod store;

use serde::Serialize;

use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// The pause of the queue.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct QueuePause {
    /// The reason that the operator gave.
    pub reason: String,
    /// The time at which the pause began.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
}

/// The present pause. None while drawings are claimed.
pub async fn current(app: &App) -> Result<Option<QueuePause>> {
    Ok(store::find(&app.database.read).await?)
}

/// Begins a pause. Returns false when the queue is paused already.
pub async fn begin(app: &App, tx: &mut Tx, reason: &str) -> Result<bool> {
    Ok(store::insert(tx, reason, app.clock.now()).await?)
}

/// Ends the pause. Returns false when the queue is not paused.
pub async fn end(app: &App, tx: &mut Tx) -> Result<bool> {
    let ended = store::delete(tx).await?;
    app.wake_workers_after(tx);
    Ok(ended)
}

//! The deletion of old rows, in transactions so short that no other writer waits long.
use std::time::Duration;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;

/// The number of rows that one transaction deletes.
const MAX_ROWS: u64 = 500;

/// Deletes the rows that are older than `retention`; returns their number. `delete` deletes those until a time, at most
/// as many as it is told, and returns how many it deleted.
pub async fn delete_older_than(
    app: &App,
    retention: Duration,
    delete: impl AsyncFn(&mut Tx, Timestamp, i64) -> sqlx::Result<u64>,
) -> Result<u64> {
    let mut total = 0;
    loop {
        let mut tx = app.database.begin().await?;
        let now = app.database.shared_time(&mut tx, &app.clock).await?;
        let deleted = delete(&mut tx, now.minus(retention), MAX_ROWS.cast_signed()).await?;
        tx.commit().await?;
        total += deleted;
        if deleted < MAX_ROWS {
            return Ok(total);
        }
    }
}

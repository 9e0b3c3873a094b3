//! The deletion of old rows, in transactions so short that no other writer waits long.
use std::time::Duration;

use super::Database;
use crate::clock::Clock;
use crate::error::Result;

/// The number of rows that one transaction deletes.
const MAX_ROWS_PER_TRANSACTION: u64 = 500;

impl Database {
    /// Deletes the rows that are older than `retention`; returns their number. `statement` deletes the rows until the
    /// time `$1`, the oldest first and at most `$2`.
    pub async fn delete_older_than(&self, clock: &Clock, retention: Duration, statement: &'static str) -> Result<u64> {
        let mut total = 0;
        loop {
            let mut tx = self.begin().await?;
            let now = self.shared_time(&mut tx, clock).await?;
            let done = sqlx::query(statement)
                .bind(now.minus(retention))
                .bind(MAX_ROWS_PER_TRANSACTION.cast_signed())
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
            total += done.rows_affected();
            if done.rows_affected() < MAX_ROWS_PER_TRANSACTION {
                return Ok(total);
            }
        }
    }
}

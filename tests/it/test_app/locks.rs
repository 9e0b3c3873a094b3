//! Waiting for requests that other parts of the server hold up.
use futures::future::join_all;
use linepress_platform::database::{Dialect, Tx};

use super::builder::DATABASE_CONNECTIONS;
use super::{TestApp, wait_until};

/// More reads than any request makes before its first transaction.
const MAX_READS_OF_A_REQUEST: usize = 20;

impl TestApp {
    /// Completes when another transaction waits for a lock of this one. On SQLite, a second transaction waits for its
    /// turn before it begins.
    pub(crate) async fn until_another_waits_for(&self, tx: &mut Tx) {
        if self.server.database.dialect == Dialect::Sqlite {
            let is_waited_for = async || {
                let pools = self.server.database.connections();
                pools.iter().any(|pool| pool.pool == "write" && pool.waiting > 0)
            };
            return wait_until("another transaction waits for its turn", is_waited_for).await;
        }
        let own: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
            .fetch_one(&mut **tx)
            .await
            .unwrap();
        let is_waited_for = async || -> bool {
            let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))";
            let waiting: i64 = sqlx::query_scalar(waiting)
                .bind(own)
                .fetch_one(&self.server.database.read)
                .await
                .unwrap();
            waiting > 0
        };
        wait_until("another transaction waits for a lock of this one", is_waited_for).await;
    }

    /// Completes when the requests of this task that only read, or read before they wait for something else, have read
    /// everything.
    ///
    /// Each round uses all connections at the same time, and they are given out in order of arrival: a round cannot end
    /// before the read that a request had in progress at its beginning.
    pub(crate) async fn until_reads_have_ended(&self) {
        for _ in 0..MAX_READS_OF_A_REQUEST {
            let round = (0..DATABASE_CONNECTIONS).map(|_| self.server.database.ping());
            for read in join_all(round).await {
                read.unwrap();
            }
        }
    }
}

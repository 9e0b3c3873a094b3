//! Connections of a pool, and why there are none.
//!
//! A server of PostgreSQL that refuses connections may be starting, so the pool of sqlx tries again for as long as one may
//! wait for a connection, and ends without a word of the reason (`PoolInner::connect` in sqlx-core 0.9). A client must not
//! wait so long for a database that is down, and an operator wants the reason.
use std::io;
use std::time::Duration;

use sqlx::any::AnyConnectOptions;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, Connection as _, SqlSafeStr as _, Transaction};

use super::{Dialect, Tx};

/// How long a connection may take before somebody looks whether the database is there.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long that look may take.
const LOOK: Duration = Duration::from_secs(1);

/// A pool that gives up soon when nobody is let in, and waits for its turn when all connections are at work.
#[derive(Clone, Debug)]
pub(super) struct PatientPool {
    pool: AnyPool,
    /// Where the database is, unless it is a file.
    server: Option<AnyConnectOptions>,
}

impl PatientPool {
    pub(super) fn new(pool: AnyPool, options: &AnyConnectOptions, dialect: Dialect) -> Self {
        Self {
            pool,
            server: (dialect == Dialect::Postgres).then(|| options.clone()),
        }
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<PoolConnection<Any>> {
        let Some(server) = &self.server else {
            return self.pool.acquire().await;
        };
        let mut acquired = std::pin::pin!(self.pool.acquire());
        if let Ok(acquired) = tokio::time::timeout(PATIENCE, &mut acquired).await {
            return acquired;
        }
        look(server).await?;
        acquired.await
    }

    pub(super) async fn begin(&self, statement: &'static str) -> sqlx::Result<Tx> {
        Transaction::begin(self.acquire().await?, Some(statement.into_sql_str())).await
    }

    /// For what sqlx does with a pool of its own.
    pub(super) fn pool(&self) -> &AnyPool {
        &self.pool
    }
}

/// An error when nobody is let in.
async fn look(server: &AnyConnectOptions) -> sqlx::Result<()> {
    let let_in = async { AnyConnection::connect_with(server).await?.close().await };
    let in_time = tokio::time::timeout(LOOK, let_in).await;
    in_time.unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// Whether the database is down, or out of reach, or has no connection left: what is asked of it may work later.
pub(crate) fn is_out_of_reach(error: &sqlx::Error) -> bool {
    /// PostgreSQL is full, stops, has crashed, or is starting (Appendix A of its manual).
    const CODES: [&str; 4] = ["53300", "57P01", "57P02", "57P03"];
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| CODES.contains(&code.as_ref())),
        _ => false,
    }
}

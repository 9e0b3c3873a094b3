//! Connections for single read-only statements.
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, RecycleResult};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use sqlx::any::{AnyConnectOptions, AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::{Any, AnyConnection, AssertSqlSafe, Connection as _, Describe, Either, Execute, Executor, SqlStr};

use linepress_metrics::ConnectionsReport;

use super::connections::PatientPool;

/// Runs single statements that read; cheap to clone.
///
/// On SQLite the pool of sqlx would double the cost of a look-up by an index: it pings each connection that is returned
/// (`return_to_pool` in sqlx-core 0.9), which takes a round trip to the connection's thread. A connection to a file
/// needs no such test. A network connection does, so the reader of a server uses the pool of sqlx.
#[derive(Clone, Debug)]
pub struct Reader(Connections);

#[derive(Clone, Debug)]
enum Connections {
    Tested(PatientPool),
    Untested(Pool<Opener>),
}

#[derive(Debug)]
struct Opener {
    options: AnyConnectOptions,
    settings: String,
}

impl Manager for Opener {
    type Type = AnyConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<AnyConnection> {
        let mut connection = AnyConnection::connect_with(&self.options).await?;
        connection.execute(AssertSqlSafe(self.settings.clone())).await?;
        Ok(connection)
    }

    async fn recycle(&self, _: &mut AnyConnection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        Ok(())
    }
}

impl Reader {
    pub(super) fn of_pool(pool: PatientPool) -> Self {
        Self(Connections::Tested(pool))
    }

    /// Opens at most `max_connections` connections, each when it is first needed.
    pub(super) fn untested(options: AnyConnectOptions, settings: String, max_connections: usize) -> Self {
        let pool = Pool::builder(Opener { options, settings })
            .max_size(max_connections)
            .wait_timeout(Some(Duration::from_secs(30)))
            .runtime(Runtime::Tokio1)
            .build();
        Self(Connections::Untested(
            pool.expect("the timeout has the runtime that it needs"),
        ))
    }

    /// The use of its connections; `None` if it shares the connections for writing.
    pub(super) fn connections(&self, pool: &'static str) -> Option<ConnectionsReport> {
        let Connections::Untested(connections) = &self.0 else {
            return None;
        };
        let status = connections.status();
        Some(ConnectionsReport {
            pool,
            in_use: status.size.saturating_sub(status.available) as u64,
            idle: status.available as u64,
            waiting: status.waiting as u64,
            limit: status.max_size as u64,
        })
    }

    pub(super) async fn close(&self) {
        match &self.0 {
            Connections::Tested(pool) => pool.pool().close().await,
            Connections::Untested(pool) => pool.close(),
        }
    }
}

async fn connection(pool: &Pool<Opener>) -> sqlx::Result<Object<Opener>> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) => error,
        PoolError::Closed => sqlx::Error::PoolClosed,
        PoolError::Timeout(_) => sqlx::Error::PoolTimedOut,
        other => sqlx::Error::Io(std::io::Error::other(other)),
    })
}

impl<'c> Executor<'c> for &'c Reader {
    type Database = Any;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<AnyQueryResult, AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        let connections = &self.0;
        // Rows are collected before the connection is reused. No result is longer than one page of a list.
        let gathered = async move {
            let rows: Vec<_> = match connections {
                Connections::Tested(pool) => pool.acquire().await?.fetch_many(query).try_collect().await?,
                Connections::Untested(pool) => connection(pool).await?.fetch_many(query).try_collect().await?,
            };
            Ok::<_, sqlx::Error>(stream::iter(rows).map(Ok))
        };
        stream::once(gathered).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        match &self.0 {
            Connections::Tested(pool) => async move { pool.acquire().await?.fetch_optional(query).await }.boxed(),
            Connections::Untested(pool) => async move { connection(pool).await?.fetch_optional(query).await }.boxed(),
        }
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [AnyTypeInfo]) -> BoxFuture<'e, sqlx::Result<AnyStatement>>
    where
        'c: 'e,
    {
        match &self.0 {
            Connections::Tested(pool) => {
                async move { pool.acquire().await?.prepare_with(sql, parameters).await }.boxed()
            }
            Connections::Untested(pool) => {
                async move { connection(pool).await?.prepare_with(sql, parameters).await }.boxed()
            }
        }
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<Describe<Any>>>
    where
        'c: 'e,
    {
        match &self.0 {
            Connections::Tested(pool) => async move { pool.acquire().await?.describe(sql).await }.boxed(),
            Connections::Untested(pool) => async move { connection(pool).await?.describe(sql).await }.boxed(),
        }
    }
}

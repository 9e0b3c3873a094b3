//! A connection of a pool, whose statements have a time limit, and a transaction on it.
//!
//! sqlx has no such limit, and when a caller gives up, its pool waits for the response before the connection is free again
//! (`return_to_pool` in sqlx-core 0.9). A connection that the network lost without a word would hold its place in the pool
//! for ever.
use std::io;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Describe, Either, Execute, Executor, SqlStr};

/// Ends a step that takes longer than its limit.
pub(super) async fn within<T>(limit: Option<Duration>, step: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let Some(limit) = limit else { return step.await };
    let done = tokio::time::timeout(limit, step).await;
    done.unwrap_or_else(|_| {
        let message = format!("the database did not respond within {limit:?}");
        Err(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, message)))
    })
}

/// A connection that goes back to its pool when it is dropped, unless it is of no further use.
#[derive(Debug)]
pub struct Connection {
    /// Taken when it is dropped.
    pooled: Option<PoolConnection<Any>>,
    /// For each response; none where the database is a file.
    limit: Option<Duration>,
    in_transaction: bool,
    is_broken: bool,
}

impl Connection {
    pub(super) fn new(pooled: PoolConnection<Any>, limit: Option<Duration>) -> Self {
        Self {
            pooled: Some(pooled),
            limit,
            in_transaction: false,
            is_broken: false,
        }
    }

    async fn run<'a, T>(
        &'a mut self,
        step: impl FnOnce(&'a mut AnyConnection) -> BoxFuture<'a, sqlx::Result<T>>,
    ) -> sqlx::Result<T> {
        let pooled = self.pooled.as_mut().expect("it is taken only when it is dropped");
        let done = within(self.limit, step(pooled)).await;
        if let (Err(error), Some(_)) = (&done, self.limit) {
            self.is_broken |= is_of_no_use_after(error);
        }
        done
    }

    async fn run_alone(&mut self, statement: &'static str) -> sqlx::Result<()> {
        self.run(|connection| connection.execute(statement).map(|done| done.map(|_| ())).boxed())
            .await
    }
}

/// Whether a connection to a server can do nothing more after an error: it is lost, or its session may only read, which it
/// goes on to do when the server may be written again.
fn is_of_no_use_after(error: &sqlx::Error) -> bool {
    /// `read_only_sql_transaction`, and sessions that the server ended (Appendix A of PostgreSQL's manual).
    const CODES: [&str; 6] = ["25006", "25P03", "57P01", "57P02", "57P03", "57P05"];
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| CODES.contains(&code.as_ref())),
        _ => false,
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(pooled) = self.pooled.take() else { return };
        if self.is_broken {
            // Not closed: closing takes a farewell to the server.
            drop(pooled.detach());
            return;
        }
        if self.in_transaction || self.limit.is_some() {
            tokio::spawn(give_back(pooled, self.in_transaction, self.limit));
        }
    }
}

/// Gives a connection back to its pool. One that does not respond is dropped.
async fn give_back(mut pooled: PoolConnection<Any>, in_transaction: bool, limit: Option<Duration>) {
    let rolled_back = match in_transaction {
        // It may have ended already: SQLite undoes a transaction by itself when the disk is full.
        true => within(limit, (&mut *pooled).execute("ROLLBACK")).await.map(|_| ()),
        false => Ok(()),
    };
    if let Err(error) = rolled_back {
        tracing::debug!(%error, "a connection of the database is dropped: its transaction could not be undone");
        drop(pooled.detach());
        return;
    }
    let returned = pooled.return_to_pool().map(Ok);
    if let Err(error) = within(limit, returned).await {
        tracing::debug!(%error, "a connection of the database is dropped");
    }
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Any;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<AnyQueryResult, AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        // No result is longer than a list: its rows are gathered, so that the limit is for all of them.
        let gathered = async move {
            let gathered = self.run(|connection| connection.fetch_many(query).try_collect().boxed());
            let rows: Vec<_> = gathered.await?;
            Ok::<_, sqlx::Error>(stream::iter(rows).map(Ok))
        };
        stream::once(gathered).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        self.run(|connection| connection.fetch_optional(query)).boxed()
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [AnyTypeInfo]) -> BoxFuture<'e, sqlx::Result<AnyStatement>>
    where
        'c: 'e,
    {
        self.run(|connection| connection.prepare_with(sql, parameters)).boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<Describe<Any>>>
    where
        'c: 'e,
    {
        self.run(|connection| connection.describe(sql)).boxed()
    }
}

/// A transaction, which is undone when it is dropped without having been committed. Its statements run on what it
/// dereferences to.
#[derive(Debug)]
pub struct Tx(Connection);

impl Tx {
    /// A request that ends while its transaction begins has it undone, too.
    pub(super) async fn begin(mut connection: Connection, statement: &'static str) -> sqlx::Result<Self> {
        connection.in_transaction = true;
        connection.run_alone(statement).await?;
        Ok(Self(connection))
    }

    pub async fn commit(self) -> sqlx::Result<()> {
        self.end("COMMIT").await
    }

    pub async fn rollback(self) -> sqlx::Result<()> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, statement: &'static str) -> sqlx::Result<()> {
        self.0.run_alone(statement).await?;
        self.0.in_transaction = false;
        Ok(())
    }
}

impl Deref for Tx {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.0
    }
}

//! A pooled connection whose statements have a time limit, and a transaction on it.
//!
//! sqlx has no such limit, and when a caller gives up, its pool waits for the response before it reuses the connection
//! (`return_to_pool` in sqlx-core 0.9). A connection that the network lost silently would occupy its place in the pool
//! for ever.
use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use deadpool::managed::Object;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Describe, Either, Execute, Executor, SqlStr};
use tracing::Instrument as _;

use super::file_pool::FileConnection;

/// Fails with `TimedOut` when a step exceeds its limit; `None` sets no limit.
pub(super) async fn within<T>(limit: Option<Duration>, step: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let Some(limit) = limit else { return step.await };
    let done = tokio::time::timeout(limit, step).await;
    done.unwrap_or_else(|_| {
        let message = format!("the database did not respond within {limit:?}");
        Err(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, message)))
    })
}

/// A connection of one of the pools.
#[derive(Debug)]
pub(super) enum Pooled {
    File(FileConnection),
    Server(PoolConnection<Any>),
}

impl Pooled {
    /// Takes the connection out of its pool.
    pub(super) fn detach(self) -> AnyConnection {
        match self {
            Self::File(connection) => Object::take(connection),
            Self::Server(connection) => connection.detach(),
        }
    }
}

impl Deref for Pooled {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        match self {
            Self::File(connection) => connection,
            Self::Server(connection) => connection,
        }
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        match self {
            Self::File(connection) => connection,
            Self::Server(connection) => connection,
        }
    }
}

/// A connection that returns to its pool when it is dropped, unless it is broken.
#[derive(Debug)]
pub struct Connection {
    /// `None` only while the connection is being dropped or detached.
    pooled: Option<Pooled>,
    /// The time limit of each response; `None` for a database in a file.
    limit: Option<Duration>,
    in_transaction: bool,
    is_broken: bool,
}

impl Connection {
    pub(super) fn new(pooled: Pooled, limit: Option<Duration>) -> Self {
        Self {
            pooled: Some(pooled),
            limit,
            in_transaction: false,
            is_broken: false,
        }
    }

    /// Takes the connection out of its pool.
    pub(super) fn detach(mut self) -> AnyConnection {
        let pooled = self.pooled.take();
        pooled
            .expect("the connection is taken only when it is dropped or detached")
            .detach()
    }

    /// The connection itself, without the time limit.
    pub(super) fn inner(&mut self) -> &mut AnyConnection {
        present(&mut self.pooled)
    }

    async fn run<'a, T>(
        &'a mut self,
        step: impl FnOnce(&'a mut AnyConnection) -> BoxFuture<'a, sqlx::Result<T>>,
    ) -> sqlx::Result<T> {
        let done = within(self.limit, step(present(&mut self.pooled))).await;
        if let Err(error) = &done {
            let is_of_server = self.limit.is_some();
            self.is_broken |= matches!(error, sqlx::Error::WorkerCrashed) || (is_of_server && is_fatal(error));
        }
        done
    }

    /// Runs a statement that ends the transaction. A server ends it even if it rejects a COMMIT; SQLite may keep it
    /// open, for example when the disk is full.
    async fn end_transaction(&mut self, statement: &'static str) -> sqlx::Result<()> {
        let ended = self.run_alone(statement).await;
        let is_rejected = matches!(ended, Err(sqlx::Error::Database(_)));
        if ended.is_ok() || (is_rejected && self.limit.is_some()) {
            self.in_transaction = false;
        }
        ended
    }

    async fn run_alone(&mut self, statement: &'static str) -> sqlx::Result<()> {
        self.run(|connection| connection.execute(statement).map(|done| done.map(|_| ())).boxed())
            .await
    }
}

fn present(pooled: &mut Option<Pooled>) -> &mut AnyConnection {
    pooled
        .as_mut()
        .expect("the connection is taken only when it is dropped or detached")
}

/// Returns true when a connection to a server is unusable after this error: the connection is lost, or its session is
/// read-only and remains so when the server accepts writes again.
fn is_fatal(error: &sqlx::Error) -> bool {
    /// `read_only_sql_transaction`, and the codes of sessions that the server ended (Appendix A of PostgreSQL's
    /// manual).
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
            // Not closed properly, because that would send a message to the server and wait.
            drop(pooled.detach());
            return;
        }
        if self.in_transaction || self.limit.is_some() {
            tokio::spawn(give_back(pooled, self.in_transaction, self.limit));
        }
    }
}

/// Returns a connection to its pool. A connection that does not respond is dropped.
async fn give_back(mut pooled: Pooled, in_transaction: bool, limit: Option<Duration>) {
    let rolled_back = match in_transaction {
        // The transaction may have ended already: SQLite rolls back by itself when the disk is full.
        true => within(limit, (&mut *pooled).execute("ROLLBACK")).await.map(|_| ()),
        false => Ok(()),
    };
    if let Err(error) = rolled_back {
        tracing::debug!(%error, "database connection dropped: its transaction could not be rolled back");
        drop(pooled.detach());
        return;
    }
    let Pooled::Server(mut connection) = pooled else {
        return;
    };
    let returned = connection.return_to_pool().map(Ok);
    if let Err(error) = within(limit, returned).await {
        tracing::debug!(%error, "database connection dropped: it did not respond");
    }
}

impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Any;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<AnyQueryResult, AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        // Rows are collected, so that the limit covers the whole result. No result is longer than one page of a list.
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

/// A transaction that is rolled back when it is dropped without a commit. Statements run on the connection it
/// dereferences to.
pub struct Tx {
    connection: Connection,
    /// Functions that run after a commit.
    after_commit: Vec<AfterCommit>,
}

type AfterCommit = Box<dyn FnOnce() + Send + Sync>;

impl Tx {
    /// Marks the connection first, so that a request that is canceled during BEGIN also rolls back.
    pub(super) async fn begin(mut connection: Connection, statement: &'static str) -> sqlx::Result<Self> {
        connection.in_transaction = true;
        connection.run_alone(statement).await?;
        Ok(Self {
            connection,
            after_commit: Vec::new(),
        })
    }

    /// Runs the function after a successful commit, and drops it otherwise. For counters: if the process dies
    /// meanwhile, it never runs.
    pub fn after_commit(&mut self, run: impl FnOnce() + Send + Sync + 'static) {
        self.after_commit.push(Box::new(run));
    }

    pub async fn commit(self) -> sqlx::Result<()> {
        self.end("COMMIT").await
    }

    pub async fn rollback(mut self) -> sqlx::Result<()> {
        self.after_commit.clear();
        self.end("ROLLBACK").await
    }

    /// Ends the transaction in a task of its own. If the caller were canceled during COMMIT, the connection could not
    /// know whether the transaction is still open, and so not decide whether to roll it back.
    async fn end(self, statement: &'static str) -> sqlx::Result<()> {
        let Self {
            mut connection,
            after_commit,
        } = self;
        let end = async move {
            connection.end_transaction(statement).await?;
            after_commit.into_iter().for_each(|run| run());
            Ok::<_, sqlx::Error>(())
        };
        let ended = tokio::spawn(end.in_current_span()).await;
        match ended {
            Ok(ended) => ended,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => Err(sqlx::Error::Io(io::Error::other(error))),
        }
    }
}

impl fmt::Debug for Tx {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tx").field(&self.connection).finish()
    }
}

impl Deref for Tx {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

//! Connections for single read-only statements.
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::{Any, Describe, Either, Execute, Executor, SqlStr};

use super::connections::Connections;

/// Runs single statements that read; cheap to clone.
#[derive(Clone, Debug)]
pub struct Reader(pub(super) Connections);

impl<'c> Executor<'c> for &'c Reader {
    type Database = Any;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<AnyQueryResult, AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        // Rows are collected before the connection is reused. No result is longer than one page of a list.
        let gathered = async move {
            let rows: Vec<_> = self.0.acquire().await?.fetch_many(query).try_collect().await?;
            Ok::<_, sqlx::Error>(stream::iter(rows).map(Ok))
        };
        stream::once(gathered).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<AnyRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Any>,
    {
        async move { self.0.acquire().await?.fetch_optional(query).await }.boxed()
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [AnyTypeInfo]) -> BoxFuture<'e, sqlx::Result<AnyStatement>>
    where
        'c: 'e,
    {
        async move { self.0.acquire().await?.prepare_with(sql, parameters).await }.boxed()
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<Describe<Any>>>
    where
        'c: 'e,
    {
        async move { self.0.acquire().await?.describe(sql).await }.boxed()
    }
}

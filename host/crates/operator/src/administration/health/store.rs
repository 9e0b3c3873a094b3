//! The SQL of the figures.
use linepress_platform::database::Reader;

/// The sums of the counters of all accounts. Sandboxes store files, too, but are no accounts of customers.
#[derive(sqlx::FromRow)]
pub(super) struct Totals {
    pub accounts: i64,
    pub books: i64,
    pub pages: i64,
    pub characters: i64,
    pub stored_bytes: i64,
}

pub(super) async fn totals(pool: &Reader) -> sqlx::Result<Totals> {
    sqlx::query_as(
        "SELECT COUNT(*) AS accounts, CAST(COALESCE(SUM(books), 0) AS BIGINT) AS books, \
           CAST(COALESCE(SUM(pages), 0) AS BIGINT) AS pages, CAST(COALESCE(SUM(characters), 0) AS BIGINT) AS characters, \
           CAST((SELECT COALESCE(SUM(a.stored_bytes), 0) FROM accounts a) AS BIGINT) AS stored_bytes \
         FROM accounts WHERE sandbox_of IS NULL",
    )
    .fetch_one(pool)
    .await
}

//! The SQL of the request log.
use sqlx::AssertSqlSafe;

use super::{LoggedRequest, RequestFilter, StatusClass};
use linepress_platform::database::{PageRequest, Reader, Tx, batches, value_rows};
use linepress_platform::ended_requests::EndedRequest;
use linepress_platform::ids::{AccountId, KeyId, LoggedRequestId};

pub(super) async fn insert(tx: &mut Tx, requests: &[(LoggedRequestId, &EndedRequest)]) -> sqlx::Result<()> {
    for some in batches(requests) {
        let statement = format!(
            "INSERT INTO logged_requests (id, account_id, interface, method, route, tool, status, code, duration_ms, \
               request_id, key_id, grant_id, created_at) VALUES {}",
            value_rows(1, 13, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for (id, request) in some {
            query = query
                .bind(id.as_str())
                .bind(request.account_id.as_str())
                .bind(request.interface.as_str())
                .bind(request.method)
                .bind(request.route.as_deref())
                .bind(request.tool)
                .bind(i64::from(request.status))
                .bind(request.code)
                .bind(i64::try_from(request.duration.as_millis()).unwrap_or(i64::MAX))
                .bind(request.request_id.as_str())
                .bind(request.key_id.as_ref().map(|id| id.as_str()))
                .bind(request.grant_id.as_ref().map(|id| id.as_str()))
                .bind(request.ended_at.microseconds());
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

macro_rules! select_requests {
    ($($condition:literal)*) => {
        concat!(
            "SELECT id, interface, method, route, tool, status, code, duration_ms, request_id, key_id, grant_id, created_at \
             FROM logged_requests WHERE account_id = $1 AND id < $2 AND status >= $4 AND status < $5 ",
            $($condition,)*
            "ORDER BY id DESC LIMIT $3"
        )
    };
    // The failed requests have an index of their own, which a statement uses only if it repeats the index's condition.
    (failed $($condition:literal)*) => {
        select_requests!("AND (status >= 400 OR code IS NOT NULL) " $($condition)*)
    };
}

/// Lists requests, newest first, with one row more than the limit if there are that many; those of one key if it is
/// named.
pub(super) async fn list(
    pool: &Reader,
    account: &AccountId,
    only_of: Option<&KeyId>,
    filter: RequestFilter<'_>,
    request: &PageRequest,
) -> sqlx::Result<Vec<LoggedRequest>> {
    let is_of_failures = filter.status.is_some_and(StatusClass::is_failure);
    let statement = match (filter.code, only_of) {
        (None, None) if is_of_failures => select_requests!(failed),
        (None, Some(_)) if is_of_failures => select_requests!(failed "AND key_id = $6 "),
        (None, None) => select_requests!(),
        (None, Some(_)) => select_requests!("AND key_id = $6 "),
        (Some(_), None) => select_requests!(failed "AND code = $6 "),
        (Some(_), Some(_)) => select_requests!(failed "AND code = $6 AND key_id = $7 "),
    };
    let first = filter.status.map_or(0, StatusClass::first);
    let query = sqlx::query_as(statement)
        .bind(account)
        .bind(request.below())
        .bind(request.limit + 1)
        .bind(first)
        .bind(filter.status.map_or(1000, |_| first + 100));
    let query = match filter.code {
        None => query,
        Some(code) => query.bind(code),
    };
    let query = match only_of {
        None => query,
        Some(key) => query.bind(key.as_str()),
    };
    query.fetch_all(pool).await
}

/// Deletes all requests of an account except the newest ones; returns their number.
pub(super) async fn trim(tx: &mut Tx, account: &AccountId, keep: i64) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "DELETE FROM logged_requests WHERE account_id = $1 AND id <= \
           (SELECT id FROM logged_requests WHERE account_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
    )
    .bind(account)
    .bind(keep)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes requests until the time `$1`, the oldest first and at most `$2`.
pub(super) const DELETE_OLD: &str = "DELETE FROM logged_requests WHERE id IN \
       (SELECT id FROM logged_requests WHERE created_at <= $1 ORDER BY created_at LIMIT $2)";

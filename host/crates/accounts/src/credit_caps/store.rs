//! The SQL of spending limits.
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::ids::{GrantId, KeyId};

/// Counts spent credits and locks the row; returns false when the grant has ended or its limit does not allow it.
pub(super) async fn spend(tx: &mut Tx, grant: &GrantId, credits: i64) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE grants SET credits_spent = credits_spent + $1 \
         WHERE id = $2 AND revoked_at IS NULL AND (credit_cap IS NULL OR credits_spent + $1 <= credit_cap)",
    )
    .bind(credits)
    .bind(grant)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(sqlx::FromRow)]
pub(super) struct Budget {
    pub credit_cap: Option<i64>,
    pub credits_spent: i64,
    pub revoked_at: Option<Timestamp>,
}

pub(super) async fn budget(tx: &mut Tx, grant: &GrantId) -> sqlx::Result<Option<Budget>> {
    sqlx::query_as("SELECT credit_cap, credits_spent, revoked_at FROM grants WHERE id = $1")
        .bind(grant)
        .fetch_optional(&mut **tx)
        .await
}

pub(super) async fn give_back(tx: &mut Tx, grant: &GrantId, credits: i64) -> sqlx::Result<()> {
    sqlx::query("UPDATE grants SET credits_spent = credits_spent - $1 WHERE id = $2")
        .bind(credits)
        .bind(grant)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Counts credits that are spent with a key in the period that began at `since`, and locks the row; returns false when
/// the key was revoked or its limit does not allow it. The clocks of nodes may differ, so a period never ends again.
pub(super) async fn spend_with_key(tx: &mut Tx, key: &KeyId, credits: i64, since: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE api_keys SET credits_spent = $1 + CASE WHEN spent_since >= $3 THEN credits_spent ELSE 0 END, \
           spent_since = CASE WHEN spent_since >= $3 THEN spent_since ELSE $3 END \
         WHERE id = $2 AND revoked_at IS NULL AND (credit_cap IS NULL \
           OR $1 + CASE WHEN spent_since >= $3 THEN credits_spent ELSE 0 END <= credit_cap)",
    )
    .bind(credits)
    .bind(key)
    .bind(since)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The limit of a key, and what was spent in the period that began at `since`.
pub(super) async fn budget_of_key(tx: &mut Tx, key: &KeyId, since: Timestamp) -> sqlx::Result<Option<Budget>> {
    sqlx::query_as(
        "SELECT credit_cap, CASE WHEN spent_since >= $2 THEN credits_spent ELSE 0 END AS credits_spent, revoked_at \
         FROM api_keys WHERE id = $1",
    )
    .bind(key)
    .bind(since)
    .fetch_optional(&mut **tx)
    .await
}

/// Reduces the spent credits of a key, unless they were spent before its present period.
pub(super) async fn give_back_to_key(tx: &mut Tx, key: &KeyId, credits: i64, spent_at: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE api_keys SET credits_spent = CASE WHEN credits_spent > $1 THEN credits_spent - $1 ELSE 0 END \
         WHERE id = $2 AND spent_since <= $3",
    )
    .bind(credits)
    .bind(key)
    .bind(spent_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

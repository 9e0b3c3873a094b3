//! The SQL of accounts for operators.
use sqlx::AnyExecutor;

use super::ManagedAccount;
use linepress_platform::database::{PageRequest, Reader, literal_pattern};
use linepress_platform::ids::AccountId;

/// The query that reads accounts; the argument is its WHERE clause and what follows it.
macro_rules! select_accounts {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, COALESCE(o.email, a.email) AS email, a.role, a.plan, a.limits, a.credits, a.unverified_since, f.confirmed_at AS second_factor_since, \
               a.suspended_at, a.closed_at, a.sandbox_of, a.created_at \
             FROM accounts a LEFT JOIN second_factors f ON f.account_id = a.id LEFT JOIN accounts o ON o.id = a.sandbox_of ",
            $rest
        )
    };
}

pub(super) async fn find<'e>(executor: impl AnyExecutor<'e>, id: &AccountId) -> sqlx::Result<Option<ManagedAccount>> {
    sqlx::query_as(select_accounts!("WHERE a.id = $1"))
        .bind(id)
        .fetch_optional(executor)
        .await
}

/// Lists accounts except sandboxes, newest first, with one row more than the limit if there are that many.
pub(super) async fn list(pool: &Reader, request: &PageRequest) -> sqlx::Result<Vec<ManagedAccount>> {
    sqlx::query_as(select_accounts!(
        "WHERE a.id < $1 AND a.sandbox_of IS NULL ORDER BY a.id DESC LIMIT $2"
    ))
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// Like `list`, for accounts whose address contains the text, and for any account whose id it is. It reads all
/// addresses if few contain the text: only operators search, and rarely.
pub(super) async fn search(pool: &Reader, text: &str, request: &PageRequest) -> sqlx::Result<Vec<ManagedAccount>> {
    sqlx::query_as(select_accounts!(
        "WHERE a.id < $1 AND (a.sandbox_of IS NULL AND a.email LIKE $3 ESCAPE '!' OR lower(a.id) = $4) ORDER BY a.id DESC LIMIT $2"
    ))
    .bind(request.below())
    .bind(request.limit + 1)
    .bind(containing(text))
    .bind(text)
    .fetch_all(pool)
    .await
}

/// The pattern of texts that contain this one.
fn containing(text: &str) -> String {
    format!("%{}%", literal_pattern(text))
}

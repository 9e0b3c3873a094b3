//! The SQL of accounts.
use std::time::Duration;

use sqlx::AnyExecutor;

use super::{Account, OwnLimits, Plan, Role, Usage};
use crate::credits::Totals;
use crate::throttle;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::AccountId;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// An account that is about to be stored.
pub(super) struct NewAccount<'a> {
    pub id: &'a AccountId,
    pub email: &'a str,
    pub plan: Plan,
    pub role: Role,
    pub created_at: Timestamp,
    /// The owner of a sandbox.
    pub sandbox_of: Option<&'a AccountId>,
}

/// Returns false when the address is taken.
pub(super) async fn insert(tx: &mut Tx, new: &NewAccount<'_>) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "INSERT INTO accounts (id, email, plan, role, created_at, updated_at, sandbox_of) VALUES ($1, $2, $3, $5, $4, $4, $6) \
         ON CONFLICT (email) DO NOTHING",
    )
    .bind(new.id.as_str())
    .bind(new.email)
    .bind(new.plan.as_str())
    .bind(new.created_at.microseconds())
    .bind(new.role.as_str())
    .bind(new.sandbox_of.map(AccountId::as_str))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn sandbox_of(tx: &mut Tx, owner: &AccountId) -> sqlx::Result<Option<AccountId>> {
    sqlx::query_scalar("SELECT id FROM accounts WHERE sandbox_of = $1")
        .bind(owner)
        .fetch_optional(&mut **tx)
        .await
}

/// Copies to the sandbox of an account what follows its owner.
pub(super) async fn follow_owner(tx: &mut Tx, owner: &AccountId) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE accounts SET plan = o.plan, limits = o.limits, suspended_at = o.suspended_at, closed_at = o.closed_at, \
           updated_at = o.updated_at FROM accounts AS o WHERE o.id = $1 AND accounts.sandbox_of = $1",
    )
    .bind(owner)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn find(pool: &Reader, email: &str) -> sqlx::Result<Option<Account>> {
    sqlx::query_as("SELECT id, email, plan, role, limits, credits, created_at FROM accounts WHERE email = $1")
        .bind(email)
        .fetch_optional(pool)
        .await
}

/// The id of an arbitrary account; `None` when there is none.
pub(super) async fn any(tx: &mut Tx) -> sqlx::Result<Option<AccountId>> {
    sqlx::query_scalar("SELECT id FROM accounts WHERE id >= $1 LIMIT 1")
        .bind(AccountId::PREFIX)
        .fetch_optional(&mut **tx)
        .await
}

pub(super) async fn unverified_since<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
) -> sqlx::Result<Option<Timestamp>> {
    sqlx::query_scalar("SELECT unverified_since FROM accounts WHERE id = $1")
        .bind(account)
        .fetch_one(executor)
        .await
}

pub(super) async fn set_unverified(tx: &mut Tx, account: &AccountId, since: Option<Timestamp>) -> sqlx::Result<()> {
    sqlx::query("UPDATE accounts SET unverified_since = $1 WHERE id = $2")
        .bind(since)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn defer_start(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE accounts SET awaits_start_since = $1 WHERE id = $2")
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Sets the plan of an open account that waits for the plan and the credits of a new account, which it then no longer
/// does; returns false when it does not wait for them, or is closed.
pub(super) async fn take_start(tx: &mut Tx, account: &AccountId, plan: Plan, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE accounts SET plan = $1, updated_at = $2, awaits_start_since = NULL \
         WHERE id = $3 AND awaits_start_since IS NOT NULL AND closed_at IS NULL",
    )
    .bind(plan.as_str())
    .bind(now)
    .bind(account)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn find_by_email(tx: &mut Tx, email: &str) -> sqlx::Result<Option<Account>> {
    sqlx::query_as("SELECT id, email, plan, role, limits, credits, created_at FROM accounts WHERE email = $1")
        .bind(email)
        .fetch_optional(&mut **tx)
        .await
}

pub(super) async fn find_by_id<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
) -> sqlx::Result<Option<Account>> {
    sqlx::query_as("SELECT id, email, plan, role, limits, credits, created_at FROM accounts WHERE id = $1")
        .bind(account)
        .fetch_optional(executor)
        .await
}

/// The times at which an account was closed and suspended.
#[derive(sqlx::FromRow)]
pub(super) struct LockOut {
    pub closed_at: Option<Timestamp>,
    pub suspended_at: Option<Timestamp>,
}

pub(super) async fn lock_out(tx: &mut Tx, account: &AccountId) -> sqlx::Result<LockOut> {
    sqlx::query_as("SELECT closed_at, suspended_at FROM accounts WHERE id = $1")
        .bind(account)
        .fetch_one(&mut **tx)
        .await
}

/// Returns true when the account is closed or suspended, or does not exist.
pub(super) async fn was_locked_out(pool: &Reader, account: &AccountId) -> sqlx::Result<bool> {
    let statement = "SELECT created_at FROM accounts WHERE id = $1 AND closed_at IS NULL AND suspended_at IS NULL";
    let open: Option<i64> = sqlx::query_scalar(statement).bind(account).fetch_optional(pool).await?;
    Ok(open.is_none())
}

/// Returns true when the account is open and has this role.
pub(super) async fn has_role(tx: &mut Tx, account: &AccountId, role: Role) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT created_at FROM accounts WHERE id = $1 AND role = $2 AND closed_at IS NULL AND suspended_at IS NULL",
    )
    .bind(account)
    .bind(role.as_str())
    .fetch_optional(&mut **tx)
    .await?;
    Ok(found.is_some())
}

pub(super) async fn set_role(tx: &mut Tx, account: &AccountId, role: Role, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE accounts SET role = $1, updated_at = $2 WHERE id = $3")
        .bind(role.as_str())
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Suspends the account, or resumes it if `since` is `None`.
pub(super) async fn set_suspended(
    tx: &mut Tx,
    account: &AccountId,
    since: Option<Timestamp>,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE accounts SET suspended_at = $1, updated_at = $2 WHERE id = $3")
        .bind(since)
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Closes the account, which is that of a customer when it is opened again. It no longer waits for the plan and the
/// credits of a new account.
pub(super) async fn close(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE accounts SET plan = $3, role = $4, updated_at = $1, closed_at = $1, awaits_start_since = NULL \
         WHERE id = $2",
    )
    .bind(now)
    .bind(account)
    .bind(Plan::Free.as_str())
    .bind(Role::Customer.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Sets the plan, and reopens a closed account. An account that waits for the plan and the credits of a new account no
/// longer does.
pub(super) async fn set_plan(tx: &mut Tx, account: &AccountId, plan: Plan, now: Timestamp) -> sqlx::Result<()> {
    let statement =
        "UPDATE accounts SET plan = $1, updated_at = $2, closed_at = NULL, awaits_start_since = NULL WHERE id = $3";
    sqlx::query(statement)
        .bind(plan.as_str())
        .bind(now.microseconds())
        .bind(account.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The counters of an account, and its own limits.
#[derive(sqlx::FromRow)]
pub(super) struct Counted {
    #[sqlx(flatten)]
    pub usage: Usage,
    #[sqlx(try_from = "Option<String>")]
    pub limits: OwnLimits,
}

/// Changes the counters; returns their new values.
pub(super) async fn change_usage(tx: &mut Tx, account: &AccountId, change: Usage) -> sqlx::Result<Counted> {
    sqlx::query_as(
        "UPDATE accounts SET characters = characters + $1, pages = pages + $2, books = books + $3, \
           generations = generations + $4, stored_bytes = stored_bytes + $5 WHERE id = $6 \
         RETURNING characters, pages, books, generations, stored_bytes, limits",
    )
    .bind(change.characters)
    .bind(change.pages)
    .bind(change.books)
    .bind(change.generations)
    .bind(change.stored_bytes)
    .bind(account)
    .fetch_one(&mut **tx)
    .await
}

pub(super) async fn usage<'e>(executor: impl AnyExecutor<'e>, account: &AccountId) -> sqlx::Result<Counted> {
    sqlx::query_as("SELECT characters, pages, books, generations, stored_bytes, limits FROM accounts WHERE id = $1")
        .bind(account)
        .fetch_one(executor)
        .await
}

/// The limits of the account that differ from those of the settings.
pub(super) async fn own_limits(tx: &mut Tx, account: &AccountId) -> sqlx::Result<OwnLimits> {
    Ok(usage(&mut **tx, account).await?.limits)
}

pub(super) async fn set_limits(
    tx: &mut Tx,
    account: &AccountId,
    limits: &OwnLimits,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE accounts SET limits = $1, updated_at = $2 WHERE id = $3")
        .bind(limits.to_stored())
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The accounts whose counters differ from the numbers of their rows.
pub(super) async fn miscounted(pool: &Reader) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar(
        "SELECT id FROM accounts a WHERE \
           characters <> (SELECT COUNT(*) FROM characters WHERE account_id = a.id AND archived_at IS NULL) \
           OR pages <> (SELECT COUNT(*) FROM pages WHERE account_id = a.id) \
           OR books <> (SELECT COUNT(*) FROM books WHERE account_id = a.id) \
           OR generations <> (SELECT COUNT(*) FROM operations WHERE account_id = a.id AND finished_at IS NULL) \
           OR stored_bytes <> (SELECT COALESCE(SUM(stored_bytes), 0) FROM artworks WHERE account_id = a.id) \
             + (SELECT COALESCE(SUM(byte_size), 0) FROM uploads WHERE account_id = a.id) \
             + (SELECT COALESCE(SUM(bytes), 0) FROM (SELECT MAX(source_bytes) AS bytes FROM drawings \
                  WHERE account_id = a.id AND finished_at IS NULL GROUP BY operation_id, target_id) AS open_targets) \
         ORDER BY id",
    )
    .fetch_all(pool)
    .await
}

/// Counts the uploads of account $1 that expire after $2.
macro_rules! count_uploads {
    () => {
        "SELECT COUNT(*) FROM uploads WHERE account_id = $1 AND expires_at > $2"
    };
}

/// Counts the operations of account $1 that drew a free cover after the given moment and no paid page since.
macro_rules! count_free_covers {
    ($after:literal) => {
        concat!(
            "SELECT COUNT(*) FROM operations WHERE account_id = $1 AND earned = 0 AND free_cover_at > ",
            $after
        )
    };
}

/// The number of uploads that have not expired.
pub(super) async fn uploads(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<i64> {
    sqlx::query_scalar(count_uploads!())
        .bind(account)
        .bind(now)
        .fetch_one(&mut **tx)
        .await
}

/// The number of free covers of the last 24 hours.
pub(super) async fn free_covers(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<i64> {
    sqlx::query_scalar(count_free_covers!("$2"))
        .bind(account)
        .bind(now.minus(DAY))
        .fetch_one(&mut **tx)
        .await
}

/// The totals and uses of an account whose limits a client can read.
#[derive(sqlx::FromRow)]
pub struct Standing {
    #[sqlx(flatten)]
    pub totals: Totals,
    #[sqlx(flatten)]
    pub usage: Usage,
    /// The limits that differ from those of the settings.
    #[sqlx(try_from = "Option<String>")]
    pub limits: OwnLimits,
    pub uploads: i64,
    pub free_covers: i64,
    /// The time until which its book plans occupy their throttle.
    pub plans_until: Option<Timestamp>,
    /// The same for changes.
    pub changes_until: Option<Timestamp>,
}

/// Reads everything in one statement, because clients read their account often and each statement is a round trip to
/// the database. `throttled` is the hash under which the account's turns are stored.
pub(super) async fn standing(
    pool: &Reader,
    account: &AccountId,
    throttled: &str,
    now: Timestamp,
) -> sqlx::Result<Standing> {
    sqlx::query_as(concat!(
        "SELECT a.credits AS available, a.spent, a.refunded, a.characters, a.pages, a.books, a.generations, \
           a.stored_bytes, a.limits, (",
        count_uploads!(),
        ") AS uploads, (",
        count_free_covers!("$3"),
        ") AS free_covers, (SELECT busy_until FROM throttles WHERE name = $4 AND subject_hash = $5) AS plans_until, \
           (SELECT busy_until FROM throttles WHERE name = $6 AND subject_hash = $5) AS changes_until \
         FROM accounts a WHERE a.id = $1"
    ))
    .bind(account)
    .bind(now)
    .bind(now.minus(DAY))
    .bind(throttle::PLANS)
    .bind(throttled)
    .bind(throttle::CHANGES)
    .fetch_one(pool)
    .await
}

//! The SQL of API keys.
use super::networks::Networks;
use super::request::KeyTerms;
use super::resource::{ApiKey, KeyStatus};
use crate::caller::{CallingAccount, SecretHash};
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::database::{PageRequest, Reader, Tx};
use linepress_platform::ids::{AccountId, KeyId};
use linepress_platform::scopes::Scopes;

/// An API key and the account that it belongs to.
#[derive(sqlx::FromRow)]
pub(super) struct KeyOwner {
    pub key_id: KeyId,
    #[sqlx(try_from = "String")]
    pub scopes: Scopes,
    pub expires_at: Option<Timestamp>,
    pub credit_cap: Option<i64>,
    pub credit_period: Option<String>,
    #[sqlx(try_from = "String")]
    pub allowed_networks: Networks,
    pub last_used_at: Option<Timestamp>,
    pub account_credits: i64,
    #[sqlx(flatten)]
    pub account: CallingAccount,
}

/// Finds the active key with this secret. Each request runs this statement, and no other that concerns the key. The
/// address is that of a person, for a test key that of its sandbox's owner.
pub(super) async fn owner_of_key(pool: &Reader, secret: &SecretHash, now: Timestamp) -> sqlx::Result<Option<KeyOwner>> {
    sqlx::query_as(
        "SELECT k.id AS key_id, k.scopes, k.expires_at, k.credit_cap, k.credit_period, k.allowed_networks, \
           k.last_used_at, a.credits AS account_credits, a.id AS account_id, a.plan, a.role, a.limits, a.sandbox_of, \
           COALESCE((SELECT o.email FROM accounts o WHERE o.id = a.sandbox_of), a.email) AS email \
         FROM api_keys k JOIN accounts a ON a.id = k.account_id \
         WHERE (k.hash = $1 OR (k.previous_hash = $1 AND k.previous_expires_at > $2)) AND k.revoked_at IS NULL \
           AND (k.expires_at IS NULL OR k.expires_at > $2) AND a.closed_at IS NULL AND a.suspended_at IS NULL",
    )
    .bind(&secret.0)
    .bind(now)
    .fetch_optional(pool)
    .await
}

/// Returns true if the account has the key, and it is neither revoked nor expired.
pub(super) async fn is_active(pool: &Reader, account: &AccountId, key: &KeyId, now: Timestamp) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT created_at FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL \
           AND (expires_at IS NULL OR expires_at > $3)",
    )
    .bind(key)
    .bind(account)
    .bind(now)
    .fetch_optional(pool)
    .await?;
    Ok(found.is_some())
}

/// Records a use of the key, unless one was recorded after `since`.
pub(super) async fn note_use(tx: &mut Tx, key: &KeyId, now: Timestamp, since: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3)")
        .bind(now)
        .bind(key)
        .bind(since)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// A key that is about to be stored.
pub(super) struct NewRow<'a> {
    pub id: &'a KeyId,
    pub terms: &'a KeyTerms,
    pub prefix: &'a str,
    pub secret: &'a SecretHash,
    pub now: Timestamp,
}

pub(super) async fn insert(tx: &mut Tx, account: &AccountId, new: &NewRow<'_>) -> sqlx::Result<()> {
    let terms = new.terms;
    sqlx::query(
        "INSERT INTO api_keys (id, account_id, name, hash, created_at, prefix, scopes, expires_at, credit_cap, \
           credit_period, allowed_networks) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(new.id)
    .bind(account)
    .bind(&terms.name)
    .bind(&new.secret.0)
    .bind(new.now)
    .bind(new.prefix)
    .bind(terms.scopes.to_string())
    .bind(terms.expires_at)
    .bind(terms.credit_cap)
    .bind(terms.credit_period.map(CreditPeriod::as_str))
    .bind(terms.allowed_networks.to_text())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A stored key, before the time decides what of it counts.
#[derive(sqlx::FromRow)]
pub(super) struct KeyRow {
    pub id: KeyId,
    name: String,
    prefix: Option<String>,
    #[sqlx(try_from = "String")]
    scopes: Scopes,
    expires_at: Option<Timestamp>,
    credit_cap: Option<i64>,
    credit_period: Option<String>,
    credits_spent: i64,
    spent_since: Timestamp,
    #[sqlx(try_from = "String")]
    allowed_networks: Networks,
    last_used_at: Option<Timestamp>,
    previous_expires_at: Option<Timestamp>,
    created_at: Timestamp,
    revoked_at: Option<Timestamp>,
    /// The owner of the sandbox that a test key belongs to.
    sandbox_of: Option<AccountId>,
}

impl KeyRow {
    /// Returns true for a test key.
    pub(super) fn is_test(&self) -> bool {
        self.sandbox_of.is_some()
    }

    /// The key as it is at this moment.
    pub(super) fn into_key(self, now: Timestamp) -> ApiKey {
        let credit_period = self.credit_period.as_deref().and_then(CreditPeriod::parse);
        let is_spent_before = credit_period.is_some_and(|period| self.spent_since < period.beginning(now));
        let has_ended = self.expires_at.is_some_and(|end| end <= now);
        let status = match self.revoked_at {
            Some(_) => KeyStatus::Revoked,
            None if has_ended => KeyStatus::Expired,
            None => KeyStatus::Active,
        };
        let is_active = status == KeyStatus::Active;
        ApiKey {
            test: self.is_test(),
            id: self.id,
            name: self.name,
            prefix: self.prefix,
            status,
            scopes: self.scopes,
            expires_at: self.expires_at,
            credit_cap: self.credit_cap,
            credit_period,
            credits_spent: if is_spent_before { 0 } else { self.credits_spent },
            allowed_networks: self.allowed_networks,
            last_used_at: self.last_used_at,
            previous_secret_expires_at: self.previous_expires_at.filter(|end| is_active && *end > now),
            created_at: self.created_at,
            revoked_at: self.revoked_at,
        }
    }
}

/// The query that reads keys; the arguments are its condition and what follows it.
macro_rules! select_keys {
    ($($rest:expr),+) => {
        concat!(
            "SELECT id, name, prefix, scopes, expires_at, credit_cap, credit_period, credits_spent, \
               spent_since, allowed_networks, last_used_at, previous_expires_at, created_at, revoked_at, \
               (SELECT a.sandbox_of FROM accounts a WHERE a.id = api_keys.account_id) AS sandbox_of FROM api_keys WHERE ",
            $($rest),+
        )
    };
}

/// The condition that a key belongs to account $1 or to its sandbox.
macro_rules! is_own {
    () => {
        "account_id IN (SELECT a.id FROM accounts a WHERE a.id = $1 OR a.sandbox_of = $1)"
    };
}

/// Every key of the account and of its sandbox, oldest first.
pub(super) async fn all(pool: &Reader, account: &AccountId) -> sqlx::Result<Vec<KeyRow>> {
    sqlx::query_as(select_keys!(is_own!(), " ORDER BY id"))
        .bind(account)
        .fetch_all(pool)
        .await
}

/// Lists the keys of the account and of its sandbox, newest first, with one row more than the limit if there are that
/// many. The rows of each account are read in their order, and merged.
pub(super) async fn list(pool: &Reader, account: &AccountId, request: &PageRequest) -> sqlx::Result<Vec<KeyRow>> {
    sqlx::query_as(select_keys!(
        "account_id = $1 AND id < $2 UNION ALL ",
        select_keys!("account_id = (SELECT b.id FROM accounts b WHERE b.sandbox_of = $1) AND id < $2"),
        " ORDER BY id DESC LIMIT $3"
    ))
    .bind(account)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

pub(super) async fn find(tx: &mut Tx, key: &KeyId) -> sqlx::Result<Option<KeyRow>> {
    sqlx::query_as(select_keys!("id = $1"))
        .bind(key)
        .fetch_optional(&mut **tx)
        .await
}

/// Finds a key of the account or of its sandbox.
pub(super) async fn find_own(pool: &Reader, account: &AccountId, key: &KeyId) -> sqlx::Result<Option<KeyRow>> {
    sqlx::query_as(select_keys!("id = $2 AND ", is_own!()))
        .bind(account)
        .bind(key)
        .fetch_optional(pool)
        .await
}

/// The number of keys that are neither revoked nor expired.
pub(super) async fn count_active(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "SELECT COUNT(*) FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL \
           AND (expires_at IS NULL OR expires_at > $2)",
    )
    .bind(account)
    .bind(now)
    .fetch_one(&mut **tx)
    .await
}

/// Replaces the secret of an active key. The present one remains valid until `previous_expires_at`; the one before
/// ends. Returns false when the key is not active.
pub(super) async fn rotate(
    tx: &mut Tx,
    key: &KeyId,
    (secret, prefix): (&SecretHash, &str),
    previous_expires_at: Timestamp,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE api_keys SET previous_hash = hash, previous_expires_at = $1, hash = $2, prefix = $3 \
         WHERE id = $4 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $5)",
    )
    .bind(previous_expires_at)
    .bind(&secret.0)
    .bind(prefix)
    .bind(key)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Like `revoke`, for a key of this account or its sandbox only.
pub(super) async fn revoke_own(tx: &mut Tx, account: &AccountId, key: &KeyId, now: Timestamp) -> sqlx::Result<bool> {
    let statement = concat!(
        "UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $3) WHERE id = $2 AND ",
        is_own!()
    );
    let done = sqlx::query(statement)
        .bind(account)
        .bind(key)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Revokes a key; returns false when there is none. A key that is already revoked keeps its time.
pub(super) async fn revoke(tx: &mut Tx, key: &KeyId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $1) WHERE id = $2")
        .bind(now)
        .bind(key)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Revokes the keys of an account and of its sandbox that are not revoked; returns their number.
pub(super) async fn revoke_all(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<u64> {
    let statement = concat!(
        "UPDATE api_keys SET revoked_at = $2 WHERE revoked_at IS NULL AND ",
        is_own!()
    );
    let done = sqlx::query(statement)
        .bind(account)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

//! The SQL of webhooks and their deliveries.
use sqlx::AnyExecutor;

use super::outcome::{AttemptResult, ClaimedDelivery};
use super::{Delivery, DeliveryStatus, EventType, NewWebhook, PauseReason, Webhook};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageRequest, Reader, Tx};
use linepress_platform::ids::{AccountId, DeliveryId, EventId, WebhookId};

/// The columns of a [`Webhook`].
macro_rules! webhook_columns {
    () => {
        "id, url, callbacks_since, description, events, previous_secret_expires_at, failing_since, paused_at, pause_reason, created_at"
    };
}

/// The query that reads webhooks; the argument is its WHERE clause and what follows it.
macro_rules! select_webhooks {
    ($rest:literal) => {
        concat!("SELECT ", webhook_columns!(), " FROM webhooks WHERE ", $rest)
    };
}

/// The same for deliveries.
macro_rules! select_deliveries {
    ($rest:literal) => {
        concat!(
            "SELECT id, event_id, event_type, url, body, status, attempts, due_at, attempted_at, duration_ms, response_status, response, \
               error, created_at \
             FROM webhook_deliveries WHERE ",
            $rest
        )
    };
}

pub(super) async fn list(pool: &Reader, account: &AccountId) -> sqlx::Result<Vec<Webhook>> {
    sqlx::query_as(select_webhooks!("account_id = $1 ORDER BY id DESC"))
        .bind(account)
        .fetch_all(pool)
        .await
}

/// The webhooks of the account that are not paused, without that of callbacks.
pub(super) async fn active(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Vec<Webhook>> {
    sqlx::query_as(select_webhooks!(
        "account_id = $1 AND paused_at IS NULL AND callbacks_since IS NULL ORDER BY id"
    ))
    .bind(account)
    .fetch_all(&mut **tx)
    .await
}

/// The webhook of the account's callbacks.
pub(super) async fn of_callbacks(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Option<WebhookId>> {
    sqlx::query_scalar("SELECT id FROM webhooks WHERE account_id = $1 AND callbacks_since IS NOT NULL")
        .bind(account)
        .fetch_optional(&mut **tx)
        .await
}

/// The same unless it is paused.
pub(super) async fn active_of_callbacks(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Option<WebhookId>> {
    let statement =
        "SELECT id FROM webhooks WHERE account_id = $1 AND callbacks_since IS NOT NULL AND paused_at IS NULL";
    sqlx::query_scalar(statement)
        .bind(account)
        .fetch_optional(&mut **tx)
        .await
}

/// Inserts the webhook of the account's callbacks, unless there is one.
pub(super) async fn insert_of_callbacks(
    tx: &mut Tx,
    account: &AccountId,
    id: &WebhookId,
    encrypted_secret: &str,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO webhooks (id, account_id, url, description, events, encrypted_secret, created_at, callbacks_since) \
         VALUES ($1, $2, '', '', '', $3, $4, $4) ON CONFLICT DO NOTHING",
    )
    .bind(id)
    .bind(account)
    .bind(encrypted_secret)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    id: &WebhookId,
) -> sqlx::Result<Option<Webhook>> {
    sqlx::query_as(select_webhooks!("id = $2 AND account_id = $1"))
        .bind(account)
        .bind(id)
        .fetch_optional(executor)
        .await
}

/// Locks and returns a webhook.
pub(super) async fn lock(tx: &mut Tx, account: &AccountId, id: &WebhookId) -> sqlx::Result<Option<Webhook>> {
    sqlx::query_as(concat!(
        "UPDATE webhooks SET account_id = account_id WHERE id = $2 AND account_id = $1 RETURNING ",
        webhook_columns!()
    ))
    .bind(account)
    .bind(id)
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn count(tx: &mut Tx, account: &AccountId) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT COUNT(*) FROM webhooks WHERE account_id = $1 AND callbacks_since IS NULL")
        .bind(account)
        .fetch_one(&mut **tx)
        .await
}

pub(super) async fn insert(
    tx: &mut Tx,
    account: &AccountId,
    id: &WebhookId,
    new: &NewWebhook,
    encrypted_secret: &str,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO webhooks (id, account_id, url, description, events, encrypted_secret, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id)
    .bind(account)
    .bind(&new.url)
    .bind(&new.description)
    .bind(new.events.to_stored())
    .bind(encrypted_secret)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn update(tx: &mut Tx, webhook: &Webhook) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE webhooks SET url = $2, description = $3, events = $4, paused_at = $5, pause_reason = $6, failing_since = $7 \
         WHERE id = $1",
    )
    .bind(&webhook.id)
    .bind(&webhook.url)
    .bind(&webhook.description)
    .bind(webhook.events.to_stored())
    .bind(webhook.paused_at)
    .bind(webhook.pause_reason.0.map(PauseReason::as_str))
    .bind(webhook.failing_since)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Replaces the secret; the one before it is kept until the time, if there is one.
pub(super) async fn replace_secret(
    tx: &mut Tx,
    id: &WebhookId,
    encrypted_secret: &str,
    previous_expires_at: Option<Timestamp>,
) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE webhooks SET encrypted_previous_secret = CASE WHEN $3 THEN encrypted_secret END, \
           previous_secret_expires_at = $4, encrypted_secret = $2 WHERE id = $1",
    )
    .bind(id)
    .bind(encrypted_secret)
    .bind(previous_expires_at.is_some())
    .bind(previous_expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Ends the claim of the process that sends deliveries, which has read the address and the secrets: it makes no further
/// attempt.
pub(super) async fn end_claim(tx: &mut Tx, id: &WebhookId) -> sqlx::Result<()> {
    sqlx::query("UPDATE webhooks SET busy_until = NULL WHERE id = $1")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Holds what waits for a webhook until [`send_held`]: it is not due, so that searches for due deliveries do not meet
/// it.
pub(super) async fn hold(tx: &mut Tx, id: &WebhookId) -> sqlx::Result<()> {
    sqlx::query("UPDATE webhook_deliveries SET due_at = NULL WHERE webhook_id = $1 AND due_at IS NOT NULL")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Makes due what was held.
pub(super) async fn send_held(tx: &mut Tx, id: &WebhookId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE webhook_deliveries SET due_at = $2 WHERE webhook_id = $1 AND status = $3 AND due_at IS NULL")
        .bind(id)
        .bind(now)
        .bind(DeliveryStatus::Waiting.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Pauses a webhook and gives up what waits for it. Returns false when it is paused already, or deleted.
pub(super) async fn pause(tx: &mut Tx, id: &WebhookId, reason: PauseReason, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE webhooks SET paused_at = $2, pause_reason = $3 WHERE id = $1 AND paused_at IS NULL")
        .bind(id)
        .bind(now)
        .bind(reason.as_str())
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    // The account can have them sent again after it has resumed the webhook.
    sqlx::query(
        "UPDATE webhook_deliveries SET status = $2, due_at = NULL WHERE webhook_id = $1 AND due_at IS NOT NULL",
    )
    .bind(id)
    .bind(DeliveryStatus::Failed.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(true)
}

pub(super) async fn delete(tx: &mut Tx, account: &AccountId, id: &WebhookId) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM webhooks WHERE id = $1 AND account_id = $2")
        .bind(id)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("DELETE FROM webhook_deliveries WHERE webhook_id = $1")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(true)
}

/// Deletes the webhooks of the account and of its sandbox.
pub(super) async fn delete_all(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    let deliveries = "DELETE FROM webhook_deliveries WHERE webhook_id IN \
         (SELECT id FROM webhooks WHERE account_id IN (SELECT id FROM accounts WHERE id = $1 OR sandbox_of = $1))";
    sqlx::query(deliveries).bind(account).execute(&mut **tx).await?;
    sqlx::query("DELETE FROM webhooks WHERE account_id IN (SELECT id FROM accounts WHERE id = $1 OR sandbox_of = $1)")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// An event for one webhook.
pub(super) struct NewDelivery<'a> {
    pub id: &'a DeliveryId,
    pub webhook: &'a WebhookId,
    pub event: &'a EventId,
    pub kind: EventType,
    /// The address of a callback.
    pub url: Option<&'a str>,
    pub body: &'a str,
    pub at: Timestamp,
}

pub(super) async fn insert_delivery(tx: &mut Tx, new: &NewDelivery<'_>) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, body, due_at, created_at, url) \
         VALUES ($1, $2, $3, $4, $5, $6, $6, $7)",
    )
    .bind(new.id)
    .bind(new.webhook)
    .bind(new.event)
    .bind(new.kind.as_str())
    .bind(new.body)
    .bind(new.at)
    .bind(new.url)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn delivery<'e>(
    executor: impl AnyExecutor<'e>,
    webhook: &WebhookId,
    id: &DeliveryId,
) -> sqlx::Result<Option<Delivery>> {
    sqlx::query_as(select_deliveries!("id = $2 AND webhook_id = $1"))
        .bind(webhook)
        .bind(id)
        .fetch_optional(executor)
        .await
}

/// Lists deliveries, newest first, with one row more than the limit if there are that many.
pub(super) async fn deliveries(
    pool: &Reader,
    webhook: &WebhookId,
    request: &PageRequest,
) -> sqlx::Result<Vec<Delivery>> {
    sqlx::query_as(select_deliveries!(
        "webhook_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    ))
    .bind(webhook)
    .bind(request.below())
    .bind(request.limit + 1)
    .fetch_all(pool)
    .await
}

/// Makes a delivery due, with all of its attempts before it.
pub(super) async fn make_due(tx: &mut Tx, webhook: &WebhookId, id: &DeliveryId, now: Timestamp) -> sqlx::Result<()> {
    let statement =
        "UPDATE webhook_deliveries SET status = $4, due_at = $3, attempts = 0 WHERE id = $2 AND webhook_id = $1";
    sqlx::query(statement)
        .bind(webhook)
        .bind(id)
        .bind(now)
        .bind(DeliveryStatus::Waiting.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The condition that the webhook of the due delivery `d` can get it now, which is `$1`.
macro_rules! claimable {
    () => {
        "EXISTS (SELECT w.id FROM webhooks w JOIN accounts a ON a.id = w.account_id WHERE w.id = d.webhook_id \
           AND w.paused_at IS NULL AND COALESCE(w.busy_until, 0) <= $1 AND a.suspended_at IS NULL AND a.closed_at IS NULL \
           AND (SELECT count(*) FROM webhooks b WHERE b.account_id = w.account_id AND b.busy_until > $2) < $3)"
    };
}

/// The time of a claim, and the limit of concurrent claims.
#[derive(Clone, Copy)]
pub(super) struct ClaimTerms {
    pub now: Timestamp,
    /// A webhook that is busy for longer is claimed; others rest.
    pub rest_until: Timestamp,
    /// The number of webhooks of one account that may be claimed at a time.
    pub max_of_account: i64,
}

/// Returns true when a delivery is due. Idle servers ask often, and a claim would wait for the writing connection.
pub(super) async fn is_any_due(pool: &Reader, terms: ClaimTerms) -> sqlx::Result<bool> {
    let due: Option<i64> = sqlx::query_scalar(concat!(
        "SELECT d.due_at FROM webhook_deliveries d WHERE d.due_at <= $1 AND ",
        claimable!(),
        " LIMIT 1"
    ))
    .bind(terms.now)
    .bind(terms.rest_until)
    .bind(terms.max_of_account)
    .fetch_optional(pool)
    .await?;
    Ok(due.is_some())
}

/// A webhook that was claimed.
#[derive(sqlx::FromRow)]
pub(super) struct ClaimedRow {
    pub id: WebhookId,
    pub account_id: AccountId,
    pub url: String,
    pub callbacks_since: Option<Timestamp>,
    pub encrypted_secret: String,
    pub encrypted_previous_secret: Option<String>,
    pub previous_secret_expires_at: Option<Timestamp>,
}

/// Claims a webhook until this time. The outer condition is checked again after another node's claim of the same
/// webhook was waited for.
pub(super) async fn claim(tx: &mut Tx, terms: ClaimTerms, until: Timestamp) -> sqlx::Result<Option<ClaimedRow>> {
    sqlx::query_as(concat!(
        "UPDATE webhooks SET busy_until = $4 \
         WHERE COALESCE(busy_until, 0) <= $1 AND paused_at IS NULL AND id = \
           (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.due_at <= $1 AND ",
        claimable!(),
        " ORDER BY d.due_at, d.id LIMIT 1) \
         RETURNING id, account_id, url, callbacks_since, encrypted_secret, encrypted_previous_secret, previous_secret_expires_at"
    ))
    .bind(terms.now)
    .bind(terms.rest_until)
    .bind(terms.max_of_account)
    .bind(until)
    .fetch_optional(&mut **tx)
    .await
}

/// The delivery that has been due for the longest time, while the claim until this time holds.
pub(super) async fn next_due(
    pool: &Reader,
    webhook: &WebhookId,
    until: Timestamp,
    now: Timestamp,
) -> sqlx::Result<Option<ClaimedDelivery>> {
    sqlx::query_as(
        "SELECT d.id, d.event_id, d.url, d.body, d.attempts FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id \
         WHERE d.webhook_id = $1 AND d.due_at <= $3 AND w.paused_at IS NULL AND w.busy_until = $2 \
         ORDER BY d.due_at, d.id LIMIT 1",
    )
    .bind(webhook)
    .bind(until)
    .bind(now)
    .fetch_optional(pool)
    .await
}

/// Records an attempt: the delivery is over unless another attempt is due. Does nothing when the delivery was given up
/// meanwhile, or is to be sent again.
pub(super) async fn record_attempt(
    tx: &mut Tx,
    delivery: &ClaimedDelivery,
    result: &AttemptResult,
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> sqlx::Result<()> {
    let status = match due_at {
        Some(_) => DeliveryStatus::Waiting,
        None if result.is_accepted() => DeliveryStatus::Delivered,
        None => DeliveryStatus::Failed,
    };
    let (response, error) = match &result.response {
        Ok(response) => (Some(response), None),
        Err(failure) => (None, Some(failure.0.as_str())),
    };
    sqlx::query(
        "UPDATE webhook_deliveries SET status = $2, attempts = attempts + 1, due_at = $3, attempted_at = $4, duration_ms = $5, \
           response_status = $6, response = $7, error = $8 WHERE id = $1 AND attempts = $9 AND status = $10",
    )
    .bind(&delivery.id)
    .bind(status.as_str())
    .bind(due_at)
    .bind(now)
    .bind(i64::try_from(result.duration.as_millis()).unwrap_or(i64::MAX))
    .bind(response.map(|response| i64::from(response.status)))
    .bind(response.map(|response| response.text.as_str()))
    .bind(error)
    .bind(delivery.attempts)
    .bind(DeliveryStatus::Waiting.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Notes whether the last attempt succeeded, renews the claim, and locks the webhook; returns the time since which
/// attempts fail. None when the claim until the first time has ended: the attempt says nothing about the address that
/// the webhook has now.
pub(super) async fn note_success(
    tx: &mut Tx,
    (id, until, renewed): (&WebhookId, Timestamp, Timestamp),
    succeeded: bool,
    now: Timestamp,
) -> sqlx::Result<Option<Option<Timestamp>>> {
    sqlx::query_scalar(
        "UPDATE webhooks SET failing_since = CASE WHEN $2 THEN NULL ELSE COALESCE(failing_since, $3) END, busy_until = $5 \
         WHERE id = $1 AND busy_until = $4 RETURNING failing_since",
    )
    .bind(id)
    .bind(succeeded)
    .bind(now)
    .bind(until)
    .bind(renewed)
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn release(
    tx: &mut Tx,
    id: &WebhookId,
    until: Timestamp,
    rest_until: Option<Timestamp>,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE webhooks SET busy_until = $3 WHERE id = $1 AND busy_until = $2")
        .bind(id)
        .bind(until)
        .bind(rest_until)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes deliveries of events until the time `$1`, the oldest first and at most `$2`.
pub(super) const DELETE_OLD: &str = "DELETE FROM webhook_deliveries WHERE id IN \
       (SELECT id FROM webhook_deliveries WHERE created_at <= $1 ORDER BY created_at LIMIT $2)";

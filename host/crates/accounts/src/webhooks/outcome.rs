//! The attempts to send deliveries: claims, outcomes, and the times of further attempts.
use std::time::Duration;

use super::secret::SigningSecret;
use super::store::ClaimTerms;
use super::{LOG_RETENTION, PauseReason, store};
use crate::outbox::{self, MailKind, Recipient};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, DeliveryId, EventId, WebhookId};

/// The number of deliveries that one claim may send.
pub const DUE_LIMIT: usize = 20;

/// The delays between attempts, which make up a day.
const RETRY_DELAYS: [Duration; 8] = [
    Duration::from_secs(5),
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(5 * 3600),
    Duration::from_secs(8 * 3600),
    Duration::from_secs(8 * 3600),
];

/// The largest share by which a delay is longer, in percent, so that receivers that were down are not called all at
/// once.
const MAX_JITTER_PERCENT: usize = 10;

/// The time after a failed attempt in which no other delivery of the webhook is tried.
const REST: Duration = Duration::from_secs(5);

/// The number of webhooks of one account to which all nodes send at a time, so that receivers of one account that hang
/// do not occupy all tasks.
const MAX_CLAIMS_OF_ACCOUNT: i64 = 2;

/// The time without success after which a webhook is paused.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// A webhook whose due deliveries this process sends, until the claim expires.
#[derive(Debug)]
pub struct ClaimedWebhook {
    pub id: WebhookId,
    pub account_id: AccountId,
    pub url: String,
    /// True for the callbacks of an account, each of which has an address of its own.
    pub is_for_callbacks: bool,
    /// The secrets that sign.
    pub secrets: Vec<SigningSecret>,
    lease: Duration,
    until: Timestamp,
}

/// A delivery to send.
#[derive(Debug, sqlx::FromRow)]
pub struct ClaimedDelivery {
    pub id: DeliveryId,
    pub event_id: EventId,
    /// The address of a callback; `None` for that of the webhook.
    pub url: Option<String>,
    pub body: String,
    /// The number of earlier attempts.
    pub attempts: i64,
}

/// A response of a receiver.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// The beginning of its body.
    pub text: String,
}

/// The reason why there was no response, in words for the account.
#[derive(Debug)]
pub struct Failure(pub String);

/// The result of an attempt.
#[derive(Debug)]
pub struct AttemptResult {
    pub response: Result<Response, Failure>,
    pub duration: Duration,
}

impl AttemptResult {
    fn status(&self) -> Option<u16> {
        self.response.as_ref().ok().map(|response| response.status)
    }

    /// Returns true when the receiver has accepted the event.
    pub fn is_accepted(&self) -> bool {
        self.status().is_some_and(|status| (200..300).contains(&status))
    }

    /// Returns true when the receiver wants no more events.
    fn is_gone(&self) -> bool {
        self.status() == Some(410)
    }
}

/// Claims the webhook with the delivery that has been due for the longest time, for a lease of this length, which each
/// attempt renews. None when none is due.
pub async fn claim(app: &App, lease: Duration) -> Result<Option<ClaimedWebhook>> {
    let now = app.clock.now();
    let terms = ClaimTerms {
        now,
        rest_until: now.plus(REST),
        max_of_account: MAX_CLAIMS_OF_ACCOUNT,
    };
    if !store::is_any_due(&app.database.read, terms).await? {
        return Ok(None);
    }
    let until = now.plus(lease);
    let mut tx = app.database.begin().await?;
    let Some(row) = store::claim(&mut tx, terms, until).await? else {
        return Ok(None);
    };
    let mut secrets = vec![SigningSecret::decrypted(app, &mut tx, &row.id, &row.encrypted_secret).await?];
    let previous = row.encrypted_previous_secret.zip(row.previous_secret_expires_at);
    if let Some((previous, _)) = previous.filter(|(_, expires_at)| *expires_at > now) {
        secrets.push(SigningSecret::decrypted(app, &mut tx, &row.id, &previous).await?);
    }
    tx.commit().await?;
    Ok(Some(ClaimedWebhook {
        id: row.id,
        account_id: row.account_id,
        url: row.url,
        is_for_callbacks: row.callbacks_since.is_some(),
        secrets,
        lease,
        until,
    }))
}

/// The delivery of the webhook that has been due for the longest time. None when none is due, or the webhook was paused
/// or deleted since.
pub async fn next_due(app: &App, webhook: &ClaimedWebhook) -> Result<Option<ClaimedDelivery>> {
    let now = app.clock.now();
    Ok(store::next_due(&app.database.read, &webhook.id, webhook.until, now).await?)
}

/// Records an attempt, and renews the claim; returns true if the delivery is over or another one can follow at once. The
/// failure of a callback says nothing about the others, whose addresses may differ.
pub async fn conclude(
    app: &App,
    webhook: &mut ClaimedWebhook,
    delivery: &ClaimedDelivery,
    result: &AttemptResult,
) -> Result<bool> {
    let now = app.clock.now();
    let accepted = result.is_accepted();
    let due_at = if accepted || result.is_gone() {
        None
    } else {
        next_attempt(app, delivery.attempts, now)
    };
    let mut tx = app.database.begin().await?;
    // The webhook is locked before its deliveries, as when it is deleted.
    let renewed = now.plus(webhook.lease);
    let claim = (&webhook.id, webhook.until, renewed);
    let failing_since = store::note_success(&mut tx, claim, accepted, now).await?;
    store::record_attempt(&mut tx, delivery, result, due_at, now).await?;
    let reason = match failing_since {
        _ if webhook.is_for_callbacks => None,
        Some(_) if result.is_gone() => Some(PauseReason::Gone),
        Some(Some(since)) if now.since(since) >= PATIENCE => Some(PauseReason::Failures),
        _ => None,
    };
    if let Some(reason) = reason
        && store::pause(&mut tx, &webhook.id, reason, now).await?
    {
        let owner = Recipient::Account(&webhook.account_id);
        outbox::put(app, &mut tx, MailKind::WebhookPaused, owner, None).await?;
        note_pause(app, &mut tx, webhook, reason);
    }
    tx.commit().await?;
    webhook.until = renewed;
    Ok(accepted || webhook.is_for_callbacks)
}

/// Logs and counts a pause once it is committed.
fn note_pause(app: &App, tx: &mut Tx, webhook: &ClaimedWebhook, reason: PauseReason) {
    let (metrics, webhook, account) = (app.metrics.clone(), webhook.id.clone(), webhook.account_id.clone());
    tx.after_commit(move || {
        let reason = reason.as_str();
        metrics.webhooks.paused(reason);
        tracing::warn!(%account, %webhook, reason, "webhook paused");
    });
}

/// The time of the attempt that follows one after so many earlier ones. None after the last.
fn next_attempt(app: &App, earlier: i64, now: Timestamp) -> Option<Timestamp> {
    let delay = RETRY_DELAYS.get(usize::try_from(earlier).ok()?)?;
    let percent = u32::try_from(app.random.below(MAX_JITTER_PERCENT + 1)).unwrap_or(0);
    Some(now.plus(*delay + *delay * percent / 100))
}

/// Ends a claim. After a failure the webhook rests for a while.
pub async fn release(app: &App, webhook: &ClaimedWebhook, has_failed: bool) -> Result<()> {
    let rest = has_failed.then(|| app.clock.now().plus(REST));
    let mut tx = app.database.begin().await?;
    store::release(&mut tx, &webhook.id, webhook.until, rest).await?;
    Ok(tx.commit().await?)
}

/// Deletes deliveries after the time for which they are listed; returns their number.
pub async fn forget_old(app: &App) -> Result<u64> {
    app.database
        .delete_older_than(&app.clock, LOG_RETENTION, store::DELETE_OLD)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attempts_of_a_delivery_make_up_a_day() {
        let total: Duration = RETRY_DELAYS.iter().sum();
        let hours = total.as_secs_f64() / 3600.0;
        assert!((23.0..24.0).contains(&hours), "{hours}");
    }

    #[test]
    fn only_a_status_of_success_accepts_an_event() {
        let result = |status| AttemptResult {
            response: Ok(Response {
                status,
                text: String::new(),
            }),
            duration: Duration::ZERO,
        };
        for (status, accepted, gone) in [
            (200, true, false),
            (204, true, false),
            (302, false, false),
            (410, false, true),
            (500, false, false),
        ] {
            let result = result(status);
            assert_eq!((result.is_accepted(), result.is_gone()), (accepted, gone), "{status}");
        }
    }
}

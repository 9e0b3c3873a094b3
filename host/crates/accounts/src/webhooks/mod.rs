//! Webhooks: the addresses to which the server sends the events of an account, signed by the convention of Standard
//! Webhooks (<https://www.standardwebhooks.com>).
//!
//! A concept records an event in the transaction of the change that causes it, so that both happen or neither: one
//! delivery for each webhook that takes such events. A worker claims a webhook and sends its due deliveries, one after
//! the other. If the process dies, they are sent again when the claim has expired: a receiver gets each event at least
//! once, and recognizes a repetition by the id of the event.
mod callback;
mod events;
mod outcome;
mod secret;
mod store;

use std::time::Duration;

use linepress_model::{UnknownText, text_enum};
use serde::{Deserialize, Serialize};

use crate::caller::Caller;
use crate::credentials;
use crate::throttle;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, DeliveryId, EventId, WebhookId};
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

pub use callback::{
    Callback, CallbackUrl, prepare as prepare_callback, record_callback, renew_secret as renew_callback_secret,
};
pub use events::{EventType, Receivers, record};
pub use outcome::{
    AttemptResult, ClaimedDelivery, ClaimedWebhook, DUE_LIMIT, Failure, Response, claim, conclude, forget_old,
    next_due, release,
};
pub use secret::{SigningSecret, signature_header};

/// The number of webhooks that an account may have.
pub const MAX_WEBHOOKS: i64 = 10;

pub use linepress_egress::MAX_URL_BYTES;

/// Maximum length of the description of a webhook.
pub const MAX_DESCRIPTION_CHARS: usize = 100;

/// The longest time for which the secret before the current one signs, too.
pub const MAX_OVERLAP_HOURS: u64 = 7 * 24;

/// The age at which deliveries are deleted.
pub const LOG_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

text_enum! {
    /// The reason why nothing is sent to a webhook.
    pub enum PauseReason {
        /// The account paused it.
        Requested = "requested",
        /// Every attempt of a day failed.
        Failures = "failures",
        /// The receiver responded with 410 Gone.
        Gone = "gone",
    }
}

text_enum! {
    /// The state of a delivery.
    pub enum DeliveryStatus {
        /// It is sent, or tried again, at the time in `due_at`.
        Waiting = "waiting",
        /// The receiver accepted it.
        Delivered = "delivered",
        /// No attempt succeeded, and there is no other one.
        Failed = "failed",
    }
}

/// An address to which the server sends the events of the account.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct Webhook {
    pub id: WebhookId,
    /// The address, which gets each event as a POST request; empty for that of callbacks, whose orders name their own.
    #[schema(example = "https://shop.example.com/linepress")]
    pub url: String,
    /// The time since which it sends the callbacks of orders, and no other events; null for other webhooks.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub callbacks_since: Option<Timestamp>,
    /// The note of the account about it.
    pub description: String,
    /// The types of the events that it gets; empty for all.
    #[sqlx(try_from = "String")]
    #[schema(value_type = Vec<EventType>)]
    pub events: Events,
    /// The time until which the secret before the current one signs, too; null if there is none.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub previous_secret_expires_at: Option<Timestamp>,
    /// The time since which every attempt has failed; null if the last one succeeded.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub failing_since: Option<Timestamp>,
    /// The time at which it was paused; null while events are sent.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub paused_at: Option<Timestamp>,
    /// The reason of the pause; null without a pause.
    #[sqlx(try_from = "Option<String>")]
    #[schema(required, value_type = Option<PauseReason>)]
    pub pause_reason: Pause,
    /// The time at which it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// The reason of a pause, if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pause(pub Option<PauseReason>);

impl TryFrom<Option<String>> for Pause {
    type Error = UnknownText;

    fn try_from(stored: Option<String>) -> Result<Self, UnknownText> {
        stored.map(PauseReason::try_from).transpose().map(Self)
    }
}

/// Types of events; none stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Events(pub Vec<EventType>);

impl Events {
    /// Returns true when events of this type are sent.
    pub fn has(&self, kind: EventType) -> bool {
        self.0.is_empty() || self.0.contains(&kind)
    }

    fn to_stored(&self) -> String {
        let mut words: Vec<&str> = self.0.iter().map(|kind| kind.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        words.join(" ")
    }
}

impl TryFrom<String> for Events {
    type Error = UnknownText;

    fn try_from(stored: String) -> Result<Self, UnknownText> {
        let words = stored.split_whitespace().map(str::to_owned);
        words.map(EventType::try_from).collect::<Result<_, _>>().map(Self)
    }
}

/// A new webhook.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// The https address, which may not lead into a private network.
    #[schema(
        max_length = 2048,
        pattern = r"^https://[^\x00-\x20\x7F-\x9F]+$",
        example = "https://shop.example.com/linepress"
    )]
    pub url: String,
    /// A note about it.
    #[serde(default)]
    #[schema(max_length = 100, pattern = r"^[^\x00-\x1F\x7F-\x9F]*$")]
    pub description: String,
    /// The types of the events to send; all if omitted or empty.
    #[serde(default)]
    #[schema(value_type = Vec<EventType>)]
    pub events: Events,
}

/// A change of a webhook. Omitted fields keep their values.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookChange {
    /// The new address.
    #[serde(default, deserialize_with = "validation::given")]
    #[schema(nullable = false, max_length = 2048, pattern = r"^https://[^\x00-\x20\x7F-\x9F]+$")]
    pub url: Option<String>,
    /// The new note.
    #[serde(default, deserialize_with = "validation::given")]
    #[schema(nullable = false, max_length = 100, pattern = r"^[^\x00-\x1F\x7F-\x9F]*$")]
    pub description: Option<String>,
    /// The new types of events; empty for all.
    #[serde(default, deserialize_with = "validation::given")]
    #[schema(nullable = false, value_type = Option<Vec<EventType>>)]
    pub events: Option<Events>,
    /// True to pause it, so that it gets no events; false to end a pause.
    #[serde(default, deserialize_with = "validation::given")]
    #[schema(nullable = false)]
    pub paused: Option<bool>,
}

/// An event that is sent to one webhook, and the last attempt to send it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct Delivery {
    pub id: DeliveryId,
    /// The id of the event, which every attempt sends in the header `webhook-id`.
    pub event_id: EventId,
    #[sqlx(try_from = "String")]
    pub event_type: EventType,
    /// The address that an order named as its `callback_url`; null for the address of the webhook.
    #[schema(required)]
    pub url: Option<String>,
    /// The body that is sent.
    pub body: String,
    #[sqlx(try_from = "String")]
    pub status: DeliveryStatus,
    /// The number of attempts.
    #[schema(minimum = 0)]
    pub attempts: i64,
    /// The time of the next attempt; null if there is none.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub due_at: Option<Timestamp>,
    /// The time of the last attempt; null before the first.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub attempted_at: Option<Timestamp>,
    /// The duration of the last attempt in milliseconds; null before the first.
    #[schema(required, minimum = 0)]
    pub duration_ms: Option<i64>,
    /// The status of the response to the last attempt; null if there was none.
    #[schema(required)]
    pub response_status: Option<i64>,
    /// The beginning of that response; null if there was none.
    #[schema(required)]
    pub response: Option<String>,
    /// The reason why there was no response; null if there was one.
    #[schema(required)]
    pub error: Option<String>,
    /// The time of the event.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// A webhook with a secret that was just made. It is not shown again.
#[derive(Debug)]
pub struct WithSecret {
    pub webhook: Webhook,
    pub secret: SigningSecret,
}

/// The webhooks of the account, newest first.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Webhook>> {
    caller.require_reading()?;
    Ok(store::list(&app.database.read, caller.account_id()).await?)
}

/// The webhooks of an account that the server paused, for a notice.
pub async fn paused_by_server(app: &App, account: &AccountId) -> Result<Vec<Webhook>> {
    let mut webhooks = store::list(&app.database.read, account).await?;
    webhooks.retain(|webhook| {
        let reason = webhook.pause_reason.0;
        reason.is_some_and(|reason| reason != PauseReason::Requested)
    });
    Ok(webhooks)
}

/// A webhook of the account. None if it does not exist.
pub async fn get(app: &App, caller: &Caller, id: &WebhookId) -> Result<Option<Webhook>> {
    caller.require_reading()?;
    Ok(store::find(&app.database.read, caller.account_id(), id).await?)
}

/// Creates a webhook.
pub async fn create(app: &App, caller: &Caller, new: &NewWebhook) -> Result<WithSecret> {
    caller.require_webhook_management()?;
    check_url(app, &new.url)?;
    check_description(&new.description)?;
    let now = app.clock.now();
    let id = WebhookId::generate(now, &app.random);
    let secret = SigningSecret::generate(&app.random);
    let mut tx = app.database.begin().await?;
    throttle::take_change(app, &mut tx, caller).await?;
    // Locks the account's row, so that webhooks are counted one after the other.
    credentials::check_still_allowed(app, &mut tx, caller).await?;
    if store::count(&mut tx, caller.account_id()).await? >= MAX_WEBHOOKS {
        return Err(ErrorKind::AccountLimitReached {
            what: "webhooks",
            limit: MAX_WEBHOOKS,
            advice: "Delete one.",
        }
        .into());
    }
    let encrypted = secret.encrypted(app, &mut tx, &id).await?;
    store::insert(&mut tx, caller.account_id(), &id, new, &encrypted, now).await?;
    let webhook = present(&mut tx, caller, &id).await?;
    tx.commit().await?;
    Ok(WithSecret { webhook, secret })
}

/// The webhook as this transaction sees it.
async fn present(tx: &mut Tx, caller: &Caller, id: &WebhookId) -> Result<Webhook> {
    let found = store::find(&mut **tx, caller.account_id(), id).await?;
    found.ok_or_else(|| Error::not_found("webhook"))
}

/// Changes a webhook. None if it does not exist.
pub async fn update(app: &App, caller: &Caller, id: &WebhookId, change: &WebhookChange) -> Result<Option<Webhook>> {
    caller.require_webhook_management()?;
    if let Some(url) = &change.url {
        check_url(app, url)?;
    }
    if let Some(description) = &change.description {
        check_description(description)?;
    }
    let mut tx = app.database.begin().await?;
    let Some(before) = store::lock(&mut tx, caller.account_id(), id).await? else {
        return Ok(None);
    };
    if before.callbacks_since.is_some() && (change.url.is_some() || change.events.is_some()) {
        let field = if change.url.is_some() { "url" } else { "events" };
        let problem = "cannot be changed: each order names its own callback_url, which gets the event of its end";
        return Err(Error::invalid_field(Field::named(field), problem));
    }
    let after = changed(before.clone(), change, app.clock.now());
    let has_resumed = before.paused_at.is_some() && after.paused_at.is_none();
    let has_moved = before.url != after.url;
    store::update(&mut tx, &after).await?;
    if before.paused_at.is_none() && after.paused_at.is_some() {
        store::hold(&mut tx, id).await?;
    }
    if has_resumed {
        store::send_held(&mut tx, id, app.clock.now()).await?;
    }
    if has_moved {
        store::end_claim(&mut tx, id).await?;
    }
    tx.commit().await?;
    if has_resumed || has_moved {
        app.webhooks.notify_one();
    }
    Ok(Some(after))
}

/// The webhook after a change. What failed before a resumption or at another address does not count.
fn changed(before: Webhook, change: &WebhookChange, now: Timestamp) -> Webhook {
    let WebhookChange {
        url,
        description,
        events,
        paused,
    } = change.clone();
    let pause = match paused {
        Some(true) if before.paused_at.is_none() => Some((now, PauseReason::Requested)),
        Some(false) => None,
        _ => before.paused_at.zip(before.pause_reason.0),
    };
    let begins_anew =
        before.paused_at.is_some() && pause.is_none() || url.as_ref().is_some_and(|url| *url != before.url);
    Webhook {
        url: url.unwrap_or(before.url),
        description: description.unwrap_or(before.description),
        events: events.unwrap_or(before.events),
        paused_at: pause.map(|(since, _)| since),
        pause_reason: Pause(pause.map(|(_, reason)| reason)),
        failing_since: before.failing_since.filter(|_| !begins_anew),
        ..before
    }
}

/// Deletes a webhook and what waits for it; returns false if it does not exist.
pub async fn delete(app: &App, caller: &Caller, id: &WebhookId) -> Result<bool> {
    caller.require_webhook_management()?;
    let mut tx = app.database.begin().await?;
    let deleted = store::delete(&mut tx, caller.account_id(), id).await?;
    tx.commit().await?;
    Ok(deleted)
}

/// Deletes the webhooks of an account that is closed or gets another owner, and those of its sandbox.
pub async fn delete_all(tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::delete_all(tx, account).await?)
}

/// Replaces the secret. The one before it signs, too, for some hours, so that receivers can be changed in between. None
/// if the webhook does not exist.
pub async fn rotate_secret(
    app: &App,
    caller: &Caller,
    id: &WebhookId,
    overlap_hours: u64,
) -> Result<Option<WithSecret>> {
    caller.require_webhook_management()?;
    check_overlap(overlap_hours)?;
    let mut tx = app.database.begin().await?;
    if store::lock(&mut tx, caller.account_id(), id).await?.is_none() {
        return Ok(None);
    }
    let secret = SigningSecret::generate(&app.random);
    let encrypted = secret.encrypted(app, &mut tx, id).await?;
    let overlap = Duration::from_secs(overlap_hours * 3600);
    let expires_at = (overlap_hours > 0).then(|| app.clock.now().plus(overlap));
    store::replace_secret(&mut tx, id, &encrypted, expires_at).await?;
    store::end_claim(&mut tx, id).await?;
    let webhook = present(&mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(WithSecret { webhook, secret }))
}

fn check_overlap(overlap_hours: u64) -> Result<()> {
    if overlap_hours <= MAX_OVERLAP_HOURS {
        return Ok(());
    }
    let problem = format!("must be 0 to {MAX_OVERLAP_HOURS}");
    Err(Error::invalid_field(Field::named("overlap_hours"), problem))
}

/// Sends a test event to the webhook, even if it takes no other events. None if it does not exist; an error while it is
/// paused.
pub async fn send_test(app: &App, caller: &Caller, id: &WebhookId) -> Result<Option<Delivery>> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let Some(webhook) = store::lock(&mut tx, caller.account_id(), id).await? else {
        return Ok(None);
    };
    require_active(&webhook)?;
    if webhook.callbacks_since.is_some() {
        let problem = "names the webhook of callbacks, which has no address: send an order with a callback_url";
        return Err(Error::invalid_field(Field::named("webhook"), problem));
    }
    throttle::take_change(app, &mut tx, caller).await?;
    let delivery = events::record_test(app, &mut tx, &webhook.id).await?;
    let delivery = store::delivery(&mut *tx, id, &delivery).await?;
    tx.commit().await?;
    Ok(delivery)
}

fn require_active(webhook: &Webhook) -> Result<()> {
    if webhook.paused_at.is_none() {
        return Ok(());
    }
    Err(Error::invalid_field(
        Field::named("paused"),
        "must be false: resume the webhook first",
    ))
}

/// The deliveries of the last 30 days to a webhook, newest first. None if it does not exist.
pub async fn deliveries(
    app: &App,
    caller: &Caller,
    id: &WebhookId,
    request: &PageRequest,
) -> Result<Option<PageOf<Delivery>>> {
    caller.require_reading()?;
    if get(app, caller, id).await?.is_none() {
        return Ok(None);
    }
    let rows = store::deliveries(&app.database.read, id, request).await?;
    Ok(Some(PageOf::from_rows(rows, request, |row| row.id.as_str())))
}

/// Sends a delivery again, with the same event id and body. None if the webhook does not exist or has no such delivery;
/// an error while it is paused.
pub async fn replay(app: &App, caller: &Caller, id: &WebhookId, delivery: &DeliveryId) -> Result<Option<Delivery>> {
    caller.require(Scopes::WRITING)?;
    let mut tx = app.database.begin().await?;
    let Some(webhook) = store::lock(&mut tx, caller.account_id(), id).await? else {
        return Ok(None);
    };
    require_active(&webhook)?;
    throttle::take_change(app, &mut tx, caller).await?;
    store::make_due(&mut tx, id, delivery, app.clock.now()).await?;
    let delivery = store::delivery(&mut *tx, id, delivery).await?;
    tx.commit().await?;
    app.webhooks.notify_one();
    Ok(delivery)
}

fn check_url(app: &App, url: &str) -> Result<()> {
    check_address(app, url, Field::named("url"))
}

fn check_address(app: &App, url: &str, field: Field) -> Result<()> {
    if !url.is_ascii() {
        let problem = "must contain only ASCII characters: write the host in Punycode, and encode others with %";
        return Err(Error::invalid_field(field, problem));
    }
    let checked = app.webhook_fetcher.check_url(url);
    checked.map_err(|problem| Error::invalid_field(field, problem))
}

fn check_description(text: &str) -> Result<()> {
    let is_fine = text.chars().count() <= MAX_DESCRIPTION_CHARS && !text.contains(char::is_control);
    if is_fine {
        return Ok(());
    }
    let problem = format!("must be one line of at most {MAX_DESCRIPTION_CHARS} characters");
    Err(Error::invalid_field(Field::description(), problem))
}

//! Callbacks: addresses that single orders name, which get the event of the order's end.
//!
//! All callbacks of an account are deliveries of one webhook, whose secret signs them: a receiver verifies them like
//! other events, and needs no secret for each order. This webhook is made with the first such order, or with its
//! secret. Its deliveries name their own addresses, so that a bad one never pauses the others.
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{Schema, SchemaFormat, Type};
use utoipa::openapi::{ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::events::insert;
use super::secret::SigningSecret;
use super::{EventType, MAX_URL_BYTES, WithSecret, check_address, check_overlap, present, store};
use crate::caller::Caller;
use crate::credentials;
use crate::throttle;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, WebhookId};

/// The address that gets the event of the end of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallbackUrl(String);

impl CallbackUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Fails unless events may be sent to the address.
    pub fn check(&self, app: &App) -> Result<()> {
        check_address(app, &self.0, Field::named("callback_url"))
    }
}

impl PartialSchema for CallbackUrl {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::Custom("uri".into())))
            .description(Some(
                "An https address that gets the event of the operation's end as a POST request, signed like those of webhooks with the \
                 secret of the account's callbacks (`POST /callback_secret`), and sent again for a day until it is accepted.",
            ))
            .max_length(Some(MAX_URL_BYTES))
            .pattern(Some(r"^https://[^\x00-\x20\x7F-\x9F]+$"))
            .examples(["https://shop.example.com/orders/4711"])
            .into()
    }
}

impl ToSchema for CallbackUrl {}

/// The callback of an order that is being accepted: its address, and the account's webhook of callbacks at that time.
/// It ends with this webhook, even if the account has another one later: a former owner of the account, whose webhooks
/// were deleted, gets nothing from the next owner's.
#[derive(Clone, Debug)]
pub struct Callback {
    pub webhook: WebhookId,
    pub url: String,
}

/// The callback of an order with this address; call it before the account's row is locked.
pub async fn prepare(app: &App, tx: &mut Tx, account: &AccountId, url: &CallbackUrl) -> Result<Callback> {
    Ok(Callback {
        webhook: webhook_of(app, tx, account).await?,
        url: url.as_str().to_owned(),
    })
}

/// The webhook of the account's callbacks, which is made if there is none yet; call it before the account's row is
/// locked.
async fn webhook_of(app: &App, tx: &mut Tx, account: &AccountId) -> Result<WebhookId> {
    if let Some(id) = store::of_callbacks(tx, account).await? {
        return Ok(id);
    }
    let now = app.clock.now();
    let id = WebhookId::generate(now, &app.random);
    let secret = SigningSecret::generate(&app.random);
    let encrypted = secret.encrypted(app, tx, &id).await?;
    store::insert_of_callbacks(tx, account, &id, &encrypted, now).await?;
    // Another request may have made it at the same time.
    let found = store::of_callbacks(tx, account).await?;
    found.ok_or_else(|| Error::internal("the webhook of callbacks disappeared"))
}

/// Records an event for the address that an order named. Does nothing when the account's callbacks are paused, or those
/// of the order were deleted.
pub async fn record_callback(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    (kind, data): (EventType, &Value),
    callback: &Callback,
) -> Result<()> {
    let active = store::active_of_callbacks(tx, account).await?;
    if let Some(id) = active.filter(|id| *id == callback.webhook) {
        insert(app, tx, &[&id], (kind, data), Some(&callback.url)).await?;
    }
    Ok(())
}

/// Makes the secret with which the account's callbacks are signed, or replaces it. The one before it signs, too, for
/// some hours.
pub async fn renew_secret(app: &App, caller: &Caller, overlap_hours: u64) -> Result<WithSecret> {
    caller.require_webhook_management()?;
    check_overlap(overlap_hours)?;
    let mut tx = app.database.begin().await?;
    throttle::take_change(app, &mut tx, caller).await?;
    let id = webhook_of(app, &mut tx, caller.account_id()).await?;
    let secret = SigningSecret::generate(&app.random);
    let encrypted = secret.encrypted(app, &mut tx, &id).await?;
    let overlap = Duration::from_secs(overlap_hours * 3600);
    let expires_at = (overlap_hours > 0).then(|| app.clock.now().plus(overlap));
    store::replace_secret(&mut tx, &id, &encrypted, expires_at).await?;
    store::end_claim(&mut tx, &id).await?;
    // The webhook is locked before the account's row.
    credentials::check_still_allowed(app, &mut tx, caller).await?;
    let webhook = present(&mut tx, caller, &id).await?;
    tx.commit().await?;
    Ok(WithSecret { webhook, secret })
}

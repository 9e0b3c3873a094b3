//! The events that are sent to webhooks.
use linepress_model::text_enum;
use serde_json::{Value, json};

use super::Webhook;
use super::store::{self, NewDelivery};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, DeliveryId, EventId, WebhookId};

text_enum! {
    /// The type of an event.
    #[schema(as = WebhookEventType)]
    pub enum EventType {
        /// Every drawing of an operation succeeded.
        OperationSucceeded = "operation.succeeded",
        /// An operation has ended, and some of its drawings failed.
        OperationPartiallySucceeded = "operation.partially_succeeded",
        /// An operation has ended without a drawing.
        OperationFailed = "operation.failed",
        /// A page was drawn.
        PageReady = "page.ready",
        /// The balance of the account fell below the setting of the server.
        CreditsLow = "credits.low",
        /// The account has another plan.
        PlanChanged = "plan.changed",
        /// A test that the account requested.
        Test = "webhook.test",
    }
}

/// The webhooks of an account that are not paused, read once for several events.
pub struct Receivers(Vec<Webhook>);

impl Receivers {
    pub async fn of(tx: &mut Tx, account: &AccountId) -> Result<Self> {
        Ok(Self(store::active(tx, account).await?))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records an event for each webhook that takes events of this type. `data` tells what happened.
    pub async fn record(&self, app: &App, tx: &mut Tx, kind: EventType, data: &Value) -> Result<()> {
        let takers = self.0.iter().filter(|webhook| webhook.events.has(kind));
        let takers: Vec<&WebhookId> = takers.map(|webhook| &webhook.id).collect();
        if !takers.is_empty() {
            insert(app, tx, &takers, (kind, data), None).await?;
        }
        Ok(())
    }
}

/// Records a single event of an account, as [`Receivers::record`] does.
pub async fn record(app: &App, tx: &mut Tx, account: &AccountId, kind: EventType, data: &Value) -> Result<()> {
    Receivers::of(tx, account).await?.record(app, tx, kind, data).await
}

/// Records a test event for one webhook; returns the delivery.
pub(super) async fn record_test(app: &App, tx: &mut Tx, webhook: &WebhookId) -> Result<DeliveryId> {
    let data = json!({"webhook_id": webhook});
    insert(app, tx, &[webhook], (EventType::Test, &data), None).await
}

/// Inserts a delivery for each webhook, to its address or to another one; returns the last one.
pub(super) async fn insert(
    app: &App,
    tx: &mut Tx,
    webhooks: &[&WebhookId],
    (kind, data): (EventType, &Value),
    url: Option<&str>,
) -> Result<DeliveryId> {
    let now = app.clock.now();
    let event = EventId::generate(now, &app.random);
    let body = json!({"type": kind, "timestamp": now, "data": data}).to_string();
    let mut id = DeliveryId::generate(now, &app.random);
    for webhook in webhooks {
        id = DeliveryId::generate(now, &app.random);
        let new = NewDelivery {
            id: &id,
            webhook,
            event: &event,
            kind,
            url,
            body: &body,
            at: now,
        };
        store::insert_delivery(tx, &new).await?;
    }
    let app = app.clone();
    tx.after_commit(move || app.webhooks.notify_one());
    Ok(id)
}

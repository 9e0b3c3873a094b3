//! The webhook that learns of the story's book, and the delivery that told it.
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::{BOOK, CREATED_AT, FINISHED_AT, operation_id};
use linepress_accounts::webhooks::{Delivery, DeliveryStatus, EventType, Events, Pause, Webhook};
use linepress_core::operations::{OperationStatus, OperationType, ResourceType};
use linepress_platform::ids::{DeliveryId, EventId, WebhookId};

/// The secret of the webhook.
const SECRET: &str = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";

/// The secret of the account's callbacks.
const CALLBACK_SECRET: &str = "whsec_CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg=";

/// The overlap in the example of a rotation.
const OVERLAP_HOURS: u64 = 24;

/// The events of which each order ends with one.
const ENDS: [EventType; 3] = [
    EventType::OperationSucceeded,
    EventType::OperationPartiallySucceeded,
    EventType::OperationFailed,
];

/// The bodies with webhooks and deliveries, by the name of their schema.
pub(super) fn bodies() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("WebhooksReply", json!({"webhooks": [webhook()]})),
        ("WebhookReply", json!({"webhook": webhook()})),
        ("WebhookSecretReply", json!({"webhook": webhook(), "secret": SECRET})),
        (
            "WebhookBody",
            json!({"webhook": {
                "url": webhook().url,
                "description": webhook().description,
                "events": ENDS,
            }}),
        ),
        ("WebhookChangeBody", json!({"webhook": {"paused": true}})),
        ("SecretRotation", json!({"overlap_hours": OVERLAP_HOURS})),
        ("DeliveryReply", json!({"delivery": delivery()})),
        (
            "DeliveriesReply",
            json!({"deliveries": [delivery()], "meta": {"next_cursor": null}}),
        ),
    ])
}

/// The reply with the secret of callbacks. Its schema is that of the replies with the secret of another webhook.
pub(super) fn callback_secret() -> Value {
    let webhook = Webhook {
        id: WebhookId::from_text("hook_01KAFMYG00000000000000000B"),
        url: String::new(),
        callbacks_since: Some(CREATED_AT),
        description: String::new(),
        events: Events::default(),
        previous_secret_expires_at: Some(CREATED_AT.plus(Duration::from_secs(OVERLAP_HOURS * 3600))),
        ..webhook()
    };
    json!({"webhook": webhook, "secret": CALLBACK_SECRET})
}

fn webhook() -> Webhook {
    Webhook {
        id: WebhookId::from_text("hook_01KAFMYG00000000000000000A"),
        url: "https://shop.example.com/linepress".into(),
        callbacks_since: None,
        description: "The shop".into(),
        events: Events(ENDS.to_vec()),
        previous_secret_expires_at: None,
        failing_since: None,
        paused_at: None,
        pause_reason: Pause(None),
        created_at: CREATED_AT,
    }
}

fn delivery() -> Delivery {
    let body = json!({
        "type": EventType::OperationSucceeded,
        "timestamp": FINISHED_AT,
        "data": {
            "operation_id": operation_id(),
            "operation_type": OperationType::BookCreate,
            "status": OperationStatus::Succeeded,
            "progress": {"completed": 3, "failed": 0, "total": 3},
            "resource": {"type": ResourceType::Book, "id": BOOK},
        },
    });
    Delivery {
        id: DeliveryId::from_text("dlv_01KAFMYG00000000000000000A"),
        event_id: EventId::from_text("evt_01KAFMYG00000000000000000A"),
        event_type: EventType::OperationSucceeded,
        url: None,
        body: body.to_string(),
        status: DeliveryStatus::Delivered,
        attempts: 1,
        due_at: None,
        attempted_at: Some(FINISHED_AT),
        duration_ms: Some(120),
        response_status: Some(204),
        response: Some(String::new()),
        error: None,
        created_at: FINISHED_AT,
    }
}

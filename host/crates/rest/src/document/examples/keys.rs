//! The API key with which the story's client could send its orders.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{CREATED_AT, FINISHED_AT};
use linepress_accounts::accounts::{ApiKey, KeyRotation, KeyStatus, Networks, NewApiKey};
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::ids::KeyId;
use linepress_platform::scopes::{Scope, Scopes};

const NAME: &str = "The shop's server";
const NETWORK: &str = "203.0.113.0/24";
const CREDIT_CAP: i64 = 20;

/// The bodies with API keys, by the name of their schema.
pub(super) fn bodies() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("ApiKeyBody", json!({"key": new_key()})),
        ("ApiKeyReply", json!({"key": key()})),
        ("ApiKeysReply", json!({"keys": [key()], "meta": {"next_cursor": null}})),
        (
            "ApiKeySecretReply",
            json!({"key": key(), "secret": "lp_3fK9aQp5rVd2nXyZcW8uHbTmJ0sLgE7iQoRkNfAvUxY"}),
        ),
        (
            "KeyRotation",
            json!(KeyRotation {
                overlap_hours: Some(48)
            }),
        ),
    ])
}

fn new_key() -> NewApiKey {
    NewApiKey {
        scopes: Some(Scope::ALL.to_vec()),
        credit_cap: Some(CREDIT_CAP),
        credit_period: Some(CreditPeriod::Day),
        allowed_networks: Some(vec![NETWORK.into()]),
        ..NewApiKey::named(NAME)
    }
}

fn key() -> ApiKey {
    ApiKey {
        id: KeyId::from_text("key_01KAFMYG00000000000000000A"),
        name: NAME.into(),
        prefix: Some("lp_3fK9aQ".into()),
        status: KeyStatus::Active,
        test: false,
        scopes: Scopes::ALL,
        expires_at: None,
        credit_cap: Some(CREDIT_CAP),
        credit_period: Some(CreditPeriod::Day),
        credits_spent: 2,
        allowed_networks: Networks::try_from(NETWORK.to_owned()).expect("an example is a valid network"),
        last_used_at: Some(FINISHED_AT),
        previous_secret_expires_at: None,
        created_at: CREATED_AT,
        revoked_at: None,
    }
}

//! API keys as their owners see them.
use linepress_model::text_enum;
use serde::Serialize;

use super::networks::Networks;
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::ids::KeyId;
use linepress_platform::scopes::{Scope, Scopes};

text_enum! {
    /// The state of an API key.
    #[schema(as = ApiKeyStatus)]
    pub enum KeyStatus {
        Active = "active",
        /// Its time has ended.
        Expired = "expired",
        Revoked = "revoked",
    }
}

/// An API key, without its secret.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ApiKey {
    pub id: KeyId,
    /// The purpose of the key.
    pub name: String,
    /// The beginning of the secret; null for keys that were created by an earlier version.
    #[schema(required, example = "lp_3fK9aQ")]
    pub prefix: Option<String>,
    pub status: KeyStatus,
    /// True for a test key.
    pub test: bool,
    /// The permissions of the key.
    #[schema(value_type = Vec<Scope>)]
    pub scopes: Scopes,
    /// The time at which the key ceases to be valid; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// The most that may be spent with the key in each period, in credits; null for all that the account has.
    #[schema(required, minimum = 0)]
    pub credit_cap: Option<i64>,
    /// The period after which as many credits may be spent again; null if `credit_cap` is for all time.
    #[schema(required)]
    pub credit_period: Option<CreditPeriod>,
    /// The credits that were spent with the key in the present period and not refunded.
    #[schema(minimum = 0)]
    pub credits_spent: i64,
    /// The networks from which the key may be used; empty for every network.
    #[schema(value_type = Vec<String>, example = json!(["203.0.113.0/24"]))]
    pub allowed_networks: Networks,
    /// The time of the last use, within a minute; null if the key was never used.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
    /// The time at which the secret before the last rotation ceases to be valid; null if it has.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub previous_secret_expires_at: Option<Timestamp>,
    /// The time at which the key was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time at which the key was revoked; null if it was not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub revoked_at: Option<Timestamp>,
}

impl ApiKey {
    /// Returns true if the key is neither revoked nor expired.
    pub fn is_active(&self) -> bool {
        self.status == KeyStatus::Active
    }
}

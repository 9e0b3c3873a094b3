//! The caller's account, and what its app may do.
use serde::Serialize;
use utoipa::ToSchema;

use linepress_accounts::accounts::ApiKey;
use linepress_accounts::caller::ActiveGrant;
use linepress_core::me::AccountResource;
use linepress_platform::scopes::{Scope, Scopes};

/// The result of `get_account`.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccountResult {
    pub account: AccountResource,
    /// Missing for a caller that is neither an app nor an API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantUse>,
}

/// The permissions of the calling app, and what it has spent.
#[derive(Serialize, ToSchema)]
pub(crate) struct GrantUse {
    #[schema(value_type = Vec<Scope>)]
    pub scopes: Scopes,
    pub may_spend: bool,
    /// Null without a limit.
    pub credit_cap: Option<i64>,
    pub credits_spent: i64,
    /// Null without a limit.
    pub credits_left: Option<i64>,
}

impl GrantUse {
    /// What the calling app may do under its grant.
    pub(crate) fn from_grant(grant: &ActiveGrant) -> Self {
        Self::within(grant.scopes, grant.credit_cap, grant.credits_spent)
    }

    /// The same for an API key, in the present period of its limit.
    pub(crate) fn from_key(key: &ApiKey) -> Self {
        Self::within(key.scopes, key.credit_cap, key.credits_spent)
    }

    fn within(scopes: Scopes, credit_cap: Option<i64>, credits_spent: i64) -> Self {
        let may_spend = scopes.includes(Scopes::SPENDING);
        let left = credit_cap.map(|cap| (cap - credits_spent).max(0));
        Self {
            scopes,
            may_spend,
            credit_cap,
            credits_spent,
            credits_left: if may_spend { left } else { Some(0) },
        }
    }
}

//! An API key as the pages show it.
use super::apps;
use crate::when::When;
use linepress_accounts::accounts::{ApiKey, KeyStatus};
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::scopes::Scope;

/// A key in a list, or on a page of its own.
pub(super) struct Key {
    pub id: String,
    pub name: String,
    pub is_test: bool,
    /// The beginning of the secret, if it is known.
    pub prefix: Option<String>,
    pub allowed: Vec<&'static str>,
    /// The credits that were spent with the key and may be; `None` if it may spend none.
    pub spending: Option<String>,
    pub networks: Vec<String>,
    pub created: When,
    pub last_used: Option<When>,
    pub expires: Option<When>,
    /// The time until which the secret before the last rotation is valid.
    pub old_secret_until: Option<When>,
    /// What ended the key and when, if it has ended.
    pub ended: Option<(&'static str, When)>,
}

impl From<ApiKey> for Key {
    fn from(key: ApiKey) -> Self {
        let spending = spending(&key);
        let ended = match key.status {
            KeyStatus::Active => None,
            KeyStatus::Expired => key.expires_at.map(|at| ("expired", When::new(at))),
            KeyStatus::Revoked => key.revoked_at.map(|at| ("revoked", When::new(at))),
        };
        Self {
            id: key.id.to_string(),
            name: key.name,
            is_test: key.test,
            prefix: key.prefix,
            allowed: key.scopes.iter().map(apps::words).collect(),
            spending,
            networks: key.allowed_networks.iter().collect(),
            created: When::new(key.created_at),
            last_used: key.last_used_at.map(When::new),
            expires: key.expires_at.map(When::new),
            old_secret_until: key.previous_secret_expires_at.map(When::new),
            ended,
        }
    }
}

fn spending(key: &ApiKey) -> Option<String> {
    if !key.scopes.contains(Scope::CreditsSpend) {
        return None;
    }
    let spent = key.credits_spent;
    let of_tests = if key.test { "test " } else { "" };
    Some(match (key.credit_cap, key.credit_period) {
        (None, _) => format!("{spent} {of_tests}credits spent, without a limit"),
        (Some(cap), None) => format!("{spent} of at most {cap} {of_tests}credits spent"),
        (Some(cap), Some(CreditPeriod::Day)) => format!("{spent} of at most {cap} {of_tests}credits spent today"),
        (Some(cap), Some(CreditPeriod::Month)) => {
            format!("{spent} of at most {cap} {of_tests}credits spent this month")
        }
    })
}

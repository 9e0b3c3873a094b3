//! The spending of apps and API keys within their limits. Refunded credits can be spent again.
//!
//! An app spends under its grant, which is locked before the account's row; a key is locked after it, because closing
//! an account revokes its keys while it holds the account's row.
mod store;

use std::collections::BTreeMap;

use crate::caller::{ActiveGrant, ActiveKey};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::{GrantId, KeyId};
use linepress_platform::scopes::{Scope, Scopes};

/// Counts the credits that an app is about to spend, and locks its grant until the transaction ends: nothing is spent
/// under a revoked grant, and two requests cannot both spend the rest of a limit. Fails and changes nothing when the
/// grant does not allow it.
pub async fn spend(tx: &mut Tx, grant: &ActiveGrant, credits: i64) -> Result<()> {
    if store::spend(tx, &grant.id, credits).await? {
        let needed = Scopes::of(&[Scope::CreditsSpend]);
        return match credits {
            0 => Ok(()),
            _ if grant.scopes.includes(needed) => Ok(()),
            _ => Err(ErrorKind::InsufficientScope { needed }.into()),
        };
    }
    match store::budget(tx, &grant.id).await? {
        Some(store::Budget {
            credit_cap: Some(cap),
            credits_spent: spent,
            revoked_at: None,
        }) => Err(ErrorKind::CreditCapReached {
            cap,
            spent,
            needed: credits,
        }
        .into()),
        Some(store::Budget { revoked_at: None, .. }) => Err(Error::internal("a grant without a cap refused to spend")),
        _ => Err(ErrorKind::GrantRevoked.into()),
    }
}

/// Counts the credits that are about to be spent with an API key, in the present period of its limit, and locks the key
/// until the transaction ends, as for a grant. The caller of this function holds the account's row, and has checked the
/// scopes.
pub async fn spend_with_key(tx: &mut Tx, key: &ActiveKey, credits: i64, now: Timestamp) -> Result<()> {
    let since = period_of(key, now);
    if store::spend_with_key(tx, &key.id, credits, since).await? {
        return Ok(());
    }
    match store::budget_of_key(tx, &key.id, since).await? {
        Some(store::Budget {
            credit_cap: Some(cap),
            credits_spent: spent,
            revoked_at: None,
        }) => Err(ErrorKind::KeyCapReached {
            cap,
            spent,
            needed: credits,
            period: key.credit_period,
        }
        .into()),
        Some(store::Budget { revoked_at: None, .. }) => Err(Error::internal("a key without a cap refused to spend")),
        _ => Err(ErrorKind::KeyRevoked.into()),
    }
}

/// The beginning of the present period of a key's limit; the beginning of time if the limit has no periods.
fn period_of(key: &ActiveKey, now: Timestamp) -> Timestamp {
    let begun = key.credit_period.map(|period| period.beginning(now));
    begun.unwrap_or(Timestamp::from_microseconds(0))
}

/// Reduces the spent credits of grants after refunds, in the order of the grants' ids, in which every transaction locks
/// them.
pub async fn give_back(tx: &mut Tx, refunded: &BTreeMap<GrantId, i64>) -> Result<()> {
    for (grant, credits) in refunded.iter().filter(|(_, credits)| **credits > 0) {
        store::give_back(tx, grant, *credits).await?;
    }
    Ok(())
}

/// Reduces the spent credits of keys after refunds, by the time at which the credits were spent: what was spent in an
/// earlier period does not count in the present one. The caller of this function holds the account's row.
pub async fn give_back_to_keys(tx: &mut Tx, refunded: &BTreeMap<(KeyId, Timestamp), i64>) -> Result<()> {
    for ((key, spent_at), credits) in refunded.iter().filter(|(_, credits)| **credits > 0) {
        store::give_back_to_key(tx, key, *credits, *spent_at).await?;
    }
    Ok(())
}

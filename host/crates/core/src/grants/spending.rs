//! The spending of apps within the limits of their grants. Refunded credits can be spent again.
use std::collections::BTreeMap;

use super::store;
use crate::caller::ActiveGrant;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::GrantId;
use linepress_platform::scopes::{Scope, Scopes};

/// Counts the credits that an app is about to spend, and locks its grant until the transaction ends: nothing is spent
/// under a revoked grant, and two requests cannot both spend the rest of a limit. Fails and changes nothing when the
/// grant does not allow it.
pub(crate) async fn spend(tx: &mut Tx, grant: &ActiveGrant, credits: i64) -> Result<()> {
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

/// Reduces the spent credits of grants after refunds, in the order of the grants' ids, in which every transaction locks
/// them.
pub(crate) async fn give_back(tx: &mut Tx, refunded: &BTreeMap<GrantId, i64>) -> Result<()> {
    for (grant, credits) in refunded.iter().filter(|(_, credits)| **credits > 0) {
        store::give_back(tx, grant, *credits).await?;
    }
    Ok(())
}

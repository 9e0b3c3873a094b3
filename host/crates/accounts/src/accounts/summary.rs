//! The summary of an account for an operator.
use serde::Serialize;

use super::{Account, Usage, keys, store};
use crate::credits;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;

#[derive(Debug, Serialize)]
pub struct Summary {
    #[serde(flatten)]
    pub account: Account,
    /// The time of the sign-up; `None` when the address is verified.
    pub unverified_since: Option<Timestamp>,
    /// The sum of all charges.
    pub spent: i64,
    /// The sum of all refunds.
    pub refunded: i64,
    /// The number of keys that are neither revoked nor expired, without test keys.
    pub active_keys: usize,
    #[serde(flatten)]
    pub usage: Usage,
}

pub async fn summary(app: &App, account: &Account) -> Result<Summary> {
    let totals = credits::totals(app, &account.id).await?;
    let keys = keys::list_keys(app, account).await?;
    Ok(Summary {
        account: Account {
            credits: totals.available,
            ..account.clone()
        },
        unverified_since: store::unverified_since(&app.database.read, &account.id).await?,
        spent: totals.spent,
        refunded: totals.refunded,
        active_keys: keys.iter().filter(|key| key.is_active() && !key.test).count(),
        usage: store::usage(&app.database.read, &account.id).await?.usage,
    })
}

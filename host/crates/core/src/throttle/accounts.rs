//! The rates at which one account may plan and change.
use std::time::Duration;

use super::{Rate, take, take_in};
use crate::app::App;
use crate::caller::Caller;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// The name of the throttle of book plans.
pub(crate) const PLANS: &str = "book plans in a short time";

/// The name of the throttle of changes.
pub(crate) const CHANGES: &str = "changes in a short time";

/// Takes one of the account's book plans; an error when it has made too many in the last minute.
pub(crate) async fn take_plan(app: &App, caller: &Caller) -> Result<()> {
    take(app, PLANS, caller.account_id().as_str(), plan_rate(app)).await
}

/// Takes one of the account's changes whose replies are stored; an error when it has made too many in the last minute.
pub(crate) async fn take_change(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    take_in(app, tx, CHANGES, caller.account_id().as_str(), change_rate(app)).await
}

pub(crate) fn plan_rate(app: &App) -> Rate {
    per_minute(app.config.limits.plans_per_minute)
}

pub(crate) fn change_rate(app: &App) -> Rate {
    per_minute(app.config.limits.changes_per_minute)
}

fn per_minute(times: i64) -> Rate {
    Rate::new(u32::try_from(times).unwrap_or(u32::MAX), Duration::from_secs(60))
}
